//! ACKs that answer a SYN are SYNs themselves. Packets do not say so, to stay small, but it follows from what
//! has passed before.

use super::headers::TcpFacts;
use super::notes::Note;
use crate::units::Time;

/// State of a connection's handshake.
#[derive(Clone, Copy, Debug, Default)]
pub struct Handshake {
    /// Sending time of the newest SYN that has passed.
    newest_syn: Option<Time>,
    /// Time at which the first answer passed.
    first_answer: Option<Time>,
}

impl Handshake {
    /// Takes in the next packet of the connection that passes: whether it answers a SYN.
    ///
    /// The first ACK does, since no data is sent before it. Later ones that expect the first packet of data answer a
    /// SYN that was sent again, or data behind that packet. The latter ones report blocks if the flow has SACK, and
    /// answer something that was sent when the first answer had passed, and after all SYNs.
    pub fn answered_by(&mut self, note: &Note, tcp: &TcpFacts) -> bool {
        if !tcp.handshake {
            return false;
        }
        if !note.ack {
            if note.seq == 0 {
                self.newest_syn = Some(note.stamp);
            }
            return false;
        }
        if note.seq != 1 {
            return false;
        }
        let first = *self.first_answer.get_or_insert(note.at);
        let is_first = first == note.at;
        let of_a_syn = note.stamp < first || self.newest_syn.is_some_and(|sent| note.stamp <= sent);
        is_first || if tcp.sack { note.blocks == 0 } else { of_a_syn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Packet;
    use crate::record::capture::notes::Fate;
    use crate::record::Carried;
    use crate::transport::SackBlocks;

    fn facts(sack: bool) -> TcpFacts {
        TcpFacts { handshake: true, sack, ecn: false, timestamps: false, window_bytes: 9000 }
    }

    /// A packet that was there `at` and was sent, or answers what was sent, at `stamp`, both in ms.
    fn note(ack: bool, seq: u32, at: u64, stamp: u64) -> Note {
        let time = |ms: u64| Time::from_ps(ms * 1_000_000_000);
        let packet = match ack {
            true => Packet::ack(seq, 40, 0, Time::ZERO, Time::ZERO),
            false => Packet::data(seq, 40, 0, Time::ZERO),
        };
        let carried = Carried { stamp: time(stamp), connection: 0, blocks: SackBlocks::EMPTY, content: None };
        Note::of(&packet, 0, (time(at), Fate::Passed { marked: false }, false), &carried)
    }

    fn answers(sack: bool, notes: &[Note]) -> Vec<bool> {
        let mut handshake = Handshake::default();
        notes.iter().map(|note| handshake.answered_by(note, &facts(sack))).collect()
    }

    #[test]
    fn a_syn_that_is_sent_again_is_answered_again() {
        // The first answer is lost behind the capture; the data that follows the second one loses its first packet.
        let notes = [
            note(false, 0, 1, 0),
            note(true, 1, 20, 0),
            note(false, 0, 1001, 1000),
            note(true, 1, 1020, 1000),
            note(false, 2, 1041, 1040),
            note(true, 1, 1060, 1040),
            note(true, 3, 1200, 1180),
        ];
        assert_eq!(answers(false, &notes), [false, true, false, true, false, false, false]);
    }

    #[test]
    fn blocks_tell_answers_to_data_from_others_where_only_acks_pass() {
        let of_data = Note { blocks: 1, ..note(true, 1, 1060, 1040) };
        let notes = [note(true, 1, 20, 0), note(true, 1, 1020, 1000), of_data];
        assert_eq!(answers(true, &notes), [true, true, false]);
    }

    #[test]
    fn what_was_sent_before_the_first_answer_passed_is_a_syn() {
        // The way is longer than the first timeout.
        let notes = [note(true, 1, 1500, 0), note(true, 1, 2500, 1000), note(true, 1, 4600, 3000)];
        assert_eq!(answers(false, &notes), [true, true, false]);
    }

    #[test]
    fn without_a_handshake_nothing_answers_one() {
        let none = TcpFacts { handshake: false, ..facts(true) };
        assert!(!Handshake::default().answered_by(&note(true, 1, 20, 0), &none));
    }
}
