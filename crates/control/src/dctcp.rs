//! DCTCP (RFC 8257): the window shrinks by as much as the share of packets that were marked asks for.

use crate::parameters::require;
use crate::{AckSample, Congestion, InvalidParameter, Loss, Parameters, Start, Window};

/// DCTCP's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Weight of the latest window in the share of marked packets (DCTCP.g, section 3.3).
    pub gain: f64,
}

impl Parameters for Config {
    fn check(&self) -> Result<(), InvalidParameter> {
        require("gain", self.gain, self.gain > 0.0 && self.gain < 1.0, "a number between 0 and 1")
    }

    fn exact_echo(&self) -> bool {
        true
    }

    fn needs_marks(&self) -> bool {
        true
    }
}

impl Default for Config {
    fn default() -> Self {
        Config { gain: 1.0 / 16.0 }
    }
}

/// DCTCP's window.
#[derive(Clone, Debug)]
pub struct Dctcp {
    gain: f64,
    /// The share of packets that are marked (DCTCP.Alpha).
    alpha: f64,
    /// Packets acknowledged, and those of them marked, in this observation window.
    acked: u32,
    marked: u32,
    /// The observation window ends when this packet is acknowledged (DCTCP.WindowEnd).
    window_end: i64,
}

impl Dctcp {
    /// The control at the start of a connection, by parameters that were checked. Alpha starts at 1: the first mark halves the window.
    pub fn new(config: &Config, _: &Start<'_>) -> Self {
        // [RFC 8257 3.3-a]
        Dctcp { gain: config.gain, alpha: 1.0, acked: 0, marked: 0, window_end: 0 }
    }

    /// Section 3.3: counts marks, and takes them into alpha once a window.
    fn observe(&mut self, ack: &AckSample<'_>) {
        // [RFC 8257 3.3-b]
        self.acked += ack.acked;
        self.marked += if ack.ecn_echo { ack.acked } else { 0 };
        if ack.high_ack < self.window_end || self.acked == 0 {
            return;
        }
        let share = f64::from(self.marked) / f64::from(self.acked);
        // [RFC 8257 3.3-a]
        self.alpha += self.gain * (share - self.alpha);
        (self.acked, self.marked, self.window_end) = (0, 0, ack.next_seq);
    }
}

impl Congestion for Dctcp {
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        self.observe(ack);
        if ack.may_grow {
            window.open_as_reno(ack);
        }
    }

    /// Section 3.5: a loss is answered as RFC 5681 has it.
    fn after_loss(&mut self, _: &Window, loss: &Loss) -> f64 {
        // [RFC 8257 3.5-a] [RFC 8257 3.5-b]
        loss.in_use / 2.0
    }

    /// Section 3.3: cwnd = cwnd (1 - alpha / 2).
    fn after_mark(&mut self, window: &Window, _: &Loss) -> f64 {
        // [RFC 8257 3.3-c]
        window.cwnd * (1.0 - self.alpha / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ack, loss, start};

    fn dctcp() -> Dctcp {
        Dctcp::new(&Config::default(), &start())
    }

    /// Windows of ten packets, of which so many are marked.
    fn observe(dctcp: &mut Dctcp, windows: i64, marked: i64) {
        let mut window = Window { cwnd: 10.0, ssthresh: 1.0 };
        for high_ack in 0..10 * windows {
            let next_seq = high_ack + 10;
            let ecn_echo = high_ack % 10 < marked;
            dctcp.on_ack(&mut window, &AckSample { high_ack, next_seq, ecn_echo, ..ack(0.0, 0.1) });
        }
    }

    #[test]
    // [RFC 8257 3.3-a] [RFC 8257 3.3-c]
    fn the_first_mark_halves_the_window() {
        let window = Window { cwnd: 40.0, ssthresh: 100.0 };
        assert_eq!(dctcp().after_mark(&window, &loss(40.0)), 20.0);
    }

    #[test]
    // [RFC 8257 3.3-a] [RFC 8257 3.3-b] [RFC 8257 3.3-c] [RFC 8257 3.5-a]
    fn alpha_follows_the_share_of_marked_packets() {
        let mut dctcp = dctcp();
        observe(&mut dctcp, 100, 2);
        assert!((dctcp.alpha - 0.2).abs() < 0.02, "{}", dctcp.alpha);
        let window = Window { cwnd: 40.0, ssthresh: 1.0 };
        assert!((dctcp.after_mark(&window, &loss(40.0)) - 36.0).abs() < 0.5);
        assert_eq!(dctcp.after_loss(&window, &loss(40.0)), 20.0);
    }

    #[test]
    fn without_marks_alpha_decays_by_a_sixteenth_a_window() {
        let mut dctcp = dctcp();
        let before = dctcp.alpha;
        observe(&mut dctcp, 1, 0);
        assert!(dctcp.alpha <= before * (15.0 / 16.0) + 1e-12);
    }

    // [RFC 8257 3.5-b] [RFC 8257 3.5-c]
    #[test]
    fn a_loss_halves_the_window_whatever_alpha_is_and_so_does_a_timeout() {
        let mut dctcp = dctcp();
        observe(&mut dctcp, 100, 1);
        let window = Window { cwnd: 40.0, ssthresh: 100.0 };
        assert_eq!(dctcp.after_loss(&window, &loss(40.0)), 20.0);
        assert_eq!(dctcp.after_timeout(&window, &loss(40.0)), 20.0);
    }
}
