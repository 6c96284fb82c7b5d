//! Series of flows: what each sampled flow shows at every multiple of an interval.
//!
//! Nobody goes from flow to flow at these instants. A flow says when something changes and holds it until the next
//! change, so a series costs what changes cost, and hops may be folded and sources may write ahead as without one:
//!
//! - Packets sent and delivered are counted before their time by what is folded, and after it by sources that feed.
//!   The table's size is known from the start, so a count goes where it belongs at once ([`Counts`]).
//! - What a sender shows is kept once for each sample before which it changed ([`Changes`]). Senders that act ahead
//!   of time do not wait for one another, so only the changes of one flow are in order.
//! - Both are spread over all samples when a column is asked for ([`Compact`]). So are times and flows, which
//!   follow from the interval alone.

use std::iter::repeat_n;
use std::sync::{Arc, OnceLock};

use parshall_estimators::rto::RtoEstimator;

use super::{Column, Table, ValueType, Values};
use crate::room::{self, Room};
use crate::run::RunError;
use crate::transport::Core;
use crate::units::Time;

/// The name in messages of what grows here.
const SERIES: &str = "rows of flow_series";

/// The instants and flows of a series. Its table has a row for each pair, instant by instant.
#[derive(Clone, Debug, PartialEq)]
struct Grid {
    interval: Time,
    /// Number of instants.
    samples: usize,
    flows: Vec<u32>,
}

impl Grid {
    /// All multiples of `interval` in `[0, end)`.
    fn new(flows: &[u32], interval: Time, end: Time) -> Self {
        let samples = end.ps().div_ceil(interval.ps()) as usize;
        Grid { interval, samples, flows: flows.to_vec() }
    }

    fn rows(&self) -> usize {
        self.samples * self.flows.len()
    }

    /// The first sample that sees what happens at `at`: samples come last at their instant.
    fn first_to_see(&self, at: Time) -> usize {
        at.ps().div_ceil(self.interval.ps()) as usize
    }

    fn instant(&self, sample: usize) -> Time {
        Time::from_ps(self.interval.ps().saturating_mul(sample as u64))
    }
}

/// A column of counts that only grow.
#[derive(Clone, Debug)]
struct Counts {
    /// By how much each flow's count has grown since the sample before, up to a sample somewhat after the last change.
    /// Touching memory is most of what a series costs, so this is half as wide as the counts.
    growth: Vec<u32>,
    /// The count of each flow, as far as it is known.
    known: Vec<u64>,
    /// There can be no more cells.
    most: usize,
}

impl Counts {
    /// So many cells become ready at once: few enough to be still in the first cache when they are counted in.
    const READY: usize = 2048;

    fn new(grid: &Grid) -> Self {
        Counts {
            growth: room::with_room(grid.rows(), SERIES),
            known: vec![0; grid.flows.len()],
            most: grid.rows(),
        }
    }

    /// From this sample on the count is `count`.
    #[inline]
    fn record(&mut self, sample: usize, place: usize, count: u64) {
        let cell = sample * self.known.len() + place;
        let more = count - std::mem::replace(&mut self.known[place], count);
        if cell >= self.growth.len() && !self.make_ready(cell) {
            return; // No sample sees it.
        }
        let sum = u64::from(self.growth[cell]) + more;
        self.growth[cell] = sum.try_into().expect("flow_series: less than 2^32 packets in an interval");
    }

    /// Makes cells ready up to this one and beyond, unless it comes after the last sample.
    #[cold]
    fn make_ready(&mut self, cell: usize) -> bool {
        if cell < self.most {
            self.growth.resize(self.most.min(cell + Self::READY), 0);
        }
        cell < self.most
    }

    /// The growth up to the last sample.
    fn finish(mut self) -> Vec<u32> {
        self.growth.resize(self.most, 0);
        self.growth
    }
}

/// The counts, of so many flows, that have grown like this.
fn summed(growth: &[u32], flows: usize) -> Vec<u64> {
    let mut counts = Vec::with_capacity(growth.len());
    let mut row = vec![0; flows];
    for growth in growth.chunks_exact(flows.max(1)) {
        row.iter_mut().zip(growth).for_each(|(count, &more)| *count += u64::from(more));
        counts.extend_from_slice(&row);
    }
    counts
}

/// Observable values of a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shown {
    cwnd: f64,
    ssthresh: f64,
    rtt: f64,
    srtt: f64,
    rto: f64,
    high_ack: i64,
}

impl Shown {
    /// A flow without a window.
    const NOTHING: Shown = Shown {
        cwnd: f64::NAN,
        ssthresh: f64::NAN,
        rtt: f64::NAN,
        srtt: f64::NAN,
        rto: f64::NAN,
        high_ack: -1,
    };

    fn by(core: &Core) -> Self {
        Shown {
            cwnd: core.window.cwnd,
            ssthresh: core.window.ssthresh,
            rtt: core.last_rtt,
            srtt: core.timer().estimator().srtt().unwrap_or(f64::NAN),
            rto: core.rto(),
            high_ack: core.high_ack,
        }
    }
}

