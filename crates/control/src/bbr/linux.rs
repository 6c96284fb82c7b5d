//! Additions of Linux to BBR (`net/ipv4/tcp_bbr.c`, to whose functions comments refer) beyond the draft: a rate for paths that are
//! policed, and room in the window for ACKs that come together.

use crate::units::Time;
use crate::PathSample;

/// `bbr_lt_intvl_min_rtts`: a look at a policed rate takes so many round trips at least, and four times as many at most.
const INTERVAL_ROUNDS: u32 = 4;
/// `bbr_lt_loss_thresh`: packets lost for each that is delivered, from which on the path may be policed.
const POLICED_LOSS: f64 = 50.0 / 256.0;
/// Where Linux counts bytes, packets have so many: what is left of 1500 with headers and time stamps.
const PAYLOAD: f64 = 1448.0;
/// `bbr_lt_bw_ratio`, `bbr_lt_bw_diff`: two looks agree within this share, or within so many packets a second.
const SAME_RATIO: f64 = 1.0 / 8.0;
const SAME_RATE: f64 = 500.0 / PAYLOAD;
/// `bbr_lt_bw_max_rtts`: round trips for which a policed rate is believed.
const POLICED_ROUNDS: u32 = 48;
/// `bbr_extra_acked_win_rtts`, `bbr_extra_acked_max_us`: round trips for which an excess of ACKs counts, at least, and how
/// many seconds' worth of it.
const EXCESS_ROUNDS: u32 = 5;
const MOST_EXCESS_S: f64 = 0.1;
/// `bbr_high_gain` and `bbr_drain_gain`, in parts of 256.
pub const HIGH_GAIN: f64 = 739.0 / 256.0;
pub const DRAIN_GAIN: f64 = 88.0 / 256.0;
/// `bbr_min_tso_rate`: below it, in packets a second, single packets leave, and two from it on.
const PAIRS_FROM: f64 = 150_000.0 / PAYLOAD;

/// Where a look at a policed rate began.
#[derive(Clone, Copy, Debug)]
struct Interval {
    start: Time,
    delivered: u64,
    lost: u64,
    rounds: u32,
}

/// State of Linux's additions.
#[derive(Clone, Debug, Default)]
pub struct Linux {
    /// Packets lost so far, and those delivered.
    lost: u64,
    delivered: u64,
    interval: Option<Interval>,
    /// The rate of the last look (`lt_bw`).
    looked: Option<f64>,
    /// Rounds for which the path has been taken for policed, if it is.
    policed: Option<u32>,
    /// When ACKs were last as slow as expected, and packets acknowledged since.
    epoch: Time,
    acked: f64,
    /// Greatest excess in this window of rounds and the one before; rounds of this one.
    excess: [f64; 2],
    excess_rounds: u32,
}

impl Linux {
    /// The rate at which the path is policed, if it is.
    pub fn policed_rate(&self) -> Option<f64> {
        self.policed.and(self.looked)
    }

    /// `bbr_packets_in_net_at_edt`: of `in_flight` packets, those that will be in the network when pacing lets the next one
    /// leave, if `rate` packets arrive in a second.
    pub fn in_network(path: &PathSample, in_flight: f64, rate: f64) -> f64 {
        (in_flight - (rate * path.held_for).floor()).max(0.0)
    }

    /// Packets that leave at once at a pacing rate, at least.
    pub fn least_quantum(pacing_rate: f64) -> f64 {
        if pacing_rate < PAIRS_FROM {
            1.0
        } else {
            2.0
        }
    }

    /// `bbr_lt_bw_sampling`. Returns whether a policed rate is given up, upon which probing begins anew.
    pub fn sample_ack(
        &mut self,
        path: &PathSample,
        limited: bool,
        now: Time,
        round_start: bool,
        probes: bool,
    ) -> bool {
        self.lost += u64::from(path.newly_lost);
        self.delivered = path.delivered;
        self.sample(path.newly_lost > 0, limited, now, round_start, probes)
    }

    /// A timeout is a loss, too, and begins a round.
    pub fn on_timeout(&mut self, lost: u64, now: Time, probes: bool) -> bool {
        self.lost += lost;
        self.sample(true, false, now, true, probes)
    }

    fn sample(&mut self, loses: bool, limited: bool, now: Time, round_start: bool, probes: bool) -> bool {
        if let Some(rounds) = &mut self.policed {
            if probes && round_start {
                *rounds += 1;
            }
            let over = *rounds >= POLICED_ROUNDS;
            if over {
                self.forget();
            }
            return over;
        }
        if self.interval.is_none() && loses {
            self.begin(now);
        }
        let Some(interval) = &mut self.interval else {
            return false;
        };
        interval.rounds += u32::from(round_start);
        let interval = *interval;
        if limited || interval.rounds > 4 * INTERVAL_ROUNDS {
            self.forget();
        } else if interval.rounds >= INTERVAL_ROUNDS && loses {
            self.finish(&interval, now);
        }
        false
    }

    fn begin(&mut self, start: Time) {
        self.interval = Some(Interval { start, delivered: self.delivered, lost: self.lost, rounds: 0 });
    }

    fn forget(&mut self) {
        (self.interval, self.looked, self.policed) = (None, None, None);
    }

