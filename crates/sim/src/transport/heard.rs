//! What recovery makes of an ACK.

use crate::control::AckKind;

/// What an ACK is to a sender, when recovery has dealt with it.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// What it is.
    pub kind: AckKind,
    /// Packets that it acknowledges for the first time.
    pub packets: i64,
    /// Those of them that no ACK has reported beyond a gap before.
    pub fresh: i64,
    /// Whether cwnd was used up.
    pub window_limited: bool,
    /// Whether it belongs to a recovery, or ends one, so that the window stays as recovery has set it.
    pub repaired: bool,
}

impl Heard {
    /// An ACK of nothing new.
    pub fn nothing(kind: AckKind) -> Self {
        Heard { kind, packets: 0, fresh: 0, window_limited: false, repaired: false }
    }

    /// Whether it acknowledges new data while nothing is repaired.
    pub fn goes_on(&self) -> bool {
        self.kind == AckKind::New && !self.repaired
    }
}
