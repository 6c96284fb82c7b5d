//! From the bytes of a frame to the numbers in its headers. By hand: it takes a third of the time that etherparse's lax
//! slices take, and knows the lengths on the wire of frames that the snap length has cut.

mod bytes;
mod ether;
mod ip;
mod link;
mod network;
mod options;
mod tunnel;
mod wireless;

use crate::packet::Decoded;
use crate::unread::Unread;
use network::Tag;

/// Headers within headers that are followed before a frame counts as damaged.
const DEEPEST: u32 = 24;

/// A frame as its file has it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Number in the file, from 1.
    pub number: u64,
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Number of the interface in the file.
    pub interface: u32,
    /// Type of the link layer, as tcpdump.org lists them.
    pub link: u16,
    /// Captured bytes.
    pub data: &'a [u8],
    /// Length on the wire, in bytes.
    pub wire: u32,
    /// Set where the file does not say what the fields above need, which are then of no use.
    pub lacks: Option<Unread>,
}

/// The headers of a frame.
pub fn decode(frame: &Frame<'_>) -> Decoded {
    if let Some(lack) = frame.lacks {
        return Decoded::Unread(lack);
    }
    let mut walk = Walk { frame, interface: frame.interface, network: 0, nested: false, depth: 0 };
    walk.link(frame.link, 0).unwrap_or(Decoded::Damaged)
}

/// A way through headers, each of which says what the next one is. `None` is a header that is not all there.
#[derive(Clone, Copy)]
struct Walk<'a> {
    frame: &'a Frame<'a>,
    interface: u32,
    /// See [`network`].
    network: u32,
    /// A header was passed behind which tcpdump's filters do not look unless they are told to.
    nested: bool,
    depth: u32,
}

impl Walk<'_> {
    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    /// Goes on within a network that has this tag.
    fn enter(&mut self, tag: Tag, number: impl Into<u64>) {
        self.nested = true;
        self.network = network::within(self.network, tag, number.into());
    }
}
