//! A link whose rate changes at given times.

use crate::scenario::LinkEvent;
use crate::units::{Rate, Time};

/// The rates of a link, one after the other. A packet in transmission goes on at the new one.
#[derive(Clone, Debug)]
pub struct Rates {
    /// Time from which each holds, the first from the start of the run, and picoseconds per byte; infinite where the link stands.
    pieces: Vec<(Time, f64)>,
    /// The one in which the last transmission began.
    piece: usize,
}

impl Rates {
    /// A link of a rate that events change; none if no event does.
    pub fn new(rate: Rate, events: &[LinkEvent]) -> Option<Self> {
        let changes = events.iter().filter_map(|event| match event {
            LinkEvent::Rate(change) => Some((change.at, change.rate.ps_per_byte())),
            _ => None,
        });
        let pieces: Vec<_> = std::iter::once((Time::ZERO, rate.ps_per_byte())).chain(changes).collect();
        (pieces.len() > 1).then_some(Rates { pieces, piece: 0 })
    }

    /// The end of a transmission that starts at `start`. Calls must be in order of time.
    pub fn end(&mut self, start: Time, bytes: u16) -> Time {
        let until = |pieces: &[(Time, f64)], piece: usize| pieces.get(piece + 1).map(|&(at, _)| at);
        while until(&self.pieces, self.piece).is_some_and(|next| next <= start) {
            self.piece += 1;
        }
        let (mut now, mut left) = (start, f64::from(bytes));
        for piece in self.piece.. {
            let ps_per_byte = self.pieces[piece].1;
            // At least one picosecond, so that no two packets leave at one instant. The last rate is above 0.
            let rest = left * ps_per_byte + 0.5;
            match until(&self.pieces, piece) {
                Some(next) if rest >= (next - now).ps() as f64 + 1.0 => {
                    left -= (next - now).ps() as f64 / ps_per_byte;
                    now = next;
                }
                _ => return now + Time::from_ps((rest.max(0.0) as u64).max(u64::from(now == start))),
            }
        }
        unreachable!("the last piece has no end")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte a microsecond, nothing from 1 to 2 ms, ten bytes a microsecond from then on.
    fn rates() -> Rates {
        let json = r#"[{"kind": "rate-change", "at": 0.001, "rate": 0}, {"kind": "outage", "start": 0, "end": 1},
                       {"kind": "rate-change", "at": 0.002, "rate": 8e7}]"#;
        let events: Vec<LinkEvent> = serde_json::from_str(json).expect("events");
        Rates::new(Rate::from_bps(8e6), &events).expect("changes")
    }

    fn end_us(start_us: u64, bytes: u16) -> u64 {
        rates().end(Time::from_ps(start_us * 1_000_000), bytes).ps() / 1_000_000
    }

    #[test]
    fn a_link_that_nothing_changes_is_plain() {
        assert!(Rates::new(Rate::from_bps(8e6), &[]).is_none());
    }

    #[test]
    fn a_packet_half_sent_goes_on_at_the_new_rate() {
        assert_eq!(end_us(100, 900), 1000);
        // 100 bytes are sent at the old rate, 900 at the new one, after the link has stood.
        assert_eq!(end_us(900, 1000), 2090);
        assert_eq!(end_us(1500, 1000), 2100);
        assert_eq!(end_us(3000, 1000), 3100);
    }

    #[test]
    fn ends_are_in_order_however_small_packets_are() {
        let mut rates = rates();
        let mut now = Time::from_secs(0.0009);
        for _ in 0..20_000 {
            let end = rates.end(now, 1);
            assert!(end > now);
            now = end;
        }
        // 100 bytes before the link stood, the rest at 0.1 microseconds each.
        let due = 2000.0 + 0.1 * 19_900.0;
        assert!((now.secs() * 1e6 - due).abs() < 0.001, "{}", now.secs());
    }
}