/// Values that a flow shows from a sample on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    sample: u32,
    place: u32,
    shown: Shown,
}

/// Changes, those of each flow by sample.
#[derive(Clone, Debug)]
struct Changes {
    /// All but the last are full: what has been written is never moved.
    blocks: Vec<Vec<Change>>,
    /// The last change of each flow: its sample and its number.
    last: Vec<(u32, usize)>,
    /// There can be no more of them.
    most: usize,
}

impl Changes {
    /// Changes in a block: 14 MB, which pay for the large pages that they start in.
    const BLOCK: usize = 1 << 18;

    fn new(grid: &Grid) -> Self {
        Changes { blocks: Vec::new(), last: vec![(u32::MAX, 0); grid.flows.len()], most: grid.rows() }
    }

    /// Samples never go back.
    fn record(&mut self, change: Change) {
        let (sample, number) = self.last[change.place as usize];
        debug_assert!(sample == u32::MAX || sample <= change.sample, "samples do not go back");
        if sample == change.sample {
            self.blocks[number / Self::BLOCK][number % Self::BLOCK] = change;
        } else {
            self.last[change.place as usize] = (change.sample, self.push(change));
        }
    }

    /// Adds a change; returns its number.
    fn push(&mut self, change: Change) -> usize {
        if self.blocks.last().is_none_or(|block| block.len() == Self::BLOCK) {
            self.blocks.add(room::with_room(Self::BLOCK.min(self.most), SERIES), SERIES);
        }
        let before = (self.blocks.len() - 1) * Self::BLOCK;
        let block = self.blocks.last_mut().expect("there is a block now");
        block.push(change);
        before + block.len() - 1
    }
}

/// A series while a run is under way.
#[derive(Clone, Debug)]
pub(super) struct FlowSeries {
    grid: Grid,
    /// The place of each flow of the network in a sample; [`FlowSeries::NOWHERE`] for one that is not sampled.
    places: Vec<u32>,
    sent: Counts,
    delivered: Counts,
    arrived: Counts,
    changes: Changes,
}

impl FlowSeries {
    const NOWHERE: u32 = u32::MAX;

    /// A series of `flows`, in a network of `count` of them.
    ///
    /// # Panics
    /// The run ends if it does not fit into memory, or has more samples than 32 bits count.
    pub fn new(flows: &[u32], interval: Time, end: Time, count: usize) -> Self {
        let grid = Grid::new(flows, interval, end);
        room::ask::<u64>(grid.samples.saturating_mul(flows.len()), SERIES);
        if u32::try_from(grid.samples).is_err() {
            let message = format!("flow_series: {} samples are more than {}", grid.samples, u32::MAX);
            RunError::TooMany(message).end_run();
        }
        let mut places = vec![Self::NOWHERE; count];
        for (place, &flow) in flows.iter().enumerate() {
            places[flow as usize] = place as u32;
        }
        let [sent, delivered, arrived] = [(); 3].map(|()| Counts::new(&grid));
        let changes = Changes::new(&grid);
        FlowSeries { grid, places, sent, delivered, arrived, changes }
    }

    #[inline]
    fn place(&self, flow: u32) -> Option<usize> {
        let place = self.places[flow as usize];
        (place != Self::NOWHERE).then_some(place as usize)
    }

    /// So many packets of a flow were sent up to and including `at`.
    #[inline]
    pub fn sent(&mut self, at: Time, flow: u32, packets: u64) {
        if let Some(place) = self.place(flow) {
            self.sent.record(self.grid.first_to_see(at), place, packets);
        }
    }

    /// Up to and including `at`, so many packets of a flow were delivered, and so many more arrived beyond a gap.
    #[inline]
    pub fn data_arrived(&mut self, at: Time, flow: u32, delivered: u64, held: u64) {
        if let Some(place) = self.place(flow) {
            let sample = self.grid.first_to_see(at);
            self.delivered.record(sample, place, delivered);
            // What a connection held beyond a gap when it ended has arrived all the same.
            let arrived = (delivered + held).max(self.arrived.known[place]);
            self.arrived.record(sample, place, arrived);
        }
    }

    /// A sender has dealt with an event. Out of the way of runs without a series.
    #[inline(never)]
    pub fn sender_state(&mut self, now: Time, flow: u32, core: &Core) {
        if let Some(place) = self.place(flow) {
            self.shows(now, place, u64::from(core.counters.packets_sent), Shown::by(core));
        }
    }

    fn shows(&mut self, now: Time, place: usize, packets_sent: u64, shown: Shown) {
        let sample = self.grid.first_to_see(now);
        if sample < self.grid.samples {
            self.sent.record(sample, place, packets_sent);
            self.changes.record(Change { sample: sample as u32, place: place as u32, shown });
        }
    }

    /// Bytes of what has been counted and noted.
    pub fn bytes(&self) -> u64 {
        let counts = [&self.sent, &self.delivered, &self.arrived];
        let counts: usize = counts.iter().map(|counts| counts.growth.len() * size_of::<u32>()).sum();
        (counts + self.changes.blocks.len() * Changes::BLOCK * size_of::<Change>()) as u64
    }

