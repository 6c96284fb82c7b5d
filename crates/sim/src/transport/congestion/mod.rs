//! Congestion control: how the window grows and shrinks. One file each; [`AnyCongestion`] is where a new one is
//! registered. Recovery decides when a window has to shrink; a control decides by how much.

mod aimd;
mod binomial;
mod cubic;
mod round;
mod vegas;
mod veno;

pub use aimd::Aimd;
pub use binomial::Binomial;
pub use cubic::Cubic;
pub use vegas::Vegas;
pub use veno::Veno;

use round::Round;

use crate::scenario::Control;
use crate::units::Time;

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
}

/// What an ACK of new data tells a control.
#[derive(Clone, Copy, Debug)]
pub struct Feedback {
    /// When it came.
    pub now: Time,
    /// Packets that count for growth.
    pub acked: f64,
    /// Seconds since the packet that it answers was sent.
    pub rtt: f64,
    /// Highest packet acknowledged.
    pub high_ack: i64,
    /// Next packet to be sent.
    pub next_seq: i64,
}

/// A congestion control.
pub trait Congestion {
    /// An ACK of new data, outside recovery, while the window is in use.
    fn on_ack(&mut self, window: &mut Window, feedback: &Feedback);
    /// The window after a loss, or a mark, that found `in_use` packets in use.
    fn after_loss(&mut self, window: &Window, in_use: f64, now: Time) -> f64;
    /// Where slow start shall end after a timeout that found `in_use` packets in use.
    fn after_timeout(&mut self, window: &Window, in_use: f64, now: Time) -> f64 {
        self.after_loss(window, in_use, now)
    }
}

/// Defines [`AnyCongestion`] and hands each call on to the control inside.
macro_rules! any_congestion {
    ($($(#[$doc:meta])* $name:ident($control:ty),)*) => {
        /// The controls a sender can have.
        #[derive(Clone, Debug)]
        pub enum AnyCongestion {
            $($(#[$doc])* $name($control),)*
        }

        impl Congestion for AnyCongestion {
            #[inline]
            fn on_ack(&mut self, window: &mut Window, feedback: &Feedback) {
                match self { $(AnyCongestion::$name(c) => c.on_ack(window, feedback),)* }
            }

            fn after_loss(&mut self, window: &Window, in_use: f64, now: Time) -> f64 {
                match self { $(AnyCongestion::$name(c) => c.after_loss(window, in_use, now),)* }
            }

            fn after_timeout(&mut self, window: &Window, in_use: f64, now: Time) -> f64 {
                match self { $(AnyCongestion::$name(c) => c.after_timeout(window, in_use, now),)* }
            }
        }
    };
}

any_congestion! {
    /// One packet a round trip up, half down.
    Aimd(Aimd),
    /// Binomial: IIAD, SQRT and their kin.
    Binomial(Box<Binomial>),
    /// A cubic function of the time since the last loss.
    Cubic(Box<Cubic>),
    /// By the queue that the flow itself causes.
    Vegas(Box<Vegas>),
    /// AIMD that tells random losses from congestion.
    Veno(Box<Veno>),
}

impl AnyCongestion {
    /// The control that a scenario asks for.
    pub fn new(control: &Control) -> Self {
        match control {
            Control::Aimd {} => AnyCongestion::Aimd(Aimd),
            Control::Binomial(config) => AnyCongestion::Binomial(Box::new(Binomial::new(config))),
            Control::Cubic(config) => AnyCongestion::Cubic(Box::new(Cubic::new(config))),
            Control::Vegas(config) => AnyCongestion::Vegas(Box::new(Vegas::new(config))),
            Control::Veno(config) => AnyCongestion::Veno(Box::new(Veno::new(config))),
        }
    }
}
