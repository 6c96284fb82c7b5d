//! Traffic sources: when an application has data. Each is a small state machine that is asked at one instant
//! what it writes and when it wants to be asked again.

use crate::limits::Steps;
use crate::random::Stream;
use crate::scenario::{self, App, Law};
use crate::units::{Rate, Time};

pub mod apps;
mod own;
mod self_similar;

use own::OwnSource;
use self_similar::SelfSimilar;
pub use self_similar::{intervals as self_similar_intervals, MOST_INTERVALS};

/// Packets that a source emits when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// Packets handed to the transport now; `u32::MAX` means an endless supply.
    pub packets: u32,
    /// Time at which to ask again.
    pub next: Option<Time>,
    /// True if an endless supply ends here.
    pub close: bool,
}

impl Emission {
    fn of(packets: u32, next: Option<Time>) -> Self {
        Emission { packets, next, close: false }
    }
}

/// An application that hands packets to a transport.
#[derive(Debug)]
pub struct Source {
    kind: SourceKind,
    stop: Time,
    /// Time of the first write, if it is asked before for nothing but to connect.
    after_connecting: Option<Time>,
}

#[derive(Debug)]
enum SourceKind {
    Bulk,
    Transfer {
        packets: u32,
    },
    Cbr {
        interval: Time,
    },
    Vbr(Box<Vbr>),
    OnOff(Box<OnOff>),
    SelfSimilar(Box<SelfSimilar>),
    Schedule(Box<Schedule>),
    /// One of the caller's own over UDP.
    Own(Box<OwnSource>),
    /// An application that hears back, which the engine asks elsewhere; see [`apps`].
    HearsBack,
}

impl Source {
    /// The source of `flow`, and when it is first asked. Packets carry `payload_bytes` each; the run ends at `duration`.
    pub fn new(flow: &scenario::Flow, payload_bytes: u32, duration: Time, seed: u64) -> (Self, Time) {
        let start = start(flow, seed);
        let stream = || Stream::new(seed, &format!("flow/{}/source", flow.name));
        let mut first = start;
        let kind = match &flow.app {
            App::Bulk {} => SourceKind::Bulk,
            App::Transfer(transfer) => SourceKind::Transfer { packets: transfer.packets },
            App::Cbr(cbr) => SourceKind::Cbr { interval: cbr_interval(cbr, payload_bytes) },
            App::Vbr(vbr) => SourceKind::Vbr(Box::new(Vbr {
                config: vbr.clone(),
                payload_bytes,
                interval: Time::ZERO,
                until: start,
                stream: stream(),
            })),
            App::OnOff(config) => {
                let mut source = OnOff {
                    law: config.law,
                    interval: interval(payload_bytes, config.rate),
                    packets: config.on.secs() / interval(payload_bytes, config.rate).secs(),
                    off: config.off.secs(),
                    left: 0,
                    stream: stream(),
                };
                first = start + source.gap();
                SourceKind::OnOff(Box::new(source))
            }
            App::SelfSimilar(config) => {
                let length = self_similar_intervals(flow, config, duration);
                let mut source = SelfSimilar::new(config, payload_bytes, start, length, stream());
                first = source.next().unwrap_or(Time::NEVER);
                SourceKind::SelfSimilar(Box::new(source))
            }
            App::Schedule(schedule) => {
                first = schedule.writes.first().map_or(Time::NEVER, |&(t, _)| start + t);
                SourceKind::Schedule(Box::new(Schedule { start, writes: schedule.writes.clone(), done: 0 }))
            }
            App::User(config) if matches!(flow.transport, scenario::Transport::Udp(_)) => {
                match &config.maker.0 {
                    Some(maker) => {
                        let own = OwnSource::new(maker, &flow.name, payload_bytes, seed);
                        SourceKind::Own(Box::new(own))
                    }
                    None => SourceKind::HearsBack,
                }
            }
            App::TransferSequence(_) | App::Barrier(_) | App::Telnet(_) | App::Web(_) | App::User(_) => {
                first = Time::NEVER;
                SourceKind::HearsBack
            }
        };
        let stop = flow.stop.unwrap_or(Time::NEVER);
        // Linux connects when it is told to, and not when there is data.
        let connects = matches!(&flow.transport, scenario::Transport::Tcp(tcp) if tcp.profile.is_linux());
        let after_connecting = Some(first).filter(|&at| connects && start < at && at < Time::NEVER);
        let asked = after_connecting.map_or(first, |_| start);
        (Source { kind, stop, after_connecting }, asked)
    }

