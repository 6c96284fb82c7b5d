//! Packets in tunnels, and in what mirrors frames to another host.

use super::bytes::{be16, be32};
use super::link::{AVS, ETHERNET, PRISM, WIRELESS};
use super::network::{ends as symmetric, Tag};
use super::Walk;
use crate::packet::Decoded;
use crate::unread::Unread;

/// Flags of GRE.
const CHECKSUM: u16 = 0x8000;
const KEY: u16 = 0x2000;
const SEQUENCE: u16 = 0x1000;
const ACKNOWLEDGMENT: u16 = 0x80;

/// GRE's protocols of mirrored frames.
const ERSPAN: u16 = 0x88be;
const ERSPAN_III: u16 = 0x22eb;

/// Flag of VXLAN: its network has a number.
const NUMBERED: u8 = 0x08;

/// Addresses of a tunnel's two ends.
pub type Ends = (u128, u128);

impl Walk<'_> {
    pub fn enter_tunnel(&mut self, ends: Ends) {
        self.enter(Tag::Ends, symmetric(ends.0, ends.1));
    }

    /// Reads the packet in a datagram to this port if it is a tunnel's. `ends` are those of the outer header.
    pub fn in_datagram(&mut self, port: u16, at: usize, ends: Ends) -> Option<Decoded> {
        self.nested = true;
        match port {
            4789 | 8472 | 4790 => self.vxlan(port, at, ends),
            6081 => self.geneve(at, ends),
            2152 => self.gtp(at, ends),
            6635 => {
                self.enter_tunnel(ends);
                self.mpls(at)
            }
            37008 => self.tzsp(at),
            _ => None,
        }
    }

    pub fn gre(&mut self, at: usize, ends: Ends) -> Option<Decoded> {
        let data = self.frame.data;
        let (flags, kind) = (be16(data, at)?, be16(data, at + 2)?);
        let has = |bit: u16| if flags & bit != 0 { 4 } else { 0 };
        let key = at + 4 + has(CHECKSUM);
        let mut inner = key + has(KEY) + has(SEQUENCE);
        if matches!(kind, ERSPAN | ERSPAN_III) {
            return self.mirrored(kind, flags & SEQUENCE != 0, inner);
        }
        self.enter_tunnel(ends);
        let is_pptp = flags & 7 == 1;
        if flags & KEY != 0 {
            // PPTP has a length in the upper half.
            let mask = if is_pptp { 0xffff } else { u32::MAX };
            self.enter(Tag::Key, be32(data, key)? & mask);
        }
        if is_pptp {
            inner += has(ACKNOWLEDGMENT);
            return self.ppp(inner);
        }
        self.ether_type(kind, inner)
    }

    /// ERSPAN, whose own addresses say where frames are mirrored and not where they belong. Type I has no header.
    fn mirrored(&mut self, kind: u16, numbered: bool, at: usize) -> Option<Decoded> {
        self.nested = true;
        if kind == ERSPAN && !numbered {
            return self.link(ETHERNET, at);
        }
        match be16(self.frame.data, at)? & 0xfff {
            0 => {}
            vlan => self.enter(Tag::Vlan, vlan),
        }
        if kind == ERSPAN {
            return self.link(ETHERNET, at + 8);
        }
        let word = be16(self.frame.data, at + 10)?;
        let inner = at + 12 + if word & 1 != 0 { 8 } else { 0 };
        match word >> 10 & 0x1f {
            0 => self.link(ETHERNET, inner),
            2 => self.ip(inner),
            _ => Some(Decoded::Unread(Unread::EtherType(kind))),
        }
    }

    /// VXLAN, and its extension that says what the packet is.
    fn vxlan(&mut self, port: u16, at: usize, ends: Ends) -> Option<Decoded> {
        if self.frame.data.get(at)? & NUMBERED == 0 {
            return None;
        }
        self.enter_tunnel(ends);
        self.enter(Tag::Vni, be32(self.frame.data, at + 4)? >> 8);
        match (port, *self.frame.data.get(at + 3)?) {
            (4790, 1 | 2) => self.ip(at + 8),
            (4790, kind) if kind != 3 => None,
            _ => self.link(ETHERNET, at + 8),
        }
    }

    fn geneve(&mut self, at: usize, ends: Ends) -> Option<Decoded> {
        let first = *self.frame.data.get(at)?;
        if first >> 6 != 0 {
            return None;
        }
        self.enter_tunnel(ends);
        self.enter(Tag::Vni, be32(self.frame.data, at + 4)? >> 8);
        self.ether_type(be16(self.frame.data, at + 2)?, at + 8 + usize::from(first & 0x3f) * 4)
    }

    fn gtp(&mut self, at: usize, ends: Ends) -> Option<Decoded> {
        let flags = *self.frame.data.get(at)?;
        if flags >> 4 != 3 || *self.frame.data.get(at + 1)? != 255 {
            return None;
        }
        self.enter_tunnel(ends);
        self.enter(Tag::Teid, be32(self.frame.data, at + 4)?);
        let mut next = at + 8;
        if flags & 7 != 0 {
            next += 4;
            while flags & 4 != 0 && *self.frame.data.get(next - 1)? != 0 {
                self.deeper()?;
                next += usize::from(*self.frame.data.get(next)?).max(1) * 4;
            }
        }
        self.ip(next)
    }

    /// TZSP: a header, fields of type, length and value up to an end, then a frame.
    pub fn tzsp(&mut self, at: usize) -> Option<Decoded> {
        let data = self.frame.data;
        let head = data.get(at..at + 4)?;
        let link = match be16(data, at + 2)? {
            1 => ETHERNET,
            4 => 50,
            7 => 101,
            18 => WIRELESS,
            119 => PRISM,
            127 => AVS,
            _ => return Some(Decoded::Unread(Unread::Link(128))),
        };
        // Version 1, received or to be sent; others carry no frame.
        if head[0] != 1 || head[1] > 1 {
            return Some(Decoded::Unread(Unread::Link(128)));
        }
        let mut at = at + 4;
        loop {
            match *data.get(at)? {
                0 => at += 1,
                1 => return self.link(link, at + 1),
                _ => at += 2 + usize::from(*data.get(at + 1)?),
            }
        }
    }
}
