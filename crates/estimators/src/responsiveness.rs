//! Share of the load at a port that would not back off, from the behaviour of flows after a drop or a mark.
//!
//! [`Responsiveness`] takes packets as they arrive at a queue: when, of which flow, and whether the queue dropped or
//! marked it. It needs neither the port's rate nor round-trip times, and has no gain to tune. Each drop is a trial
//! of one flow (`evidence`): flows whose packets thin out after it respond, those that go on as before do
//! not. The share is then a count: of each interval's packets, those of flows that do not respond.
//!
//! | file | what it holds |
//! |---|---|
//! | `evidence` | what a flow's packets tell about it |
//! | `judgement` | how likely a flow is not to respond that has shown this, and how wide bounds are |
//! | `imitation` | whether it makes good what it gave up |
//! | `calibration` | the table by which it goes, learned from simulated flows and generated |
//! | `signal_rate` | the port's probability of a drop or mark just now |
//! | `table` | a fixed number of flows, or a sample of them when there are more |
//! | `tally` | the estimation interval that is under way |
//! | `waiting` | packets whose fate is not decided yet |

mod calibration;
mod evidence;
mod flags;
mod imitation;
mod judgement;
mod signal_rate;
mod table;
mod tally;
mod waiting;

pub use flags::Flags;
pub use judgement::Label;
pub use tally::WIDEST;
pub use waiting::Ticket;

use crate::seconds::Seconds;
use crate::ConfigError;
use evidence::numbers;
use signal_rate::SignalRate;
use table::{Found, Table, JUDGED_AFTER};
use tally::Tally;
use waiting::{Arrived, Fate, Waiting};

/// The sample of flows is narrowed when more of its packets than this find no place.
const CROWDED: f64 = 0.1;

/// It is widened when fewer places than this are in use in an interval.
const SPARSE: f64 = 0.35;

/// Settings of the estimator. Nothing here depends on the network.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Time between estimates, in seconds.
    pub interval_s: f64,
    /// Flows that are watched at once. When there are more, a random sample of them is watched. A flow takes about
    /// 520 bytes.
    pub flows: u32,
    /// Makes the hash of flows unpredictable to those who might choose their keys to collide.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { interval_s: 0.7, flows: 4096, seed: 0 }
    }
}

impl Settings {
    /// Checks that every field is in its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let positive = self.interval_s > 0.0 && self.interval_s.is_finite();
        ConfigError::unless(positive, "interval_s", self.interval_s, "a time above 0, in seconds")?;
        let flows = (2..=1 << 24).contains(&self.flows);
        ConfigError::unless(flows, "flows", self.flows, "a whole number from 2 to 16777216")
    }
}

/// Drop probability of a dither for a packet, and the draw: signals that the router gives at random, whatever
/// the queue is.
///
/// They are the best of trials, because nothing that the flow did decides them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dither {
    /// With which probability the packet was to be chosen, from 0 to 1.
    pub probability: f64,
    /// True if it was, and was dropped or marked for it.
    pub chosen: bool,
}

impl Dither {
    /// No dither.
    pub const NONE: Dither = Dither { probability: 0.0, chosen: false };
}

/// Later than any time that anybody means; intervals up to it can be counted.
const LATEST_S: f64 = 1e12;

