//! Last sending time and state of each packet, by which RACK (RFC 8985) finds losses.

use std::collections::VecDeque;

use super::{Ack, Intervals};
use crate::room::Room;
use crate::units::Time;

/// State of a packet sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    /// Reported beyond a gap.
    Reported,
    /// Lost, and not sent again yet.
    Lost,
}

/// A packet that has not been acknowledged cumulatively (section 5.2).
#[derive(Clone, Copy, Debug)]
struct PacketRecord {
    at: Time,
    /// The number of its last transmission, by which those at one instant can be told apart.
    transmission: u32,
    state: State,
    again: bool,
}

/// Half of the time for which a least round trip counts: five minutes, as in Linux (tcp_min_rtt_wlen).
const HALF_WINDOW: Time = Time::from_ps(150_000_000_000_000);

/// The least round trip of the last two and a half to five minutes (section 6.2, step 1), by halves of that time.
#[derive(Clone, Copy, Debug)]
struct LeastRtt {
    before: Time,
    now: Time,
    since: Time,
}

impl Default for LeastRtt {
    fn default() -> Self {
        LeastRtt { before: Time::NEVER, now: Time::NEVER, since: Time::ZERO }
    }
}

impl LeastRtt {
    // [RFC 8985 6.2-a]
    fn add(&mut self, rtt: Time, now: Time) {
        if now.since(self.since) >= HALF_WINDOW {
            *self = LeastRtt { before: self.now, now: Time::NEVER, since: now };
        }
        self.now = self.now.min(rtt);
    }

    fn value(&self) -> Time {
        self.before.min(self.now)
    }
}

// [RFC 8985 4-b] [RFC 8985 4-c]
/// Packets in flight, and what their ACKs have taught of the path (section 5.3).
#[derive(Clone, Debug)]
pub struct SentPackets {
    packets: VecDeque<PacketRecord>,
    /// The number of the first of them.
    first: i64,
    /// Transmissions in the order in which they were made, with the numbers of their packets. Some may have been
    /// answered, or be of packets that have been sent again.
    order: VecDeque<(u32, i64)>,
    /// The number of the next transmission.
    next: u32,
    /// Numbers of those in the state [`State::Reported`].
    beyond: Intervals,
    reported: i64,
    lost: i64,
    /// None below this is lost.
    lost_from: i64,
    /// Transmissions below this were made before one that is known to have arrived: RACK.xmit_ts and
    /// RACK.end_seq.
    latest: u32,
    /// RACK.rtt: how long the answer to that took.
    rtt: Time,
    /// RACK.min_RTT.
    min_rtt: LeastRtt,
    /// RACK.fack: the highest packet known to have arrived.
    highest: i64,
    /// RACK.reordering_seen.
    reordering_seen: bool,
    /// RACK.reo_wnd_mult.
    quarters: u64,
    /// Sending time of the first packet that the last ACK reported for the first time, of those that were sent once.
    sample: Option<Time>,
    /// Time of such a packet, whatever else the ACK acknowledges.
    original: Option<Time>,
    /// The latest transmission of a packet sent again that was lost and has not been told of yet.
    lost_repair: Option<u32>,
}

impl Default for SentPackets {
    fn default() -> Self {
        SentPackets {
            packets: VecDeque::new(),
            first: 0,
            order: VecDeque::new(),
            beyond: Intervals::default(),
            reported: 0,
            lost: 0,
            lost_from: 0,
            next: 0,
            latest: 0,
            rtt: Time::ZERO,
            min_rtt: LeastRtt::default(),
            highest: -1,
            reordering_seen: false,
            quarters: 1,
            sample: None,
            original: None,
            lost_repair: None,
        }
    }
}

impl SentPackets {
    /// The lowest packet that has not been acknowledged cumulatively.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// Packets that have not been acknowledged cumulatively.
    pub fn outstanding(&self) -> i64 {
        self.packets.len() as i64
    }

    /// Those of them that are neither reported nor lost.
    pub fn in_flight(&self) -> i64 {
        self.outstanding() - self.reported - self.lost
    }

    /// RACK.segs_sacked: packets reported beyond a gap.
    pub fn reported(&self) -> i64 {
        self.reported
    }

    /// Lost packets that have not been sent again.
    pub fn lost(&self) -> i64 {
        self.lost
    }

    /// Number of packets up to `high` that have been reported beyond a gap.
    pub fn reported_up_to(&self, high: i64) -> i64 {
        if self.reported == 0 {
            return 0;
        }
        self.beyond.count_within(self.first, high + 1)
    }

    /// Returns whether a packet that was sent again has not been answered yet.
    pub fn repair_is_open(&self) -> bool {
        self.packets.iter().any(|sent| sent.again && sent.state != State::Reported)
    }

