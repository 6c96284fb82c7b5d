//! Queues for classes: physical queues with drop precedences each, and a scheduler between them.
//!
//! A packet's code point says which queue it joins and what its precedence there is. Precedences share their queue's order:
//! they differ in when packets are dropped.
//!
//! | file | what it holds |
//! |---|---|
//! | `rio` | early drops as RED makes them, over the averages of several precedences |
//! | `ns2` | the same as ns-2's dsRED has them |
//! | `schedule` | which queue is served next |
//! | `ns2_schedule` | the same as ns-2's dsRED has it |

mod ns2;
mod ns2_schedule;
mod rio;
mod schedule;

use std::collections::VecDeque;

use super::held::{Held, Leaving};
use super::{DepartureQueue, Reason};
use crate::random::Stream;
use crate::room::Room;
use crate::scenario::{self, DiffServProfile, DropperKind};
use crate::units::{Rate, Time};
use ns2::Ns2Red;
use rio::Rio;
use schedule::Scheduler;

/// Number of code points.
pub const CODE_POINTS: usize = 64;

/// Fate of a packet that arrives at a physical queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judgement {
    Accept,
    Mark,
    Drop(Reason),
}

/// State of a queue and a packet, as its dropper sees them.
#[derive(Clone, Copy, Debug)]
struct Asked<'a> {
    now: Time,
    precedence: usize,
    /// Packets of each precedence that wait.
    lengths: &'a [u32],
    /// True if the queue has no room for another packet.
    full: bool,
    ecn_capable: bool,
}

/// Decides which packets a physical queue takes.
#[derive(Clone, Debug)]
enum Dropper {
    /// By what waits alone; a limit for each precedence.
    Tail(Vec<f64>),
    Rio(Box<Rio>),
    Ns2(Box<Ns2Red>),
}

impl Dropper {
    fn new(config: &scenario::ClassQueue, whole: &scenario::DiffServ, rate: Rate) -> Self {
        let packets_per_second = rate.bps() / (8.0 * f64::from(whole.mean_packet_bytes));
        if config.dropper == DropperKind::DropTail {
            let limit = |precedence: &scenario::Precedence| precedence.min_threshold_packets;
            let limits = config.precedences.iter().map(|each| limit(each).unwrap_or(f64::INFINITY));
            return Dropper::Tail(limits.collect());
        }
        match whole.profile {
            DiffServProfile::Rfc => Dropper::Rio(Box::new(Rio::new(config, packets_per_second))),
            DiffServProfile::Ns2 => Dropper::Ns2(Box::new(Ns2Red::new(config, packets_per_second))),
        }
    }

    fn judge(&mut self, asked: &Asked<'_>, stream: &mut Stream) -> Judgement {
        match self {
            Dropper::Tail(_) if asked.full => Judgement::Drop(Reason::Full),
            Dropper::Tail(limits)
                if f64::from(asked.lengths[asked.precedence]) >= limits[asked.precedence] =>
            {
                Judgement::Drop(Reason::Precedence)
            }
            Dropper::Tail(_) => Judgement::Accept,
            Dropper::Rio(rio) => rio.judge(asked, stream),
            Dropper::Ns2(red) => red.judge(asked, stream),
        }
    }

    /// The link is free and asks for a packet at `now`.
    fn link_asks(&mut self, now: Time, lengths: &[u32]) {
        if let Dropper::Rio(rio) = self {
            rio.link_asks(now, lengths);
        }
    }

    /// A packet of this precedence has left at `now`; `lengths` are those after it.
    fn left(&mut self, now: Time, precedence: usize, lengths: &[u32]) {
        if let Dropper::Ns2(red) = self {
            red.left(now, precedence, lengths);
        }
    }

    fn average(&self, precedence: usize) -> Option<f64> {
        match self {
            Dropper::Tail(_) => None,
            Dropper::Rio(rio) => Some(rio.average(precedence)),
            Dropper::Ns2(red) => Some(red.average(precedence)),
        }
    }
}

/// A packet that waits, and whether it was marked as it arrived.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    held: Held,
    marked: bool,
}

#[derive(Clone, Debug)]
struct ClassQueue {
    fifo: VecDeque<Waiting>,
    lengths: Vec<u32>,
    limit: usize,
    dropper: Dropper,
}

/// Where packets of a code point go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Index of the physical queue.
    pub queue: u8,
    /// Index of the precedence in it.
    pub precedence: u8,
    /// True if a precedence names the code point.
    pub named: bool,
}

/// Counters of the packets of a code point since counting started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// Packets that arrived.
    pub packets_arrived: u64,
    /// Their bytes.
    pub bytes_arrived: u64,
    /// Packets whose transmission started.
    pub packets_sent: u64,
    /// Their bytes.
    pub bytes_sent: u64,
    /// Packets dropped at random, below the threshold at which all are.
    pub early_drops: u64,
    /// Packets dropped because the average, the precedence or the queue left no choice.
    pub forced_drops: u64,
    /// Packets marked instead of dropped.
    pub packets_marked: u64,
    /// Sum of the times that sent packets waited, in picoseconds.
    pub waited_ps: u128,
}

/// All queues of a port.
#[derive(Clone, Debug)]
pub struct DiffServ {
    seats: [Seat; CODE_POINTS],
    queues: Vec<ClassQueue>,
    scheduler: Scheduler,
    stream: Stream,
    counts: Box<[ClassCounts; CODE_POINTS]>,
    count_from: Time,
    /// Packets and bytes in all queues.
    waiting: (u64, u64),
}

