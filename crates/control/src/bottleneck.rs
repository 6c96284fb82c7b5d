//! The capacity of a flow's bottleneck as its sender knows it: told, or measured by packet pairs.

use parshall_estimators::packet_pair::{PacketPair, PacketPairSettings};

use crate::since_first::SinceFirst;
use crate::units::Rate;
use crate::AckSample;

/// Pairs that are looked at anew so often: the estimate costs more than a pair.
const PAIRS_BETWEEN_ESTIMATES: u32 = 8;

/// A sender's knowledge of its bottleneck's capacity.
#[derive(Clone, Debug)]
pub enum Bottleneck {
    /// Told, in packets a second.
    Known(f64),
    /// Measured.
    Measured(Box<Measured>),
}

/// A capacity that packet pairs tell.
#[derive(Clone, Debug)]
pub struct Measured {
    clock: SinceFirst,
    pairs: PacketPair,
    until_estimate: u32,
    /// In packets a second.
    estimate: Option<f64>,
}

impl Bottleneck {
    /// A capacity in bits a second if it is told; packets are of `packet_bytes` on the wire.
    pub fn new(capacity: Option<Rate>, packet_bytes: u16) -> Self {
        match capacity {
            Some(capacity) => Bottleneck::Known(capacity.bps() / (8.0 * f64::from(packet_bytes))),
            None => Bottleneck::Measured(Box::new(Measured {
                clock: SinceFirst::default(),
                pairs: PacketPair::new(PacketPairSettings::default()).expect("the defaults are in range"),
                until_estimate: 0,
                estimate: None,
            })),
        }
    }

    /// Takes in an ACK of new data.
    pub fn on_ack(&mut self, ack: &AckSample<'_>) {
        let Bottleneck::Measured(measured) = self else { return };
        let sent = measured.clock.secs(ack.sent);
        if !measured.pairs.on_ack(measured.clock.secs(ack.now), sent, ack.acked) {
            return;
        }
        if measured.until_estimate == 0 {
            measured.estimate = measured.pairs.capacity().map(|capacity| capacity.packets_per_second);
            measured.until_estimate = PAIRS_BETWEEN_ESTIMATES;
        }
        measured.until_estimate -= 1;
    }

    /// The next ACK says nothing of the distance to the one before.
    pub fn interrupt(&mut self) {
        if let Bottleneck::Measured(measured) = self {
            measured.pairs.interrupt();
        }
    }

    /// Packets a second; `None` before the first pair.
    pub fn packets_per_second(&self) -> Option<f64> {
        match self {
            Bottleneck::Known(capacity) => Some(*capacity),
            Bottleneck::Measured(measured) => measured.estimate,
        }
    }
}