    /// Returns whether it never runs out of data.
    pub fn is_endless(&self) -> bool {
        matches!(self.kind, SourceKind::Bulk)
    }

    /// Returns whether the source writes once, and all its data must arrive.
    pub fn is_transfer(&self) -> bool {
        matches!(self.kind, SourceKind::Transfer { .. })
    }

    /// Asks the source at `now`.
    pub fn emit(&mut self, now: Time) -> Emission {
        if now >= self.stop {
            return Emission { close: true, ..Emission::of(0, None) };
        }
        if let Some(first) = self.after_connecting.take() {
            return Emission::of(0, Some(first));
        }
        match &mut self.kind {
            SourceKind::Bulk => {
                let end = Some(self.stop).filter(|&stop| stop < Time::NEVER);
                Emission::of(u32::MAX, end)
            }
            SourceKind::Transfer { packets } => Emission::of(*packets, None),
            SourceKind::Cbr { interval } => Emission::of(1, Some(now + *interval)),
            SourceKind::Vbr(vbr) => Emission::of(1, Some(now + vbr.interval(now))),
            SourceKind::OnOff(source) => Emission::of(1, Some(now + source.gap())),
            SourceKind::SelfSimilar(source) => Emission::of(1, source.next()),
            SourceKind::Schedule(schedule) => schedule.next_write(),
            SourceKind::Own(own) => {
                let answer = own.emit(now);
                Emission::of(answer.packets, answer.wake_in.map(|wait| now + wait))
            }
            SourceKind::HearsBack => Emission::of(0, None),
        }
    }
}

/// Start of a flow.
pub fn start(flow: &scenario::Flow, seed: u64) -> Time {
    if flow.start_spread == Time::ZERO {
        return flow.start;
    }
    let mut stream = Stream::new(seed, &format!("flow/{}/start", flow.name));
    flow.start + stream.time_between(Time::ZERO, flow.start_spread)
}

/// Time between the packets of a constant rate; `compile` has made sure that a rate or an interval is there.
pub fn cbr_interval(cbr: &scenario::Cbr, payload_bytes: u32) -> Time {
    cbr.interval.or(cbr.rate.map(|rate| interval(payload_bytes, rate))).unwrap_or(Time::NEVER)
}

/// Time between packets that carry `payload_bytes` each at `rate`.
fn interval(payload_bytes: u32, rate: Rate) -> Time {
    rate.transmission(payload_bytes).max(Time::from_ps(1))
}

/// Writes at given times after the start.
#[derive(Clone, Debug)]
struct Schedule {
    start: Time,
    writes: Vec<(Time, u32)>,
    done: usize,
}

impl Schedule {
    fn next_write(&mut self) -> Emission {
        let packets = self.writes[self.done].1;
        self.done += 1;
        let next = self.writes.get(self.done).map(|&(t, _)| self.start + t);
        Emission::of(packets, next)
    }
}

/// A rate that is drawn anew at random times (Zhao 2004, II.C.6).
#[derive(Clone, Debug)]
struct Vbr {
    config: scenario::Vbr,
    payload_bytes: u32,
    interval: Time,
    until: Time,
    stream: Stream,
}

impl Vbr {
    /// Time from the packet at `now` to the next one.
    fn interval(&mut self, now: Time) -> Time {
        let mut steps = Steps::default();
        while self.until <= now {
            steps.next();
            let (low, high) = self.config.rates;
            let rate = Rate::from_bps(self.stream.between(low.bps(), high.bps()));
            self.interval = interval(self.payload_bytes, rate);
            let (short, long) = self.config.intervals;
            self.until += self.stream.time_between(short, long).max(Time::from_ps(1));
        }
        self.interval
    }
}

/// Bursts and silences, as ns-2's Exponential and Pareto sources make them: first a silence, then a burst of
/// at least one packet, the nearest whole number to its drawn length; a silence adds to the packet interval.
#[derive(Clone, Debug)]
struct OnOff {
    law: Law,
    interval: Time,
    /// Mean packets in a burst.
    packets: f64,
    /// Mean silence in seconds.
    off: f64,
    /// Packets left in the burst.
    left: u32,
    stream: Stream,
}

impl OnOff {
    fn draw(&mut self, mean: f64) -> f64 {
        match self.law {
            Law::Exponential => self.stream.exponential(mean),
            Law::Pareto { shape } => self.stream.pareto(mean, shape),
        }
    }

