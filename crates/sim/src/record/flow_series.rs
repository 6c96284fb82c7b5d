//! Series of flows: what each sampled flow shows at every multiple of an interval.
//!
//! Nobody goes from flow to flow at these instants. A flow says when something changes and holds it until the next
//! change, so a series costs what changes cost, and hops may be folded and sources may write ahead as without one:
//!
//! - Packets sent and delivered are counted before their time by what is folded, and after it by sources that feed.
//!   They come in order for each flow, though, and a count goes to all samples at which it held ([`Counts`]).
//! - What a sender shows is kept once for each sample before which it changed ([`Changes`]), and spread over the
//!   samples when somebody asks for a column ([`Compact`]), like the columns that follow from the interval alone.

use std::iter::repeat_n;
use std::sync::Arc;

use parshall_estimators::rto::RtoEstimator;

use super::table::IntoColumn;
use super::{Column, Table};
use crate::memory::{large, large_zeros};
use crate::transport::Core;
use crate::units::Time;

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
    cells: Vec<u64>,
    /// Of each flow.
    ends: Vec<End>,
    interval: Time,
}

/// How far the column is filled for a flow.
#[derive(Clone, Copy, Debug)]
struct End {
    /// The first cell that is not known yet.
    cell: usize,
    /// Its instant; [`Time::NEVER`] if all are known.
    at: Time,
    /// What it will hold unless the count grows first.
    count: u64,
}

impl Counts {
    fn new(grid: &Grid) -> Self {
        let at = if grid.samples > 0 { Time::ZERO } else { Time::NEVER };
        let ends = (0..grid.flows.len()).map(|cell| End { cell, at, count: 0 });
        Counts { cells: large_zeros(grid.rows()), ends: ends.collect(), interval: grid.interval }
    }

    /// The count is `count` from `at` on; for each flow `at` never goes back.
    #[inline]
    fn note(&mut self, at: Time, place: usize, count: u64) {
        let step = self.ends.len();
        let end = &mut self.ends[place];
        while at > end.at {
            self.cells[end.cell] = end.count;
            end.cell += step;
            end.at = if end.cell < self.cells.len() { end.at + self.interval } else { Time::NEVER };
        }
        end.count = count;
    }

    /// The column: counts stay what they are to the end.
    fn finish(mut self) -> Vec<u64> {
        let flows = self.ends.len().max(1);
        let first = self.ends.iter().map(|end| end.cell / flows).min().unwrap_or(0);
        // Row by row, as the cells lie in memory.
        for (sample, row) in self.cells.chunks_exact_mut(flows).enumerate().skip(first) {
            for (place, (cell, end)) in row.iter_mut().zip(&self.ends).enumerate() {
                if end.cell <= sample * flows + place {
                    *cell = end.count;
                }
            }
        }
        self.cells
    }
}

/// What a sender shows.
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

/// What a flow shows from a sample on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    sample: u32,
    place: u32,
    shown: Shown,
}

/// Changes, by sample.
#[derive(Clone, Debug)]
struct Changes {
    /// All but the last are full: what has been written is never moved.
    blocks: Vec<Vec<Change>>,
    /// The number of the last change of each flow.
    last: Vec<usize>,
    /// The first sample to come.
    sample: usize,
    /// Its instant.
    at: Time,
}

impl Changes {
    const BLOCK: usize = 1 << 17;

    fn new(grid: &Grid) -> Self {
        Changes { blocks: Vec::new(), last: vec![usize::MAX; grid.flows.len()], sample: 0, at: Time::ZERO }
    }

    /// A flow shows this from `now` on, which never goes back.
    fn note(&mut self, grid: &Grid, now: Time, place: usize, shown: Shown) {
        if now > self.at {
            self.sample = grid.first_to_see(now);
            self.at = grid.instant(self.sample);
        }
        if self.sample >= grid.samples {
            return; // No sample sees it.
        }
        let change = Change { sample: self.sample as u32, place: place as u32, shown };
        let last = self.last[place];
        let known = self.blocks.get_mut(last / Self::BLOCK).map(|block| &mut block[last % Self::BLOCK]);
        match known.filter(|known| known.sample == change.sample) {
            Some(known) => *known = change,
            None => self.last[place] = self.push(change, grid.rows()),
        }
    }

