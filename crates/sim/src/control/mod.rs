//! Congestion control: how the window grows and shrinks, how fast packets leave. One file each; `registry.rs` lists
//! them. Recovery decides what is sent again; a control decides how much may be in flight.
//!
//! A control is told of every ACK but that of a SYN, of losses, timeouts and marks, of its connection's beginning, of a start
//! after silence and of its own timer.
//! It answers with a window, and, if it asks for that with [`Congestion::PACED`], with a rate and a time at
//! which it wants to be woken. It knows nothing of the network and nothing of other flows.

pub mod aimd;
pub mod arima_vegas;
mod artt;
pub mod bbr;
pub mod binomial;
mod bottleneck;
pub mod copa;
pub mod cubic;
pub mod dctcp;
pub mod dual;
pub mod hystart;
mod registry;
mod round;
mod since_first;
pub mod tcp_tp;
pub mod user;
pub mod vegas;
pub mod veno;

pub use artt::Artt;
pub use registry::{AnyControl, Control};

use std::borrow::Cow;

use parshall_estimators::ConfigError;

use round::Round;

use crate::random::Stream;
use crate::units::Time;

/// What a control knows when its flow begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Packets that may be sent before the first ACK.
    pub initial_window: f64,
    /// The seed of the run.
    pub seed: u64,
    /// The flow's name.
    pub flow: &'a str,
    /// Bytes of a data packet on the wire.
    pub packet_bytes: u16,
}

impl Start<'_> {
    /// Random numbers of this flow's control alone.
    pub fn stream(&self) -> Stream {
        Stream::new(self.seed, &format!("flow/{}/control", self.flow))
    }
}

/// The congestion window and where slow start ends, in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow start threshold.
    pub ssthresh: f64,
}

impl Window {
    /// Whether the window is in slow start.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start and congestion avoidance (RFC 5681, section 3.1).
    #[inline]
    pub fn open_as_reno(&mut self, ack: &AckSample<'_>) {
        // [RFC 5681 3.1-a] [RFC 5681 3.1-h] [RFC 5681 3.1-i] [RFC 5681 3.1-j]
        if self.in_slow_start() {
            self.open(ack.slow_start);
        } else {
            self.cwnd += ack.growth / self.cwnd;
        }
    }

    /// Slow start opens the window by so many packets, or by one and up to ssthresh.
    #[inline]
    pub fn open(&mut self, packets: f64) {
        self.cwnd = (self.cwnd + packets).min(self.ssthresh.max(self.cwnd + 1.0));
    }
}

/// What an ACK is to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckKind {
    /// It acknowledges new data.
    New,
    /// It acknowledges new data during recovery, but not all that was in flight at its start.
    Partial,
    /// It acknowledges what is acknowledged already.
    Duplicate,
    /// It acknowledges less than that: an ACK that others have overtaken.
    Old,
}

/// What a control is told of an ACK. Packets are numbered from 0.
#[derive(Clone, Copy, Debug)]
pub struct AckSample<'a> {
    /// When it came.
    pub now: Time,
    /// When the first packet that it answers was sent.
    pub echo: Time,
    /// When the last was sent: the first may have waited for it at the receiver. The same as `echo` for controls that do not
    /// ask for it with [`Parameters::timed`].
    pub sent: Time,
    /// What it is to the sender.
    pub kind: AckKind,
    /// Packets that it acknowledges for the first time, cumulatively.
    pub acked: u32,
    /// What of them counts for growth: all, or one an ACK.
    pub growth: f64,
    /// The same in slow start, where what was reported beyond a gap before does not count again.
    pub slow_start: f64,
    /// Highest packet acknowledged.
    pub high_ack: i64,
    /// Next packet to be sent.
    pub next_seq: i64,
    /// Whether it reports a mark.
    pub ecn_echo: bool,
    /// Whether cwnd was what limited the sender.
    pub window_limited: bool,
    /// Whether the window may grow: new data outside recovery, no mark, and a window that is used, if the options
    /// ask for that.
    pub may_grow: bool,
    /// What is measured for controls that ask for it with [`Congestion::PACED`].
    pub path: Option<&'a PathSample>,
}

impl AckSample<'_> {
    /// Seconds since the last packet that it answers was sent.
    #[inline]
    pub fn rtt(&self) -> f64 {
        self.now.since(self.sent).secs()
    }
}

/// What a sender has measured of its path when an ACK came. Rates are in packets a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSample {
    /// Smoothed round-trip time, in seconds; NaN before the first sample.
    pub srtt: f64,
    /// Least round-trip time so far, in seconds; NaN before the first sample.
    pub min_rtt: f64,
    /// Packets sent that have neither left the network nor are thought to be lost, after this ACK.
    pub in_flight: i64,
    /// Packets delivered so far, this ACK's included.
    pub delivered: u64,
    /// Packets that this ACK newly reports, cumulatively or beyond a gap.
    pub newly_delivered: u32,
    /// Packets that this ACK makes the sender think lost.
    pub newly_lost: u32,
    /// How many had been delivered when the latest of the packets that this ACK reports was sent; 0 if it is not known
    /// which it reports.
    pub prior_delivered: u64,
    /// At what rate packets have been delivered since; NaN if that cannot be told.
    pub delivery_rate: f64,
    /// Whether that rate was limited by what the application gave to send, or the receiver to its window.
    pub app_limited: bool,
    /// Whether the sender repairs losses, after this ACK.
    pub in_recovery: bool,
}

