//! The contract between a control that somebody else wrote and the transport that runs it.

use std::any::Any;
use std::fmt::{self, Debug};

use parshall_estimators::own::Code;

use crate::units::Time;
use crate::{AckSample, Loss, Start, Window};

/// Makes a control for each flow that asks for it.
pub trait Maker: Code {
    /// A control for a flow that begins, which may change what it begins with.
    ///
    /// # Errors
    /// If there is none.
    fn make(&self, start: &Start<'_>, answer: &mut Answer) -> Result<Box<dyn UserControl>, Failure>;

    /// Tells if receivers have to report marks packet by packet; see [`crate::Parameters::exact_echo`].
    fn exact_echo(&self) -> bool;
}

/// The answer of a control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Packets that may be in flight, and where slow start ends.
    pub window: Window,
    /// Packets a second that may leave; 0 leaves that to the sender.
    pub pacing_rate: f64,
    /// Time at which it wants to be woken, in seconds; infinity for not at all.
    pub wake_at: f64,
}

/// A control as somebody else writes it: methods of [`crate::Congestion`] that can fail. Each finds the window in
/// `answer`, and may change it and the rest.
///
/// # Errors
/// Every method may return a [`Failure`], which ends what its caller is doing: see [`super::Watch::fail`].
pub trait UserControl: Debug + Send {
    /// See [`crate::Congestion::on_ack`].
    fn on_ack(&mut self, answer: &mut Answer, ack: &AckSample<'_>) -> Result<(), Failure>;

    /// The window after a loss, a mark or a timeout, as `method` says; see [`crate::Congestion::after_loss`].
    fn after_loss(&mut self, answer: &mut Answer, loss: &Loss, method: Method) -> Result<f64, Failure>;

    /// See [`crate::Congestion::on_restart`].
    fn on_restart(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure>;

    /// See [`crate::Congestion::on_timer`].
    fn on_timer(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure>;
}

/// The reason why a user's part cannot go on.
pub struct Failure {
    /// In one line.
    pub message: String,
    /// Value that the code which failed adds, for those who know that code.
    pub cause: Option<Box<dyn Any + Send + Sync>>,
}

impl Failure {
    /// A failure that needs no more than a line.
    pub fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), cause: None }
    }
}

impl Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure").field("message", &self.message).finish_non_exhaustive()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::new(message)
    }
}

/// Defines [`Method`] and what its authors call each.
macro_rules! methods {
    ($($(#[$doc:meta])* $method:ident = $name:literal,)*) => {
        /// A method of a user's part: of a control, or of any other.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Method {
            $($(#[$doc])* $method,)*
        }

        impl Method {
            /// All methods, each at the index that it is as a number.
            pub const ALL: &'static [Method] = &[$(Method::$method,)*];

            /// The name by which its authors know it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Method::$method => $name,)*
                }
            }
        }
    };
}

methods! {
    /// See [`crate::Congestion::on_ack`].
    Ack = "on_ack",
    /// See [`crate::Congestion::after_loss`].
    Loss = "on_loss",
    /// See [`crate::Congestion::after_mark`].
    Mark = "on_mark",
    /// See [`crate::Congestion::after_timeout`]; of a filter of timeouts, the timer has expired.
    Timeout = "on_timeout",
    /// See [`crate::Congestion::on_restart`].
    Restart = "on_restart",
    /// See [`crate::Congestion::on_timer`].
    Timer = "on_timer",
    /// See [`Maker::make`]; the same of other parts.
    Start = "on_start",
    /// A filter of timeouts takes in a round trip.
    Sample = "on_sample",
    /// A filter of timeouts hears of one that was early.
    EarlyTimeout = "on_early_timeout",
    /// A filter of timeouts is asked for its timeout.
    Rto = "rto",
    /// A forecaster takes in a sample.
    Update = "update",
    /// A forecaster is asked for the next sample.
    Forecast = "forecast",
    /// A forecaster is asked for a later one.
    ForecastAhead = "forecast_ahead",
    /// The time has come that an application named.
    Time = "on_time",
    /// An application hears that a transfer is complete.
    Done = "on_done",
    /// A packet arrives at a queue.
    Arrival = "on_arrival",
    /// A queue names the class whose turn it is.
    NextClass = "next_class",
    /// A packet is about to leave a queue.
    Departure = "on_departure",
    /// A queue hears that nothing waits.
    Idle = "on_idle",
    /// A marker colours a packet.
    Colour = "colour",
    /// A filter of timeouts or a forecaster is copied.
    Copy = "copy",
}
