//! Streaming estimators: numbers in, numbers out.
//!
//! No clock, no I/O, no simulator, no standard library, and no allocation after construction but for what keeps a
//! state for each packet or flow under way ([`midpath`], [`responsiveness`]). Every estimator takes one sample at a
//! time and can be asked for its value after each; a value that does not exist yet is `None`, never zero.
//! Fits ([`arima::Fitter`]) and [`correlation`] look at a whole series at once.
//!
//! | module | what it estimates |
//! |---|---|
//! | [`alarm`] | whether estimates of a share are above a level, in one interval or in several |
//! | [`ewma`] | the mean, with exponentially fading memory |
//! | [`median`] | the median of the last `k` samples, for any `k` |
//! | [`mad`] | the median absolute deviation of the last `k` samples |
//! | [`weighted_median`] | the recursive weighted median |
//! | [`nonresponsive`] | the share of traffic at a port that does not respond to congestion |
//! | [`treatment`] | what a group of flows gives up when it meets more loss, by an experiment |
//! | [`responsiveness`] | the share of non-responsive traffic, from what flows do after a drop or a mark |
//! | [`forecast`] | the next sample, by last value, averages, medians, ARIMA or linear prediction that learns |
//! | [`lmmse`] | the next sample, by linear prediction over a sliding window |
//! | [`fractional`] | weights of linear prediction from the Hurst parameter |
//! | [`arima`] | the coefficients of an ARIMA model, by least squares or greatest likelihood |
//! | [`correlation`] | autocorrelations and partial autocorrelations of a series |
//! | [`throughput`] | the throughput that a sender attains, from its ACKs |
//! | [`packet_pair`] | the capacity of a path, from the dispersion of ACKs |
//! | [`midpath`] | a TCP connection's round trip, timeout and window, from the packets that pass a router |
//! | [`meter`] | the colour of a packet, from what its aggregate may send (DiffServ) |
//! | [`long_memory`] | the Hurst parameter of a series |
//! | [`own`] | nothing: how a configuration names estimators that somebody else wrote |
//! | [`rto`] | TCP's retransmission timeout, from any of these, and QUIC's probe timeout |
//!
//! # Your own
//!
//! [`rto::RtoEstimator`] and [`forecast::Forecaster`] are open: whatever takes one of the crate's takes yours.
//!
//! # Features
//!
//! `std`, on by default, makes square roots and roundings faster and changes no result. `serde` lets configurations and the
//! states of estimators be written and read.
//!
//! # Times
//!
//! Times are `f64` in seconds or [`core::time::Duration`], whichever the caller has: [`Seconds`].
//!
//! # Samples
//!
//! A sample is a finite number. NaN and infinities measure nothing and would stay in a recursive filter for
//! ever, so the filters leave them out: such a call changes nothing. Round-trip times must not be negative
//! either. A caller that prefers an error asks first, with [`sample`].

#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod alarm;
pub mod arima;
pub mod correlation;
mod error;
pub mod ewma;
mod flags;
pub mod forecast;
pub mod fractional;
pub mod lmmse;
pub mod long_memory;
pub mod mad;
mod math;
pub mod median;
pub mod meter;
pub mod midpath;
pub mod nonresponsive;
pub mod own;
pub mod packet_pair;
pub mod responsiveness;
pub mod rto;
pub mod sample;
#[cfg(feature = "serde")]
mod saved;
mod seconds;
mod sorted_window;
pub mod throughput;
pub mod treatment;
mod two_heaps;
pub mod weighted_median;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use error::ConfigError;
pub use seconds::Seconds;
pub use sorted_window::MAX_WINDOW;
