//! Bounds on rate and window that version 3 of BBR learns from losses and marks, which its model alone does not have
//! (draft-ietf-ccwg-bbr-01, whose names are quoted; marks as in the authors' v3 for Linux, since the draft leaves them
//! out).
//!
//! The cycle of probing stays that of version 1, a probe every eight round trips, where version 3 probes every two or three
//! seconds. And a flow that loses packets at random pays more here than without bounds: with 1 % of them lost, on the link
//! of `tests/controls.rs`, it delivers half of what that can carry, without bounds nine tenths.
//!
//! The draft knows how much was in flight when a lost packet was sent. Here it is what was in flight before the ACK
//! that shows the loss, which in a probe is the same but for a round trip's growth.

use super::config::LEAST_WINDOW;
use crate::PathSample;

/// BBRLossThresh: a greater share of packets lost in a round trip is more than the path should hold.
const LOSS_THRESHOLD: f64 = 0.02;
/// BBRBeta: what a round trip with losses leaves of the bounds at least.
const BETA: f64 = 0.7;
/// BBRHeadroom: the part of the upper bound that is left to others while nothing is probed.
const HEADROOM: f64 = 0.15;
/// BBRStartupFullLossCnt: losses in a round trip from which on Startup can end by them. By marks, which are taken one by
/// one, it ends after two round trips of them.
const STARTUP_LOSSES: u32 = 6;
const STARTUP_MARKED: u32 = 2;
/// The authors' v3: the weight of a round trip in the share of marked packets, what that share takes of the window, and
/// from which share on a probe has gone too far.
const ALPHA_GAIN: f64 = 1.0 / 16.0;
const ALPHA_FACTOR: f64 = 1.0 / 3.0;
const MARK_THRESHOLD: f64 = 0.5;

/// State of BBR at an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It looks for the path's rate for the first time.
    Startup,
    /// It probes for more.
    Up,
    /// It does not.
    Other,
}

/// BBR's model at an ACK: rates are packets a second, windows packets.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Stage of BBR.
    pub stage: Stage,
    /// The greatest delivery rate of late.
    pub rate: f64,
    /// The packets that fill the path.
    pub product: f64,
    /// The window.
    pub cwnd: f64,
}

/// Observations of a round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    delivered: u32,
    lost: u32,
    marked: u32,
    /// Highest delivery rate, and packets delivered between a packet's sending and its ACK (BBR.bw_latest and
    /// BBR.inflight_latest).
    rate: f64,
    volume: f64,
}

impl Seen {
    fn lost_share(&self) -> f64 {
        f64::from(self.lost) / f64::from((self.lost + self.delivered).max(1))
    }

    fn marked_share(&self) -> f64 {
        f64::from(self.marked) / f64::from(self.delivered.max(1))
    }
}

/// The bounds.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The most that the path has been seen to hold (BBR.inflight_hi).
    most_inflight: f64,
    /// Bounds until the next probe (BBR.bw_lo and BBR.inflight_lo).
    rate: f64,
    inflight: f64,
    /// The share of marked packets, smoothed.
    alpha: f64,
    /// Round trips of Startup in a row with too many marks.
    marked_rounds: u32,
    round: Seen,
    /// Packets by which the next round trip of a probe raises the upper bound (BBRRaiseInflightHiSlope).
    growth: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        let (free, growth) = (f64::INFINITY, 1.0);
        // A first mark counts in full, as in RFC 8257.
        Bounds {
            most_inflight: free,
            rate: free,
            inflight: free,
            alpha: 1.0,
            marked_rounds: 0,
            round: Seen::default(),
            growth,
        }
    }
}

impl Bounds {
    /// Takes in an ACK. Returns whether what is done should end: Startup, or a probe.
    pub fn on_ack(&mut self, path: &PathSample, marked: bool, round_start: bool, model: &Model) -> bool {
        let round = &mut self.round;
        round.delivered += path.newly_delivered;
        round.lost += path.newly_lost;
        round.marked += if marked { path.newly_delivered } else { 0 };
        if path.delivery_rate.is_finite() {
            round.rate = round.rate.max(path.delivery_rate);
            round.volume = round.volume.max((path.delivered - path.prior_delivered) as f64);
        }
        let held = path.in_flight as f64 + f64::from(path.newly_delivered + path.newly_lost);
        let went_too_far = model.stage == Stage::Up && self.is_too_much(held);
        if went_too_far {
            // BBRHandleInflightTooHigh: what was in flight is the most that the path holds.
            self.most_inflight = held.max(BETA * model.product);
            self.growth = 1.0;
        }
        let startup_over = round_start && self.end_round(held, model);
        went_too_far || startup_over
    }

    /// IsInflightTooHigh: whether the losses of this round trip, or its marks, are too many.
    fn is_too_much(&self, held: f64) -> bool {
        f64::from(self.round.lost) > LOSS_THRESHOLD * held
            || (self.round.delivered >= 8 && self.round.marked_share() >= MARK_THRESHOLD)
    }

    /// A round trip is over; returns whether Startup is.
    fn end_round(&mut self, held: f64, model: &Model) -> bool {
        let seen = std::mem::take(&mut self.round);
        if seen.delivered > 0 {
            self.alpha += ALPHA_GAIN * (seen.marked_share() - self.alpha);
        }
        match model.stage {
            Stage::Startup => {
                self.marked_rounds =
                    if seen.marked_share() >= MARK_THRESHOLD { self.marked_rounds + 1 } else { 0 };
                let over = (seen.lost >= STARTUP_LOSSES && seen.lost_share() > LOSS_THRESHOLD)
                    || self.marked_rounds >= STARTUP_MARKED;
                if over {
                    // BBRCheckStartupHighLoss.
                    self.most_inflight = seen.volume.max(model.product);
                }
                over
            }
            Stage::Up => {
                // BBRProbeInflightHiUpward: a window that the bound holds back raises it, faster from round to round.
                if held + 1.0 >= self.most_inflight {
                    self.most_inflight += self.growth;
                    self.growth *= 2.0;
                }
                false
            }
            Stage::Other => {
                self.shrink(&seen, model);
                false
            }
        }
    }

