//! Congestion controls of [`parshall_control`] for the QUIC implementation quinn: CUBIC, BBR, Copa, DCTCP, Vegas, TCP-TP and
//! others, or one of your own.
//!
//! ```no_run
//! use std::sync::Arc;
//! use parshall_quinn::Controls;
//!
//! let mut transport = quinn::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(Controls::new("copa".parse()?)?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Controls`] makes an [`Adapter`] for each connection. `quinn::congestion` and `quinn_proto::congestion` are the same traits;
//! this crate needs the latter alone.
//!
//! # What a control is told, and when
//!
//! | quinn | the control |
//! |---|---|
//! | the first packet leaves | `on_begin` without a round trip |
//! | a batch of packets has been acknowledged (`on_end_acks`) | `on_ack`, once for the batch |
//! | the first such batch | `on_begin` with its round trip |
//! | packets are lost, the last of which left after the last reduction | `after_loss` |
//! | an ACK reports marks (ECN) on packets that left after the last reduction | `after_mark` |
//! | persistent congestion (RFC 9002, section 7.6) | `after_timeout`, for the first in a row, and `on_timeout`; the window is then 2 packets |
//! | packets leave after a time with nothing in flight | `on_restart` |
//! | any of these, once `wake_at` has come | `on_timer`, before it |
//!
//! A packet is as large as the path's MTU allows: the window in bytes is that in packets times this size, and packets in flight are
//! bytes divided by it.
//!
//! # Where quinn is another transport than a simulated one
//!
//! - **Pacing** is quinn's own: bursts of 10 packets or what 2 ms take, at 5/4 of a window in a round trip, and no control can set a
//!   rate. Where one asks for a rate, the window that quinn sees is no more than what is in flight and what that rate lets go
//!   at this ACK: packets leave with ACKs, and no faster than the rate, but for bursts as large as quinn's own.
//! - **Timers**: quinn wakes no control. `on_timer` comes with the next packet or ACK after its time.
//! - **An ACK** that shows a loss is told before the loss: quinn looks for losses after it has told all ACKs.
//! - **Marks** in an ACK are one event, without their number, so DCTCP, which needs that, takes an ACK with a mark for marked as a
//!   whole.
//! - **The probe timeout** is not a control's affair in quinn, and there is no hook for one of your own: `TransportConfig` sets the
//!   first round trip (`initial_rtt`) and the thresholds of losses (`packet_threshold`, `time_threshold`), and the rest is that of RFC 9002.
//!   RTO filters of `parshall_estimators` cannot be put there.
//!
//! A control of a user's own that fails, or answers with a window that is none, panics in quinn's task, which ends the connection.
//!
//! # Features
//!
//! `library`: controls from shared libraries in C or any other language, by the interface of `parshall_control.h`
//! (`library::Library`).
//!
//! `sim`: quinn in simulated time, a client and a server over a network of `parshall_sim` (`sim::Pair`).

mod adapter;
mod factory;
#[cfg(feature = "library")]
pub mod library;
mod path;
#[cfg(feature = "sim")]
pub mod sim;

pub use adapter::Adapter;
pub use factory::Controls;
pub use parshall_control as control;

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
