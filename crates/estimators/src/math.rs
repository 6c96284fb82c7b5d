//! Functions of numbers that `core` lacks, with the same bits on every machine.
//!
//! IEEE 754 gives square roots and roundings one result, so the processor's instructions, which `std` reaches, and
//! `libm` agree. Powers are multiplications in a fixed order: those of `f64::powi` have none that is promised.

/// Defines functions that IEEE 754 prescribes: those of `std` where it is there, else those of `libm`.
macro_rules! exact {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $(
            $(#[$doc])*
            #[inline]
            pub fn $name(x: f64) -> f64 {
                #[cfg(feature = "std")]
                return x.$name();
                #[cfg(not(feature = "std"))]
                return libm::$name(x);
            }
        )*
    };
}

exact! {
    /// The square root.
    sqrt,
    /// The greatest whole number that is not above `x`.
    floor,
    /// The least whole number that is not below `x`.
    ceil,
    /// The nearest whole number; from halfway the one farther from zero.
    round,
}

/// `x * x`.
#[inline]
pub fn square(x: f64) -> f64 {
    x * x
}

/// `x` to the power of `n`, by squaring: the factors of the binary digits of `n`, the lowest first.
#[inline]
pub fn powi(x: f64, n: i32) -> f64 {
    let (mut power, mut left) = (1.0, n.unsigned_abs());
    let mut factor = x;
    loop {
        if left & 1 == 1 {
            power *= factor;
        }
        left >>= 1;
        if left == 0 {
            break;
        }
        factor *= factor;
    }
    if n < 0 {
        1.0 / power
    } else {
        power
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::hint::black_box;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<f64>(),
            -1e3..1e3,
            -2.0..2.0,
            (-1000i32..1000).prop_map(|halves| f64::from(halves) / 2.0)
        ]
    }

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn without_std_the_exact_functions_have_the_same_bits(x in number()) {
            prop_assert!(same(x.sqrt(), libm::sqrt(x)));
            prop_assert!(same(x.floor(), libm::floor(x)));
            prop_assert!(same(x.ceil(), libm::ceil(x)));
            prop_assert!(same(x.round(), libm::round(x)));
        }

        #[test]
        fn powers_are_those_of_the_compilers_own_function(x in number(), n in -70..70i32) {
            prop_assert!(same(powi(x, n), black_box(x).powi(black_box(n))), "{x} {n}");
            prop_assert!(same(square(x), x.powi(2)), "{x}");
        }
    }

    #[test]
    fn powers_worked_by_hand() {
        assert_eq!([0, 1, 2, 5, 10].map(|n| powi(3.0, n)), [1.0, 3.0, 9.0, 243.0, 59_049.0]);
        assert_eq!((powi(2.0, -3), powi(0.0, 0), powi(-1.0, i32::MIN)), (0.125, 1.0, 1.0));
    }
}
