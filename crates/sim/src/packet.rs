//! A packet on its way.

use std::cmp::Ordering;

use crate::units::Time;

/// A packet: small, copied by value, without heap data. It is half a cache line, and never lies across two.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Packet {
    /// Arrival at the place that `hop` names.
    pub at: Time,
    /// See [`Packet::stamp`]; of an ACK that reports blocks, its number and the handle in place of it.
    stamp: Time,
    /// Number of the packet; for an ACK, the number of the next packet that is expected.
    pub seq: u32,
    /// Index of the hop that it reaches next, or one more than that of the last hop of its path; see
    /// `network::Hop`.
    pub hop: u32,
    /// The packet behind it in a list; of use to [`crate::network::Calendar`] only.
    pub(crate) next: u32,
    /// Bytes on the wire.
    pub size: u16,
    /// Packet kind (2 bits) and code-point difference to the flow (6 bits); see [`Packet::with_other`].
    kind: u8,
    /// Explicit congestion notification: a set of [`ecn`] flags.
    pub ecn: u8,
}

const _: () = assert!(std::mem::size_of::<Packet>() == 32);

const DATA: u8 = 0;
const ACK: u8 = 0x80;
/// An ACK that reports blocks (RFC 2018).
const SACK: u8 = 0xc0;
/// The bits that say which of these it is; the others are those of a code point.
const KIND: u8 = 0xc0;

impl Packet {
    /// Data sent at `now`, on its way to nowhere yet.
    #[inline]
    pub fn data(seq: u32, size: u16, ecn: u8, now: Time) -> Self {
        Packet { at: now, stamp: now, seq, hop: 0, next: 0, size, kind: DATA, ecn }
    }

    /// An ACK sent at `now` that expects `seq` next, and answers a packet of this stamp.
    #[inline]
    pub fn ack(seq: u32, size: u16, ecn: u8, now: Time, stamp: Time) -> Self {
        Packet { stamp, kind: ACK, ..Packet::data(seq, size, ecn, now) }
    }

    /// Returns the packet on its way to this hop.
    #[inline]
    pub fn to(self, hop: u32) -> Self {
        Packet { hop, ..self }
    }

    /// Returns the packet on its way to this hop, which it reaches at `at`.
    #[inline]
    pub fn arriving(self, at: Time, hop: u32) -> Self {
        Packet { at, hop, ..self }
    }

    /// Returns this ACK with a number and the handle of a report, which includes its stamp.
    pub fn reporting(self, number: u16, handle: u32) -> Self {
        let stamp = Time::from_ps(u64::from(number) << 32 | u64::from(handle));
        Packet { stamp, kind: self.kind | SACK, ..self }
    }

    /// Its code point (RFC 2474).
    #[inline]
    pub fn dscp(&self) -> u8 {
        self.kind & !KIND
    }

    /// Gives it another code point.
    pub fn remark(&mut self, dscp: u8) {
        self.kind = self.kind & KIND | dscp;
    }

    /// XORs the code point with `own`, the flow's: a packet under way stores only the difference, so that a
    /// new one needs no write.
    #[inline]
    pub fn with_other(self, own: u8) -> Self {
        Packet { kind: self.kind ^ own, ..self }
    }

    /// Returns whether the packet comes before another one, by time, and at one instant by hop.
    ///
    /// Two packets reach one hop at one instant only where jitter reorders. They come in the order of their
    /// numbers, then of their stamps, or of the numbers of ACKs that report blocks, of which there are 2^16;
    /// what is alike in all of that is the same.
    #[inline(always)]
    pub fn comes_before(&self, other: &Packet) -> bool {
        self.at < other.at || (self.at == other.at && self.order_at_instant(other).is_lt())
    }

    /// The order that [`Packet::comes_before`] makes.
    pub fn arrival_order(&self, other: &Packet) -> Ordering {
        self.at.cmp(&other.at).then_with(|| self.order_at_instant(other))
    }

    /// Kept out of [`Packet::comes_before`], which is in many places and seldom needs it.
    #[inline(never)]
    fn order_at_instant(&self, other: &Packet) -> Ordering {
        let key = |packet: &Packet| {
            (packet.hop, packet.seq, packet.kind & KIND, packet.stamp, packet.ecn, packet.kind)
        };
        key(self).cmp(&key(other))
    }

    /// Returns whether the packet travels from the receiver to the sender.
    #[inline]
    pub fn is_ack(&self) -> bool {
        self.kind & ACK != 0
    }

    /// For data, when it was sent; for an ACK, the stamp of the packet that it answers. Not for an ACK that
    /// reports something.
    #[inline]
    pub fn stamp(&self) -> Time {
        debug_assert!(self.report().is_none());
        self.stamp
    }

    /// Mark that distinguishes copies of a packet with the same number: the stamp, or the value in its place.
    pub(crate) fn mark(&self) -> Time {
        self.stamp
    }

    /// Handle of an ACK's report, its stamp included; none if it reports nothing.
    #[inline]
    pub fn report(&self) -> Option<u32> {
        (self.kind >= SACK).then_some(self.stamp.ps() as u32)
    }
}

/// Flags of explicit congestion notification (RFC 3168).
pub mod ecn {
    /// The transport understands marks.
    pub const CAPABLE: u8 = 1;
    /// A router marked the packet.
    pub const EXPERIENCED: u8 = 2;
    /// An ACK reports a mark.
    pub const ECHO: u8 = 4;
    /// The sender has reduced its window.
    pub const REDUCED: u8 = 8;
    /// The transport's code point is ECT(1) (RFC 9331).
    pub const SCALABLE: u8 = 16;
}