    /// `bbr_lt_bw_interval_done`, if so many packets were lost that a policer may be the reason.
    fn finish(&mut self, interval: &Interval, now: Time) {
        let delivered = (self.delivered - interval.delivered) as f64;
        let lost = (self.lost - interval.lost) as f64;
        let seconds = now.since(interval.start).secs();
        if delivered == 0.0 || lost < POLICED_LOSS * delivered || seconds < 1e-3 {
            return;
        }
        let rate = delivered / seconds;
        match self.looked {
            Some(before) if (rate - before).abs() <= (SAME_RATIO * before).max(SAME_RATE) => {
                self.looked = Some((rate + before) / 2.0);
                self.policed = Some(0);
            }
            _ => {
                self.looked = Some(rate);
                self.begin(now);
            }
        }
    }

    /// `bbr_update_ack_aggregation`: how many more packets were acknowledged than BBR's rate explains.
    pub fn weigh(&mut self, path: &PathSample, rate: f64, cwnd: f64, now: Time, round_start: bool) {
        if path.newly_delivered == 0 || !path.delivery_rate.is_finite() {
            return;
        }
        if round_start {
            self.excess_rounds += 1;
            if self.excess_rounds >= EXCESS_ROUNDS {
                self.excess_rounds = 0;
                self.excess = [0.0, self.excess[0]];
            }
        }
        let mut expected = rate * now.since(self.epoch).secs();
        if self.acked <= expected {
            (self.epoch, self.acked, expected) = (now, 0.0, 0.0);
        }
        self.acked += f64::from(path.newly_delivered);
        let excess = (self.acked - expected).floor().min(cwnd);
        self.excess[0] = self.excess[0].max(excess);
    }

    /// `bbr_cwnd_event`: ACKs are weighed from the end of a silence on.
    pub fn on_restart(&mut self, now: Time) {
        (self.epoch, self.acked) = (now, 0.0);
    }

    /// `bbr_ack_aggregation_cwnd`: room for them in the window.
    pub fn room(&self, rate: f64) -> f64 {
        self.excess[0].max(self.excess[1]).min((rate * MOST_EXCESS_S).floor())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(delivered: u64, newly_delivered: u32, newly_lost: u32) -> PathSample {
        PathSample {
            srtt: 0.1,
            min_rtt: 0.1,
            in_flight: 10,
            delivered,
            newly_delivered,
            newly_lost,
            prior_delivered: 0,
            delivery_rate: 100.0,
            app_limited: false,
            in_recovery: false,
            held_for: 0.0,
        }
    }

    /// Rounds of 0.1 s in each of which 10 packets are delivered and some are lost; the policed rate after each.
    fn rounds(linux: &mut Linux, lost: u32, count: u64) -> Vec<Option<f64>> {
        let first = linux.delivered / 10;
        (first..first + count)
            .map(|round| {
                let now = Time::from_secs(0.1 * (round + 1) as f64);
                linux.sample_ack(&path(10 * (round + 1), 10, lost), false, now, true, true);
                linux.policed_rate()
            })
            .collect()
    }

    #[test]
    fn two_looks_with_many_losses_and_one_rate_are_a_policer() {
        let mut linux = Linux::default();
        let found = rounds(&mut linux, 2, 9);
        // The first loss begins a look. It ends when its round and three more are over, the second four rounds later.
        assert_eq!(found.iter().position(Option::is_some), Some(7));
        assert!((found[8].expect("a rate") - 100.0).abs() < 1e-6);
        // It is believed for 48 rounds.
        let later = rounds(&mut linux, 0, 60);
        assert_eq!(later.iter().position(Option::is_none), Some(46));
    }

    #[test]
    fn few_losses_are_none() {
        // 1 of 10 delivered is less than 50/256.
        assert!(rounds(&mut Linux::default(), 1, 40).iter().all(Option::is_none));
    }

    #[test]
    fn rates_that_differ_are_none() {
        let mut linux = Linux::default();
        rounds(&mut linux, 2, 5);
        let slower = Time::from_secs(5.0);
        linux.sample_ack(&path(60, 10, 2), false, slower, true, true);
        for delivered in [70, 80, 90, 100] {
            linux.sample_ack(&path(delivered, 10, 2), false, slower, true, true);
        }
        assert_eq!(linux.policed_rate(), None);
    }

    #[test]
    fn what_comes_together_gets_room_for_five_rounds_or_ten() {
        let mut linux = Linux::default();
        let at = |ms: u64| Time::from_ps(ms * 1_000_000_000);
        linux.weigh(&path(1, 1, 0), 100.0, 50.0, at(1000), false);
        // 10 ms later one packet was expected, and 7 came, beside the one before.
        linux.weigh(&path(8, 7, 0), 100.0, 50.0, at(1010), false);
        assert_eq!(linux.room(100.0), 7.0);
        assert_eq!(linux.room(50.0), 5.0);
        let mut lasted = 0;
        while linux.room(100.0) == 7.0 {
            lasted += 1;
            linux.weigh(&path(8, 1, 0), 100.0, 50.0, at(2000 + 100 * lasted), true);
        }
        assert_eq!(lasted, 10);
    }
}
