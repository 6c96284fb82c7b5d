//! Reports of a packet about the other direction's data: new ACKs, SACK blocks, and which retransmissions were needless.

use super::{Found, State};
use crate::direction::{newer, Deferred, SHORTEST_TOLD};
use crate::packet::{flag, Packet, Tcp};
use crate::pending::{named, Pending};
use crate::result::{Half, Method, Sample, Way};
use crate::scoreboard::Segment;
use crate::slim::Maybe;

impl State {
    /// Takes in what a packet says of the other direction's data.
    pub(super) fn on_ack(&mut self, packet: &Packet, tcp: &Tcp, way: Way, found: &mut Found) {
        let data = 1 - way as usize;
        let data_way = if data == 0 { Way::Forward } else { Way::Back };
        let now = packet.time;
        if let Some((_, echo)) = tcp.stamps {
            if let Some(rtt) = self.ways[data].on_echo(now, echo) {
                self.ways[data].summary.stamps.add(rtt);
                found.samples.push(self.sample(packet, data_way, Half::Receiver, Method::Stamps, rtt));
            }
        }
        let Some(ack) = self.ways[data].place(tcp.ack) else {
            self.ways[data].expected = Some(tcp.ack);
            return;
        };
        let acked = self.ways[data].acked.get();
        let pure = packet.payload == 0 && tcp.flags & (flag::SYN | flag::FIN) == 0;
        let same_window = self.ways[way as usize].window == Some(tcp.window);
        let outstanding = self.ways[data].high.get().is_some_and(|high| high > ack);
        let news = self.on_sack(packet, tcp, data, ack, found);
        if acked.is_none_or(|acked| ack > acked) {
            self.on_new_ack(packet, tcp, data, ack, found);
        } else if acked == Some(ack) && pure && outstanding && (same_window || news) {
            self.ways[data].sender.on_duplicate(now);
            if same_window {
                self.ways[way as usize].count().duplicate_acks += 1;
            }
        } else if news {
            self.ways[data].sender.on_duplicate(now);
        }
    }

    fn sample(&self, packet: &Packet, way: Way, half: Half, method: Method, rtt: i64) -> Sample {
        let (time, frame, connection) = (packet.time, packet.frame, self.number);
        Sample { time, frame, connection, way, half, method, rtt, acked: 0, until: 0, flight: 0 }
    }

    /// Takes in SACK blocks. True if they say something new.
    fn on_sack(&mut self, packet: &Packet, tcp: &Tcp, data: usize, ack: u64, found: &mut Found) -> bool {
        if tcp.blocks == 0 {
            return false;
        }
        let mut blocks = [(0, 0); 4];
        let count = usize::from(tcp.blocks).min(4);
        for (to, (from, until)) in blocks.iter_mut().zip(&tcp.sack[..count]) {
            let (Some(from), Some(until)) = (self.ways[data].place(*from), self.ways[data].place(*until))
            else {
                return false;
            };
            if until <= from {
                return false; // No receiver sends such a block.
            }
            *to = (from, until);
        }
        let blocks = &blocks[..count];
        let (from, until) = blocks[0];
        let duplicate =
            until <= ack || blocks.get(1).is_some_and(|second| second.0 <= from && until <= second.1);
        self.ways[1 - data].count().sack_acks += 1;
        if duplicate {
            self.ways[1 - data].count().dsacks += 1;
            self.on_duplicate_block(packet.time, data, from, until, found);
        }
        let mut news = false;
        for (from, until) in &blocks[usize::from(duplicate)..] {
            news |= self.ways[data].on_block(packet.time, (*from, *until), ack, &mut found.events);
        }
        news
    }

    /// A duplicate SACK names bytes that have come twice: the last copy of each that can have arrived was needless, if all of
    /// its bytes are named.
    fn on_duplicate_block(&mut self, now: i64, data: usize, from: u64, until: u64, found: &mut Found) {
        let least = self.ways[data].least.get().unwrap_or(0);
        if let Some(troubles) = &mut self.ways[data].troubles {
            for each in named(&mut troubles.pending, now, least, (from, until)) {
                each.decided = true;
                // The bytes that are not named were missing.
                let all = each.report(from, until);
                found.events.judge(each.event, Some(all));
            }
        }
        self.on_original(data, from, until, found);
    }