/// What a control is told of a loss, a mark or a timeout.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// When it was noticed.
    pub now: Time,
    /// Packets in use: in flight, or the window, as the options have it.
    pub in_use: f64,
}

/// What a control is told of a time with nothing in flight that ends.
#[derive(Clone, Copy, Debug)]
pub struct Silence {
    /// When it ends.
    pub now: Time,
    /// When the last packet was sent before it.
    pub last_sent: Time,
}

/// A congestion control.
pub trait Congestion {
    /// Whether it sets a rate or a timer, or looks at what is measured of the path. It is then paced, and told of the
    /// path with each ACK, which costs a record of each packet in flight.
    const PACED: bool = false;

    /// Whether it sets its window on every ACK, during recovery too. Nothing else then brings the window down.
    const RULES_RECOVERY: bool = false;

    /// An ACK has come, and recovery has dealt with it.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>);

    /// The window after a loss.
    fn after_loss(&mut self, window: &Window, loss: &Loss) -> f64;

    /// The window after a mark.
    fn after_mark(&mut self, window: &Window, loss: &Loss) -> f64 {
        self.after_loss(window, loss)
    }

    /// Where slow start shall end after a timeout.
    fn after_timeout(&mut self, window: &Window, loss: &Loss) -> f64 {
        self.after_loss(window, loss)
    }

    /// The timer has expired; comes at each timeout, behind [`Congestion::after_timeout`], which is asked at the first of several
    /// in a row. What was in flight is taken for lost.
    fn on_timeout(&mut self, _loss: &Loss) {}

    /// The connection begins: with its first packet, and once more, with the round trip in seconds if there is one, when
    /// its SYN has been acknowledged. A control is made before that.
    fn on_begin(&mut self, _window: &Window, _now: Time, _srtt: Option<f64>) {}

    /// The sender is about to send after a time with nothing in flight.
    fn on_restart(&mut self, _window: &mut Window, _silence: &Silence) {}

    /// The time that [`Congestion::wake_at`] named has come.
    fn on_timer(&mut self, _window: &mut Window, _now: Time) {}

    /// Packets a second that may leave; none leaves that to the sender.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// When [`Congestion::on_timer`] shall be called; [`Time::NEVER`] for not at all.
    fn wake_at(&self) -> Time {
        Time::NEVER
    }
}

/// The parameters of a control.
pub trait Parameters {
    /// Whether they make sense.
    ///
    /// # Errors
    /// The first that does not.
    fn check(&self) -> Result<(), Unfit> {
        Ok(())
    }

    /// Whether it goes by round-trip times. It is then told when the last packet was sent that an ACK answers, which costs
    /// a note of each packet in flight.
    fn timed(&self) -> bool {
        false
    }

    /// Whether receivers report marks packet by packet (RFC 8257, section 3.2).
    fn exact_echo(&self) -> bool {
        false
    }

    /// Whether it cannot do without marks.
    fn needs_marks(&self) -> bool {
        false
    }
}

/// Why a parameter of a control cannot be as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfit {
    /// Which: a field, or its path.
    pub field: Cow<'static, str>,
    /// What it is, as text.
    pub value: String,
    /// What it should be.
    pub expected: &'static str,
}

impl Unfit {
    /// What is wrong with an estimator that stands in a field.
    fn within(field: &'static str, error: ConfigError) -> Self {
        let field = format!("{field}.{}", error.field).into();
        Unfit { field, value: error.value, expected: error.expected }
    }
}

/// Refuses a parameter for which `holds` is false.
fn fits(field: &'static str, value: f64, holds: bool, expected: &'static str) -> Result<(), Unfit> {
    if holds {
        Ok(())
    } else {
        Err(Unfit { field: field.into(), value: value.to_string(), expected })
    }
}

fn positive(field: &'static str, value: f64) -> Result<(), Unfit> {
    fits(field, value, value > 0.0 && value.is_finite(), "a number above 0")
}

fn not_negative(field: &'static str, value: f64) -> Result<(), Unfit> {
    fits(field, value, value >= 0.0 && value.is_finite(), "a number, 0 or more")
}

#[cfg(test)]
pub(crate) mod samples {
    //! ACKs for the tests of controls.

    use super::*;

    /// An ACK of one new packet that may open the window. It comes `now` seconds after some time, `rtt` seconds after
    /// that packet was sent.
    pub fn ack(now: f64, rtt: f64) -> AckSample<'static> {
        let now = Time::from_secs(100.0 + now);
        AckSample {
            now,
            echo: now - Time::from_secs(rtt),
            sent: now - Time::from_secs(rtt),
            kind: AckKind::New,
            acked: 1,
            growth: 1.0,
            slow_start: 1.0,
            high_ack: 0,
            next_seq: 0,
            ecn_echo: false,
            window_limited: true,
            may_grow: true,
            path: None,
        }
    }

    /// The start of a flow.
    pub fn start() -> Start<'static> {
        Start { initial_window: 10.0, seed: 1, flow: "f", packet_bytes: 1000 }
    }

    /// A loss that finds so many packets in use.
    pub fn loss(in_use: f64) -> Loss {
        Loss { now: Time::ZERO, in_use }
    }
}
