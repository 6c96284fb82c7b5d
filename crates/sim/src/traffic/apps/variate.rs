//! Random times and numbers by the laws of a scenario.

use crate::random::Stream;
use crate::scenario::Variate;
use crate::units::Time;

/// A transfer has no more packets, and a session or page has no more parts.
pub const MOST: u32 = 1 << 30;

/// Draws from a law.
pub fn draw(law: &Variate, stream: &mut Stream) -> f64 {
    match *law {
        Variate::Constant { value } => value,
        Variate::Exponential { mean } => stream.exponential(mean),
        Variate::Pareto { mean, shape } => stream.pareto(mean, shape),
        Variate::Lomax { mean, shape } => stream.lomax(mean, shape),
        Variate::Uniform { low, high } => stream.between(low, high),
        Variate::Lognormal { mean, sigma } => stream.lognormal(mean, sigma),
        Variate::Choice { ref values, ref weights } => choose(values, weights, stream),
    }
}

fn choose(values: &[f64], weights: &[f64], stream: &mut Stream) -> f64 {
    let mut left = stream.uniform() * weights.iter().sum::<f64>();
    for (&value, &weight) in values.iter().zip(weights) {
        left -= weight;
        if left < 0.0 {
            return value;
        }
    }
    // Rounding may leave the sum a little short; what has no weight is never chosen.
    let last = weights.iter().rposition(|&weight| weight > 0.0);
    last.map_or(0.0, |place| values[place])
}

/// A time.
pub fn time(law: &Variate, stream: &mut Stream) -> Time {
    Time::from_secs(draw(law, stream))
}

/// A number of packets or other things: a fraction counts as a whole one, and there is at least one.
pub fn number(law: &Variate, stream: &mut Stream) -> u32 {
    draw(law, stream).ceil().clamp(1.0, f64::from(MOST)) as u32
}

/// The mean of a law.
pub fn mean(law: &Variate) -> f64 {
    match *law {
        Variate::Constant { value } => value,
        Variate::Exponential { mean }
        | Variate::Pareto { mean, .. }
        | Variate::Lomax { mean, .. }
        | Variate::Lognormal { mean, .. } => mean,
        Variate::Uniform { low, high } => 0.5 * (low + high),
        Variate::Choice { ref values, ref weights } => {
            let whole: f64 = weights.iter().sum();
            values.iter().zip(weights).map(|(value, weight)| value * weight / whole).sum()
        }
    }
}

/// The greatest value of a law, if there is one.
pub fn greatest(law: &Variate) -> Option<f64> {
    match *law {
        Variate::Constant { value } => Some(value),
        Variate::Uniform { high, .. } => Some(high),
        Variate::Choice { ref values, .. } => values.iter().copied().reduce(f64::max),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u32 = 200_000;

    fn sample(law: Variate) -> Vec<f64> {
        let mut stream = Stream::new(11, "law");
        (0..DRAWS).map(|_| draw(&law, &mut stream)).collect()
    }

    /// Laws with the standard deviation of one draw.
    fn laws() -> Vec<(Variate, f64)> {
        let (shape, sigma) = (3.5f64, 0.5f64);
        vec![
            (Variate::Constant { value: 2.0 }, 0.0),
            (Variate::Exponential { mean: 2.0 }, 2.0),
            // Variance mean^2 / (shape (shape - 2)), and for the second kind mean^2 shape / (shape - 2).
            (Variate::Pareto { mean: 2.0, shape }, 2.0 / (shape * (shape - 2.0)).sqrt()),
            (Variate::Lomax { mean: 2.0, shape }, 2.0 * (shape / (shape - 2.0)).sqrt()),
            (Variate::Uniform { low: 1.0, high: 3.0 }, 2.0 / 12f64.sqrt()),
            (Variate::Lognormal { mean: 2.0, sigma }, 2.0 * (libm::exp(sigma * sigma) - 1.0).sqrt()),
            (
                Variate::Choice { values: vec![0.0, 5.0, 4.0, 9.0], weights: vec![3.0, 0.0, 4.0, 1.0] },
                7.875f64.sqrt(),
            ),
        ]
    }

    #[test]
    fn laws_have_their_means_within_four_standard_errors() {
        for (law, deviation) in laws() {
            let found = sample(law.clone()).iter().sum::<f64>() / f64::from(DRAWS);
            let error = deviation / f64::from(DRAWS).sqrt();
            assert!((found - mean(&law)).abs() <= 4.0 * error, "{law:?}: {found} +- {error}");
        }
    }

    #[test]
    fn the_tail_of_the_second_kind_of_pareto_is_that_of_ns2() {
        // P(X > x) = (1 + x / scale)^-shape: RandomVariable/ParetoII with avg_ 12 and shape_ 1.2.
        let (mean, shape) = (12.0, 1.2);
        let scale = mean * (shape - 1.0);
        let draws = sample(Variate::Lomax { mean, shape });
        for x in [0.5, 3.0, 40.0, 400.0] {
            let expected = libm::pow(1.0 + x / scale, -shape);
            let found = draws.iter().filter(|&&d| d > x).count() as f64 / f64::from(DRAWS);
            let error = (expected * (1.0 - expected) / f64::from(DRAWS)).sqrt();
            assert!((found - expected).abs() < 4.0 * error, "{x}: {found}, {expected} +- {error}");
        }
    }

    #[test]
    fn a_choice_has_its_weights() {
        let (values, weights) = (vec![1.0, 2.0, 3.0], vec![5.0, 0.0, 15.0]);
        let draws = sample(Variate::Choice { values, weights });
        let of = |value: f64| draws.iter().filter(|&&d| d == value).count() as f64 / f64::from(DRAWS);
        let error = (0.25 * 0.75 / f64::from(DRAWS)).sqrt();
        assert!((of(1.0) - 0.25).abs() < 4.0 * error && of(2.0) == 0.0);
        assert_eq!(of(1.0) + of(3.0), 1.0);
    }

    #[test]
    fn numbers_are_whole_and_at_least_one() {
        let mut stream = Stream::new(1, "n");
        let number = |law, stream: &mut Stream| number(&law, stream);
        assert_eq!(number(Variate::Constant { value: 0.0 }, &mut stream), 1);
        assert_eq!(number(Variate::Constant { value: 2.1 }, &mut stream), 3);
        assert_eq!(number(Variate::Constant { value: 1e300 }, &mut stream), MOST);
        assert!((0..1000).all(|_| number(Variate::Exponential { mean: 0.1 }, &mut stream) >= 1));
    }
}