    /// Time to the next packet.
    fn gap(&mut self) -> Time {
        let mut gap = self.interval;
        if self.left == 0 {
            self.left = (self.draw(self.packets) + 0.5).max(1.0) as u32;
            gap += Time::from_secs(self.draw(self.off));
        }
        self.left -= 1;
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Flow, Transport, Udp};

    fn flow(app: App) -> Flow {
        Flow {
            name: "f".into(),
            source: "a".into(),
            destination: "b".into(),
            transport: Transport::Udp(Udp { payload_bytes: 1000, header_bytes: 0 }),
            app,
            start: Time::from_secs(1.0),
            start_spread: Time::ZERO,
            stop: None,
            dscp: 0,
            via: Vec::new(),
        }
    }

    /// Times of the packets written before `end`.
    fn packets(flow: &Flow, seed: u64, end: f64) -> Vec<f64> {
        let (mut source, mut at) = Source::new(flow, 1000, Time::from_secs(end), seed);
        let mut times = Vec::new();
        while at < Time::from_secs(end) {
            let emission = source.emit(at);
            times.extend((0..emission.packets).map(|_| at.secs()));
            match emission.next {
                Some(next) => at = next,
                None => break,
            }
        }
        times
    }

    #[test]
    fn cbr_starts_with_a_packet_and_stops_before_its_end() {
        let mut f = flow(App::Cbr(scenario::Cbr { rate: Some(Rate::from_bps(8e4)), interval: None }));
        f.stop = Some(Time::from_secs(1.3));
        let times = packets(&f, 1, 5.0);
        assert_eq!(times, [1.0, 1.1, 1.2]);
    }

    #[test]
    fn an_endless_supply_closes_at_its_stop() {
        let mut f = flow(App::Bulk {});
        f.stop = Some(Time::from_secs(2.0));
        let (mut source, start) = Source::new(&f, 1000, Time::from_secs(9.0), 1);
        let supply = source.emit(start);
        assert_eq!((supply.packets, supply.next, supply.close), (u32::MAX, f.stop, false));
        let end = source.emit(Time::from_secs(2.0));
        assert_eq!((end.packets, end.next, end.close), (0, None, true));
    }

    #[test]
    fn on_off_sources_offer_their_mean_rate() {
        for law in [Law::Exponential, Law::Pareto { shape: 2.5 }] {
            let f = flow(App::OnOff(scenario::OnOff {
                law,
                rate: Rate::from_bps(4e5),
                on: Time::from_secs(1.0),
                off: Time::from_secs(2.0),
            }));
            let seconds = 20_000.0;
            let rate = packets(&f, 5, 1.0 + seconds).len() as f64 / seconds;
            // 50 packets/s a third of the time; about 6700 cycles, so an error near 1.5 %.
            assert!((rate - 50.0 / 3.0).abs() < 0.8, "{law:?}: {rate}");
        }
    }

    #[test]
    fn vbr_stays_within_its_rates() {
        let f = flow(App::Vbr(scenario::Vbr {
            rates: (Rate::from_bps(0.5e6), Rate::from_bps(1.5e6)),
            intervals: (Time::from_secs(0.1), Time::from_secs(1.0)),
        }));
        let times = packets(&f, 2, 101.0);
        let gaps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(gaps.iter().all(|g| (0.0053..=0.0161).contains(g)));
        let changes = gaps.windows(2).filter(|w| (w[0] - w[1]).abs() > 1e-9).count();
        assert!((120..260).contains(&changes), "{changes}");
    }

    #[test]
    fn a_schedule_is_kept() {
        let f = flow(App::Schedule(scenario::Schedule {
            writes: vec![(Time::ZERO, 2), (Time::from_secs(0.5), 1)],
            payloads: Vec::new(),
        }));
        assert_eq!(packets(&f, 1, 9.0), [1.0, 1.0, 1.5]);
    }

    #[test]
    fn starts_spread_over_their_range() {
        let mut f = flow(App::Transfer(scenario::Transfer { packets: 1 }));
        f.start_spread = Time::from_secs(2.0);
        let starts: Vec<f64> = (0..2000).map(|seed| packets(&f, seed, 9.0)[0]).collect();
        let mean = starts.iter().sum::<f64>() / 2000.0;
        assert!(starts.iter().all(|s| (1.0..3.0).contains(s)));
        // Standard error 2 / sqrt(12 * 2000) = 0.013.
        assert!((mean - 2.0).abs() < 0.05, "{mean}");
    }
}
