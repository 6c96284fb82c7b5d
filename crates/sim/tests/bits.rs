//! The functions that recordings depend on give the bits that `ENGINE_VERSION` was counted for.

/// Bits of a function over many arguments in one number.
fn digest(function: impl Fn(f64) -> f64) -> u64 {
    (1..=2000).fold(0xcbf2_9ce4_8422_2325, |hash: u64, i| {
        let bits = function(f64::from(i) * 0.0137).to_bits();
        (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(7)
    })
}

/// Another release of `libm` may round differently: then `ENGINE_VERSION` has to rise, and these numbers change.
#[test]
fn the_functions_of_libm_are_those_of_this_version() {
    assert_eq!(digest(libm::exp), 1448276510748126360);
    assert_eq!(digest(libm::log), 1028244071266582966);
    assert_eq!(digest(libm::log1p), 2752333315060675799);
    assert_eq!(digest(|x| libm::expm1(-x)), 15257022139080627199);
    assert_eq!(digest(libm::sin), 578610014229330012);
    assert_eq!(digest(libm::cos), 7646205768932845277);
    assert_eq!(digest(libm::tanh), 6006731346748028996);
    assert_eq!(digest(libm::cbrt), 11640727291826934301);
    assert_eq!(digest(libm::log2), 3669013720430060425);
    assert_eq!(digest(|x| libm::pow(x, 0.37)), 17035515063653191042);
    assert_eq!(digest(|x| f64::from(libm::expf(-x as f32))), 6494058696248484123);
}
