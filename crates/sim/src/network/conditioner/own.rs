//! A marker of the caller's own: it colours the packets of a rule.

use std::sync::Arc;

use parshall_estimators::meter::Colour;

use crate::control::user::Method;
use crate::network::FlowId;
use crate::own::Calls;
use crate::packet::{ecn, Packet};
use crate::random::Stream;
use crate::scenario::{MarkerMaker, MeteredPacket, UserMarker};
use crate::units::Time;

/// See the head of this file.
#[derive(Debug)]
pub(super) struct OwnMarker {
    marker: Box<dyn UserMarker>,
    calls: Calls,
    /// Keys of the flows.
    keys: Arc<[u64]>,
}

impl OwnMarker {
    /// A marker that has seen nothing; `stream` is that of the conditioner.
    pub fn new(maker: &Arc<dyn MarkerMaker>, keys: Arc<[u64]>, stream: &mut Stream) -> Self {
        let (calls, _) = Calls::of(&**maker);
        let marker = calls.call(Method::Start, || maker.make(stream));
        OwnMarker { marker, calls, keys }
    }

    /// The colour of a packet of which so many bytes count, and whose code point stands for the colour `arriving`.
    pub fn colour(
        &mut self,
        now: Time,
        (packet, flow): (&Packet, FlowId),
        bytes: u16,
        arriving: Colour,
        stream: &mut Stream,
    ) -> Colour {
        let key = self.keys[flow.flow() as usize];
        let seen = MeteredPacket {
            now,
            size: packet.size,
            metered: bytes,
            flow: if packet.is_ack() { !key } else { key },
            dscp: packet.dscp(),
            arriving,
            ecn_capable: packet.ecn & ecn::CAPABLE != 0,
            is_ack: packet.is_ack(),
        };
        let marker = &mut self.marker;
        self.calls.call_at(Method::Colour, now, || marker.colour(&seen, stream))
    }
}
