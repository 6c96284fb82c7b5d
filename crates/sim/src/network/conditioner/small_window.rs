//! Protection of connections with small windows (Feroz et al. 2000): there a loss costs a timeout.

use parshall_estimators::meter::Colour;

use crate::scenario;

/// Protects packets of connections with small windows (Feroz et al. 2000).
///
/// Where protection is repaid, all green packets of the aggregate pay with tokens that come at the committed rate
/// (Habib, Bhargava and Fahmy 2002, section VI: "the flow profile must still be preserved by marking later packets
/// yellow or red"). Packets of small windows may run into debt; while there is debt, other packets are not green. So
/// over any time green bytes are at most `CIR * time + 2 * CIR * BURST_S` and a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallWindow {
    below_packets: f64,
    repay: bool,
    /// Bytes a second.
    cir: f64,
    /// Bytes; a debt below 0.
    tokens: f64,
    since_s: f64,
    /// Yellow and red packets that were made green since there was no debt.
    owed: [u64; 2],
}

impl SmallWindow {
    /// Seconds of the committed rate that tokens, and a debt, may grow to: the default window of the meters of rates.
    const BURST_S: f64 = 1.0;

    /// Nothing is owed yet; `cir` in bytes/s.
    pub fn new(asked: &scenario::SmallWindow, cir: f64) -> Self {
        SmallWindow {
            below_packets: asked.below_packets,
            repay: asked.repay,
            cir,
            tokens: cir * Self::BURST_S,
            since_s: 0.0,
            owed: [0; 2],
        }
    }

    /// The colour of a packet of so many bytes that its meter has given this one, of a connection with such a window, NaN
    /// if it is not known.
    pub fn colour(&mut self, now_s: f64, bytes: f64, colour: Colour, window: f64) -> Colour {
        let small = window < self.below_packets;
        if !self.repay {
            return if small { Colour::Green } else { colour };
        }
        self.earn(now_s);
        if !small && colour != Colour::Green {
            return colour;
        }
        let least = if small { -self.cir * Self::BURST_S } else { 0.0 };
        if self.tokens < least {
            return self.instead_of(colour);
        }
        self.tokens -= bytes;
        match colour {
            Colour::Green => {}
            Colour::Yellow => self.owed[0] += 1,
            Colour::Red => self.owed[1] += 1,
        }
        Colour::Green
    }

    fn earn(&mut self, now_s: f64) {
        let burst = self.cir * Self::BURST_S;
        self.tokens = (self.tokens + self.cir * (now_s - self.since_s)).min(burst);
        self.since_s = now_s;
        if self.tokens >= 0.0 {
            self.owed = [0; 2];
        }
    }

    /// The colour of a packet that cannot be green: its own, or of one that its meter has made green that of a protected
    /// one, the worse ones first.
    fn instead_of(&mut self, colour: Colour) -> Colour {
        let [yellow, red] = &mut self.owed;
        if colour != Colour::Green {
            colour
        } else if *red > 0 {
            *red -= 1;
            Colour::Red
        } else {
            *yellow = yellow.saturating_sub(1);
            Colour::Yellow
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GREEN: Colour = Colour::Green;
    const YELLOW: Colour = Colour::Yellow;
    const RED: Colour = Colour::Red;

    fn small_window(repay: bool) -> SmallWindow {
        SmallWindow::new(&scenario::SmallWindow { below_packets: 3.0, repay }, 2000.0)
    }

    #[test]
    fn what_is_protected_is_paid_for() {
        let unknown = f64::NAN;
        let packets =
            [(YELLOW, 2.0), (RED, 1.0), (RED, 2.0), (GREEN, 5.0), (GREEN, 5.0), (RED, 5.0), (GREEN, unknown)];
        let colours = |mut small: SmallWindow| {
            packets.map(|(colour, window)| small.colour(0.0, 1000.0, colour, window))
        };
        // Two packets have tokens, and the third runs into debt.
        assert_eq!(colours(small_window(true)), [GREEN, GREEN, GREEN, RED, YELLOW, RED, YELLOW]);
        let free = colours(small_window(false));
        assert_eq!(free, [GREEN, GREEN, GREEN, GREEN, GREEN, RED, GREEN]);
        // An unknown window protects nothing.
        assert_eq!(small_window(true).colour(0.0, 1000.0, RED, unknown), RED);
    }

    #[test]
    fn a_debt_has_a_bound_and_is_forgotten_once_it_is_paid() {
        let mut small = small_window(true);
        let colours = [0.0; 6].map(|now| small.colour(now, 1000.0, RED, 1.0));
        assert_eq!(colours, [GREEN, GREEN, GREEN, GREEN, GREEN, RED]);
        // 3000 bytes of debt are 1.5 s.
        assert_eq!(small.colour(1.4, 1000.0, GREEN, 9.0), RED);
        assert_eq!([1.5, 1.5].map(|now| small.colour(now, 1000.0, GREEN, 9.0)), [GREEN, YELLOW]);
    }

    proptest! {
        #[test]
        fn green_is_never_more_than_the_committed_rate_and_two_bursts(
            packets in prop::collection::vec((0.0..0.5_f64, 40.0..1500.0_f64, 0..3_usize, 1.0..6.0_f64), 1..300),
        ) {
            let (mut small, mut now, mut green) = (small_window(true), 0.0, 0.0);
            for (gap, bytes, colour, window) in packets {
                now += gap;
                if small.colour(now, bytes, Colour::ALL[colour], window) == GREEN {
                    green += bytes;
                }
                prop_assert!(green <= 2000.0 * (now + 2.0) + 1500.0, "{green} at {now}");
            }
        }
    }
}
