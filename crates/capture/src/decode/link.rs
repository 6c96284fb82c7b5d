//! Link layers, by the link types that tcpdump.org lists.

use super::bytes::{be16, be32, le16, le32};
use super::Walk;
use crate::packet::Decoded;
use crate::unread::Unread;

pub const ETHERNET: u16 = 1;
pub const WIRELESS: u16 = 105;
pub const PRISM: u16 = 119;
pub const AVS: u16 = 163;
const PKTAP: u16 = 258;

impl Walk<'_> {
    pub fn link(&mut self, link: u16, at: usize) -> Option<Decoded> {
        self.deeper()?;
        let data = self.frame.data;
        match link {
            ETHERNET => self.ethernet(at),
            12 | 14 | 101 | 228 | 229 => self.ip(at),
            0 => self.family(le32(data, at)?, at + 4),
            108 => self.family(be32(data, at)?, at + 4),
            // enc(4) of the BSDs has a family, an SPI and flags.
            109 => self.family(le32(data, at)?, at + 12),
            113 => self.cooked(be16(data, at + 14)?, at + 16),
            276 => {
                self.interface = self.interface << 16 ^ be32(data, at + 4)?;
                self.cooked(be16(data, at)?, at + 20)
            }
            9 | 50 => self.framed_ppp(at),
            // pppd writes the direction in place of HDLC's address.
            166 => self.ppp(at + if *data.get(at + 1)? == 0x03 { 2 } else { 1 }),
            204 => self.framed_ppp(at + 1),
            51 => self.pppoe(at),
            104 => self.ether_type(be16(data, at + 2)?, at + 4),
            205 => self.ether_type(be16(data, at + 3)?, at + 5),
            100 => self.llc(at),
            138 => self.ether_type(be16(data, at + 16)?, at + 18),
            219 => self.mpls(at),
            242 => self.ether_type(be16(data, at + 40)?, at + 44),
            240 => self.ethernet(at + 4),
            WIRELESS => self.wireless(at, false),
            PRISM => self.wireless(at + le32(data, at + 4)? as usize, false),
            AVS => self.wireless(at + be32(data, at + 4)? as usize, false),
            127 => self.radiotap(at),
            117 => self.pflog(at),
            128 => self.tzsp(at),
            178 | 179 | 181 => self.juniper(link, at),
            192 => self.link(le32(data, at + 4)? as u16, at + usize::from(le16(data, at + 2)?)),
            197 => self.erf(at),
            239 => self.nflog(at + 4),
            PKTAP => self.pktap(at),
            _ => Some(Decoded::Unread(Unread::Link(link))),
        }
    }

    /// The family of a loopback header, whose numbers differ between systems.
    fn family(&mut self, family: u32, at: usize) -> Option<Decoded> {
        let family = if family > 0xffff { family.swap_bytes() } else { family };
        match family {
            2 | 10 | 24 | 28 | 30 => self.ip(at),
            _ => Some(Decoded::Unread(Unread::Family(family))),
        }
    }

    /// Linux's cooked header says by small numbers what has no EtherType.
    fn cooked(&mut self, kind: u16, at: usize) -> Option<Decoded> {
        if kind == 4 {
            return self.llc(at);
        }
        self.ether_type(kind, at)
    }

    fn framed_ppp(&mut self, at: usize) -> Option<Decoded> {
        let framed = self.frame.data.get(at..at + 2)? == [0xff, 0x03];
        self.ppp(at + if framed { 2 } else { 0 })
    }

    /// The log of OpenBSD's pf. The header says its length without the padding to four bytes.
    fn pflog(&mut self, at: usize) -> Option<Decoded> {
        let (length, family) = (*self.frame.data.get(at)?, *self.frame.data.get(at + 1)?);
        self.family(family.into(), at + usize::from(length).next_multiple_of(4))
    }

    /// Apple's header in front of packets of any link type; some records have none.
    fn pktap(&mut self, at: usize) -> Option<Decoded> {
        let data = self.frame.data;
        let (length, kind, link) = (le32(data, at)?, le32(data, at + 4)?, le32(data, at + 8)?);
        match (kind, u16::try_from(link)) {
            (1, Ok(link)) => self.link(link, at.checked_add(length as usize)?),
            _ => Some(Decoded::Unread(Unread::Link(PKTAP))),
        }
    }

    /// Juniper's header: a magic number, flags, and extensions if they say so.
    fn juniper(&mut self, link: u16, at: usize) -> Option<Decoded> {
        let head = be32(self.frame.data, at)?;
        if head >> 8 != 0x4d_4743 {
            return None;
        }
        let extensions = if head & 0x80 != 0 { 2 + usize::from(be16(self.frame.data, at + 4)?) } else { 0 };
        let at = at + 4 + extensions;
        match link {
            // No link layer: a protocol of the router, then IP.
            _ if head & 2 != 0 => self.ip(at + 4),
            178 => self.ethernet(at),
            179 => self.framed_ppp(at),
            _ => self.link(104, at),
        }
    }

    /// Endace's record, with extension headers of 8 bytes.
    fn erf(&mut self, at: usize) -> Option<Decoded> {
        let data = self.frame.data;
        let kind = *data.get(at + 8)?;
        let (mut more, mut at) = (kind & 0x80 != 0, at + 16);
        while more {
            more = *data.get(at)? & 0x80 != 0;
            at += 8;
        }
        match kind & 0x7f {
            1 | 5 => self.hdlc(at),
            2 | 11 | 16 | 20 => self.ethernet(at + 2),
            22 | 23 => self.ip(at),
            _ => Some(Decoded::Unread(Unread::Link(197))),
        }
    }

    /// HDLC on a serial line, whose address tells PPP from Cisco's.
    fn hdlc(&mut self, at: usize) -> Option<Decoded> {
        if *self.frame.data.get(at)? == 0xff {
            return self.framed_ppp(at);
        }
        self.link(104, at)
    }

    /// Netfilter's log: fields of type, length, value, of which number 9 is the packet.
    fn nflog(&mut self, mut at: usize) -> Option<Decoded> {
        loop {
            let (length, kind) = (le16(self.frame.data, at)?, le16(self.frame.data, at + 2)?);
            if kind == 9 {
                return self.ip(at + 4);
            }
            at += usize::from(length).max(4).next_multiple_of(4);
        }
    }
}
