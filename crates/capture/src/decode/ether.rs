//! Between the link layer and IP: EtherTypes, tags, LLC, PPP and MPLS.

use super::bytes::{be16, be32};
use super::network::Tag;
use super::Walk;
use crate::packet::Decoded;
use crate::unread::Unread;

/// Largest number that is a length of IEEE 802.3 and no EtherType.
const LONGEST: u16 = 1500;

/// Labels below this have meanings of their own (RFC 3032, section 2.1), and name no path.
const FIRST_LABEL: u32 = 16;

impl Walk<'_> {
    pub fn ethernet(&mut self, at: usize) -> Option<Decoded> {
        self.type_or_length(be16(self.frame.data, at + 12)?, at + 14)
    }

    fn type_or_length(&mut self, kind: u16, at: usize) -> Option<Decoded> {
        if kind <= LONGEST {
            self.nested = true;
            return self.llc(at);
        }
        self.ether_type(kind, at)
    }

    pub fn ether_type(&mut self, kind: u16, at: usize) -> Option<Decoded> {
        self.deeper()?;
        match kind {
            0x0800 | 0x86dd => self.ip(at),
            0x8100 | 0x88a8 | 0x9100 | 0x9200 => self.vlan(at),
            0x8847 | 0x8848 => self.mpls(at),
            0x8864 => self.pppoe(at),
            0x6558 => self.ethernet(at),
            0x88e7 => {
                self.enter(Tag::Service, be32(self.frame.data, at)? & 0xff_ffff);
                self.ethernet(at + 4)
            }
            0x894f => self.service_chain(at),
            // VN-Tag, HSR, and redundancy tags of IEEE 802.1CB: four bytes.
            0x8926 | 0x892f | 0xf1c1 => self.behind_tag(at + 4),
            // Port extenders' E-Tag, and Cisco's metadata.
            0x893f | 0x8909 => self.behind_tag(at + 6),
            _ => Some(Decoded::Unread(Unread::EtherType(kind))),
        }
    }

    /// The EtherType or length behind a tag that names no network.
    fn behind_tag(&mut self, at: usize) -> Option<Decoded> {
        self.nested = true;
        self.type_or_length(be16(self.frame.data, at)?, at + 2)
    }

    fn vlan(&mut self, at: usize) -> Option<Decoded> {
        // Number 0 is a tag that has a priority only.
        match be16(self.frame.data, at)? & 0xfff {
            0 => {}
            number => self.enter(Tag::Vlan, number),
        }
        self.behind_tag(at + 2)
    }

    /// The header of service function chains (RFC 8300).
    fn service_chain(&mut self, at: usize) -> Option<Decoded> {
        self.nested = true;
        let length = usize::from(be16(self.frame.data, at)? & 0x3f) * 4;
        match *self.frame.data.get(at + 3)? {
            1 | 2 => self.ip(at + length),
            3 => self.ethernet(at + length),
            5 => self.mpls(at + length),
            _ => Some(Decoded::Unread(Unread::EtherType(0x894f))),
        }
    }

    pub fn llc(&mut self, at: usize) -> Option<Decoded> {
        let head = self.frame.data.get(at..at + 3)?;
        match head {
            [0xaa, 0xaa, 0x03] => match be32(self.frame.data, at + 3)? >> 8 {
                // Plain EtherTypes, and those behind bridges (RFC 1042, IEEE 802.1H).
                0 | 0xf8 => self.ether_type(be16(self.frame.data, at + 6)?, at + 8),
                vendor => Some(Decoded::Unread(Unread::Snap(vendor, be16(self.frame.data, at + 6)?))),
            },
            [0x06, 0x06, 0x03] => self.ip(at + 3),
            _ => Some(Decoded::Unread(Unread::Llc(head[0]))),
        }
    }

    pub fn pppoe(&mut self, at: usize) -> Option<Decoded> {
        self.enter(Tag::Session, be16(self.frame.data, at + 2)?);
        self.ppp(at + 6)
    }

    pub fn ppp(&mut self, at: usize) -> Option<Decoded> {
        let first = *self.frame.data.get(at)?;
        let (protocol, at) =
            if first & 1 == 1 { (u16::from(first), at + 1) } else { (be16(self.frame.data, at)?, at + 2) };
        match protocol {
            0x21 | 0x57 => self.ip(at),
            0x281 | 0x283 => self.mpls(at),
            _ => Some(Decoded::Unread(Unread::Ppp(protocol))),
        }
    }

    pub fn mpls(&mut self, mut at: usize) -> Option<Decoded> {
        self.nested = true;
        loop {
            let entry = be32(self.frame.data, at)?;
            if entry >> 12 >= FIRST_LABEL {
                self.enter(Tag::Label, entry >> 12);
            }
            at += 4;
            if entry & 0x100 != 0 {
                break;
            }
            self.deeper()?;
        }
        match self.frame.data.get(at)? >> 4 {
            4 | 6 => self.ip(at),
            // A control word in front of Ethernet (RFC 4448).
            0 => self.ethernet(at + 4),
            _ => Some(Decoded::Unread(Unread::Labelled)),
        }
    }
}
