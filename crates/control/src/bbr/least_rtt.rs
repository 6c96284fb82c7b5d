//! The least round trip, and the stays in ProbeRTT that look for it (sections 4.1.2.2 and 4.3.5 of
//! draft-cardwell-iccrg-bbr-congestion-control-00).

use super::config::LEAST_WINDOW;
use super::{Bbr, Phase};
use crate::units::Time;
use crate::{AckSample, PathSample, Window};

/// Sections 4.1.2.2 and 4.3.5: seconds for which a least round-trip time counts, and of a stay in ProbeRTT.
pub(super) const MIN_RTT_S: f64 = 10.0;
const PROBE_RTT_S: f64 = 0.2;

impl Bbr {
    /// Section 4.3.5: keeps the least round-trip time, and looks for it with next to nothing in flight when it is old.
    pub(super) fn update_min_rtt(&mut self, window: &mut Window, ack: &AckSample<'_>, path: &PathSample) {
        let now = ack.now;
        let expired = now.since(self.min_rtt_at).secs() > MIN_RTT_S;
        // Linux does not take what equals the least round trip for a new one.
        let (rtt, strict) = (ack.rtt(), self.linux.is_some());
        let less = if strict { rtt < self.min_rtt } else { rtt <= self.min_rtt };
        if path.newly_delivered > 0 && (less || expired) {
            (self.min_rtt, self.min_rtt_at) = (rtt, now);
        }
        if expired && !self.after_idle && self.phase != Phase::ProbeRtt {
            self.phase = Phase::ProbeRtt;
            self.save_cwnd(window);
            self.probe_rtt_until = None;
            self.probe_rtt_delivered = path.delivered..=path.delivered;
        }
        if self.phase == Phase::ProbeRtt {
            self.probe_rtt(window, path, now);
        }
        self.after_idle &= path.newly_delivered == 0;
    }

    fn probe_rtt(&mut self, window: &mut Window, path: &PathSample, now: Time) {
        self.probe_rtt_delivered = *self.probe_rtt_delivered.start()..=path.delivered + path.in_flight as u64;
        match self.probe_rtt_until {
            None if path.in_flight as f64 <= LEAST_WINDOW => {
                self.probe_rtt_until = Some(now + Time::from_secs(PROBE_RTT_S));
                self.probe_rtt_round_over = false;
                self.round_end = path.delivered;
            }
            None => {}
            Some(until) => {
                self.probe_rtt_round_over |= self.round_start;
                if self.probe_rtt_round_over && now > until {
                    self.leave_probe_rtt(window, now);
                }
            }
        }
    }

    pub(super) fn leave_probe_rtt(&mut self, window: &mut Window, now: Time) {
        self.min_rtt_at = now;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        if self.pipe_is_full {
            self.enter_probe_bw(now);
        } else {
            self.phase = Phase::Startup;
        }
    }
}
