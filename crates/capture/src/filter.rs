//! Expressions that choose packets, in the words of pcap-filter(7): `tcp and host 10.0.0.1 and not port 22`.
//!
//! `tcp`, `udp`, `ip`, `ip6`; `host ADDRESS`, `net ADDRESS/BITS`, `port NUMBER`, each behind `src` or `dst` if one side is meant;
//! `and`, `or`, `not` and parentheses. As in tcpdump, `and` and `or` bind alike, from left to right. What is read chooses the
//! packets that tcpdump chooses; all else is refused. The one difference is that addresses and ports are those of the innermost
//! header, behind tags and in tunnels, where tcpdump does not look unless it is told to.

use std::net::IpAddr;

use crate::packet::{Endpoint, Packet, Part, Transport};

/// Side of a packet that an expression looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Source,
    Destination,
    Either,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Tcp,
    Udp,
    Ip(bool),
    /// An address of version 6 or 4, and how many of its bits count.
    Net(Side, bool, u128, u32),
    Port(Side, u16),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
}

/// A choice of packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    root: Node,
}

/// An expression that cannot be read: the word, and what was expected in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The word, empty at the end.
    pub word: String,
    /// Expected text.
    pub expected: &'static str,
}

/// Most operators and parentheses in an expression.
const LONGEST: usize = 256;

const PRIMITIVE: &str = "tcp, udp, ip, ip6, host, net, port, src, dst, not or (";

impl Filter {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('!', " not ");
        let mut words: Vec<&str> = spaced.split_whitespace().collect();
        if words.len() > LONGEST {
            return Err(FilterError { word: words[LONGEST].to_owned(), expected: "at most 256 words" });
        }
        words.reverse();
        let root = sequence(&mut words)?;
        match words.pop() {
            None => Ok(Self { root }),
            Some(word) => Err(FilterError { word: word.to_owned(), expected: "and, or, or the end" }),
        }
    }

    /// The packet is chosen.
    pub fn takes(&self, packet: &Packet) -> bool {
        self.root.takes(packet)
    }
}

/// Terms between which `and` and `or` stand.
fn sequence(words: &mut Vec<&str>) -> Result<Node, FilterError> {
    let mut left = primitive(words)?;
    loop {
        let join = match words.last() {
            Some(&("and" | "&&")) => Node::And,
            Some(&("or" | "||")) => Node::Or,
            _ => return Ok(left),
        };
        words.pop();
        left = join(Box::new(left), Box::new(primitive(words)?));
    }
}

fn primitive(words: &mut Vec<&str>) -> Result<Node, FilterError> {
    let word = words.pop().unwrap_or("");
    match word {
        "not" => Ok(Node::Not(Box::new(primitive(words)?))),
        "(" => {
            let inner = sequence(words)?;
            match words.pop() {
                Some(")") => Ok(inner),
                other => Err(FilterError { word: other.unwrap_or("").to_owned(), expected: ")" }),
            }
        }
        "tcp" | "udp" => {
            let kind = if word == "tcp" { Node::Tcp } else { Node::Udp };
            // `tcp port 80` is short for `tcp and port 80`; tcpdump takes no address in this place.
            let at = usize::from(matches!(words.last(), Some(&("src" | "dst"))));
            match words.iter().rev().nth(at) {
                Some(&"port") => Ok(Node::And(Box::new(kind), Box::new(primitive(words)?))),
                Some(other) if matches!(*other, "host" | "net") => {
                    let expected = "and, or, port, or the end (tcp and host ...)";
                    Err(FilterError { word: (*other).to_owned(), expected })
                }
                _ => Ok(kind),
            }
        }
        "ip" => Ok(Node::Ip(false)),
        "ip6" => Ok(Node::Ip(true)),
        "src" => sided(words, Side::Source),
        "dst" => sided(words, Side::Destination),
        _ => {
            words.push(word);
            sided(words, Side::Either)
        }
    }
}

fn sided(words: &mut Vec<&str>, side: Side) -> Result<Node, FilterError> {
    let kind = words.pop().unwrap_or("");
    if !matches!(kind, "host" | "net" | "port") {
        return Err(FilterError { word: kind.to_owned(), expected: PRIMITIVE });
    }
    let value = words.pop().unwrap_or("");
    let fault = |expected| FilterError { word: value.to_owned(), expected };
    if kind == "port" {
        // To tcpdump a number with a zero in front is octal.
        let is_decimal = value == "0" || !value.starts_with(['0', '+']);
        let port = value.parse().ok().filter(|_| is_decimal);
        return port.map(|port| Node::Port(side, port)).ok_or_else(|| fault("a port, 0 to 65535"));
    }
    let (address, bits) =
        value.split_once('/').map_or((value, None), |(address, bits)| (address, Some(bits)));
    let address: IpAddr = address.parse().map_err(|_| fault("an address of IPv4 or IPv6"))?;
    let (number, length) = match address {
        IpAddr::V4(four) => (u128::from(four.to_ipv6_mapped()), 32),
        IpAddr::V6(six) => (u128::from(six), 128),
    };
    if address.is_ipv6() && number >> 32 == 0xffff {
        return Err(fault("an address that is not one of IPv4 within IPv6"));
    }
    let bits = match (bits, kind) {
        (None, _) => length,
        (Some(bits), "net") => bits
            .parse::<u32>()
            .ok()
            .filter(|number| *number <= length && bits == number.to_string())
            .ok_or_else(|| fault("a length, up to 32 bits of IPv4 and 128 of IPv6"))?,
        _ => return Err(fault("an address without a length")),
    };
    if bits < length && number << (128 - length + bits) != 0 {
        return Err(fault("an address whose bits behind the length are 0"));
    }
    Ok(Node::Net(side, address.is_ipv6(), number, bits + 128 - length))
}