impl DiffServ {
    /// The queues that a scenario asks for, in front of a link of this rate; `stream` makes their draws. Counting starts
    /// at `count_from`.
    pub fn new(config: &scenario::DiffServ, rate: Rate, stream: Stream, count_from: Time) -> Self {
        let queue = |queue: &scenario::ClassQueue| ClassQueue {
            fifo: VecDeque::new(),
            lengths: vec![0; queue.precedences.len()],
            limit: queue.limit_packets as usize,
            dropper: Dropper::new(queue, config, rate),
        };
        DiffServ {
            seats: seats(config),
            queues: config.queues.iter().map(queue).collect(),
            scheduler: Scheduler::new(config),
            stream,
            counts: Box::new([ClassCounts::default(); CODE_POINTS]),
            count_from,
            waiting: (0, 0),
        }
    }

    /// Where packets of a code point go.
    pub fn seat(&self, dscp: u8) -> Seat {
        self.seats[usize::from(dscp)]
    }

    /// Counters of the packets of a code point.
    pub fn counts(&self, dscp: u8) -> &ClassCounts {
        &self.counts[usize::from(dscp)]
    }

    /// The averages of a physical queue, precedence by precedence; none where nothing is averaged.
    pub fn averages(&self, queue: u8) -> impl Iterator<Item = f64> + '_ {
        let queue = &self.queues[usize::from(queue)];
        (0..queue.lengths.len()).map_while(|precedence| queue.dropper.average(precedence))
    }

    fn judge(&mut self, held: &Held, seat: Seat) -> Judgement {
        let queue = &mut self.queues[usize::from(seat.queue)];
        let asked = Asked {
            now: held.arrived,
            precedence: usize::from(seat.precedence),
            lengths: &queue.lengths,
            full: queue.fifo.len() >= queue.limit,
            ecn_capable: held.ecn_capable(),
        };
        queue.dropper.judge(&asked, &mut self.stream)
    }

    fn count_arrival(&mut self, held: &Held, judgement: Judgement) {
        if held.arrived < self.count_from {
            return;
        }
        let counts = &mut self.counts[usize::from(held.packet.dscp())];
        counts.packets_arrived += 1;
        counts.bytes_arrived += u64::from(held.packet.size);
        match judgement {
            Judgement::Accept => {}
            Judgement::Mark => counts.packets_marked += 1,
            Judgement::Drop(Reason::Early) => counts.early_drops += 1,
            Judgement::Drop(_) => counts.forced_drops += 1,
        }
    }

    fn count_departure(&mut self, now: Time, held: &Held) {
        self.waiting.0 -= 1;
        self.waiting.1 -= u64::from(held.packet.size);
        if now >= self.count_from {
            let counts = &mut self.counts[usize::from(held.packet.dscp())];
            counts.packets_sent += 1;
            counts.bytes_sent += u64::from(held.packet.size);
            counts.waited_ps += u128::from((now - held.arrived).ps());
        }
    }
}

/// Where each code point goes.
fn seats(config: &scenario::DiffServ) -> [Seat; CODE_POINTS] {
    let queue = match config.profile {
        DiffServProfile::Rfc => config.queues.len() - 1,
        DiffServProfile::Ns2 => 0,
    };
    let mut named: [Option<Seat>; CODE_POINTS] = [None; CODE_POINTS];
    for (queue, class) in (0..).zip(&config.queues) {
        for (precedence, each) in (0..).zip(&class.precedences) {
            for &dscp in &each.dscp {
                named[usize::from(dscp)] = Some(Seat { queue, precedence, named: true });
            }
        }
    }
    // RFC 2474, section 3: packets of an unknown code point are forwarded as if they were of the default class.
    let last = Seat { queue: queue as u8, precedence: 0, named: false };
    let default = named[0].map_or(last, |seat| Seat { named: false, ..seat });
    named.map(|seat| seat.unwrap_or(default))
}

impl DepartureQueue for DiffServ {
    fn push(&mut self, held: Held, _: u64, dropped: &mut Vec<Held>) {
        let seat = self.seat(held.packet.dscp());
        let judgement = self.judge(&held, seat);
        self.count_arrival(&held, judgement);
        if let Judgement::Drop(reason) = judgement {
            return dropped.push(Held { reason, ..held });
        }
        self.waiting.0 += 1;
        self.waiting.1 += u64::from(held.packet.size);
        let queue = &mut self.queues[usize::from(seat.queue)];
        queue.lengths[usize::from(seat.precedence)] += 1;
        queue.fifo.add(Waiting { held, marked: judgement == Judgement::Mark }, "packets at ports");
    }

    fn pop(&mut self, now: Time, _: &mut Vec<Held>) -> Option<Leaving> {
        for queue in &mut self.queues {
            queue.dropper.link_asks(now, &queue.lengths);
        }
        let queues = &self.queues;
        let candidate = |index: usize| queues[index].fifo.front().map(|first| first.held.packet.size);
        let index = self.scheduler.next(&candidate)?;
        let Waiting { held, marked } = self.queues[index].fifo.pop_front()?;
        self.scheduler.served(now, index, held.packet.size);
        let precedence = usize::from(self.seat(held.packet.dscp()).precedence);
        let queue = &mut self.queues[index];
        queue.lengths[precedence] -= 1;
        queue.dropper.left(now, precedence, &queue.lengths);
        self.count_departure(now, &held);
        Some(Leaving { held, marked })
    }

    fn waiting(&self) -> (u64, u64) {
        self.waiting
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Held> + '_> {
        Box::new(self.queues.iter().flat_map(|queue| queue.fifo.iter().map(|waiting| &waiting.held)))
    }
}