/// The share of non-responsive traffic in an estimation interval, and what to think of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// End of the interval, in seconds.
    pub end_s: f64,
    /// Share of arriving packets of flows that do not respond to drops and marks, from 0 to 1. `None` when no watched
    /// flow sent a packet, and when the bounds are further apart than 0.2: then it is unknown. A flow of which little
    /// is known counts with its probability.
    pub share: Option<f64>,
    /// Half the width of its bounds before 0 and 1 cut them, over 1.96: a standard error, were errors normal.
    pub share_se: Option<f64>,
    /// Bounds of the share, which hold 95 % of those it was calibrated with. `None` when no watched flow sent a packet.
    pub share_lower: Option<f64>,
    /// See [`Estimate::share_lower`].
    pub share_upper: Option<f64>,
    /// Mean over the watched packets of `4 p (1 - p)`, where `p` is the probability that the packet's flow does not
    /// respond: 0 where all flows are known, 1 where nothing is. By it the bounds are as wide as they are.
    pub doubt: Option<f64>,
    /// Part of the watched packets that belong to flows with a label.
    pub resolved: f64,
    /// Part of the packets that belong to watched flows.
    pub watched: f64,
    /// Packets that arrived.
    pub packets: u64,
    /// Packets that were dropped or marked.
    pub signals: u64,
    /// Watched flows that sent a packet.
    pub flows: u32,
    /// Reasons to doubt.
    pub flags: Flags,
}

/// A watched flow and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowEvidence {
    /// Its key.
    pub flow: u64,
    /// Packets that it sent in the interval.
    pub packets: u32,
    /// Probability that it does not respond, with which its packets counted.
    pub deaf: f64,
    /// Its evidence, in the order of [`FlowEvidence::NAMES`]; NaN where there is nothing to tell a number from.
    pub numbers: [f32; FlowEvidence::COUNT],
}

impl FlowEvidence {
    /// Number of features of a flow.
    pub const COUNT: usize = numbers::COUNT;

    /// Their names. `trials`, `dither_trials` and `spread_...` are logarithms (base 10): how many signals of the queue
    /// and of the dither the flow had a choice to answer, faded; and the squared coefficient of variation of what it
    /// sends within a time scale. `signals_over_expected` compares its signals with those of the port. `contrast_...`
    /// is the part of its rate that it gives up for a signal, `deviations_...` that over its standard deviation, each
    /// also by the dither's signals; `after_...` is the contrast without correction, `placebo_...` that of what it had
    /// sent before the signal, which signals at random leave at 0; `correlation_...` how what it sent and what it sends
    /// go together. `given_up_...` is what the dither's signals cost it by the end of the time scale, in seconds.
    pub const NAMES: [&'static str; FlowEvidence::COUNT] = numbers::NAMES;

    /// The label that follows from `deaf`.
    pub fn label(&self) -> Label {
        Label::of(self.deaf)
    }
}

/// The share of non-responsive traffic at a port, from its packets. Takes constant time for a packet and no memory after
/// construction.
///
/// ```
/// use parshall_estimators::responsiveness::{Responsiveness, Settings};
///
/// let mut port = Responsiveness::new(Settings::default()).unwrap();
/// // A flow of 100 packets/s that loses every 50th and does not mind.
/// for i in 0..6_000 {
///     let now = f64::from(i) * 0.01;
///     while let Some(estimate) = port.close(now) {
///         assert!(estimate.end_s < 30.0 || estimate.share.unwrap() > 0.95);
///     }
///     port.packet(now, 1, i % 50 == 0);
/// }
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Responsiveness {
    settings: Settings,
    table: Table,
    rate: SignalRate,
    tally: Tally,
    now_s: f64,
    /// Number of the interval under way, which ends at so many times its length; 0 before the first packet.
    interval: u64,
    /// Number of the interval of the last estimate; 0 before the first one.
    closed: u64,
    /// True if intervals without packets count.
    every: bool,
    warm: bool,
    waiting: Waiting,
}

impl Responsiveness {
    /// An estimator that has seen nothing. Time starts with the first packet, whatever its time is, and intervals in
    /// which nothing comes are left out: a silence of any length costs nothing. Intervals end at multiples of their
    /// length. Fails when a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, ConfigError> {
        settings.validate()?;
        Ok(Responsiveness {
            settings,
            table: Table::new(settings.flows, settings.seed),
            rate: SignalRate::default(),
            tally: Tally::default(),
            now_s: f64::NEG_INFINITY,
            interval: 0,
            closed: 0,
            every: false,
            warm: false,
            waiting: Waiting::default(),
        })
    }

