//! Segments of a direction that passed the point and are not acknowledged.

use std::collections::VecDeque;

use crate::slim::{append, relax};

/// Segments that are remembered at most: where ACKs do not pass, nothing else would end them.
const MOST: usize = 16384;

/// Marks of a segment.
mod known {
    /// Its first passing had a time stamp.
    pub const FIRST_STAMP: u8 = 1;
    /// Its last passing had one.
    pub const LAST_STAMP: u8 = 2;
    /// It passed more than once, sent again.
    pub const REPEATED: u8 = 4;
    /// It passed after bytes above it.
    pub const FILLED: u8 = 8;
    /// A SACK block held it.
    pub const SACKED: u8 = 16;
    /// A SYN.
    pub const SYN: u8 = 32;
}

/// A segment that passed.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// First byte.
    pub start: u64,
    /// When it first passed.
    pub first: i64,
    /// When it last passed.
    pub last: i64,
    length: u32,
    stamps: [u32; 2],
    known: u8,
}

impl Segment {
    /// A segment that passes for the first time, with its TSval.
    pub fn new(start: u64, end: u64, time: i64, stamp: Option<u32>, syn: bool) -> Self {
        let stamped = if stamp.is_some() { known::FIRST_STAMP | known::LAST_STAMP } else { 0 };
        Self {
            start,
            first: time,
            last: time,
            length: u32::try_from(end - start).unwrap_or(u32::MAX),
            stamps: [stamp.unwrap_or(0); 2],
            known: stamped | if syn { known::SYN } else { 0 },
        }
    }

    /// Marks it as filling a hole below bytes that passed.
    pub fn filling(self) -> Self {
        Self { known: self.known | known::FILLED, ..self }
    }

    /// Marks it as sent before without passing.
    pub fn again(self) -> Self {
        Self { known: self.known | known::REPEATED, ..self }
    }

    /// A part of it.
    pub fn part(self, start: u64, end: u64) -> Self {
        let known = if start > self.start { self.known & !known::SYN } else { self.known };
        Self { known, start, length: u32::try_from(end - start).unwrap_or(u32::MAX), ..self }
    }

    /// Byte behind the last.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.length)
    }

    fn has(&self, what: u8) -> bool {
        self.known & what != 0
    }

    /// TSval of the first passing.
    pub fn first_stamp(&self) -> Option<u32> {
        self.has(known::FIRST_STAMP).then_some(self.stamps[0])
    }

    /// TSval of the last passing.
    pub fn last_stamp(&self) -> Option<u32> {
        self.has(known::LAST_STAMP).then_some(self.stamps[1])
    }

    /// It passed more than once, sent again.
    pub fn repeated(&self) -> bool {
        self.has(known::REPEATED)
    }

    /// It passed after bytes above it.
    pub fn filled(&self) -> bool {
        self.has(known::FILLED)
    }

    /// A SACK block held it.
    pub fn sacked(&self) -> bool {
        self.has(known::SACKED)
    }

    /// A SYN.
    pub fn syn(&self) -> bool {
        self.has(known::SYN)
    }

    fn pass(&mut self, again: &Self) {
        self.last = again.last;
        self.stamps[1] = again.stamps[1];
        self.known = self.known & !known::LAST_STAMP | again.known & known::LAST_STAMP | known::REPEATED;
    }
}

/// The segments, in the order of their bytes, without overlap.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    segments: VecDeque<Segment>,
    /// Segments may have been reported by SACK blocks.
    any_sacked: bool,
}

impl Scoreboard {
    /// Looks at where it is.
    pub fn place(&self) -> u64 {
        self.segments.len() as u64
    }

    /// Looks at its ends.
    pub fn approach(&self) -> u64 {
        let ends = [self.segments.front(), self.segments.back()];
        ends.iter().flatten().fold(0, |all, segment| all ^ segment.start)
    }

    /// Gives back its room if it is empty.
    pub fn relax(&mut self) {
        if self.segments.is_empty() {
            self.segments = VecDeque::new();
        }
    }

    fn at(&self, start: u64) -> usize {
        self.segments.partition_point(|segment| segment.end() <= start)
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
            if segment.start > next || !segment.sacked() {
                return false;
            }
            next = segment.end();
            if next >= end {
                return true;
            }
        }
        false
    }

    /// Something above a byte was reported as received.
    pub fn any_sacked(&self, above: u64) -> bool {
        self.segments.range(self.at(above)..).any(Segment::sacked)
    }

    /// Adds a segment above all others.
    pub fn push(&mut self, segment: Segment) {
        if self.segments.len() == MOST {
            self.segments.pop_front();
        }
        append(&mut self.segments, segment);
    }

    /// When a byte last passed.
    pub fn passed(&self, byte: u64) -> Option<i64> {
        let segment = self.segments.get(self.at(byte))?;
        (segment.start <= byte).then_some(segment.last)
    }

    /// When a byte last passed, if it was sent again.
    pub fn repeated(&self, byte: u64) -> Option<i64> {
        let segment = self.segments.get(self.at(byte))?;
        (segment.start <= byte && (segment.repeated() || segment.filled())).then_some(segment.last)
    }

    /// Notes that a range passed again, or for the first time where it had not.
    pub fn pass(&mut self, segment: Segment) {
        let mut at = self.at(segment.start);
        let mut next = segment.start;
        while next < segment.end() {
            match self.segments.get_mut(at) {
                Some(known) if known.start <= next => {
                    known.pass(&segment);
                    next = known.end();
                }
                following => {
                    let end = following.map_or(segment.end(), |known| known.start.min(segment.end()));
                    self.segments.insert(at, segment.part(next, end));
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
            if !segment.sacked() && segment.start >= start && segment.end() <= end {
                segment.known |= known::SACKED;
                self.any_sacked = true;
                any = true;
                newly(segment);
            }
        }
        any
    }

    /// Takes back what SACK blocks reported if the receiver has dropped it (RFC 2018, section 8): an ACK stops in front of it,
    /// or moves on and reports nothing more above it. `blocks`: it reports some.
    pub fn renege(&mut self, ack: u64, blocks: bool) {
        let stops = |first: &Segment| first.start == ack && first.sacked();
        if self.any_sacked && (!blocks || self.segments.front().is_some_and(stops)) {
            self.any_sacked = false;
            for segment in &mut self.segments {
                segment.known &= !known::SACKED;
            }
        }
    }

    /// Removes what an ACK covers and hands it to `covered`. A segment that is covered in part stays with its rest.
    pub fn acknowledge(&mut self, to: u64, mut covered: impl FnMut(&Segment)) {
        while let Some(segment) = self.segments.front_mut() {
            if segment.end() <= to {
                covered(segment);
                self.segments.pop_front();
                continue;
            }
            if segment.start < to {
                covered(segment);
                *segment = segment.part(to, segment.end());
            }
            break;
        }
        relax(&mut self.segments);
    }
}
