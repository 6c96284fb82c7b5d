//! Quick ACKs of Linux: which packets a receiver acknowledges one by one. It does so for the first sixteen, for as long as
//! the window that it advertises still grows, and after a silence or a packet that has come twice (`tcp_input.c`, to whose
//! functions comments refer). The window follows a buffer that grows with the data of a round trip. It is never what limits
//! the sender here.

use crate::units::Time;

/// `TCP_MAX_QUICKACKS`.
const MOST_QUICK: u32 = 16;
/// Quick ACKs after a mark (`tcp_ecn_check_ce`).
const QUICK_AFTER_MARK: u32 = 2;
/// Memory that a full packet of 1500 bytes takes: a buffer of 2048 bytes, and what describes it.
const PACKET_MEMORY: u64 = 2304;
/// Memory beyond the payload, for packets that are larger.
const MEMORY_AROUND: u64 = 856;
/// `TCP_INIT_CWND`.
const INITIAL_WINDOW: u64 = 10;
/// `TCP_RMEM_TO_WIN_SCALE`: shares of memory are counted in 1/256.
const SHARES: u64 = 256;
/// The share of a buffer that is advertised before a packet has come.
const FIRST_SHARE: u64 = SHARES / 2;
/// The greatest window without scaling.
const FIRST_WINDOW: u64 = 65_535;
/// Below this round trip, in seconds, buffers grow less (`tcp_rcvbuf_low_rtt`).
const LOW_RTT_S: f64 = 1e-3;
/// `TCP_RTO_MIN`, which the receiver's own timeout adds to the round trip at least.
const LEAST_MARGIN: Time = Time::from_ps(200_000_000_000);

/// Size of the receive buffer, as Linux sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRules {
    /// Bytes of the buffer when the connection begins, and at most (`tcp_rmem`).
    pub first: u64,
    pub most: u64,
    /// True if sixteen packets more have room, and those beyond a gap none of their own, as before 6.16.
    pub cushion: bool,
    /// True if half of the buffer is advertised, as before 6.6, and not the share of payload in a packet's memory; the
    /// window begins with 64 KiB at most.
    pub half: bool,
}

/// State of a receiver's buffer. Windows and buffers are bytes.
#[derive(Clone, Debug)]
pub struct ReceiveBuffer {
    rules: BufferRules,
    payload: u64,
    memory: u64,
    /// Part of the buffer that may be advertised, in 1/256.
    share: u64,
    buffer: u64,
    /// The window now (`rcv_ssthresh`), and the greatest that the buffer allows (`window_clamp`).
    window: u64,
    most_window: u64,
    /// Packets still to be acknowledged at once.
    quick: u32,
    /// Data received in the round trip before, and where and when this one began.
    last_round: u64,
    round_from: u64,
    round_start: Time,
    /// The round trip as packets of data show it, and the part of it that an ACK takes on its way back.
    rtt: Option<Time>,
    way_back: Option<Time>,
    /// Time of the last ACK, and of the last packet of data.
    last_ack: Option<Time>,
    last_data: Option<Time>,
    /// The receiver's own retransmission timeout.
    timeout: Time,
}

impl ReceiveBuffer {
    /// The buffer of a connection whose packets have so much payload.
    pub fn new(rules: BufferRules, payload: u32) -> Self {
        let payload = u64::from(payload.max(1));
        let memory = PACKET_MEMORY.max(payload + MEMORY_AROUND);
        let half = rules.first * FIRST_SHARE / SHARES;
        // `tcp_select_initial_window`: whole packets, and one is kept in reserve.
        let first = (half / payload * payload).min(half.saturating_sub(payload));
        let window = if rules.half { first.min(FIRST_WINDOW) } else { first };
        ReceiveBuffer {
            rules,
            payload,
            memory,
            share: if rules.half { FIRST_SHARE } else { (payload * SHARES / memory).clamp(1, SHARES - 1) },
            buffer: rules.first,
            window,
            most_window: 0,
            quick: 0,
            last_round: window.min(INITIAL_WINDOW * payload).max(1),
            round_from: 0,
            round_start: Time::ZERO,
            rtt: None,
            way_back: None,
            last_ack: None,
            last_data: None,
            timeout: Time::NEVER,
        }
    }