    /// Makes an estimator whose time starts at 0, and whose every interval has its estimate.
    pub fn from_zero(settings: Settings) -> Result<Self, ConfigError> {
        Ok(Responsiveness { now_s: 0.0, interval: 1, every: true, ..Responsiveness::new(settings)? })
    }

    /// Forgets every packet.
    pub fn reset(&mut self) {
        let start = if self.every { Self::from_zero } else { Self::new };
        *self = start(self.settings).expect("settings that were valid before");
    }

    /// Settings that it was built with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Takes a packet that arrives at `now`, belongs to the flow with this key, and is dropped or
    /// marked (`signalled`) or neither. Where a queue drops at random as well as when it is full, the
    /// former are the better signals: pass those alone. A time that is not finite, 1e12 s or later, or before the
    /// last one, changes nothing but the flags.
    ///
    /// Ask [`close`](Self::close) first: a packet counts in the interval that is under way.
    #[inline]
    pub fn packet(&mut self, now: impl Into<Seconds>, flow: u64, signalled: bool) {
        self.packet_dithered(now, flow, signalled, Dither::NONE);
    }

    /// Counts a packet at a port with a dither. `signalled` is the queue's signal; it means nothing for a
    /// packet that the dither chose.
    #[inline]
    pub fn packet_dithered(&mut self, now: impl Into<Seconds>, flow: u64, signalled: bool, dither: Dither) {
        let now_s = now.into().get();
        if self.waiting.is_empty() {
            self.take(now_s, flow, signalled, dither);
        } else {
            let fate = if signalled { Fate::Signalled } else { Fate::Spared };
            self.wait(Arrived { at_s: now_s, flow, fate, dither });
        }
    }

    /// Takes a packet whose fate is not known yet, as at a queue that decides at departure. [`decide`](Self::decide)
    /// tells it. Estimates come once all packets of their interval have met theirs; of more than 65,536 that wait,
    /// the oldest is taken as spared, and the interval flagged.
    pub fn arrive(&mut self, now: impl Into<Seconds>, flow: u64) -> Ticket {
        self.arrive_dithered(now, flow, Dither::NONE)
    }

    /// Counts an arrival at a port with a dither, which decides at arrival.
    pub fn arrive_dithered(&mut self, now: impl Into<Seconds>, flow: u64, dither: Dither) -> Ticket {
        self.wait(Arrived { at_s: now.into().get(), flow, fate: Fate::Undecided, dither })
    }

    /// Tells the fate of a packet that has arrived: dropped or marked (`Some(true)`), neither, or to be left out
    /// (`None`). Fates may come in any order. Whether the packet was still waiting.
    pub fn decide(&mut self, ticket: Ticket, signalled: Option<bool>) -> bool {
        let fate = match signalled {
            Some(true) => Fate::Signalled,
            Some(false) => Fate::Spared,
            None => Fate::LeftOut,
        };
        self.waiting.decide(ticket, fate)
    }

    /// Takes packets whose fate was never told as spared, at the end of a series.
    pub fn settle(&mut self) {
        self.waiting.settle();
    }

    fn wait(&mut self, packet: Arrived) -> Ticket {
        let (ticket, crowded) = self.waiting.arrive(packet);
        self.tally.bad |= crowded;
        ticket
    }

