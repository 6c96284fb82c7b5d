//! Proportional rate reduction (RFC 9937): how many packets each ACK of a recovery lets go, so that what is in flight
//! comes down to ssthresh evenly over the round trip that the recovery takes, and is there when it ends.

/// Packets that a recovery has delivered and sent (RFC 9937, section 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prr {
    /// RecoverFS: what the recovery found in flight and will see delivered, unless it is lost.
    flight: i64,
    /// prr_delivered.
    delivered: i64,
    /// prr_out.
    sent: i64,
}

/// Facts about an ACK that the rule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// DeliveredData: packets that it reports for the first time, cumulatively or beyond a gap.
    pub delivered: i64,
    /// Packets in flight after it, the scoreboard's pipe.
    pub in_flight: i64,
    /// SafeACK: it acknowledges new data and shows no further loss.
    pub safe: bool,
}

impl Prr {
    /// A recovery starts, with so many packets in flight before its first ACK reported anything.
    pub fn begin(&mut self, flight: i64) {
        // [RFC 9937 6.1-a]
        *self = Prr { flight: flight.max(1), ..Prr::default() };
    }

    /// A packet is sent.
    pub fn on_send(&mut self) {
        self.sent += 1;
    }

    /// The window after an ACK; none where it delivers nothing, since then nothing has left the network.
    pub fn on_ack(&mut self, ack: Progress, ssthresh: f64) -> Option<f64> {
        if ack.delivered <= 0 {
            return None;
        }
        self.delivered += ack.delivered;
        let ssthresh = ssthresh as i64;
        let allowed = if ack.in_flight > ssthresh {
            self.share(ssthresh) - self.sent
        } else {
            // What has been delivered is made good, with one more where the recovery gets on (slow start).
            let allowed = (self.delivered - self.sent).max(ack.delivered) + i64::from(ack.safe);
            allowed.min(ssthresh - ack.in_flight)
        };
        // The first packet sent again is not held back.
        let least = i64::from(self.sent == 0);
        Some((ack.in_flight + allowed.max(least)) as f64)
    }

    /// The share of what has been delivered that may be replaced: ssthresh / RecoverFS, rounded up.
    fn share(&self, ssthresh: i64) -> i64 {
        (self.delivered * ssthresh + self.flight - 1) / self.flight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A recovery from `flight` packets of which `lost` are lost, each at a place of its own before the others, with
    /// what a sender sends that uses its window. Every packet that is not lost is reported by an ACK of its own.
    /// Returns packets sent on each ACK of the first round trip.
    fn first_round_trip(flight: i64, lost: i64, ssthresh: f64) -> (Vec<i64>, i64) {
        let mut prr = Prr::default();
        prr.begin(flight);
        let (mut in_flight, mut bursts) = (flight - lost, Vec::new());
        for _ in 0..flight - lost {
            in_flight -= 1;
            let window = prr.on_ack(Progress { delivered: 1, in_flight, safe: false }, ssthresh);
            let burst = (window.expect("a window") as i64 - in_flight).max(0);
            (0..burst).for_each(|_| prr.on_send());
            in_flight += burst;
            bursts.push(burst);
        }
        (bursts, in_flight)
    }

    /// RFC 6937, section 3.1: with half of the window to be given up and one packet lost, every second ACK sends one,
    /// until what is in flight is ssthresh and each of the last ones does.
    #[test]
    fn a_halving_sends_on_every_second_ack() {
        let (bursts, in_flight) = first_round_trip(20, 1, 10.0);
        assert_eq!(bursts, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1]);
        assert_eq!(in_flight, 10);
    }

    #[test]
    fn a_reduction_to_0_7_sends_on_seven_acks_of_ten() {
        let (bursts, in_flight) = first_round_trip(100, 1, 70.0);
        assert!(bursts.windows(10).all(|ten| (6..=8).contains(&ten.iter().sum::<i64>())), "{bursts:?}");
        assert_eq!(in_flight, 70);
    }

    /// RFC 6937, section 3: below ssthresh a sender without further news sends what has been delivered, no more
    /// (the conservative bound), and not at once what losses have made room for.
    #[test]
    fn losses_of_more_than_half_a_window_start_no_burst() {
        let (bursts, in_flight) = first_round_trip(100, 60, 50.0);
        assert!(bursts.iter().all(|&burst| burst == 1), "{bursts:?}");
        assert_eq!(in_flight, 40);
    }

    /// The slow start bound: an ACK that gets on lets one packet more go than it delivers.
    #[test]
    fn an_ack_that_gets_on_lets_one_more_go() {
        let mut prr = Prr::default();
        prr.begin(100);
        let ack = Progress { delivered: 1, in_flight: 20, safe: true };
        assert_eq!(prr.on_ack(ack, 50.0), Some(22.0));
        (0..2).for_each(|_| prr.on_send());
        assert_eq!(prr.on_ack(Progress { in_flight: 21, ..ack }, 50.0), Some(23.0));
        // What was held back is caught up with, but not beyond ssthresh.
        assert_eq!(prr.on_ack(Progress { delivered: 40, in_flight: 22, safe: true }, 50.0), Some(50.0));
    }

    #[test]
    fn an_ack_that_delivers_nothing_changes_nothing() {
        let mut prr = Prr::default();
        prr.begin(10);
        let before = prr;
        assert_eq!(prr.on_ack(Progress { delivered: 0, in_flight: 8, safe: false }, 5.0), None);
        assert_eq!(prr, before);
    }

    proptest! {
        /// RFC 6937, section 4: what is in flight never rises above what it was or ssthresh, whichever is more; no
        /// more is sent than delivered and one for each safe ACK; and without losses the first round trip ends at
        /// ssthresh.
        #[test]
        // [RFC 9937 6.1-a]
        fn what_is_sent_is_bounded_by_what_is_delivered(
            flight in 2i64..200,
            share in 0.1f64..1.0,
            acks in prop::collection::vec((0i64..4, 0i64..3, any::<bool>()), 1..200),
        ) {
            let ssthresh = (flight as f64 * share).max(2.0);
            let mut prr = Prr::default();
            prr.begin(flight);
            let (mut in_flight, mut delivered, mut sent, mut safe_acks) = (flight, 0, 0, 0);
            for (arrive, lost, safe) in acks {
                let arrive = arrive.min(in_flight);
                in_flight = (in_flight - arrive - lost).max(0);
                delivered += arrive;
                safe_acks += i64::from(safe && arrive > 0);
                let was = in_flight;
                let progress = Progress { delivered: arrive, in_flight, safe };
                let window = prr.on_ack(progress, ssthresh).unwrap_or(0.0) as i64;
                while in_flight < window {
                    prr.on_send();
                    in_flight += 1;
                    sent += 1;
                }
                prop_assert!(in_flight <= (was + 1).max(ssthresh as i64).max(was + arrive));
                prop_assert!(sent <= delivered + safe_acks + 1, "{sent} for {delivered} and {safe_acks}");
            }
        }

        #[test]
        fn a_round_trip_ends_at_ssthresh(flight in 4i64..300, lost in 1i64..4, share in 0.3f64..0.9) {
            let ssthresh = (flight as f64 * share).floor().max(2.0);
            prop_assume!(lost < flight / 10);
            let (_, in_flight) = first_round_trip(flight, lost, ssthresh);
            // Each lost packet takes with it what its delivery would have let go.
            prop_assert!((ssthresh as i64 - lost..=ssthresh as i64).contains(&in_flight), "{in_flight}");
        }
    }
}
