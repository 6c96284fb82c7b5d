//! Share of non-responsive traffic: the part of the load at a congested port that would not back off.
//!
//! Z. Zhao, "Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior", PhD
//! dissertation, Texas A&M University, 2004, chapters II and III and appendix A; "Zhao 2004" below. The
//! estimators look at a queue alone: its length, what arrived, what was dropped or marked. No packet's protocol
//! is known to them.
//!
//! | type | what it is |
//! |---|---|
//! | [`Estimator`] | the model in three forms ([`Form`]), followed by three methods ([`Method`]) |
//! | [`Estmred`] | the one-hop and the multi-hop form in whole numbers, as the queue discipline in `linux/qdisc` runs them |
//! | [`FixedPointEstimator`] | the one-hop form in whole numbers, as a kernel can run it (III.A.2) |
//! | [`UdpCounter`] | the plain count of UDP bytes, for comparison |
//! | [`Counters`] | turns a port's cumulative counters into a [`Sample`] each |
//!
//! # The model
//!
//! A packet's round trip is `R = q/C + Tp`. In one of them `z` packets of flows that respond arrive, `D` of those
//! that do not, and `l` of all these are dropped. The queue grows by what is accepted and shrinks by what the link
//! sends:
//!
//! ```text
//! R (q' + C) = z + D - l                                                        (2.8, with losses 2.18)
//! ```
//!
//! D is taken to be constant. Differentiate both sides, with `R' = q'/C`:
//!
//! ```text
//! (q'/C) (q' + C) + R q'' = z' - l'    so    chi + l' = z',  chi = R q'' + (q'/C + 1) q'   (2.12, 2.19)
//! ```
//!
//! `N_s` flows that add a packet to their window each round trip and halve it for each signal (a drop or a mark),
//! which they learn of a round trip late, have together
//!
//! ```text
//! z' = N_s / R - z(t) z(t-R) p(t-R) / (2 N_s R)                                            (2.7)
//! ```
//!
//! With `z(t) z(t-R)` taken as the constant `z0^2` this is linear in two unknowns, `beta = (N_s, z0^2 / N_s)`, and
//! the left side is measured:
//!
//! ```text
//! chi + l' = [1/R0, -p(t-R0) / (2 R0)] beta                                                (2.13)
//! ```
//!
//! Then `z0 = sqrt(beta0 beta1)`, and the share of arrivals that does not respond is
//! `psi = 1 - z0 / (z + D)`, where `z + D` is the count of arrivals in a round trip (2.10).
//!
//! # What the equations need
//!
//! The first column of the regressor hardly moves, so the two unknowns come apart only as far as `p` varies.
//! [`Estimate::excitation`] is the measure of that, and [`Flags::LOW_EXCITATION`] says when it is too little. The
//! queue's equation holds while the link is busy: [`Flags::EMPTY_QUEUE`] and [`Flags::NOT_CONGESTED`] say when it
//! was not.

mod byte_sample;
mod counters;
mod estimate;
mod estimator;
mod estmred;
mod fixed;
mod fixed_point;
mod fixed_settings;
mod flags;
mod front_end;
mod interval;
mod kaczmarz;
mod kalman;
mod linear;
mod model;
mod rls;
mod sample;
mod settings;
mod solver;
#[cfg(test)]
mod synthetic;
#[cfg(test)]
mod tests;
mod udp;

pub use byte_sample::ByteSample;
pub use counters::{CounterFault, CounterReading, Counters, Width};
pub use estimate::Estimate;
pub use estimator::Estimator;
pub use estmred::{Config as EstmredConfig, Estmred, EstmredEstimate, Fault as EstmredFault};
pub use fixed_point::{FixedEstimate, FixedPointEstimator};
pub use flags::Flags;
pub use sample::{Sample, SampleFault};
pub use settings::{Form, Method, Settings};
pub use udp::{ProtocolSample, UdpCounter, UdpShare};