    /// Both copies of some bytes have arrived: the answer in doubt was that to the original.
    fn on_original(&mut self, data: usize, from: u64, until: u64, found: &mut Found) {
        let direction = &mut self.ways[data];
        let Some(troubles) = &mut direction.troubles else { return };
        let in_doubt = troubles.deferred.iter().position(|each| from <= each.start && each.end <= until);
        let Some(at) = in_doubt else { return };
        let sample = troubles.deferred.remove(at).sample;
        let rtt = sample.rtt;
        direction.on_rtt(rtt);
        direction.summary.seq.add(rtt);
        direction.count().acks_without_sample -= 1;
        found.samples.push(sample);
    }

    fn on_new_ack(&mut self, packet: &Packet, tcp: &Tcp, data: usize, ack: u64, found: &mut Found) {
        let now = packet.time;
        let echo = tcp.stamps.map(|stamps| stamps.1).filter(|echo| *echo != 0);
        self.ways[data].on_probe_taken(ack);
        let verdict = self.decide(now, echo, data, ack, found);
        let direction = &mut self.ways[data];
        let acked = direction.acked.get();
        let mut newly = Newly { base: direction.base.get().unwrap_or(0), ..Newly::default() };
        direction.board.acknowledge(ack, |segment| newly.take(segment, ack));
        direction.board.renege(ack, tcp.options_cut || tcp.blocks > 0);
        let duplicates = direction.sender.duplicates;
        let flight = direction.high.get().unwrap_or(ack).saturating_sub(acked.unwrap_or(ack));
        let holes_above = direction.board.any_sacked(ack);
        direction.sender.on_ack(now, ack, verdict == Some(true));
        direction.count_acked(ack, newly.above, newly.below);
        let Some(last) = newly.last else { return };
        if last.syn() {
            self.on_handshake(packet, data, echo, found);
            return;
        }
        let sack_seen = self.ways.iter().all(|way| way.sack_permitted) && !tcp.options_cut;
        let waited = last.sacked() || holes_above || (duplicates > 0 && !sack_seen);
        // The ACK answers what passes later, or not at all.
        let early = last.end() < ack;
        let passed = newly.passed(&last, echo, verdict, now, self.ways[data].least.get().unwrap_or(0));
        let way = if data == 0 { Way::Forward } else { Way::Back };
        let rtt = now - passed.unwrap_or(last.first);
        let sample = Sample {
            acked: acked.map_or(newly.above, |acked| ack - acked) as u32,
            until: self.relative(tcp.ack, way),
            flight: flight as u32,
            ..self.sample(packet, way, Half::Receiver, Method::Seq, rtt)
        };
        match passed {
            Some(_) if !waited && !early => {
                self.ways[data].on_rtt(rtt);
                self.ways[data].summary.seq.add(rtt);
                found.samples.push(sample);
            }
            None if !waited && !early => {
                if let Some((start, end)) = newly.doubt {
                    self.ways[data].defer(Deferred { start, end, sample });
                }
                self.ways[data].count().acks_without_sample += 1;
            }
            _ => self.ways[data].count().acks_without_sample += 1,
        }
    }

