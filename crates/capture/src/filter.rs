//! Expressions that choose packets, in the words of tcpdump: `tcp and host 10.0.0.1 and not port 22`.
//!
//! `tcp`, `udp`, `ip`, `ip6`; `host ADDRESS`, `net ADDRESS/BITS`, `port NUMBER`, each behind `src` or `dst` if one side is meant;
//! `and`, `or`, `not` and parentheses.

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
    Net(Side, u128, u32),
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
        let root = disjunction(&mut words)?;
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

fn disjunction(words: &mut Vec<&str>) -> Result<Node, FilterError> {
    let mut left = conjunction(words)?;
    while matches!(words.last(), Some(&("or" | "||"))) {
        words.pop();
        left = Node::Or(Box::new(left), Box::new(conjunction(words)?));
    }
    Ok(left)
}

fn conjunction(words: &mut Vec<&str>) -> Result<Node, FilterError> {
    let mut left = primitive(words)?;
    while matches!(words.last(), Some(&("and" | "&&"))) {
        words.pop();
        left = Node::And(Box::new(left), Box::new(primitive(words)?));
    }
    Ok(left)
}

fn primitive(words: &mut Vec<&str>) -> Result<Node, FilterError> {
    let word = words.pop().unwrap_or("");
    match word {
        "not" => Ok(Node::Not(Box::new(primitive(words)?))),
        "(" => {
            let inner = disjunction(words)?;
            match words.pop() {
                Some(")") => Ok(inner),
                other => Err(FilterError { word: other.unwrap_or("").to_owned(), expected: ")" }),
            }
        }
        "tcp" | "udp" => {
            let kind = if word == "tcp" { Node::Tcp } else { Node::Udp };
            // `tcp port 80` is short for `tcp and port 80`.
            if matches!(words.last(), Some(&("port" | "host" | "net" | "src" | "dst"))) {
                return Ok(Node::And(Box::new(kind), Box::new(primitive(words)?)));
            }
            Ok(kind)
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
        return value.parse().map(|port| Node::Port(side, port)).map_err(|_| fault("a port, 0 to 65535"));
    }
    let (address, bits) =
        value.split_once('/').map_or((value, None), |(address, bits)| (address, Some(bits)));
    let address: IpAddr = address.parse().map_err(|_| fault("an address of IPv4 or IPv6"))?;
    let (number, length) = match address {
        IpAddr::V4(four) => (u128::from(four.to_ipv6_mapped()), 32),
        IpAddr::V6(six) => (u128::from(six), 128),
    };
    let bits = match (bits, kind) {
        (None, _) => length,
        (Some(bits), "net") => {
            bits.parse().ok().filter(|bits| *bits <= length).ok_or_else(|| fault("a length"))?
        }
        _ => return Err(fault("an address without a length")),
    };
    Ok(Node::Net(side, number, bits + 128 - length))
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

impl Node {
    fn takes(&self, packet: &Packet) -> bool {
        match self {
            Self::Tcp => {
                matches!(packet.transport, Transport::Tcp(_) | Transport::Part(Part { seq: Some(_), .. }))
            }
            Self::Udp => {
                matches!(packet.transport, Transport::Udp { .. } | Transport::Part(Part { seq: None, .. }))
            }
            Self::Ip(six) => (packet.source.address >> 32 != 0xffff) == *six,
            Self::Net(side, number, bits) => side.any(packet, |end| {
                let rest = 128 - bits;
                rest >= 128 || end.address >> rest == number >> rest
            }),
            Self::Port(side, port) => side.any(packet, |end| end.port == *port),
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
        ] {
            assert_eq!(Filter::parse(text).unwrap().takes(&packet()), takes, "{text}");
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
