//! Finds flows that slow down after a signal and make it good: they imitate a response.
//!
//! What an honest flow gives up within a short time is not less in the end. Only a dither can tell: whom the queue hits
//! has sent more than usual, and sends less later anyway. No simulated control does this, so that no table can learn it.

use super::evidence::numbers::GivenUp;
use super::evidence::{Evidence, SCALES};
use crate::math::{sqrt, square};

/// Part of the flows that slow down and make it good, before anything is known of one.
const IMITATORS: f64 = 0.02;

/// Deviation of what is given up in the end, as a part of what is at first.
const LASTS: f64 = 0.1;

/// Deviation of the part of its rate that a flow gives up which does not respond, by the signals of a dither.
const NO_RESPONSE: f64 = 0.002;

/// Likelihoods stay finite.
const MOST_NATS: f64 = 30.0;

/// Probability that a flow makes good what it gave up.
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
    let tolerance = variance + square(LASTS * at_first) + square(NO_RESPONSE);
    let (missing, left) = ((at_first - in_the_end).max(0.0), in_the_end.max(0.0));
    if at_first > 0.0 {
        0.5 * (missing * missing - left * left) / tolerance
    } else {
        0.0
    }
}
