//! What a sender has if a clock, and not ACKs alone, lets its packets go: the pacer, and what is measured of the path
//! for a control that looks at it.

use super::pacer::Pacer;
use super::path::Path;
use super::TcpOptions;
use crate::control::{Control, Window};
use crate::units::Time;

/// See the head of this file.
#[derive(Clone, Debug, Default)]
pub struct Paced {
    /// Says when the next packet may leave.
    pub pacer: Pacer,
    /// None if the control does not look at it.
    pub path: Option<Path>,
    /// Whether packets leave a window in a round trip where the control asks for no rate.
    spreads_window: bool,
}

impl Paced {
    /// None for a sender whose packets ACKs let go.
    pub fn new(options: &TcpOptions) -> Option<Box<Self>> {
        let path = options.control.paced().then(Path::default);
        // A control that is handed over asks for a rate, or ACKs let its packets go.
        let spreads_window = options.pacing || !matches!(options.control, Control::User(_));
        options.paced().then(|| Box::new(Paced { path, spreads_window, ..Paced::default() }))
    }

    /// Packet `seq` is sent, at the rate that the control asks for, or else a window in a round trip.
    pub fn on_send(&mut self, seq: i64, now: Time, rate: Option<f64>, srtt: Option<f64>, window: &Window) {
        match (rate, srtt) {
            (Some(rate), _) => self.pacer.sent_at_rate(now, rate),
            (None, Some(srtt)) if self.spreads_window => {
                self.pacer.sent(now, window.cwnd, srtt, window.in_slow_start())
            }
            (None, _) => {}
        }
        if let Some(path) = &mut self.path {
            path.on_send(seq, now);
        }
    }
}
