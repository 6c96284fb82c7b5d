//! The trait of all controls.

use crate::units::Time;
use crate::{AckSample, Loss, Silence, Window};

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
