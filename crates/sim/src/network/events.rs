//! Outages, stalls, reordering and changes of the delay of a link at given times. Changes of its rate are in `rates.rs`,
//! those of its losses in `loss.rs`.

use super::delays::Delays;
use super::jitter::Jitter;
use crate::random::Stream;
use crate::scenario::{LinkEvent, LossOf, Outage, Reordering, Stall};
use crate::units::Time;

/// Outages, stalls, reordering and changes of the delay in one direction of a link.
#[derive(Clone, Debug)]
pub struct Events {
    delays: Option<Delays>,
    outages: Vec<Outage>,
    reorderings: Vec<Chooser>,
    /// In order of time.
    stalls: Vec<Stall>,
    /// For each stall, when the last packet that it held, or that waited for those, is handed over.
    released: Vec<Option<Time>>,
}

impl Events {
    /// Those of a scenario but for changes of the rate and of losses; none if there are no others. The n-th reordering, from
    /// 0, draws from `stream(n)`.
    pub fn new(events: &[LinkEvent], stream: impl Fn(usize) -> Stream) -> Option<Box<Self>> {
        let delays = Delays::new(events);
        let mut made =
            Events { delays, outages: vec![], reorderings: vec![], stalls: vec![], released: vec![] };
        for event in events {
            match event {
                LinkEvent::Rate(_) | LinkEvent::Delay(_) | LinkEvent::Loss(_) => {}
                LinkEvent::Outage(outage) => made.outages.push(*outage),
                LinkEvent::Stall(stall) => made.stalls.push(*stall),
                LinkEvent::Reordering(config) => {
                    let number = made.reorderings.len();
                    made.reorderings.push(Chooser::new(config, || stream(number)));
                }
            }
        }
        made.released = vec![None; made.stalls.len()];
        let none = made.outages.is_empty() && made.reorderings.is_empty() && made.stalls.is_empty();
        (made.delays.is_some() || !none).then(|| Box::new(made))
    }

    /// Tells if a packet that arrives at the port at `now` is lost in an outage.
    pub fn loses(&self, now: Time, ack: bool) -> bool {
        self.outages
            .iter()
            .any(|outage| (outage.start..outage.end).contains(&now) && concerns(outage.of, ack))
    }

    /// Arrival at the far end of a packet whose transmission ends at `departure`, where it would be at `arrival`. Calls must
    /// be in the order of departures.
    pub fn delay(&mut self, departure: Time, arrival: Time, ack: bool) -> Time {
        let mut arrival = arrival;
        for chooser in &mut self.reorderings {
            if chooser.takes(departure, ack) {
                arrival += chooser.config.delay;
            }
        }
        self.hold(arrival)
    }

    /// Hands over what a stall holds at its end, each packet a picosecond after the one that left before it, so that
    /// their order shows; what comes at that instant waits for them.
    fn hold(&mut self, arrival: Time) -> Time {
        let ended = self.stalls.partition_point(|stall| stall.end <= arrival);
        let held = self.stalls.get(ended).filter(|stall| stall.start <= arrival);
        let (stall, due) = match (held, ended.checked_sub(1)) {
            (Some(stall), _) => (ended, stall.end),
            (None, Some(before)) => (before, arrival),
            (None, None) => return arrival,
        };
        let released = &mut self.released[stall];
        let due = due.max(released.map_or(Time::ZERO, |at| at + Time::from_ps(1)));
        if held.is_some() || due > arrival {
            *released = Some(due);
        }
        due
    }
}

/// Arrival at the far end of a packet that has left at `departure`; `arrival` is that without jitter and events.
pub(super) fn far_end(
    (jitter, events): (Option<&mut Jitter>, Option<&mut Events>),
    departure: Time,
    arrival: Time,
    ack: bool,
) -> Time {
    let (mut events, mut arrival) = (events, arrival);
    if let Some(delays) = events.as_mut().and_then(|events| events.delays.as_mut()) {
        arrival = delays.arrival(departure, arrival);
    }
    let arrival = jitter.map_or(arrival, |jitter| jitter.delay(arrival));
    events.map_or(arrival, |events| events.delay(departure, arrival, ack))
}

fn concerns(of: LossOf, ack: bool) -> bool {
    match of {
        LossOf::All => true,
        LossOf::Data => !ack,
        LossOf::Acks => ack,
    }
}

/// Chooses packets that take longer.
#[derive(Clone, Debug)]
struct Chooser {
    config: Reordering,
    stream: Option<Stream>,
    seen: u64,
}

impl Chooser {
    fn new(config: &Reordering, stream: impl Fn() -> Stream) -> Self {
        let mut config = config.clone();
        config.packets.sort_unstable();
        let stream = config.probability.map(|_| stream());
        Chooser { config, stream, seen: 0 }
    }

