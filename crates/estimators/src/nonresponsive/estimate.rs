//! Estimate of an estimation interval.

use super::flags::Flags;

/// The share of non-responsive traffic over an estimation interval, and what to think of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Share of arrivals that does not respond to drops and marks, psi in Zhao 2004, eq. 2.10: from 0 to 1. `None`
    /// when the interval had no usable sample or no arrival.
    pub share: Option<f64>,
    /// Standard error of the share, from the covariance of the parameters (delta method); `None` where the
    /// method has no covariance or the parameters have no meaning.
    pub share_se: Option<f64>,
    /// Number of responsive flows N_s, at the end of the interval.
    pub n_s: f64,
    /// Packets of responsive flows in a round trip, z0: mean over the interval.
    pub z0: f64,
    /// Round-trip time R0 in seconds: mean over the interval; 0 when no sample was usable.
    pub rtt_s: f64,
    /// Packets that arrived in the interval.
    pub arrivals: f64,
    /// Distance of the regressor's columns lately: the determinant of their matrix of cosines, from
    /// 0 (the parameters cannot be told apart) to 1. With two columns it is `Var p / E[p^2]`.
    pub excitation: f64,
    /// Reasons to doubt.
    pub flags: Flags,
}
