//! Congestion controls for transports: how a window grows and shrinks, and how fast packets leave.
//!
//! A control implements [`Congestion`]; [`Control`] is any of them with its parameters, as a value, and [`AnyControl`] the
//! state of one. No control knows sockets, a clock or a simulator: a transport tells it what has happened and when, and
//! asks for the window. Which packets are sent again after a loss is the transport's affair.
//!
//! ```
//! use parshall_control::units::Time;
//! use parshall_control::{AckSample, AnyControl, Control, Start, Window};
//!
//! let config: Control = "cubic".parse()?;
//! let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
//! let start = Start { initial_window: 10.0, seed: 1, flow: "example", packet_bytes: 1200 };
//! let mut control: AnyControl = AnyControl::new(&config, &start, &mut window);
//! control.on_begin(&window, Time::ZERO, None);
//! // 40 ms later the first two of ten packets are acknowledged.
//! let ack = AckSample::new(Time::from_secs(0.04), Time::ZERO, 2, 1, 10);
//! control.on_ack(&mut window, || ack);
//! assert_eq!(window.cwnd, 12.0);
//! # Ok::<(), parshall_control::UnknownControl>(())
//! ```
//!
//! # Calls
//!
//! A transport keeps the [`Window`] of each connection and makes these calls:
//!
//! | when | call | then the transport |
//! |---|---|---|
//! | a connection is made | [`AnyControl::new`] | starts with the window that it gave, which only a control that is handed over ([`user`]) may have changed |
//! | its first packet leaves, and again when a handshake has measured a round trip | [`on_begin`](Congestion::on_begin) | |
//! | a loss is noticed that no reduction has answered yet: one for all that was in flight then | [`after_loss`](Congestion::after_loss) | sets ssthresh and cwnd to the answer, 2 packets at least |
//! | an ACK has come, and loss detection and recovery have dealt with it | [`on_ack`](Congestion::on_ack) | goes on with the window as it is now |
//! | that ACK reports a mark which no reduction has answered yet | [`after_mark`](Congestion::after_mark), behind `on_ack` | does as after a loss |
//! | all that is in flight is taken for lost, for the first time in a row (TCP: the timer has expired; QUIC: persistent congestion) | [`after_timeout`](Congestion::after_timeout) | sets ssthresh to the answer, 2 packets at least |
//! | every time that this happens | [`on_timeout`](Congestion::on_timeout), behind `after_timeout` | sets cwnd to 1 packet, or what its rules say |
//! | a packet is about to leave after a time with nothing in flight | [`on_restart`](Congestion::on_restart) | |
//! | [`wake_at`](Congestion::wake_at) has come; paced controls only | [`on_timer`](Congestion::on_timer) | asks for `wake_at` anew, as after each other call |
//! | a packet leaves; paced controls only | [`pacing_rate`](Congestion::pacing_rate) | waits for 1 / rate seconds before the next, or, where there is no rate, spreads a window over a round trip |
//!
//! At one instant they come in this order: `on_timer`, `after_loss`, `on_ack`, `after_mark`, `on_restart`, `on_begin`.
//!
//! # What a control needs
//!
//! Each says by constants and methods of its parameters what has to be kept for it. What nobody asks for need not be measured.
//!
//! | it asks for | controls | the transport |
//! |---|---|---|
//! | [`Control::timed`] | Vegas, CA-ARTT, Veno, DUAL, TCP-TP, CUBIC, Copa | keeps the departure of each packet, for [`AckSample::sent`]; for the others [`AckSample::echo`] will do there |
//! | [`Control::paced`] | BBR, Copa | paces, has a timer, and measures the path: [`AckSample::path`], which is `None` for the others |
//! | [`Control::rules_recovery`] | BBR, Copa | lets no rule of its own change the window in recovery or after a silence |
//! | [`Control::needs_marks`], [`Control::exact_echo`] | DCTCP; BBR with bounds | uses ECN, and receivers report marks packet by packet |
//!
//! # Units
//!
//! - Windows and losses are packets of one size, the most that fit a datagram, as numbers with fractions: a transport that counts
//!   bytes divides by that size, and sends while `in_flight < floor(cwnd)`.
//! - [`units::Time`] is the time since some beginning of the transport's own clock, which must not go back: whole picoseconds.
//! - Durations such as a smoothed round trip are seconds, rates packets a second, except where a type says otherwise
//!   ([`units::Rate`] is bits a second).
//! - A number that is not known yet is NaN in [`PathSample`].
//!
//! # Packet numbers
//!
//! [`AckSample::high_ack`] and [`AckSample::next_seq`] are numbers of packets in the order of sending, from 0. TCP's are its sequence
//! numbers in packets, and `high_ack` is cumulative. With QUIC they are packet numbers, and `high_ack` is the largest acknowledged.
//!
//! # Features
//!
//! `serde`: configurations, times and rates can be written and read, as Parshall's scenarios hold them.

pub mod aimd;
pub mod arima_vegas;
mod artt;
pub mod bbr;
pub mod binomial;
mod bottleneck;
mod congestion;
pub mod copa;
pub mod cubic;
pub mod dctcp;
pub mod dual;
mod forecasting;
pub mod hystart;
mod names;
mod parameters;
pub mod random;
mod registry;
mod round;
mod sample;
#[cfg(test)]
mod samples;
mod since_first;
pub mod tcp_tp;
pub mod units;
pub mod user;
pub mod vegas;
pub mod veno;
mod window;

pub use artt::Artt;
pub use congestion::Congestion;
pub use names::UnknownControl;
pub use parameters::{InvalidParameter, Parameters};
pub use registry::{AnyControl, Control};
pub use sample::{AckKind, AckSample, Loss, PathSample, Silence, Start};
pub use window::Window;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
