//! Retransmissions that wait for a verdict, and those that a duplicate SACK names.

/// A retransmission that waits for a verdict: whether it was needless.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// Its event.
    pub event: u64,
    /// First byte.
    pub start: u64,
    /// Byte behind the last.
    pub end: u64,
    /// When it passed.
    pub time: i64,
    /// Its TSval.
    pub stamp: Option<u32>,
    /// An ACK has decided.
    pub decided: bool,
    /// Duplicate SACKs have reported all of it.
    pub reported: bool,
    /// Bytes of it that they have reported.
    pub duplicate: (u64, u64),
}

impl Pending {
    /// Takes in a report of a duplicate. True if all of it has been reported now.
    pub fn report(&mut self, from: u64, until: u64) -> bool {
        let (from, until) = (from.max(self.start), until.min(self.end));
        let known = self.duplicate;
        self.duplicate = if from <= known.1 && known.0 <= until {
            (from.min(known.0), until.max(known.1))
        } else {
            (from, until)
        };
        self.reported = self.duplicate == (self.start, self.end);
        self.reported
    }
}

/// The retransmissions that a duplicate SACK names: the last one that holds all of its bytes and can have arrived, or
/// several that the receiver took as one segment.
pub fn named(
    pending: &mut [Pending],
    now: i64,
    least: i64,
    (from, until): (u64, u64),
) -> impl Iterator<Item = &mut Pending> {
    let arrived = |each: &Pending, tenths: i64| !each.reported && now - each.time >= least / 10 * tenths;
    let holds = |each: &Pending| each.start <= from && until <= each.end;
    let mut chosen: Vec<u64> = [9, 6]
        .into_iter()
        .find_map(|tenths| pending.iter().rev().find(|each| holds(each) && arrived(each, tenths)))
        .map(|each| vec![each.event])
        .unwrap_or_default();
    if chosen.is_empty() {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for each in pending.iter().rev().filter(|each| arrived(each, 6)) {
            let apart = ranges.iter().all(|(start, end)| *end <= each.start || each.end <= *start);
            if from <= each.start && each.end <= until && apart {
                ranges.push((each.start, each.end));
                chosen.push(each.event);
            }
        }
        if ranges.iter().map(|(start, end)| end - start).sum::<u64>() < until - from {
            chosen.clear();
        }
    }
    pending.iter_mut().filter(move |each| chosen.contains(&each.event))
}