    /// Number of packets in flight beyond `high` that were sent again.
    pub fn repairs_beyond(&self, high: i64) -> i64 {
        let from = (high + 1 - self.first).clamp(0, self.outstanding()) as usize;
        let repairs = self.packets.range(from..).filter(|sent| sent.again && sent.state == State::InFlight);
        repairs.count() as i64
    }

    /// Begin of an RTT sample: when the first of those packets was sent that the last ACK reported for the first time, and
    /// that were sent once. If it acknowledges one that was sent again, only those beyond a gap tell (Linux's tcp_clean_rtx_queue()).
    pub fn sample(&self) -> Option<Time> {
        self.sample
    }

    /// Sending time of the first packet that the last ACK reported for the first time, of those that were sent once.
    pub fn original(&self) -> Option<Time> {
        self.original
    }

    /// A packet has been overtaken.
    pub fn see_reordering(&mut self) {
        self.reordering_seen = true;
    }

    /// Last sending time of the first packet.
    pub fn first_sent(&self) -> Option<Time> {
        self.packets.front().map(|sent| sent.at)
    }

    /// The number of the next transmission.
    pub fn next_transmission(&self) -> u32 {
        self.next
    }

    /// Returns whether packets that had been sent again, not earlier than transmission `since`, have been
    /// lost since the last call.
    pub fn take_lost_repair(&mut self, since: u32) -> bool {
        self.lost_repair.take().is_some_and(|transmission| transmission >= since)
    }

    /// Lets reordering take a quarter of the least round trip more.
    pub fn widen(&mut self) {
        self.quarters += 1;
    }

    /// Lets reordering take no more than a quarter of the least round trip again.
    pub fn narrow(&mut self) {
        self.quarters = 1;
    }

    /// Takes what counted as lost for late: it is in flight as it was before.
    pub fn forget_losses(&mut self) {
        self.lost = 0;
        self.lost_repair = None;
        for sent in self.packets.iter_mut().filter(|sent| sent.state == State::Lost) {
            sent.state = State::InFlight;
        }
        // Some of them no longer stand in the order.
        let packets = self.packets.iter().zip(self.first..);
        let in_flight = packets.filter(|(sent, _)| sent.state == State::InFlight);
        let mut order: Vec<(u32, i64)> = in_flight.map(|(sent, seq)| (sent.transmission, seq)).collect();
        order.sort_unstable();
        self.order = order.into();
    }

    /// The lowest lost packet that has not been sent again.
    pub fn first_lost(&mut self) -> Option<i64> {
        if self.lost == 0 {
            return None;
        }
        let from = (self.lost_from - self.first).max(0) as usize;
        let found = self.packets.range(from..).position(|sent| sent.state == State::Lost)?;
        self.lost_from = self.first + (from + found) as i64;
        Some(self.lost_from)
    }

    /// Packet `seq` is sent, for the first time or again.
    pub fn on_send(&mut self, seq: i64, now: Time) {
        let sent = PacketRecord { at: now, transmission: self.next, state: State::InFlight, again: false };
        match self.packets.get_mut((seq - self.first).max(0) as usize) {
            Some(old) => {
                self.lost -= i64::from(old.state == State::Lost);
                debug_assert_ne!(old.state, State::Reported, "what has arrived is not sent again");
                *old = PacketRecord { again: true, ..sent };
            }
            None => self.packets.add(sent, "packets that a sender keeps"),
        }
        self.order.add((self.next, seq), "packets that a sender keeps");
        self.next += 1;
    }

    /// Section 6.2, steps 1 to 3. Returns how many packets an ACK reports for the first time.
    pub fn on_ack(&mut self, ack: &Ack, now: Time) -> i64 {
        let (mut delivered, highest, mut repaired) = (0, self.highest, false);
        (self.sample, self.original) = (None, None);
        while self.first <= ack.high {
            let Some(sent) = self.packets.pop_front() else {
                break;
            };
            let seq = self.first;
            self.first += 1;
            repaired |= sent.again;
            if sent.state == State::Reported {
                self.reported -= 1;
            } else {
                delivered += 1;
                self.arrives(seq, sent, highest, ack.echo, now);
            }
        }
        if repaired {
            self.sample = None;
        }
        self.beyond.remove_below(self.first);
        for (low, high) in ack.blocks.iter() {
            delivered += self.record_block(i64::from(low), i64::from(high), highest, ack.echo, now);
        }
        delivered
    }

    /// Takes in a block. Returns how many packets of it have not been reported before.
    fn record_block(&mut self, low: i64, high: i64, highest: i64, echo: Time, now: Time) -> i64 {
        let mut delivered = 0;
        let mut seq = self.beyond.next_missing(low.max(self.first));
        while seq < high {
            if let Some(sent) = self.packets.get_mut((seq - self.first) as usize) {
                let found = *sent;
                sent.state = State::Reported;
                self.reported += 1;
                delivered += 1;
                self.arrives(seq, found, highest, echo, now);
            }
            self.beyond.insert(seq, seq + 1);
            seq = self.beyond.next_missing(seq + 1);
        }
        delivered
    }

