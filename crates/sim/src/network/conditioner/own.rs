//! A marker of the caller's own: it colours the packets of a rule.

use std::sync::Arc;

use parshall_estimators::meter::Colour;

use crate::control::user::Method;
use crate::own::Calls;
use crate::random::Stream;
use crate::scenario::{MarkerMaker, MeteredPacket, UserMarker};

/// See the head of this file.
#[derive(Debug)]
pub(super) struct OwnMarker {
    marker: Box<dyn UserMarker>,
    calls: Calls,
}

impl OwnMarker {
    /// A marker that has seen nothing; `stream` is that of the conditioner.
    pub fn new(maker: &Arc<dyn MarkerMaker>, stream: &mut Stream) -> Self {
        let (calls, _) = Calls::of(&**maker);
        let marker = calls.call(Method::Start, || maker.make(stream));
        OwnMarker { marker, calls }
    }

    /// The colour of a packet.
    pub fn colour(&mut self, packet: &MeteredPacket, stream: &mut Stream) -> Colour {
        let marker = &mut self.marker;
        self.calls.call_at(Method::Colour, packet.now, || marker.colour(packet, stream))
    }
}