    /// BBRAdaptLowerBounds: down to what was delivered in a round trip with losses or marks, but not all at once.
    fn shrink(&mut self, seen: &Seen, model: &Model) {
        if seen.lost == 0 && seen.marked == 0 {
            return;
        }
        let inflight = self.inflight.min(model.cwnd);
        let rate = self.rate.min(model.rate);
        if seen.lost > 0 {
            self.rate = seen.rate.max(BETA * rate);
            self.inflight = seen.volume.max(BETA * inflight);
        }
        if seen.marked > 0 {
            self.inflight = self.inflight.min((1.0 - ALPHA_FACTOR * self.alpha) * inflight);
        }
    }

    /// A probe begins: what was learned since the last one is put to the test (BBRResetLowerBounds).
    pub fn probe(&mut self) {
        (self.rate, self.inflight, self.growth) = (f64::INFINITY, f64::INFINITY, 1.0);
    }

    /// The rate to go by.
    pub fn rate(&self, rate: f64) -> f64 {
        rate.min(self.rate)
    }

    /// BBRBoundCwndForModel: the window, with room for others where nothing is probed.
    pub fn window(&self, cwnd: f64, stage: Stage) -> f64 {
        let most = match stage {
            Stage::Other => ((1.0 - HEADROOM) * self.most_inflight).floor(),
            Stage::Startup | Stage::Up => self.most_inflight,
        };
        cwnd.min(most.min(self.inflight).max(LEAST_WINDOW))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(delivered: u32, lost: u32) -> PathSample {
        PathSample {
            srtt: 0.1,
            min_rtt: 0.1,
            in_flight: 100 - i64::from(delivered + lost),
            delivered: 1000,
            newly_delivered: delivered,
            newly_lost: lost,
            prior_delivered: 1000 - 80,
            delivery_rate: 800.0,
            app_limited: false,
            in_recovery: false,
            held_for: 0.0,
        }
    }

    fn model(stage: Stage) -> Model {
        Model { stage, rate: 1000.0, product: 100.0, cwnd: 200.0 }
    }

    #[test]
    fn without_losses_and_marks_nothing_is_bounded() {
        let mut bounds = Bounds::default();
        for stage in [Stage::Startup, Stage::Other] {
            assert!(!bounds.on_ack(&path(50, 0), false, true, &model(stage)));
            assert_eq!((bounds.rate(1000.0), bounds.window(200.0, stage)), (1000.0, 200.0));
        }
    }

    #[test]
    fn a_round_trip_with_a_loss_leaves_what_was_delivered_or_seven_tenths() {
        let mut bounds = Bounds::default();
        bounds.on_ack(&path(50, 1), false, true, &model(Stage::Other));
        // 800 a second were delivered, which is more than 0.7 of 1000; 80 packets are less than 0.7 of 200.
        assert_eq!((bounds.rate(1000.0), bounds.window(200.0, Stage::Other)), (800.0, 140.0));
        bounds.probe();
        assert_eq!((bounds.rate(1000.0), bounds.window(200.0, Stage::Up)), (1000.0, 200.0));
    }

    #[test]
    fn a_probe_that_loses_more_than_a_fiftieth_ends_and_leaves_headroom() {
        let mut bounds = Bounds::default();
        assert!(!bounds.on_ack(&path(50, 2), false, false, &model(Stage::Up)));
        assert!(bounds.on_ack(&path(40, 1), false, false, &model(Stage::Up)));
        assert_eq!(bounds.window(200.0, Stage::Up), 100.0);
        assert_eq!(bounds.window(200.0, Stage::Other), 85.0);
    }

    #[test]
    fn a_bound_that_holds_back_rises_faster_from_round_to_round() {
        let mut bounds = Bounds { most_inflight: 100.0, ..Bounds::default() };
        let mut rises = Vec::new();
        for _ in 0..3 {
            let before = bounds.most_inflight;
            let held = PathSample { in_flight: before as i64 - 10, ..path(10, 0) };
            bounds.on_ack(&held, false, true, &model(Stage::Up));
            rises.push(bounds.most_inflight - before);
        }
        assert_eq!(rises, [1.0, 2.0, 4.0]);
    }

    #[test]
    fn startup_ends_by_six_losses_that_are_more_than_a_fiftieth() {
        let over = |delivered, lost| {
            Bounds::default().on_ack(&path(delivered, lost), false, true, &model(Stage::Startup))
        };
        assert!(!over(50, 5));
        assert!(over(50, 6));
        assert!(!over(294, 6));
    }

    #[test]
    fn marks_shrink_the_window_by_a_third_of_their_smoothed_share() {
        let mut bounds = Bounds { alpha: 0.5, ..Bounds::default() };
        bounds.on_ack(&path(50, 0), true, true, &model(Stage::Other));
        let alpha = 0.5 + 0.5 / 16.0;
        assert!((bounds.window(200.0, Stage::Other) - (1.0 - alpha / 3.0) * 200.0).abs() < 1e-9);
        assert_eq!(bounds.rate(1000.0), 1000.0);
    }
}