    /// A packet of data arrives that was sent at `stamp` (`tcp_event_data_recv`).
    pub fn on_data(&mut self, stamp: Time, now: Time) {
        let rtt = self.measure(stamp, now);
        match self.last_data {
            None => {
                self.most_window = self.advertised(self.buffer);
                self.round_start = now;
                self.timeout = rtt + (rtt + rtt).max(LEAST_MARGIN);
                self.quicken(MOST_QUICK);
            }
            Some(last) if now.since(last) > self.timeout => self.quicken(MOST_QUICK),
            Some(_) => {}
        }
        self.last_data = Some(now);
        self.grow_window();
    }

    /// A packet has come twice (`tcp_data_queue`).
    pub fn on_repeat(&mut self) {
        self.quicken(MOST_QUICK);
    }

    /// A mark has come.
    pub fn on_mark(&mut self) {
        self.quicken(QUICK_AFTER_MARK);
    }

    /// The application has read all up to this packet, `beyond` packets lie behind a gap (`tcp_rcv_space_adjust`).
    pub fn on_read(&mut self, packets: u32, beyond: u64, now: Time) {
        let Some(rtt) = self.rtt.filter(|&rtt| now.since(self.round_start) >= rtt) else {
            return;
        };
        let received = u64::from(packets) * self.payload;
        let round = received - self.round_from;
        if round > self.last_round {
            self.grow_buffer(round, beyond * self.payload, rtt);
        }
        (self.round_from, self.round_start) = (received, now);
    }

    /// True if the next packet is acknowledged at once.
    pub fn is_quick(&self) -> bool {
        self.quick > 0
    }

    /// An ACK is sent.
    pub fn on_ack(&mut self, now: Time) {
        self.quick = self.quick.saturating_sub(1);
        self.last_ack = Some(now);
    }

    /// `tcp_incr_quickack`.
    fn quicken(&mut self, most: u32) {
        let half = (self.window / (2 * self.payload)).max(2);
        self.quick = self.quick.max((most as u64).min(half) as u32);
    }

    /// The round trip that a packet shows, smoothed where it has grown (`tcp_rcv_rtt_measure_ts`). Linux has it from the
    /// time stamp that the packet echoes; here it is the packet's way and that of ACKs, which is known from packets that
    /// left when no ACK was under way.
    fn measure(&mut self, stamp: Time, now: Time) -> Time {
        let way = now.since(stamp);
        match self.last_ack {
            None => self.way_back = Some(way),
            Some(sent) if stamp >= sent => {
                let back = stamp.since(sent);
                self.way_back = Some(self.way_back.map_or(back, |least| least.min(back)));
            }
            Some(_) => {}
        }
        let sample = way + self.way_back.unwrap_or(way);
        let rtt = match self.rtt {
            Some(rtt) if sample >= rtt => Time::from_ps(rtt.ps() - rtt.ps() / 8 + sample.ps() / 8),
            _ => sample,
        };
        self.rtt = Some(rtt);
        rtt
    }

    /// `tcp_grow_window`: by two packets for each that comes, up to what the buffer has room for beside that packet.
    fn grow_window(&mut self) {
        let room = self.most_window.min(self.advertised(self.buffer.saturating_sub(self.memory)));
        if room > self.window {
            self.window = room.min(self.window + 2 * self.payload);
            self.quick |= 1;
        }
    }