impl Side {
    fn any(self, packet: &Packet, takes: impl Fn(&Endpoint) -> bool) -> bool {
        match self {
            Self::Source => takes(&packet.source),
            Self::Destination => takes(&packet.destination),
            Self::Either => takes(&packet.source) || takes(&packet.destination),
        }
    }
}

fn is_six(packet: &Packet) -> bool {
    packet.source.address >> 32 != 0xffff
}

impl Node {
    fn takes(&self, packet: &Packet) -> bool {
        match self {
            Self::Tcp => {
                matches!(packet.transport, Transport::Tcp(_) | Transport::Part(Part { seq: Some(_), .. }))
            }
            Self::Udp => {
                matches!(packet.transport, Transport::Udp { .. } | Transport::Part(Part { seq: None, .. }))
            }
            Self::Ip(six) => is_six(packet) == *six,
            Self::Net(side, six, number, bits) => {
                let rest = 128 - bits;
                let is_in = |end: &Endpoint| rest >= 128 || end.address >> rest == number >> rest;
                is_six(packet) == *six && side.any(packet, is_in)
            }
            Self::Port(side, port) => {
                // A later fragment has no ports of its own.
                !matches!(packet.transport, Transport::Part(_)) && side.any(packet, |end| end.port == *port)
            }
            Self::Not(inner) => !inner.takes(packet),
            Self::And(left, right) => left.takes(packet) && right.takes(packet),
            Self::Or(left, right) => left.takes(packet) || right.takes(packet),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Filter;
    use crate::packet::{Endpoint, Packet, Transport};

    fn packet() -> Packet {
        let end = |last: u128, port| Endpoint { address: 0xffff_0a00_0000 + last, port };
        Packet {
            frame: 1,
            time: 0,
            interface: 0,
            clock: 0,
            network: 0,
            nested: false,
            source: end(1, 4000),
            destination: end(2, 80),
            ip_length: 40,
            payload: 0,
            ttl: 64,
            ecn: 0,
            id: None,
            fragmented: None,
            transport: Transport::Udp { first: None, digest: 0 },
        }
    }

    #[test]
    fn chooses_by_address_port_and_protocol() {
        for (text, takes) in [
            ("udp", true),
            ("tcp or port 80", true),
            ("udp port 81", false),
            ("src host 10.0.0.1 and dst port 80", true),
            ("dst host 10.0.0.1", false),
            ("net 10.0.0.0/8 and not ip6", true),
            ("not (host 10.0.0.2 or tcp)", false),
            ("host ::1", false),
            ("net ::/0", false),
            ("net 0.0.0.0/0", true),
        ] {
            assert_eq!(Filter::parse(text).unwrap().takes(&packet()), takes, "{text}");
        }
    }

    #[test]
    fn and_binds_no_more_tightly_than_or() {
        for (text, takes) in [
            ("udp or port 80 and tcp", false),
            ("udp or (port 80 and tcp)", true),
            ("tcp and udp or port 80", true),
            ("not tcp and host 10.0.0.9 or udp", true),
        ] {
            assert_eq!(Filter::parse(text).unwrap().takes(&packet()), takes, "{text}");
        }
    }

    #[test]
    fn refuses_what_tcpdump_reads_otherwise_or_not_at_all() {
        for text in [
            "tcp host 10.0.0.1",
            "udp src net 10.0.0.0/8",
            "port 010",
            "port +80",
            "net 10.0.0.1/8",
            "net 10.0.0.0/08",
            "net ::1/64",
            "host ::ffff:10.0.0.1",
            "port 80 or 81",
            "not",
            "tcp and",
        ] {
            assert!(Filter::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_the_word_that_is_wrong() {
        for (text, word) in [("prot 80", "prot"), ("port x", "x"), ("(tcp", ""), ("tcp udp", "udp"), ("", "")]
        {
            assert_eq!(Filter::parse(text).unwrap_err().word, word, "{text}");
        }
    }
}