    fn takes(&mut self, departure: Time, ack: bool) -> bool {
        let over = self.config.end.is_some_and(|end| departure >= end);
        if departure < self.config.start || over || !concerns(self.config.of, ack) {
            return false;
        }
        self.seen += 1;
        match (&mut self.stream, self.config.probability, self.config.every) {
            (Some(stream), Some(probability), _) => stream.chance(probability),
            (_, _, Some(every)) => self.seen % u64::from(every) == 0,
            _ => self.config.packets.binary_search(&self.seen).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn events(json: &str) -> Events {
        let events: Vec<LinkEvent> = serde_json::from_str(json).expect("events");
        let stream = |number| Stream::new(1, &format!("link/a->b/reordering/{number}"));
        *Events::new(&events, stream).expect("some")
    }

    fn ms(time: u64) -> Time {
        Time::from_ps(time * MS)
    }

    /// Arrivals of packets that leave at these milliseconds and take 10 ms.
    fn arrivals(events: &mut Events, departures: &[u64]) -> Vec<Time> {
        departures.iter().map(|&at| events.delay(ms(at), ms(at + 10), false)).collect()
    }

    #[test]
    fn a_change_of_the_rate_is_no_event_of_packets() {
        let only: Vec<LinkEvent> =
            serde_json::from_str(r#"[{"kind": "rate-change", "at": 1.0, "rate": 1e6}]"#).expect("events");
        assert!(Events::new(&only, |_| unreachable!()).is_none());
    }

    #[test]
    fn an_outage_takes_its_first_instant_and_leaves_its_end() {
        let events = events(r#"[{"kind": "outage", "start": 0.001, "end": 0.003, "of": "data"}]"#);
        let lost = [0, 1, 2, 3].map(|at| events.loses(ms(at), false));
        assert_eq!(lost, [false, true, true, false]);
        assert!(!events.loses(ms(1), true));
    }

    #[test]
    fn a_stall_hands_over_in_order_and_nothing_overtakes_what_it_held() {
        let mut events = events(
            r#"[{"kind": "stall", "start": 0.011, "end": 0.013}, {"kind": "stall", "start": 0.014, "end": 0.02}]"#,
        );
        let found = arrivals(&mut events, &[0, 1, 2, 2, 3, 3, 4, 9, 10, 11]);
        let after = |at: u64, ps: u64| ms(at) + Time::from_ps(ps);
        let expected = [
            ms(10),
            ms(13),
            after(13, 1),
            after(13, 2),
            after(13, 3),
            after(13, 4),
            ms(20),
            after(20, 1),
            after(20, 2),
            ms(21),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_packet_that_was_delayed_into_a_stall_holds_none_that_comes_before() {
        let mut events = events(
            r#"[{"kind": "reordering", "delay": 0.05, "packets": [1]}, {"kind": "stall", "start": 0.05, "end": 0.1}]"#,
        );
        assert_eq!(arrivals(&mut events, &[0, 1, 45]), [ms(100), ms(11), ms(100) + Time::from_ps(1)]);
    }

    #[test]
    fn a_packet_that_an_earlier_stall_held_changes_no_order_in_a_later_one() {
        let mut events = events(
            r#"[{"kind": "reordering", "delay": 0.05, "packets": [1]}, {"kind": "stall", "start": 0.011, "end": 0.013},
                {"kind": "stall", "start": 0.05, "end": 0.1}]"#,
        );
        assert_eq!(arrivals(&mut events, &[0, 1, 45]), [ms(100), ms(13), ms(100) + Time::from_ps(1)]);
    }

    #[test]
    fn two_reorderings_choose_independently() {
        let one = r#"{"kind": "reordering", "delay": 0.1, "probability": 0.5}"#;
        let mut events = events(&format!("[{one}, {one}]"));
        let delays: Vec<Time> = (0..100).map(|_| events.delay(ms(0), ms(10), false)).collect();
        assert!([10, 110, 210].iter().all(|&at| delays.contains(&ms(at))));
    }

    #[test]
    fn every_third_packet_of_the_span_takes_longer() {
        let mut events =
            events(r#"[{"kind": "reordering", "start": 0.002, "end": 0.008, "delay": 0.1, "every": 3}]"#);
        let late = (0..12).filter(|&at| events.delay(ms(at), ms(at + 10), false) > ms(at + 10));
        assert_eq!(late.collect::<Vec<_>>(), [4, 7]);
    }

    #[test]
    fn chosen_packets_are_counted_among_their_kind() {
        let mut events = events(r#"[{"kind": "reordering", "delay": 0.1, "packets": [3, 1], "of": "acks"}]"#);
        let late: Vec<bool> = [false, true, false, true, true, true]
            .into_iter()
            .map(|ack| events.delay(ms(0), ms(10), ack) == ms(110))
            .collect();
        assert_eq!(late, [false, true, false, false, true, false]);
    }

    #[test]
    fn drawn_packets_have_their_probability() {
        let mut events = events(r#"[{"kind": "reordering", "delay": 0.1, "probability": 0.1}]"#);
        let n = 100_000;
        let late = (0..n).filter(|_| events.delay(ms(0), ms(10), false) > ms(10)).count() as f64;
        // Standard deviation of the count: sqrt(n p (1 - p)) = 95.
        assert!((late - 0.1 * f64::from(n)).abs() < 4.0 * 95.0, "{late}");
    }
}
