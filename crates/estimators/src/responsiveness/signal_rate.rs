//! The probability with which a port signals just now, from what it did to the last packets of all flows.

/// The estimate goes back this many signals: few enough to follow a queue, enough to be worth something.
const SIGNALS: f64 = 16.0;

/// And no more than this many packets.
const PACKETS: f64 = 1e5;

/// Signals over packets, both fading with each signal.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct SignalRate {
    signals: f64,
    packets: f64,
}

impl SignalRate {
    /// Probability of a signal; 0 before the first packet.
    #[inline]
    pub fn probability(&self) -> f64 {
        if self.packets > 0.0 {
            self.signals / self.packets
        } else {
            0.0
        }
    }

    /// Takes a packet.
    #[inline]
    pub fn packet(&mut self, signalled: bool) {
        if signalled {
            const KEPT: f64 = 1.0 - 1.0 / SIGNALS;
            self.signals = self.signals * KEPT + 1.0;
            self.packets *= KEPT;
        }
        self.packets += 1.0;
        if self.packets > PACKETS {
            self.signals *= PACKETS / self.packets;
            self.packets = PACKETS;
        }
    }
}
