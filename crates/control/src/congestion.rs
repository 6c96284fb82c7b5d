//! The trait of all controls.

use crate::units::Time;
use crate::{AckSample, Loss, Silence, Window};

/// A congestion control. The [documentation of the crate](crate#calls) has a table of who calls what when.
///
/// `window` is the transport's, in packets: a method that gets it as `&mut` sets it, and one that returns a number leaves that
/// to the transport.
///
/// ```
/// use parshall_control::{AckSample, Congestion, Loss, Window};
///
/// /// Grows as AIMD does, and gives up a quarter of its window.
/// struct Lenient;
///
/// impl Congestion for Lenient {
///     fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
///         if ack.may_grow {
///             window.open_as_reno(ack);
///         }
///     }
///
///     fn after_loss(&mut self, _: &Window, loss: &Loss) -> f64 {
///         0.75 * loss.in_use
///     }
/// }
/// ```
pub trait Congestion {
    /// Asks to be paced and told of the path: for a control that sets a rate or a timer, or looks at [`AckSample::path`],
    /// which costs a record of each packet in flight.
    const PACED: bool = false;

    /// Asks to be the only one that moves the window in recovery and after a silence: for a control that sets it on
    /// every ACK, those during recovery included.
    const RULES_RECOVERY: bool = false;

    /// Answers an ACK, any but that of a handshake's first packet, once recovery has dealt with it.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>);

    /// Returns the window after a loss, in packets; the first of a recovery, which covers all that was in flight.
    fn after_loss(&mut self, window: &Window, loss: &Loss) -> f64;

    /// Returns the window after a mark, in packets; the first in a round trip.
    fn after_mark(&mut self, window: &Window, loss: &Loss) -> f64 {
        self.after_loss(window, loss)
    }

    /// Returns the end of slow start after a timeout, in packets; the first of several in a row.
    fn after_timeout(&mut self, window: &Window, loss: &Loss) -> f64 {
        self.after_loss(window, loss)
    }

    /// Hears of each timeout, behind [`Congestion::after_timeout`]: all that was in flight is taken for lost, and the
    /// transport is about to begin with a small window.
    fn on_timeout(&mut self, _loss: &Loss) {}

    /// Hears that the connection begins: with its first packet, and once more when a handshake is over, with the round
    /// trip in seconds if it has measured one.
    fn on_begin(&mut self, _window: &Window, _now: Time, _srtt: Option<f64>) {}

    /// Hears that the sender is about to send after a time with nothing in flight.
    fn on_restart(&mut self, _window: &mut Window, _silence: &Silence) {}

    /// Hears that the time has come which [`Congestion::wake_at`] named. It names a later one then, or none.
    fn on_timer(&mut self, _window: &mut Window, _now: Time) {}

    /// Returns the packets a second that may leave; `None` leaves that to the transport.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// Returns the time of the next [`Congestion::on_timer`]; [`Time::NEVER`] for none. Any other call may change it.
    fn wake_at(&self) -> Time {
        Time::NEVER
    }
}