    /// Decides of retransmissions that an ACK covers whether they were needless (Eifel, and the least round trip). Tells
    /// the verdict on that of the lowest byte.
    fn decide(
        &mut self,
        now: i64,
        echo: Option<u32>,
        data: usize,
        ack: u64,
        found: &mut Found,
    ) -> Option<bool> {
        let sack = self.ways.iter().all(|way| way.sack_permitted);
        let direction = &mut self.ways[data];
        let troubles = direction.troubles.as_mut().filter(|troubles| !troubles.pending.is_empty())?;
        let least = direction.least.get().unwrap_or(0);
        let known = direction.acked.get();
        let acked = known.unwrap_or(0);
        let mut verdict = None;
        let is_head = |each: &Pending| known.is_none() || (each.start <= acked && acked < each.end);
        // The last copy of the lowest byte that can have arrived. If it was needed, the ACK answers it.
        let answered =
            troubles.pending.iter().rev().find(|each| is_head(each) && now - each.time >= least * 8 / 10);
        let answered = answered.map(|each| (each.time, each.stamp));
        let needed = answered.filter(|(_, stamp)| match (echo, stamp) {
            (Some(echo), Some(stamp)) => !newer(*stamp, echo),
            _ => true,
        });
        for each in troubles.pending.iter_mut().filter(|each| !each.decided && each.start < ack) {
            let head = is_head(each);
            let soon = least > SHORTEST_TOLD && now - each.time < least * 8 / 10;
            let needless = match (echo, each.stamp) {
                (Some(echo), Some(stamp)) if head => newer(stamp, echo),
                // Without SACK: what was sent after the segment that is answered, and is covered, had arrived before.
                _ if !sack && !head && needed.is_some_and(|(time, _)| each.time > time) => true,
                _ => soon,
            };
            if head {
                verdict = Some(needless);
            }
            // The rest of a segment that is covered in part may have been missing.
            if needless && each.end > ack {
                continue;
            }
            each.decided = true;
            let known = least > 0 || (head && echo.is_some());
            found.events.judge(each.event, known.then_some(needless));
        }
        verdict
    }

    /// The SYN of a direction is acknowledged.
    fn on_handshake(&mut self, packet: &Packet, data: usize, echo: Option<u32>, found: &mut Found) {
        let mut syns = self.ways[data].syns();
        let sent = match (syns.next(), syns.next(), echo) {
            (Some((time, _)), None, _) => Some(time),
            (_, _, Some(echo)) => {
                self.ways[data].syns().rev().find(|each| each.1 == Some(echo)).map(|each| each.0)
            }
            _ => None,
        };
        drop(syns);
        let Some(sent) = sent else { return };
        let rtt = packet.time - sent;
        self.ways[data].on_rtt(rtt);
        // Handshakes are short, the data may not be: they begin the mean but not the samples of data.
        self.handshake[data] = Maybe::<i64>::new(rtt);
        let half = if data == 0 { Half::Receiver } else { Half::Sender };
        found.samples.push(self.sample(packet, Way::Forward, half, Method::Handshake, rtt));
    }
}

/// Range that an ACK covers for the first time.
#[derive(Default)]
struct Newly {
    /// Where the first packet of the direction stood.
    base: u64,
    /// Bytes from there on that passed.
    above: u64,
    /// Bytes below it that passed.
    below: u64,
    last: Option<Segment>,
    /// Latest retransmission.
    doubt: Option<(u64, u64)>,
    /// When the last of what was sent again, or filled a hole, passed, other than the last segment.
    refilled: Option<i64>,
}

impl Newly {
    fn take(&mut self, segment: &Segment, to: u64) {
        let end = segment.end().min(to);
        let bytes = end - segment.start;
        let above = end.saturating_sub(segment.start.max(self.base)).min(bytes);
        self.above += above;
        self.below += bytes - above;
        if segment.repeated() {
            self.doubt = Some((segment.start, segment.end()));
        }
        if let Some(last) = self.last {
            if last.repeated() || last.filled() {
                self.refilled = Some(self.refilled.map_or(last.last, |time| time.max(last.last)));
            }
        }
        self.last = Some(*segment);
    }

    /// When the transmission passed that the ACK answers; `None` if that cannot be told.
    fn passed(
        &self,
        last: &Segment,
        echo: Option<u32>,
        needless: Option<bool>,
        now: i64,
        least: i64,
    ) -> Option<i64> {
        if let Some(refilled) = self.refilled {
            if last.first < refilled && needless != Some(true) {
                return None;
            }
        }
        if !last.repeated() {
            return Some(last.first);
        }
        match (echo, last.first_stamp(), last.last_stamp()) {
            (Some(echo), Some(first), Some(again)) if first != again => {
                if newer(again, echo) {
                    Some(last.first)
                } else {
                    Some(last.last)
                }
            }
            _ if now - last.last < least * 8 / 10 => Some(last.first),
            _ => None,
        }
    }
}