    /// The table.
    pub fn into_table(self) -> Table {
        let held =
            Arc::new(Held { grid: self.grid, blocks: self.changes.blocks, by_sample: OnceLock::new() });
        let column = |shows| Column::from(Compact { held: held.clone(), shows });
        let columns = vec![
            ("time", column(Shows::Time)),
            ("flow", column(Shows::Flow)),
            ("cwnd", column(Shows::Cwnd)),
            ("ssthresh", column(Shows::Ssthresh)),
            ("rtt", column(Shows::Rtt)),
            ("srtt", column(Shows::Srtt)),
            ("rto", column(Shows::Rto)),
            ("packets_sent", column(Shows::Count(self.sent.finish()))),
            ("packets_delivered", column(Shows::Count(self.delivered.finish()))),
            ("packets_arrived", column(Shows::Count(self.arrived.finish()))),
            ("high_ack", column(Shows::HighAck)),
        ];
        Table { name: "flow_series", columns }
    }
}

/// A column of a flow series in less room than its values take.
#[derive(Clone, Debug)]
pub struct Compact {
    held: Arc<Held>,
    shows: Shows,
}

#[derive(Clone, Debug)]
enum Shows {
    Time,
    Flow,
    Cwnd,
    Ssthresh,
    Rtt,
    Srtt,
    Rto,
    HighAck,
    /// A count, by its growth at each change.
    Count(Vec<u32>),
}

impl Compact {
    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.held.grid.rows()
    }

    /// The type of the values.
    pub(super) fn value_type(&self) -> ValueType {
        match self.shows {
            Shows::Flow => ValueType::I32,
            Shows::HighAck => ValueType::I64,
            Shows::Count(_) => ValueType::U64,
            _ => ValueType::F64,
        }
    }

    /// The values.
    pub(super) fn values(&self) -> Values {
        let held = &self.held;
        match &self.shows {
            Shows::Time => held.times().into(),
            Shows::Flow => held.flows().into(),
            Shows::Cwnd => held.spread(|shown| shown.cwnd).into(),
            Shows::Ssthresh => held.spread(|shown| shown.ssthresh).into(),
            Shows::Rtt => held.spread(|shown| shown.rtt).into(),
            Shows::Srtt => held.spread(|shown| shown.srtt).into(),
            Shows::Rto => held.spread(|shown| shown.rto).into(),
            Shows::HighAck => held.spread(|shown| shown.high_ack).into(),
            Shows::Count(growth) => summed(growth, held.grid.flows.len()).into(),
        }
    }
}

/// Parts that the columns of a series share.
#[derive(Debug)]
struct Held {
    grid: Grid,
    blocks: Vec<Vec<Change>>,
    /// The numbers of all changes, by sample, once they were asked for: senders that act ahead of time have put them
    /// into another order.
    by_sample: OnceLock<Vec<u32>>,
}

impl Held {
    fn change(&self, number: u32) -> &Change {
        let number = number as usize;
        &self.blocks[number / Changes::BLOCK][number % Changes::BLOCK]
    }

    fn by_sample(&self) -> &[u32] {
        self.by_sample.get_or_init(|| {
            let changes = || self.blocks.iter().flatten();
            let mut places = vec![0u32; self.grid.samples + 1];
            changes().for_each(|change| places[change.sample as usize + 1] += 1);
            for sample in 1..places.len() {
                places[sample] += places[sample - 1];
            }
            let mut numbers = vec![0; changes().count()];
            for (number, change) in (0..).zip(changes()) {
                let place = &mut places[change.sample as usize];
                numbers[*place as usize] = number;
                *place += 1;
            }
            numbers
        })
    }

    /// Values of flows at each sample.
    fn spread<T: Copy>(&self, show: impl Fn(&Shown) -> T) -> Vec<T> {
        let mut values = Vec::with_capacity(self.grid.rows());
        let mut row = vec![show(&Shown::NOTHING); self.grid.flows.len()];
        let mut changes = self.by_sample().iter().map(|&number| self.change(number)).peekable();
        for sample in 0..self.grid.samples {
            while let Some(change) = changes.next_if(|change| change.sample as usize == sample) {
                row[change.place as usize] = show(&change.shown);
            }
            values.extend_from_slice(&row);
        }
        values
    }

    fn times(&self) -> Vec<f64> {
        let mut times = Vec::with_capacity(self.grid.rows());
        for sample in 0..self.grid.samples {
            times.extend(repeat_n(self.grid.instant(sample).secs(), self.grid.flows.len()));
        }
        times
    }

    fn flows(&self) -> Vec<i32> {
        let row: Vec<i32> = self.grid.flows.iter().map(|&flow| flow as i32).collect();
        let mut flows = Vec::with_capacity(self.grid.rows());
        (0..self.grid.samples).for_each(|_| flows.extend_from_slice(&row));
        flows
    }
}

#[cfg(test)]
mod tests;