    /// An ACK reports packet `seq` that was sent like this; up to then the highest was `highest`.
    fn arrives(&mut self, seq: i64, sent: PacketRecord, highest: i64, echo: Time, now: Time) {
        self.lost -= i64::from(sent.state == State::Lost);
        if seq < highest && !sent.again {
            self.reordering_seen = true;
        }
        self.highest = self.highest.max(seq);
        if !sent.again {
            self.sample = Some(self.sample.map_or(sent.at, |first| first.min(sent.at)));
            self.original = Some(self.original.map_or(sent.at, |first| first.min(sent.at)));
        }
        let rtt = now.since(sent.at);
        // An answer to the first transmission of a packet that has been sent again says nothing of the second.
        if sent.again && (echo < sent.at || rtt < self.min_rtt.value()) {
            return;
        }
        self.min_rtt.add(rtt, now);
        if sent.transmission >= self.latest {
            self.latest = sent.transmission;
            self.rtt = rtt;
        }
    }

    /// Section 6.2, steps 4 and 5: `lose` is told of each packet that is lost now. Returns when to look again, or
    /// [`Time::NEVER`]. Unless reordering has been seen, losses that are `sure` are not waited for.
    pub fn detect(&mut self, now: Time, srtt: Option<f64>, sure: bool, lose: impl FnMut(i64)) -> Time {
        let window = if sure && !self.reordering_seen { Time::ZERO } else { self.reordering_window(srtt) };
        self.lose_sent_until(now, window, self.latest, lose);
        let before = self.order.iter().take_while(|(transmission, _)| *transmission < self.latest);
        let last = before.filter_map(|&transmission| self.in_flight_since(transmission)).last();
        last.map_or(Time::NEVER, |at| at + self.rtt + window)
    }

    /// Section 6.3: the timer has expired.
    pub fn time_out(&mut self, now: Time, srtt: Option<f64>, mut lose: impl FnMut(i64)) {
        let window = self.reordering_window(srtt);
        self.lose(self.first, &mut lose);
        self.lose_sent_until(now, window, u32::MAX, lose);
        self.lost_repair = None;
    }

    /// Loses what was sent by transmissions below `before`, at least a round trip and `window` ago.
    fn lose_sent_until(&mut self, now: Time, window: Time, before: u32, mut lose: impl FnMut(i64)) {
        while let Some(&transmission) = self.order.front() {
            if let Some(at) = self.in_flight_since(transmission) {
                if transmission.0 >= before || at + self.rtt + window > now {
                    return;
                }
                self.lose(transmission.1, &mut lose);
            }
            self.order.pop_front();
        }
    }

    fn lose(&mut self, seq: i64, lose: &mut impl FnMut(i64)) {
        let sent = self.packets.get_mut((seq - self.first) as usize);
        if let Some(sent) = sent.filter(|sent| sent.state == State::InFlight) {
            sent.state = State::Lost;
            if sent.again {
                self.lost_repair =
                    Some(self.lost_repair.map_or(sent.transmission, |last| last.max(sent.transmission)));
            }
            self.lost += 1;
            self.lost_from = self.lost_from.min(seq);
            lose(seq);
        }
    }

    /// Time of a transmission, if it is the last of its packet and neither answered nor lost.
    fn in_flight_since(&self, (transmission, seq): (u32, i64)) -> Option<Time> {
        let sent = self.packets.get(usize::try_from(seq - self.first).ok()?)?;
        (sent.transmission == transmission && sent.state == State::InFlight).then_some(sent.at)
    }

    /// A quarter of the least round trip, or several, and at most the smoothed one (section 6.2, step 4).
    fn reordering_window(&self, srtt: Option<f64>) -> Time {
        if self.min_rtt.value() == Time::NEVER {
            return Time::ZERO;
        }
        // [RFC 8985 3.3.2-b] [RFC 8985 3.3.2-d] [RFC 8985 3.3.2-e]
        let window = Time::from_ps(self.min_rtt.value().ps() / 4 * self.quarters);
        window.min(srtt.map_or(window, Time::from_secs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    // [RFC 8985 6.2-a]
    fn the_least_round_trip_is_that_of_five_minutes() {
        let mut least = LeastRtt::default();
        assert_eq!(least.value(), Time::NEVER);
        least.add(Time::from_secs(0.04), Time::from_secs(1.0));
        for second in 2..400 {
            least.add(Time::from_secs(0.1), Time::from_secs(f64::from(second)));
            let expected = if second < 300 { 0.04 } else { 0.1 };
            assert_eq!(least.value(), Time::from_secs(expected), "{second}");
        }
    }
}