    #[inline]
    fn take(&mut self, now_s: f64, flow: u64, signalled: bool, dither: Dither) {
        if !(now_s >= self.now_s && now_s < LATEST_S) {
            self.tally.bad = true;
            return;
        }
        if self.interval == 0 {
            self.interval = self.interval_at(now_s);
        }
        self.now_s = now_s;
        let probability = self.rate.probability();
        if !dither.chosen {
            self.rate.packet(signalled);
        }
        self.tally.packets += 1.0;
        self.tally.signals += f64::from(u8::from(signalled || dither.chosen));
        match self.table.find(flow, now_s) {
            Found::Watched(flow) => {
                if flow.interval != self.interval {
                    flow.interval = self.interval;
                    flow.packets = 0;
                    self.tally.flows += 1;
                    if flow.since >= JUDGED_AFTER {
                        flow.judge();
                    }
                }
                self.tally.packet(flow);
                flow.packets = flow.packets.saturating_add(1);
                let signalled = signalled || dither.chosen;
                flow.since = flow.since.saturating_add(if signalled { JUDGED_AFTER } else { 1 });
                flow.evidence.packet(now_s, signalled, probability, dither);
            }
            Found::Crowded => self.tally.crowded += 1.0,
            Found::LeftOut => {}
        }
    }

    /// The estimate of the interval under way, if it is over at `now`; the next one begins. With
    /// [`Responsiveness::from_zero`] long silences hold several intervals: ask until there is none.
    #[inline]
    pub fn close(&mut self, now: impl Into<Seconds>) -> Option<Estimate> {
        let now_s = now.into().get();
        if self.waiting.is_empty() {
            self.close_at(now_s)
        } else {
            self.close_decided(now_s)
        }
    }

    /// Closes intervals up to the first packet whose fate is not known.
    fn close_decided(&mut self, now_s: f64) -> Option<Estimate> {
        while let Some(packet) = self.waiting.front() {
            if let Some(estimate) = self.close_at(packet.at_s.min(now_s)) {
                return Some(estimate);
            }
            match packet.fate {
                Fate::Undecided => return None,
                Fate::LeftOut => {}
                Fate::Spared => self.take(packet.at_s, packet.flow, false, packet.dither),
                Fate::Signalled => self.take(packet.at_s, packet.flow, true, packet.dither),
            }
            self.waiting.pop();
        }
        self.close_at(now_s)
    }

    #[inline]
    fn close_at(&mut self, now_s: f64) -> Option<Estimate> {
        let end_s = self.interval as f64 * self.settings.interval_s;
        if now_s >= end_s && now_s < LATEST_S && self.interval > 0 {
            Some(self.finish(end_s, now_s))
        } else {
            None
        }
    }

    /// The number of the interval that `now_s` is in.
    fn interval_at(&self, now_s: f64) -> u64 {
        ((now_s / self.settings.interval_s).max(0.0) as u64).saturating_add(1)
    }

    fn finish(&mut self, end_s: f64, now_s: f64) -> Estimate {
        let tally = core::mem::take(&mut self.tally);
        self.closed = self.interval;
        self.interval = self.interval.saturating_add(1);
        if !self.every {
            self.interval = self.interval.max(self.interval_at(now_s));
        }
        self.fit_sample(&tally);
        self.warm |= tally.resolved() >= 0.5;
        let mut estimate = tally.estimate(end_s);
        estimate.flags |= Flags::WARMING_UP.when(!self.warm);
        estimate
    }

    /// Evidence of the flows that sent a packet in the interval of the last estimate. Ask for it before the next
    /// packet: later, flows that have sent again are missing.
    pub fn evidence(&self) -> impl Iterator<Item = FlowEvidence> + '_ {
        let sent = self.table.taken().filter(|flow| flow.interval > 0 && flow.interval == self.closed);
        sent.map(|flow| FlowEvidence {
            flow: flow.key,
            packets: flow.packets,
            deaf: f64::from(flow.deaf),
            numbers: flow.evidence.numbers(),
        })
    }

    /// Keeps the table nearly full, not crowded.
    fn fit_sample(&mut self, tally: &Tally) {
        let offered = tally.packets * self.table.admitted();
        if offered >= 100.0 && tally.crowded > CROWDED * offered {
            self.table.narrow();
        } else if f64::from(tally.flows) < SPARSE * self.table.capacity() as f64 {
            self.table.widen();
        }
    }
}
