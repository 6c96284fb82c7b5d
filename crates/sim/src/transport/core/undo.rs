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
            let first = self.high_ack + 1;
            self.losses.get_or_insert_default().keep(before, first, now);
        }
    }

    /// An ACK of new data comes. Returns whether it answers a packet that was sent before the retransmission: what was thought lost has
    /// arrived, and its time stamp tells (Eifel, RFC 3522 and 4015; Linux's tcp_packet_delayed()).
    #[inline]
    pub fn answers_original(&self, ack: &Ack) -> bool {
        self.options.eifel && self.high_ack < self.recover && self.sent_before_reduction(ack.echo)
    }

    /// Undoes the last reduction for an ACK that answers what was sent before it.
    pub fn undo_for_original(&mut self) {
        self.undo_by(|losses| losses.take());
    }

    /// So many packets that were sent again before the last reduction are under way.
    pub fn count_repairs(&mut self, under_way: i64) {
        if let Some(losses) = self.losses.as_mut().filter(|_| self.options.dsack) {
            losses.count_repairs(under_way as u32);
        }
    }

    /// An ACK reports that packet `seq` has come twice. Whether all that was sent again has (RFC 3708; Linux's
    /// tcp_try_undo_dsack()). The window is as before then.
    pub fn repeats_all(&mut self, seq: i64) -> bool {
        self.undo_by(|losses| losses.on_repeat(seq))
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
