//! Frames that are not read: what they are, so that each is counted under a name.

mod names;

use std::collections::BTreeMap;
use std::fmt;

use names::name;

/// The reason for which a frame is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unread {
    /// Its link type, whose headers are not known.
    Link(u16),
    /// Its record has no time.
    NoTime,
    /// The file does not describe its interface.
    NoInterface,
    /// Not IP: the EtherType.
    EtherType(u16),
    /// Not IP: the destination's service access point in LLC.
    Llc(u8),
    /// Not IP: the vendor and type of SNAP.
    Snap(u32, u16),
    /// Not IP: the protocol of PPP.
    Ppp(u16),
    /// Not IP: the address family of a loopback header.
    Family(u32),
    /// A frame of 802.11 that carries no packet to read: of which kind.
    Wireless(&'static str),
    /// Not IP: behind the labels of MPLS.
    Labelled,
    /// A version of IP other than 4 and 6.
    Version(u8),
    /// IP with another protocol than TCP and UDP.
    Protocol(u8),
    /// A reason of this group that was first seen when too many others were.
    Rest(Group),
}

/// Reasons that are told apart at most: a damaged file may have a new one in each frame.
const MOST: usize = 1024;

/// Group of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The link type is not known.
    Link,
    /// The record lacks its time.
    NoTime,
    /// The record lacks its interface.
    NoInterface,
    /// Not IP.
    NotIp,
    /// IP without TCP and UDP.
    OtherIp,
}

impl Group {
    /// All groups.
    pub const ALL: [Self; 5] = [Self::Link, Self::NoTime, Self::NoInterface, Self::NotIp, Self::OtherIp];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "unknown_link",
            Self::NoTime => "no_time",
            Self::NoInterface => "no_interface",
            Self::NotIp => "not_ip",
            Self::OtherIp => "other_ip",
        }
    }
}

impl Unread {
    /// The group of reasons that it belongs to.
    pub fn group(self) -> Group {
        match self {
            Self::Link(_) => Group::Link,
            Self::NoTime => Group::NoTime,
            Self::NoInterface => Group::NoInterface,
            Self::Protocol(_) => Group::OtherIp,
            Self::Rest(group) => group,
            _ => Group::NotIp,
        }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = match *self {
            Self::Link(link) => {
                return match name(names::LINK_TYPES, link) {
                    Some(name) => write!(to, "{link} ({name})"),
                    None => write!(to, "{link}"),
                }
            }
            Self::EtherType(kind) => name(names::ETHER_TYPES, kind),
            Self::Llc(point) => name(names::LLC, point.into()),
            Self::Ppp(protocol) => name(names::PPP, protocol),
            Self::Protocol(protocol) => name(names::PROTOCOLS, protocol.into()),
            _ => None,
        };
        match (known, *self) {
            (Some(name), _) => write!(to, "{name}"),
            (None, Self::EtherType(kind)) => write!(to, "EtherType 0x{kind:04x}"),
            (None, Self::Llc(point)) => write!(to, "LLC 0x{point:02x}"),
            (None, Self::Snap(vendor, kind)) => write!(to, "SNAP 0x{vendor:06x} 0x{kind:04x}"),
            (None, Self::Ppp(protocol)) => write!(to, "PPP protocol 0x{protocol:04x}"),
            (None, Self::Family(family)) => write!(to, "address family {family}"),
            (None, Self::Wireless(kind)) => write!(to, "802.11 {kind}"),
            (None, Self::Version(version)) => write!(to, "IP version {version}"),
            (None, Self::Protocol(protocol)) => write!(to, "protocol {protocol}"),
            (None, Self::Labelled) => write!(to, "MPLS with something else than IP"),
            (None, Self::NoTime) => write!(to, "no time"),
            (None, Self::Rest(_)) => write!(to, "others"),
            (None, Self::NoInterface | Self::Link(_)) => write!(to, "no interface"),
        }
    }
}

/// Frames that were not read, by their reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreads {
    counts: BTreeMap<Unread, u64>,
}

impl Unreads {
    /// Counts a frame.
    pub fn add(&mut self, reason: Unread) {
        let is_new = self.counts.len() >= MOST && !self.counts.contains_key(&reason);
        let reason = if is_new { Unread::Rest(reason.group()) } else { reason };
        *self.counts.entry(reason).or_default() += 1;
    }

    /// All frames.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Frames of a group.
    pub fn of(&self, group: Group) -> u64 {
        self.counts.iter().filter(|(reason, _)| reason.group() == group).map(|(_, count)| count).sum()
    }

    /// Each reason and its frames.
    pub fn iter(&self) -> impl Iterator<Item = (Unread, u64)> + '_ {
        self.counts.iter().map(|(reason, count)| (*reason, *count))
    }
}