    /// Adds a change, of which there can be `most`; returns its number.
    fn push(&mut self, change: Change, most: usize) -> usize {
        if self.blocks.last().is_none_or(|block| block.len() == Self::BLOCK) {
            self.blocks.push(large(Self::BLOCK.min(most)));
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
    changes: Changes,
}

impl FlowSeries {
    const NOWHERE: u32 = u32::MAX;

    /// A series of `flows`, in a network of `count` of them.
    ///
    /// # Panics
    /// If it does not fit into memory.
    pub fn new(flows: &[u32], interval: Time, end: Time, count: usize) -> Self {
        let grid = Grid::new(flows, interval, end);
        let fits = grid.samples.checked_mul(flows.len()).is_some_and(|rows| fits_in_memory(2 * rows))
            && u32::try_from(grid.samples).is_ok();
        assert!(fits, "flow_series: {} samples of {} flows do not fit into memory", grid.samples, flows.len());
        let mut places = vec![Self::NOWHERE; count];
        for (place, &flow) in flows.iter().enumerate() {
            places[flow as usize] = place as u32;
        }
        let (sent, delivered, changes) = (Counts::new(&grid), Counts::new(&grid), Changes::new(&grid));
        FlowSeries { grid, places, sent, delivered, changes }
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
            self.sent.note(at, place, packets);
        }
    }

    /// So many packets of a flow were delivered up to and including `at`.
    #[inline]
    pub fn delivered(&mut self, at: Time, flow: u32, packets: u64) {
        if let Some(place) = self.place(flow) {
            self.delivered.note(at, place, packets);
        }
    }

    /// A sender has dealt with an event.
    pub fn sender_state(&mut self, now: Time, flow: u32, core: &Core) {
        if let Some(place) = self.place(flow) {
            self.sent.note(now, place, u64::from(core.counters.packets_sent));
            self.changes.note(&self.grid, now, place, Shown::by(core));
        }
    }

    /// The table.
    pub fn into_table(self) -> Table {
        let held = Arc::new(Held { grid: self.grid, blocks: self.changes.blocks });
        let compact = |shows| Column::Compact(Compact { held: held.clone(), shows });
        let columns = vec![
            ("time", compact(Shows::Time)),
            ("flow", compact(Shows::Flow)),
            ("cwnd", compact(Shows::Cwnd)),
            ("ssthresh", compact(Shows::Ssthresh)),
            ("rtt", compact(Shows::Rtt)),
            ("srtt", compact(Shows::Srtt)),
            ("rto", compact(Shows::Rto)),
            ("packets_sent", self.sent.finish().into_column()),
            ("packets_delivered", self.delivered.finish().into_column()),
            ("high_ack", compact(Shows::HighAck)),
        ];
        Table { name: "flow_series", columns }
    }
}

/// Whether the system would give this much, in words of 8 bytes. Asking costs nothing: nothing is written.
fn fits_in_memory(words: usize) -> bool {
    Vec::<u64>::new().try_reserve_exact(words).is_ok()
}

/// What the compact columns of a series are made of.
#[derive(Debug, PartialEq)]
struct Held {
    grid: Grid,
    blocks: Vec<Vec<Change>>,
}

impl Held {
    /// What flows show at each sample.
    fn spread<T: Copy>(&self, show: impl Fn(&Shown) -> T) -> Vec<T> {
        let mut values = large(self.grid.rows());
        let mut row = vec![show(&Shown::NOTHING); self.grid.flows.len()];
        let mut changes = self.blocks.iter().flatten().peekable();
        for sample in 0..self.grid.samples {
            while let Some(change) = changes.next_if(|change| change.sample as usize == sample) {
                row[change.place as usize] = show(&change.shown);
            }
            values.extend_from_slice(&row);
        }
        values
    }

    fn times(&self) -> Vec<f64> {
        let mut times = large(self.grid.rows());
        for sample in 0..self.grid.samples {
            times.extend(repeat_n(self.grid.instant(sample).secs(), self.grid.flows.len()));
        }
        times
    }

    fn flows(&self) -> Vec<i32> {
        let row: Vec<i32> = self.grid.flows.iter().map(|&flow| flow as i32).collect();
        let mut flows = large(self.grid.rows());
        (0..self.grid.samples).for_each(|_| flows.extend_from_slice(&row));
        flows
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shows {
    Time,
    Flow,
    Cwnd,
    Ssthresh,
    Rtt,
    Srtt,
    Rto,
    HighAck,
}

/// A column of which only the changes are kept, shared with the other columns of its table.
#[derive(Clone, Debug, PartialEq)]
pub struct Compact {
    held: Arc<Held>,
    shows: Shows,
}

impl Compact {
    /// Number of values, and bytes of each.
    pub(super) fn shape(&self) -> (usize, usize) {
        let width = if self.shows == Shows::Flow { size_of::<i32>() } else { size_of::<f64>() };
        (self.held.grid.rows(), width)
    }

    /// The values.
    pub(super) fn expanded(&self) -> Column {
        let held = &self.held;
        match self.shows {
            Shows::Time => held.times().into_column(),
            Shows::Flow => held.flows().into_column(),
            Shows::Cwnd => held.spread(|shown| shown.cwnd).into_column(),
            Shows::Ssthresh => held.spread(|shown| shown.ssthresh).into_column(),
            Shows::Rtt => held.spread(|shown| shown.rtt).into_column(),
            Shows::Srtt => held.spread(|shown| shown.srtt).into_column(),
            Shows::Rto => held.spread(|shown| shown.rto).into_column(),
            Shows::HighAck => held.spread(|shown| shown.high_ack).into_column(),
        }
    }
}
