//! Series of flows: what each sampled flow shows at every multiple of an interval.
//!
//! Nobody goes from flow to flow at these instants. A flow says when something changes and holds it until the next
//! change, so a series costs what changes cost, and hops may be folded and sources may write ahead as without one:
//!
//! - Packets sent and delivered are counted before their time by what is folded, and after it by sources that feed.
//!   The table's size is known from the start, so a count goes where it belongs at once ([`Counts`]).
//! - What a sender shows is kept once for each sample before which it changed ([`Changes`]).
//! - Both are spread over all samples when somebody asks for a column ([`Compact`]). So are times and flows, which
//!   follow from the interval alone.

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

/// A column of counts that only grow, for each flow.
///
/// A count stands in the row of the first sample that sees it, 0 where it has not changed since the sample before.
#[derive(Clone, Debug, PartialEq)]
struct Counts {
    cells: Vec<u64>,
    flows: usize,
}

impl Counts {
    fn new(grid: &Grid) -> Self {
        Counts { cells: large_zeros(grid.rows()), flows: grid.flows.len() }
    }

    /// From this sample on the count is at least `count`.
    #[inline]
    fn note(&mut self, sample: usize, place: usize, count: u64) {
        // What comes after the last sample has no cell.
        if let Some(cell) = self.cells.get_mut(sample * self.flows + place) {
            *cell = count.max(*cell);
        }
    }

    /// The column, with every count carried on to the samples that follow.
    fn expanded(mut self) -> Vec<u64> {
        for cell in self.flows..self.cells.len() {
            self.cells[cell] = self.cells[cell].max(self.cells[cell - self.flows]);
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
    /// There can be no more of them.
    most: usize,
}

impl Changes {
    const BLOCK: usize = 1 << 17;

    fn new(grid: &Grid) -> Self {
        Changes { blocks: Vec::new(), last: vec![usize::MAX; grid.flows.len()], most: grid.rows() }
    }

    /// Samples never go back.
    fn note(&mut self, change: Change) {
        let place = change.place as usize;
        let last = self.last[place];
        let known = self.blocks.get_mut(last / Self::BLOCK).map(|block| &mut block[last % Self::BLOCK]);
        match known.filter(|known| known.sample == change.sample) {
            Some(known) => *known = change,
            None => {
                self.last[place] = self.next_number();
                self.blocks.last_mut().expect("there is room for one more").push(change);
            }
        }
    }

    /// The number of the next change, for which there is room now.
    fn next_number(&mut self) -> usize {
        if self.blocks.last().is_none_or(|block| block.len() == Self::BLOCK) {
            self.blocks.push(large(Self::BLOCK.min(self.most)));
        }
        (self.blocks.len() - 1) * Self::BLOCK + self.blocks.last().map_or(0, Vec::len)
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
        assert!(
            fits,
            "flow_series: {} samples of {} flows do not fit into memory",
            grid.samples,
            flows.len()
        );
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
    #[inline(never)]
    pub fn sent(&mut self, at: Time, flow: u32, packets: u64) {
        if let Some(place) = self.place(flow) {
            self.sent.note(self.grid.first_to_see(at), place, packets);
        }
    }

    /// So many packets of a flow were delivered up to and including `at`.
    #[inline(never)]
    pub fn delivered(&mut self, at: Time, flow: u32, packets: u64) {
        if let Some(place) = self.place(flow) {
            self.delivered.note(self.grid.first_to_see(at), place, packets);
        }
    }

    /// A sender has dealt with an event.
    #[inline(never)]
    pub fn sender_state(&mut self, now: Time, flow: u32, core: &Core) {
        let Some(place) = self.place(flow) else {
            return;
        };
        let sample = self.grid.first_to_see(now);
        if sample < self.grid.samples {
            self.sent.note(sample, place, u64::from(core.counters.packets_sent));
            self.changes.note(Change { sample: sample as u32, place: place as u32, shown: Shown::by(core) });
        }
    }

    /// The table.
    pub fn into_table(self) -> Table {
        let held = Arc::new(Held { grid: self.grid, blocks: self.changes.blocks });
        let held = |shows| Column::Compact(Compact(Kept::Held(held.clone(), shows)));
        let counts = |counts| Column::Compact(Compact(Kept::Counts(counts)));
        let columns = vec![
            ("time", held(Shows::Time)),
            ("flow", held(Shows::Flow)),
            ("cwnd", held(Shows::Cwnd)),
            ("ssthresh", held(Shows::Ssthresh)),
            ("rtt", held(Shows::Rtt)),
            ("srtt", held(Shows::Srtt)),
            ("rto", held(Shows::Rto)),
            ("packets_sent", counts(self.sent)),
            ("packets_delivered", counts(self.delivered)),
            ("high_ack", held(Shows::HighAck)),
        ];
        Table { name: "flow_series", columns }
    }
}

/// Whether the system would give so many words of 8 bytes. Asking costs little: nothing is written.
fn fits_in_memory(words: usize) -> bool {
    Vec::<u64>::new().try_reserve_exact(words).is_ok()
}

/// A column of a flow series in less room than its values take.
#[derive(Clone, Debug, PartialEq)]
pub struct Compact(Kept);

#[derive(Clone, Debug, PartialEq)]
enum Kept {
    /// This, of what all such columns of the table share.
    Held(Arc<Held>, Shows),
    Counts(Counts),
}

impl Compact {
    /// Number of values, and bytes of each.
    pub(super) fn shape(&self) -> (usize, usize) {
        match &self.0 {
            Kept::Held(held, Shows::Flow) => (held.grid.rows(), size_of::<i32>()),
            Kept::Held(held, _) => (held.grid.rows(), size_of::<f64>()),
            Kept::Counts(counts) => (counts.cells.len(), size_of::<u64>()),
        }
    }

    /// The values.
    pub(super) fn expanded(self) -> Column {
        match self.0 {
            Kept::Held(held, shows) => held.column(shows),
            Kept::Counts(counts) => counts.expanded().into_column(),
        }
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

/// What the columns of a series are made of that are no counts.
#[derive(Debug, PartialEq)]
struct Held {
    grid: Grid,
    blocks: Vec<Vec<Change>>,
}

impl Held {
    fn column(&self, shows: Shows) -> Column {
        match shows {
            Shows::Time => self.times().into_column(),
            Shows::Flow => self.flows().into_column(),
            Shows::Cwnd => self.spread(|shown| shown.cwnd).into_column(),
            Shows::Ssthresh => self.spread(|shown| shown.ssthresh).into_column(),
            Shows::Rtt => self.spread(|shown| shown.rtt).into_column(),
            Shows::Srtt => self.spread(|shown| shown.srtt).into_column(),
            Shows::Rto => self.spread(|shown| shown.rto).into_column(),
            Shows::HighAck => self.spread(|shown| shown.high_ack).into_column(),
        }
    }

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
