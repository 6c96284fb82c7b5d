//! How likely what a flow has shown is if it responds, and if it does not: what is known of congestion controls.

use super::evidence::{Contrast, Evidence, GivenUp, SCALES};
use crate::math::{sqrt, square};

/// Laws of `rho` over flows that respond: the most likely value, and the deviations below and above it. The first is
/// that of controls which give up a packet or so of a large window, the second that of smooth ones, the third that of
/// those which halve it, or wait for a timeout.
const RESPONSES: [[f64; 3]; SIZES] = [[0.03, 0.02, 0.03], [0.1, 0.04, 0.06], [0.25, 0.1, 0.2]];

/// Sizes of response that are told apart.
const SIZES: usize = 3;

/// Ways to respond: a time scale, and a size. Sizes at one time scale are neighbours.
pub(super) const WAYS_TO_RESPOND: usize = SCALES * SIZES;

/// How likely each way is before anything is known of a network, a row a time scale. Large windows take many round
/// trips to recover, so that small responses last.
#[rustfmt::skip]
pub(super) const LIKELY: [f64; WAYS_TO_RESPOND] = [
    0.05, 0.1, 0.15,
    0.05, 0.1, 0.15,
    0.00, 0.1, 0.15,
    0.00, 0.0, 0.15,
];

/// Deviation of `rho` over flows that do not respond: what is left of dependence between signals and flows.
const NO_RESPONSE: f64 = 0.005;

/// And for each unit of the coefficient of variation of what a flow sends: bursts are hit at their ends.
const NO_RESPONSE_BURSTS: f64 = 0.05;

/// The same by the signals of a dither, which depend on nothing.
const NO_RESPONSE_TO_DITHER: f64 = 0.002;

/// After so many trials by the dither the queue's signals count half: what they are worth depends on the queue.
const QUEUE_TRIALS: f64 = 3.0;

/// Part of the flows that slow down and make it good, before anything is known of one.
const IMITATORS: f64 = 0.02;

/// Deviation of what is given up in the end, as a part of what is at first.
const LASTS: f64 = 0.1;

/// Likelihoods stay finite.
const MOST_NATS: f64 = 30.0;

/// How many times more likely what was seen is of a flow that responds in one way than of one that does not respond; 1
/// when there is no evidence.
pub(super) fn ratios(evidence: &Evidence) -> [f64; WAYS_TO_RESPOND] {
    let mut ratios = [1.0; WAYS_TO_RESPOND];
    let weight = QUEUE_TRIALS / (QUEUE_TRIALS + evidence.dither_trials());
    for (scale, ratios) in ratios.chunks_exact_mut(SIZES).enumerate() {
        let (queue, dither) = (evidence.contrast(scale), evidence.dither_contrast(scale));
        for (ratio, law) in ratios.iter_mut().zip(RESPONSES) {
            let by_queue = queue.map_or(0.0, |contrast| nats(contrast, dependence(contrast.spread), law));
            let by_dither = dither.map_or(0.0, |contrast| nats(contrast, square(NO_RESPONSE_TO_DITHER), law));
            *ratio = libm::exp((weight * by_queue + by_dither).clamp(-MOST_NATS, MOST_NATS));
        }
    }
    ratios
}

/// How likely a flow that slows down after a signal is to make good what it gave up: it imitates a response. What an
/// honest one gives up within a short time is not less in the end. Only a dither can tell: whom the queue hits has
/// sent more than usual, and sends less later anyway.
pub(super) fn imitates(evidence: &Evidence) -> f64 {
    let deviations = |each: &GivenUp| each.at_first / sqrt(each.first_variance + 1e-12);
    let clearest = (1..SCALES)
        .filter_map(|scale| evidence.given_up(scale))
        .max_by(|a, b| deviations(a).total_cmp(&deviations(b)));
    clearest.map_or(0.0, |given_up| {
        let ratio = libm::exp(made_good(given_up).clamp(-MOST_NATS, MOST_NATS));
        IMITATORS * ratio / (1.0 - IMITATORS + IMITATORS * ratio)
    })
}

/// Logarithm of the likelihood of what was given up if nothing of it is in the end, over that if all is, or more.
fn made_good(given_up: GivenUp) -> f64 {
    let GivenUp { at_first, in_the_end, variance, .. } = given_up;
    let tolerance = variance + square(LASTS * at_first) + square(NO_RESPONSE_TO_DITHER);
    let (missing, left) = ((at_first - in_the_end).max(0.0), in_the_end.max(0.0));
    if at_first > 0.0 {
        0.5 * (missing * missing - left * left) / tolerance
    } else {
        0.0
    }
}

/// Variance of `rho` over flows that do not respond, by the queue's signals.
fn dependence(spread: f64) -> f64 {
    square(NO_RESPONSE) + square(NO_RESPONSE_BURSTS) * spread
}

/// Logarithm of the likelihood of a contrast if the flow responds by this law, over that if it does not. `bias` is the
/// variance that signals add because they depend on the flow.
fn nats(contrast: Contrast, bias: f64, [mode, below, above]: [f64; 3]) -> f64 {
    let Contrast { rho, variance, .. } = contrast;
    let does_not = variance + bias;
    let [below, above] = [below, above].map(|deviation| does_not + deviation * deviation);
    let distance = rho - mode;
    let responds = if distance < 0.0 { below } else { above };
    // Two halves of normal laws that meet at their common mode, against one normal law.
    let densities = 2.0 * sqrt(does_not) / (sqrt(below) + sqrt(above));
    libm::log(densities) - 0.5 * (distance * distance / responds - rho * rho / does_not)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_likely_is_a_law() {
        assert!((LIKELY.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_clear_contrast_is_of_the_size_that_it_has() {
        for (size, law) in RESPONSES.into_iter().enumerate() {
            let contrast = Contrast { rho: law[0], variance: 1e-6, spread: 0.1 };
            let nats = RESPONSES.map(|law| nats(contrast, 0.0, law));
            assert!(nats.iter().all(|&each| each <= nats[size]), "{nats:?}");
            assert!(nats[size] > 3.0);
        }
    }

    #[test]
    fn no_contrast_speaks_against_every_size_that_would_have_shown() {
        let none = Contrast { rho: 0.0, variance: 1e-6, spread: 0.0 };
        assert!(RESPONSES.into_iter().all(|law| nats(none, dependence(0.0), law) < -1.0));
        let noisy = Contrast { rho: 0.0, variance: 1.0, spread: 0.0 };
        assert!(RESPONSES.into_iter().all(|law| nats(noisy, 0.0, law).abs() < 0.1));
    }
}
