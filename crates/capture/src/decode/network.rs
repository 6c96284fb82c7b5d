//! The network that a packet belongs to: the tags and tunnels around its IP header. Two networks may use the same addresses.

/// Kinds of numbers that tell networks apart.
#[derive(Clone, Copy, Debug)]
pub enum Tag {
    /// VLAN identifier of IEEE 802.1Q, in any of its tags.
    Vlan,
    /// Service identifier of a provider backbone bridge (IEEE 802.1ah).
    Service,
    /// MPLS label.
    Label,
    /// Session of PPPoE.
    Session,
    /// The two ends of a tunnel.
    Ends,
    /// Key of GRE.
    Key,
    /// Network identifier of VXLAN or Geneve.
    Vni,
    /// Tunnel endpoint identifier of GTP.
    Teid,
}

const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(one: u64, other: u64) -> u64 {
    let mixed = (one ^ other).wrapping_mul(SPREAD);
    (mixed ^ mixed >> 29).wrapping_mul(SPREAD).rotate_left(23)
}

/// The network within `outer` that has this tag. 0 is a network without tags, and the largest number is none.
pub fn within(outer: u32, tag: Tag, number: u64) -> u32 {
    let mixed = mix(mix(outer.into(), tag as u64 + 1), number);
    ((mixed >> 32) as u32).clamp(1, u32::MAX - 1)
}

/// A number for the two ends of a tunnel, the same in either direction.
pub fn ends(one: u128, other: u128) -> u64 {
    let of = |address: u128| mix((address >> 64) as u64, address as u64);
    of(one).wrapping_add(of(other))
}
