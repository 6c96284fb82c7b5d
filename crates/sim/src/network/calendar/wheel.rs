//! The wheel of a calendar moves on by spans, and takes in what was beyond it.

use super::{Calendar, PacketId};
use crate::spans::Detached;

impl Calendar {
    /// The wheel begins with a span.
    pub(super) fn begin_at(&mut self, span: u64) {
        let buckets = self.buckets.len() as u64;
        self.start = span << self.span_shift();
        (self.turn, self.reached) = (self.start + buckets / 2, self.start + buckets);
    }

    /// Moves the wheel on to the span of the last packet taken.
    #[inline(never)]
    pub(super) fn move_wheel(&mut self) {
        let (left, span) = (self.span(self.start), self.span(self.base));
        self.begin_at(span);
        for reached in (left + 2)..(span + 2).min(left + self.far.len()) {
            let list = self.far.detach(reached);
            self.put_all(list);
        }
        self.far.prefetch(span + 2);
    }

    /// Puts packets that were in a span where they belong by now.
    pub(super) fn put_all(&mut self, mut list: Detached) {
        while !list.is_empty() {
            let packet = self.far.pop(&mut list);
            let PacketId(slot) = self.add(packet);
            self.put_closed(packet.at.ps() >> self.shift, slot);
        }
    }
}
