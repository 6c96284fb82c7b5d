//! Checks of samples: a finite number, and for a round-trip time one that is not negative.

/// Returns whether `x` can be filtered.
#[inline]
pub fn is_finite(x: f64) -> bool {
    x.is_finite()
}

/// Returns whether `rtt_s` is a round-trip time: finite and not negative.
#[inline]
pub fn is_rtt(rtt_s: f64) -> bool {
    // One comparison does for NaN too, which compares false with everything.
    (0.0..f64::INFINITY).contains(&rtt_s)
}

/// Index of the first number that [`is_finite`] refuses.
pub fn first_not_finite(xs: &[f64]) -> Option<usize> {
    first_refused(xs, is_finite)
}

/// Index of the first number that [`is_rtt`] refuses.
pub fn first_not_rtt(rtts_s: &[f64]) -> Option<usize> {
    first_refused(rtts_s, is_rtt)
}

/// Looks at blocks without a branch inside, which the compiler turns into vector code, and at single numbers
/// only in the block that holds the first refused one.
fn first_refused(xs: &[f64], accepts: impl Fn(f64) -> bool) -> Option<usize> {
    const BLOCK: usize = 64;
    let block = xs.chunks(BLOCK).position(|block| !block.iter().fold(true, |ok, &x| ok & accepts(x)))?;
    let start = block * BLOCK;
    xs[start..].iter().position(|&x| !accepts(x)).map(|i| start + i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_time_is_finite_and_not_negative() {
        for good in [0.0, -0.0, f64::MIN_POSITIVE, 0.1, f64::MAX] {
            assert!(is_rtt(good), "{good}");
        }
        for bad in [-1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!is_rtt(bad), "{bad}");
        }
    }

    #[test]
    fn the_first_refused_number_is_found_wherever_it_stands() {
        for place in [0, 1, 63, 64, 65, 127, 199] {
            let mut xs = [1.0; 200];
            assert_eq!(first_not_rtt(&xs), None);
            xs[199] = f64::NAN;
            xs[place] = f64::NAN;
            assert_eq!(first_not_finite(&xs), Some(place));
            xs[place] = -1.0;
            assert_eq!(first_not_rtt(&xs), Some(place));
        }
    }
}
