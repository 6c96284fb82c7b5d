//! Outcome of an ACK, as recovery sees it.

use crate::control::AckKind;

/// Outcome of an ACK for a sender, after recovery has dealt with it.
#[derive(Clone, Copy, Debug)]
pub struct AckOutcome {
    /// Kind of the ACK.
    pub kind: AckKind,
    /// Packets that it acknowledges for the first time.
    pub packets: i64,
    /// Those of them that no ACK has reported beyond a gap before.
    pub fresh: i64,
    /// True if cwnd was used up.
    pub window_limited: bool,
    /// True if it belongs to a recovery, or ends one, so that the window stays as recovery has set it.
    pub repaired: bool,
}

impl AckOutcome {
    /// An ACK of nothing new.
    pub fn nothing(kind: AckKind) -> Self {
        AckOutcome { kind, packets: 0, fresh: 0, window_limited: false, repaired: false }
    }

    /// Returns whether the ACK acknowledges new data outside recovery.
    pub fn is_new_data(&self) -> bool {
        self.kind == AckKind::New && !self.repaired
    }
}
