//! A link whose propagation delay changes at given times.

use std::iter::Peekable;
use std::vec::IntoIter;

use crate::scenario::{DelayChange, LinkEvent};
use crate::units::Time;

/// The delays of a link, one after the other. No packet overtakes another.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    /// Those to come.
    changes: Peekable<IntoIter<DelayChange>>,
    /// The one that holds, once there was a change.
    now: Option<Time>,
    /// Arrival of the last packet.
    last: Time,
}

impl Delays {
    /// Those of a link whose delay events change; none if no event does.
    pub fn new(events: &[LinkEvent]) -> Option<Self> {
        let changes = events.iter().filter_map(|event| match event {
            LinkEvent::Delay(change) => Some(*change),
            _ => None,
        });
        let changes: Vec<_> = changes.collect();
        let any = !changes.is_empty();
        any.then(|| Delays { changes: changes.into_iter().peekable(), now: None, last: Time::ZERO })
    }

    /// Arrival at the far end of a packet whose transmission ends at `departure`, where it would be at `arrival` with the delay
    /// of the beginning. Calls must be in the order of departures.
    pub fn arrival(&mut self, departure: Time, arrival: Time) -> Time {
        while let Some(change) = self.changes.next_if(|change| change.at <= departure) {
            self.now = Some(change.delay);
        }
        let arrival = self.now.map_or(arrival, |delay| departure + delay);
        self.last = arrival.max(self.last + Time::from_ps(1));
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    /// Arrivals at a link of 10 ms: milliseconds, and picoseconds after them.
    fn arrivals(json: &str, departures: &[u64]) -> Vec<(u64, u64)> {
        let events: Vec<LinkEvent> = serde_json::from_str(json).expect("events");
        let mut delays = Delays::new(&events).expect("changes");
        let ms = |time| Time::from_ps(time * MS);
        let arrivals = departures.iter().map(|&at| delays.arrival(ms(at), ms(at + 10)).ps());
        arrivals.map(|ps| (ps / MS, ps % MS)).collect()
    }

    #[test]
    fn a_packet_has_the_delay_at_the_end_of_its_transmission() {
        let json = r#"[{"kind": "delay-change", "at": 0.005, "delay": 0.03},
                       {"kind": "delay-change", "at": 0.1, "delay": 0.04}]"#;
        let found = arrivals(json, &[0, 4, 5, 6, 99, 100]);
        assert_eq!(found, [10, 14, 35, 36, 129, 140].map(|ms| (ms, 0)));
    }

    #[test]
    fn what_would_overtake_waits() {
        let json = r#"[{"kind": "delay-change", "at": 0.005, "delay": 0.0}]"#;
        let found = arrivals(json, &[4, 5, 6, 13, 14, 15]);
        assert_eq!(found, [(14, 0), (14, 1), (14, 2), (14, 3), (14, 4), (15, 0)]);
    }

    #[test]
    fn what_changes_nothing_is_as_nothing() {
        let json = r#"[{"kind": "delay-change", "at": 0, "delay": 0.01}]"#;
        assert_eq!(arrivals(json, &[0, 1, 2]), [(10, 0), (11, 0), (12, 0)]);
        assert!(Delays::new(&[]).is_none());
    }
}
