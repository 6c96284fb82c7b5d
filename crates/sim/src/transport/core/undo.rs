//! Undoing of reductions that prove needless: nothing had been lost, packets or ACKs were only late.

use super::Core;
use crate::control::Window;
use crate::transport::Ack;
use crate::units::Time;

impl Core {
    /// Keeps what a reduction at `now` is about to take, if needless ones are undone: cwnd, and where slow start should end
    /// (Linux's tcp_current_ssthresh()).
    pub(super) fn keep_window(&mut self, now: Time) {
        if self.options.eifel || self.options.dsack || self.options.frto {
            let Window { cwnd, ssthresh } = self.window;
            let before = Window { cwnd, ssthresh: ssthresh.max(0.75 * cwnd) };
            self.losses.get_or_insert_default().keep(before, now);
        }
    }

    /// An ACK of new data comes. Whether it answers a packet that was sent before the retransmission: what was thought lost has
    /// arrived, and its time stamp tells (Eifel, RFC 3522 and 4015; Linux's tcp_packet_delayed()). The window is as before then.
    #[inline]
    pub fn answers_original(&mut self, ack: &Ack) -> bool {
        self.options.eifel
            && self.high_ack < self.recover
            && self.undo_by(|losses| losses.on_original(ack.echo))
    }

    /// An ACK reports a packet that has come twice. Whether all that was sent again has (RFC 3708; Linux's
    /// tcp_try_undo_dsack()). The window is as before then.
    pub fn repeats_all(&mut self) -> bool {
        self.undo_by(|losses| losses.on_repeat())
    }

    pub(super) fn undo_by(&mut self, proof: impl FnOnce(&mut super::Losses) -> Option<Window>) -> bool {
        let Some(before) = self.losses.as_mut().and_then(|losses| proof(losses)) else {
            return false;
        };
        // A control that sets its window on every ACK sees for itself.
        if !self.options.control.rules_recovery() {
            self.window.cwnd = self.window.cwnd.max(before.cwnd);
        }
        self.window.ssthresh = self.window.ssthresh.max(before.ssthresh);
        self.next_seq = self.next_seq.max(self.max_seq + 1);
        self.recover = self.high_ack - 1;
        self.dupacks = 0;
        self.end_backoff();
        true
    }
}