    /// `tcp_rcvbuf_grow`: room for twice of what came in a round trip, and for a rate that goes on growing as it did.
    fn grow_buffer(&mut self, round: u64, beyond: u64, rtt: Time) {
        let before = std::mem::replace(&mut self.last_round, round);
        let mut window = 2 * round + if self.rules.cushion { 16 * self.payload } else { 0 };
        let growth = window as f64 * 2.0 * (round - before) as f64 / before as f64;
        let slow = window as f64 * rtt.secs() / LOW_RTT_S;
        window += if self.rules.cushion || rtt.secs() >= LOW_RTT_S { growth } else { slow } as u64;
        if !self.rules.cushion {
            window += beyond;
        }
        let buffer = (window * SHARES / self.share).min(self.rules.most);
        if buffer > self.buffer {
            self.buffer = buffer;
            self.most_window = self.advertised(buffer);
        }
    }

    fn advertised(&self, buffer: u64) -> u64 {
        buffer * self.share / SHARES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: f64) -> Time {
        Time::from_secs(ms / 1e3)
    }

    /// Numbers of the packets that are acknowledged alone, of a slow start over `rate` packets a millisecond and a round
    /// trip of `rtt` ms, whose window doubles until it is `most`.
    fn single(first: u64, rate: f64, rtt: f64, most: u32, count: u32) -> Vec<u32> {
        let rules = BufferRules { first, most: 33_554_432, cushion: false, half: false };
        let mut buffer = ReceiveBuffer::new(rules, 1448);
        buffer.on_ack(ms(0.0));
        let mut free = 0.0f64;
        let mut arrivals: Vec<f64> = Vec::new();
        let (mut singles, mut waits) = (Vec::new(), 0);
        for packet in 1..=count {
            let asked = match packet {
                1..=10 => 0,
                _ if packet - 10 <= most - 10 => (packet - 9) / 2,
                _ => packet - most,
            };
            let sent = asked.checked_sub(1).map_or(0.0, |at| arrivals[at as usize]) + rtt;
            free = free.max(sent) + 1.0 / rate;
            arrivals.push(free);
            buffer.on_data(ms(sent), ms(free));
            waits += 1;
            if buffer.is_quick() || waits == 2 {
                if waits == 1 {
                    singles.push(packet);
                }
                waits = 0;
                buffer.on_ack(ms(free));
            }
            buffer.on_read(packet, 0, ms(free));
        }
        singles
    }

    /// Linux 7.3 acknowledges 22 packets of the first 28 alone, and 39 of the next 44. How many these are depends on which
    /// packet ends the second round trip: here 25.
    #[test]
    fn the_default_buffer_acknowledges_22_packets_alone_and_more_when_it_has_grown() {
        let singles = single(131_072, 1e4 / 12_112.0, 20.0, 30, 150);
        assert_eq!(singles.iter().position(|&packet| packet > 28), Some(22));
        assert!((42..=68).contains(&singles.len()), "{singles:?}");
    }

    /// Linux, with 16 MB from the beginning on: 740 packets.
    #[test]
    fn a_large_buffer_grows_for_740_packets() {
        let singles = single(16_777_216, 2e4 / 12_112.0, 40.0, 100, 900);
        assert!((735..=745).contains(&singles.len()), "{}", singles.len());
    }

    #[test]
    fn a_silence_and_a_repeated_packet_ask_for_sixteen_quick_acks() {
        let rules = BufferRules { first: 131_072, most: 131_072, cushion: false, half: false };
        let mut buffer = ReceiveBuffer::new(rules, 1448);
        buffer.on_ack(ms(0.0));
        let mut quick = |at: f64| {
            let mut count = 0;
            for packet in 0..40 {
                buffer.on_data(ms(at + 0.1 * f64::from(packet)), ms(at + 10.0 + 0.1 * f64::from(packet)));
                count += u32::from(buffer.is_quick());
                buffer.on_ack(ms(at));
            }
            count
        };
        assert_eq!(quick(10.0), 22);
        assert_eq!(quick(230.0), 0);
        assert_eq!(quick(600.0), 16);
        buffer.on_repeat();
        assert_eq!(buffer.quick, 16);
    }
}
