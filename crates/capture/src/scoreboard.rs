//! Segments of a direction that passed the point and are not acknowledged.

use std::collections::VecDeque;

/// Segments that are remembered at most: where ACKs do not pass, nothing else would end them.
const MOST: usize = 16384;

/// A segment that passed.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// First byte.
    pub start: u64,
    /// Byte behind the last.
    pub end: u64,
    /// When it first passed.
    pub first: i64,
    /// When it last passed.
    pub last: i64,
    /// TSval of the first passing.
    pub first_stamp: Option<u32>,
    /// TSval of the last passing.
    pub last_stamp: Option<u32>,
    /// It passed more than once, sent again.
    pub repeated: bool,
    /// It passed after bytes above it.
    pub filled: bool,
    /// A SACK block held it.
    pub sacked: bool,
    /// A SYN.
    pub syn: bool,
}

/// The segments, in the order of their bytes, without overlap.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    segments: VecDeque<Segment>,
}

impl Scoreboard {
    fn at(&self, start: u64) -> usize {
        self.segments.partition_point(|segment| segment.end <= start)
    }

    /// Some byte of the range passed and is not acknowledged.
    pub fn touches(&self, start: u64, end: u64) -> bool {
        self.segments.get(self.at(start)).is_some_and(|segment| segment.start < end)
    }

    /// The lowest segment that reaches above a byte.
    pub fn above(&self, start: u64) -> Option<&Segment> {
        self.segments.get(self.at(start))
    }

    /// All of the range was reported as received.
    pub fn sacked(&self, start: u64, end: u64) -> bool {
        let mut next = start;
        for segment in self.segments.range(self.at(start)..) {
            if segment.start > next || !segment.sacked {
                return false;
            }
            next = segment.end;
            if next >= end {
                return true;
            }
        }
        false
    }

    /// Something above a byte was reported as received.
    pub fn any_sacked(&self, above: u64) -> bool {
        self.segments.range(self.at(above)..).any(|segment| segment.sacked)
    }

    /// Adds a segment above all others.
    pub fn push(&mut self, segment: Segment) {
        if self.segments.len() == MOST {
            self.segments.pop_front();
        }
        self.segments.push_back(segment);
    }

    /// When a byte last passed, if it was sent again.
    pub fn repeated(&self, byte: u64) -> Option<i64> {
        let segment = self.segments.get(self.at(byte))?;
        (segment.start <= byte && (segment.repeated || segment.filled)).then_some(segment.last)
    }

    /// Notes that a range passed again, or for the first time where it had not.
    pub fn pass(&mut self, segment: Segment) {
        let mut at = self.at(segment.start);
        let mut next = segment.start;
        while next < segment.end {
            match self.segments.get_mut(at) {
                Some(known) if known.start <= next => {
                    known.last = segment.last;
                    known.last_stamp = segment.last_stamp;
                    known.repeated = true;
                    next = known.end;
                }
                following => {
                    let end = following.map_or(segment.end, |known| known.start.min(segment.end));
                    self.segments.insert(at, Segment { start: next, end, ..segment });
                    next = end;
                }
            }
            at += 1;
        }
        while self.segments.len() > MOST {
            self.segments.pop_front();
        }
    }

    /// Marks what a SACK block holds and tells whether any of it was not known. Calls `newly` for what is marked.
    pub fn sack(&mut self, start: u64, end: u64, mut newly: impl FnMut(&Segment)) -> bool {
        let from = self.at(start);
        let mut any = false;
        for segment in self.segments.range_mut(from..) {
            if segment.start >= end {
                break;
            }
            if !segment.sacked && segment.start >= start && segment.end <= end {
                segment.sacked = true;
                any = true;
                newly(segment);
            }
        }
        any
    }

    /// Removes what an ACK covers and hands it to `covered`. A segment that is covered in part stays with its rest.
    pub fn acknowledge(&mut self, to: u64, mut covered: impl FnMut(&Segment)) {
        while let Some(segment) = self.segments.front_mut() {
            if segment.end <= to {
                covered(segment);
                self.segments.pop_front();
                continue;
            }
            if segment.start < to {
                covered(segment);
                segment.start = to;
            }
            break;
        }
    }
}
