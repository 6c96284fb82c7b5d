//! A port: the queue in front of one direction of a link, and the link.
//!
//! Most ports are plain: DropTail that counts packets, a constant rate, nothing random. Such a port is one cache
//! line, and nothing else is touched while the packets that wait are of one size. Whatever else a port may have
//! lies behind a pointer. With a hundred thousand flows that is what keeps a packet cheap (docs/performance.md).

use std::cell::Cell;

use parshall_estimators::responsiveness::Dither;

use super::managed::Managed;
use super::recent::Recent;
use super::serving::Serving;
use crate::packet::Packet;
use crate::queue::{DiffServ, Reason, Red};
use crate::units::Time;

/// What a port has seen since the start of counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Packets that arrived, whatever became of them.
    pub packets_arrived: u64,
    /// Their bytes.
    pub bytes_arrived: u64,
    /// Packets that the queue dropped.
    pub packets_dropped: u64,
    /// Their bytes.
    pub bytes_dropped: u64,
    /// Packets that the queue marked.
    pub packets_marked: u64,
    /// Packets that the link lost.
    pub packets_lost: u64,
    /// Their bytes.
    pub bytes_lost: u64,
    /// Most packets held after an arrival.
    pub max_backlog_packets: u64,
    /// Packets whose time from arrival to the end of transmission is known: those that were accepted, or, where the
    /// queue decides at departure, transmitted. [`Port::mean_delay`] makes one of both.
    pub packets_delayed: u64,
    /// Sum over those packets of that time, in picoseconds.
    pub total_delay_ps: u128,
}

/// What a port decided about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is transmitted in this span of time.
    Sent {
        /// Start of transmission.
        start: Time,
        /// End of transmission.
        departure: Time,
        /// Whether the queue marked it.
        marked: bool,
    },
    /// The queue dropped it, or what conditions packets before it.
    Dropped(Reason),
    /// The link lost it.
    Lost,
}

/// What a queue shows to those who look at it while it works.
#[derive(Debug)]
pub enum Probe<'a> {
    /// Nothing but its counters.
    Nothing,
    /// A RED that moves its thresholds.
    TunedRed(&'a mut Red),
    /// Queues for classes.
    DiffServ(&'a DiffServ),
}

/// What ports have in common; ports of one kind share it.
#[derive(Clone, Debug)]
pub struct PortKind {
    /// Of the link, in picoseconds.
    pub ps_per_byte: f64,
    /// What has been calculated from that.
    pub transmissions: Transmissions,
    /// Most packets that a plain port holds.
    pub limit_packets: u32,
    /// When counting starts.
    pub count_from: Time,
    /// Whether [`Port::pass`] is all that the port needs: it is plain, and not watched.
    pub simple: bool,
    /// Whether the port is [`Port::serving`].
    pub serves: bool,
    /// Whether packets meet a conditioner first.
    pub conditions: bool,
    /// Whether something at the far end observes what comes: the conditioner of the other direction, or a capture.
    pub overheard: bool,
}

impl PortKind {
    /// How long a packet of this size is in transmission.
    #[inline]
    pub fn transmission(&self, bytes: u16) -> Time {
        let known = self.transmissions.of(bytes);
        match known.get() {
            (size, time) if size == bytes => time,
            _ => {
                let time = self.calculate_transmission(bytes);
                known.set((bytes, time));
                time
            }
        }
    }

    #[cold]
    fn calculate_transmission(&self, bytes: u16) -> Time {
        // At least one picosecond, so that no two packets leave at one instant.
        Time::from_ps(((f64::from(bytes) * self.ps_per_byte + 0.5) as u64).max(1))
    }
}

/// Transmission times of a few sizes, each known once it has been asked for: the steps from bytes to picoseconds wait
/// for one another, and packets have few sizes (docs/performance.md has what that gives).
#[derive(Clone, Debug)]
pub struct Transmissions([Cell<(u16, Time)>; Transmissions::PLACES]);

impl Transmissions {
    const PLACES: usize = 16;

    /// A factor with which ACKs of 40 bytes, with up to three SACK blocks, and common sizes of data all have places of
    /// their own: the least of twelve.
    const SPREAD: u16 = 3575;

    /// The place of a size, which shares it with others.
    #[inline]
    fn place(bytes: u16) -> usize {
        usize::from(bytes.wrapping_mul(Self::SPREAD)) / (0x1_0000 / Self::PLACES)
    }

    /// What is known of the place of a size.
    #[inline]
    fn of(&self, bytes: u16) -> &Cell<(u16, Time)> {
        &self.0[Self::place(bytes)]
    }
}

impl Default for Transmissions {
    /// Nothing is known: no size is in place of another one.
    fn default() -> Self {
        let elsewhere = |place| if place == Self::place(0) { 40 } else { 0 };
        Transmissions(std::array::from_fn(|place| Cell::new((elsewhere(place), Time::ZERO))))
    }
}

/// One direction of a link with its queue. Service is first in, first out.
///
/// While all packets that wait are of one size, they depart at even distances before `busy_until`, and how many
/// there are follows from that. While they are of several sizes, the newest packet is here, those before it are in
/// [`Recent`], and were put there only if they had not left when the next one came.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Port {
    /// Departure of the newest packet.
    busy_until: Time,
    packets_arrived: u64,
    bytes_arrived: u64,
    /// Sum of delays in picoseconds, the lower 64 bits.
    delay_low: u64,
    rest: Option<Box<Rest>>,
    /// Propagation delay.
    delay: Time,
    /// Index of its [`PortKind`].
    kind: u32,
    /// Most packets held after an arrival; 0 for a port where none has ever waited.
    most_held: u32,
    /// Bytes of the newest packet.
    newest_bytes: u16,
    /// Sum of delays, the bits above the lower 64: good for a hundred thousand years.
    delay_high: u8,
    counting: bool,
    /// Whether packets of different sizes may be waiting.
    mixed: bool,
}

const _: () = assert!(std::mem::size_of::<Port>() == 64);

/// What a port needs once packets of different sizes wait, and where the rest is.
#[derive(Clone, Debug, Default)]
struct Rest {
    recent: Recent,
    /// No packet that departs later is of another size than the newest one.
    mixed_until: Time,
    more: Option<Box<More>>,
}

/// What a port needs once packets are dropped, or if it has more than a plain port.
#[derive(Clone, Debug, Default)]
struct More {
    managed: Option<Box<Managed>>,
    /// Of a port whose queue decides at departure; it then keeps all counts itself.
    serving: Option<Box<Serving>>,
    /// Packets and bytes held when counting started.
    held_at_first: (u64, u64),
    packets_dropped: u64,
    bytes_dropped: u64,
    packets_marked: u64,
    packets_lost: u64,
    bytes_lost: u64,
}

impl Port {
    /// An idle port of kind number `kind` before a link of this delay, plain or with a queue of its own.
    pub fn new(kind: u32, delay: Time, managed: Option<Managed>) -> Self {
        let more =
            managed.map(|managed| Box::new(More { managed: Some(Box::new(managed)), ..More::default() }));
        let rest = more.map(|more| Box::new(Rest { more: Some(more), ..Rest::default() }));
        Port {
            busy_until: Time::ZERO,
            packets_arrived: 0,
            bytes_arrived: 0,
            delay_low: 0,
            rest,
            delay,
            kind,
            most_held: 0,
            newest_bytes: 0,
            delay_high: 0,
            counting: false,
            mixed: false,
        }
    }

    /// The same with a queue that decides at departure.
    pub fn serving(kind: u32, delay: Time, serving: Serving) -> Self {
        let mut port = Port::new(kind, delay, None);
        port.more().serving = Some(Box::new(serving));
        port
    }

    /// What serves at a port whose queue decides at departure.
    #[inline]
    pub fn serving_mut(&mut self) -> Option<&mut Serving> {
        self.rest.as_mut()?.more.as_mut()?.serving.as_deref_mut()
    }

    /// The same, to look at.
    pub fn serving_ref(&self) -> Option<&Serving> {
        self.rest.as_ref()?.more.as_ref()?.serving.as_deref()
    }

    /// Propagation delay of its link.
    #[inline]
    pub fn delay(&self) -> Time {
        self.delay
    }

    /// Index of its kind.
    #[inline]
    pub fn kind(&self) -> usize {
        self.kind as usize
    }

    /// A plain port takes a packet of this size that arrives at `now`: the packet's departure, or none if it is
    /// dropped. Calls must be in order of time.
    #[inline(always)]
    pub fn pass(&mut self, kind: &PortKind, now: Time, bytes: u16) -> Option<Time> {
        let counted = now >= kind.count_from;
        if counted {
            if self.packets_arrived == 0 {
                self.first_counted(kind, now);
            }
            self.packets_arrived += 1;
            self.bytes_arrived += u64::from(bytes);
        }
        let transmission = kind.transmission(bytes);
        let mut start = now;
        if self.busy_until > now {
            if !self.has_room(kind, now, bytes, transmission) {
                self.drop_plain(counted, bytes);
                return None;
            }
            start = self.busy_until;
        }
        let departure = start + transmission;
        self.accept(now, departure, bytes, counted);
        Some(departure)
    }

    /// Whether a plain port that is busy can hold one packet more.
    #[inline]
    fn has_room(&mut self, kind: &PortKind, now: Time, bytes: u16, transmission: Time) -> bool {
        if self.mixed || bytes != self.newest_bytes {
            return self.has_room_for_mixed(kind, now, bytes, transmission);
        }
        self.has_room_for_one_more(kind, now, transmission)
    }

    /// The same, if it is of the size of those held.
    #[inline]
    fn has_room_for_one_more(&mut self, kind: &PortKind, now: Time, transmission: Time) -> bool {
        let held = self.held_of_one_size(now, transmission);
        let room = held < kind.limit_packets;
        self.most_held = self.most_held.max(held + u32::from(room));
        room
    }

    /// Packets in a busy port, if all are of one size.
    #[inline]
    fn held_of_one_size(&self, now: Time, transmission: Time) -> u32 {
        (self.busy_until - now).ps().div_ceil(transmission.ps()) as u32
    }

    #[inline(never)]
    fn has_room_for_mixed(&mut self, kind: &PortKind, now: Time, bytes: u16, transmission: Time) -> bool {
        if !self.mixed {
            self.note_all(kind, now);
        }
        let rest = self.rest.get_or_insert_default();
        if bytes != self.newest_bytes {
            rest.mixed_until = self.busy_until;
        } else if rest.mixed_until <= now {
            self.mixed = false;
            return self.has_room_for_one_more(kind, now, transmission);
        }
        if rest.recent.last() != self.busy_until {
            rest.recent.note(self.busy_until, self.newest_bytes);
        }
        // It has never held more than `most`, so it does now if the first of so many is still there.
        let most = self.most_held.max(1);
        if rest.recent.back(most).0 > now {
            if most >= kind.limit_packets {
                return false;
            }
            self.most_held = most + 1;
            rest.recent.reach(most + 1);
        }
        true
    }

    /// A packet of another size comes to those that wait: all are noted until there is one size again.
    #[cold]
    fn note_all(&mut self, kind: &PortKind, now: Time) {
        self.mixed = true;
        let transmission = kind.transmission(self.newest_bytes);
        let recent = &mut self.rest.get_or_insert_default().recent;
        recent.reach(self.most_held.max(1));
        let held = (self.busy_until - now).ps().div_ceil(transmission.ps());
        for later in (0..held).rev() {
            let departure = self.busy_until - Time::from_ps(later * transmission.ps());
            if departure > recent.last() {
                recent.note(departure, self.newest_bytes);
            }
        }
    }

    #[inline]
    fn accept(&mut self, now: Time, departure: Time, bytes: u16, counted: bool) {
        self.busy_until = departure;
        self.newest_bytes = bytes;
        if counted {
            let (sum, carry) = self.delay_low.overflowing_add((departure - now).ps());
            self.delay_low = sum;
            self.delay_high = self.delay_high.wrapping_add(u8::from(carry));
        }
    }

    fn drop_plain(&mut self, counted: bool, bytes: u16) {
        let more = self.more();
        more.packets_dropped += u64::from(counted);
        more.bytes_dropped += u64::from(counted) * u64::from(bytes);
    }

    /// Takes a packet that arrives at `now` and decides its fate. Calls must be in order of time.
    pub fn offer(&mut self, kind: &PortKind, now: Time, packet: &Packet) -> Outcome {
        if self.managed().is_some() {
            return self.offer_managed(kind, now, packet);
        }
        let start = now.max(self.busy_until);
        match self.pass(kind, now, packet.size) {
            Some(departure) => Outcome::Sent { start, departure, marked: false },
            None => Outcome::Dropped(Reason::Full),
        }
    }

    /// A packet of this size arrives at `now` and is discarded before it reaches the queue.
    pub fn refuse(&mut self, kind: &PortKind, now: Time, bytes: u16) {
        let counted = now >= kind.count_from;
        if let Some(serving) = self.serving_mut() {
            return serving.refuse(counted, bytes);
        }
        if counted {
            if self.packets_arrived == 0 {
                self.first_counted(kind, now);
            }
            self.packets_arrived += 1;
            self.bytes_arrived += u64::from(bytes);
        }
        self.drop_plain(counted, bytes);
    }

    /// What may be looked at from outside.
    pub fn probe(&mut self) -> Probe<'_> {
        let Some(more) = self.rest.as_mut().and_then(|rest| rest.more.as_mut()) else {
            return Probe::Nothing;
        };
        match (&mut more.managed, &mut more.serving) {
            (Some(managed), _) => managed.probe(),
            (None, Some(serving)) => serving.probe(),
            (None, None) => Probe::Nothing,
        }
    }

    fn offer_managed(&mut self, kind: &PortKind, now: Time, packet: &Packet) -> Outcome {
        let bytes = u64::from(packet.size);
        let counted = now >= kind.count_from;
        if counted {
            if self.packets_arrived == 0 {
                self.first_counted(kind, now);
            }
            self.packets_arrived += 1;
            self.bytes_arrived += bytes;
        }
        let busy_until = self.busy_until;
        let more = self.more();
        let Some(managed) = &mut more.managed else {
            return Outcome::Dropped(Reason::Full);
        };
        let outcome = managed.offer(kind, now, busy_until, packet);
        let count = u64::from(counted);
        match outcome {
            Outcome::Lost => {
                more.packets_lost += count;
                more.bytes_lost += count * bytes;
            }
            Outcome::Dropped(_) => {
                more.packets_dropped += count;
                more.bytes_dropped += count * bytes;
            }
            Outcome::Sent { departure, marked, .. } => {
                more.packets_marked += count * u64::from(marked);
                self.accept(now, departure, packet.size, counted);
            }
        }
        if counted && outcome != Outcome::Lost {
            self.note_held(now);
        }
        outcome
    }

    /// Keeps the most that a managed port holds after an arrival.
    fn note_held(&mut self, now: Time) {
        let held = self.managed_mut().map_or(0, |managed| managed.backlog(now).0 as u32);
        self.most_held = self.most_held.max(held);
    }

    /// What a dither did about the last packet that arrived.
    pub fn dither(&self) -> Dither {
        let Some(more) = self.rest.as_ref().and_then(|rest| rest.more.as_ref()) else {
            return Dither::NONE;
        };
        match (&more.managed, &more.serving) {
            (Some(managed), _) => managed.dither(),
            (None, Some(serving)) => serving.dither(),
            (None, None) => Dither::NONE,
        }
    }

    fn more(&mut self) -> &mut More {
        self.rest.get_or_insert_default().more.get_or_insert_default()
    }

    fn managed(&self) -> Option<&Managed> {
        self.rest.as_ref()?.more.as_ref()?.managed.as_deref()
    }

    fn managed_mut(&mut self) -> Option<&mut Managed> {
        self.rest.as_mut()?.more.as_mut()?.managed.as_deref_mut()
    }

    /// When a packet that departs at `departure` reaches the far end.
    #[inline]
    pub fn arrival(&mut self, kind: &PortKind, departure: Time) -> Time {
        let arrival = departure + self.delay;
        if kind.simple {
            return arrival;
        }
        if let Some(managed) = self.managed_mut() {
            return managed.jittered(arrival);
        }
        self.serving_mut().map_or(arrival, |serving| serving.jittered(arrival))
    }

    /// Packets and bytes held at `now`, the packet in transmission included.
    pub fn backlog(&mut self, kind: &PortKind, now: Time) -> (u64, u64) {
        if let Some(managed) = self.managed_mut() {
            return managed.backlog(now);
        }
        if let Some(serving) = self.serving_mut() {
            return serving.backlog(now);
        }
        if self.busy_until <= now {
            return (0, 0);
        }
        if !self.mixed {
            let held = u64::from(self.held_of_one_size(now, kind.transmission(self.newest_bytes)));
            return (held, held * u64::from(self.newest_bytes));
        }
        let mut held = (1, u64::from(self.newest_bytes));
        if let Some(rest) = &self.rest {
            let noted = u32::from(rest.recent.last() == self.busy_until);
            for back in 1 + noted..self.most_held + noted {
                let (departure, bytes) = rest.recent.back(back);
                if departure <= now {
                    break;
                }
                held = (held.0 + 1, held.1 + u64::from(bytes));
            }
        }
        held
    }

    /// The first packet that counts arrives.
    #[cold]
    fn first_counted(&mut self, kind: &PortKind, now: Time) {
        self.start_counting(kind);
        let held = self.backlog(kind, now).0 as u32;
        self.most_held = if self.managed().is_some() { 0 } else { held };
    }

    /// Notes what is held when counting starts, at the first look after that.
    #[cold]
    fn start_counting(&mut self, kind: &PortKind) {
        if std::mem::replace(&mut self.counting, true) || kind.count_from == Time::ZERO {
            return;
        }
        let held = self.backlog(kind, kind.count_from);
        if held != (0, 0) {
            self.more().held_at_first = held;
        }
    }

    /// As [`Port::backlog`], for one who looks at any time: counting may have to start with a look back first.
    pub fn look(&mut self, kind: &PortKind, now: Time) -> (u64, u64) {
        if now >= kind.count_from {
            self.start_counting(kind);
        }
        self.backlog(kind, now)
    }

    /// Packets and bytes whose transmission ended between the start of counting and `now`.
    pub fn departed(&mut self, kind: &PortKind, now: Time) -> (u64, u64) {
        if now < kind.count_from {
            return (0, 0);
        }
        if let Some(serving) = self.serving_mut() {
            return serving.departed(now);
        }
        self.start_counting(kind);
        let (packets_held, bytes_held) = self.backlog(kind, now);
        let c = self.counters();
        let packets = c.packets_arrived - c.packets_dropped - c.packets_lost;
        let bytes = c.bytes_arrived - c.bytes_dropped - c.bytes_lost;
        let more = self.rest.as_ref().and_then(|rest| rest.more.as_ref());
        let (packets_before, bytes_before) = more.map_or((0, 0), |more| more.held_at_first);
        (packets_before + packets - packets_held, bytes_before + bytes - bytes_held)
    }

    /// Mean time in seconds from arrival to the end of transmission of the packets that have arrived since the start of
    /// counting and are not dropped, those that have not left by the `end` of the run included: these leave as they do
    /// if nothing more comes.
    pub fn mean_delay(&self, kind: &PortKind, end: Time) -> f64 {
        let counters = self.counters();
        let (packets, total_ps) = match self.serving_ref() {
            Some(serving) => serving.delays_in_the_end(kind, end),
            None => (counters.packets_delayed, counters.total_delay_ps),
        };
        total_ps as f64 / 1e12 / packets as f64
    }

    /// What it has seen.
    pub fn counters(&self) -> PortCounters {
        if let Some(serving) = self.serving_ref() {
            return serving.counters();
        }
        let none = More::default();
        let rest = self.rest.as_deref();
        let more = rest.and_then(|rest| rest.more.as_deref()).unwrap_or(&none);
        let accepted = self.packets_arrived - more.packets_dropped - more.packets_lost;
        let most_held = u64::from(self.most_held.max(1));
        PortCounters {
            packets_arrived: self.packets_arrived,
            bytes_arrived: self.bytes_arrived,
            packets_dropped: more.packets_dropped,
            bytes_dropped: more.bytes_dropped,
            packets_marked: more.packets_marked,
            packets_lost: more.packets_lost,
            bytes_lost: more.bytes_lost,
            max_backlog_packets: if accepted == 0 { 0 } else { most_held },
            packets_delayed: accepted,
            total_delay_ps: (u128::from(self.delay_high) << 64) | u128::from(self.delay_low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Discipline;
    use crate::scenario;
    use crate::units::Rate;
    use proptest::prelude::*;

    const DELAY: Time = Time::from_ps(10_000_000_000);

    fn kind(limit_packets: Option<u32>, count_from: f64) -> PortKind {
        PortKind {
            ps_per_byte: Rate::from_bps(8e6).ps_per_byte(),
            transmissions: Transmissions::default(),
            limit_packets: limit_packets.unwrap_or(u32::MAX),
            count_from: Time::from_secs(count_from),
            simple: true,
            serves: false,
            conditions: false,
            overheard: false,
        }
    }

    fn plain() -> Port {
        Port::new(0, DELAY, None)
    }

    #[test]
    fn common_sizes_have_places_of_their_own() {
        let mut places =
            [40, 48, 56, 64, 500, 512, 536, 552, 576, 1000, 1040, 1448, 1460, 1500].map(Transmissions::place);
        places.sort_unstable();
        assert!(places.windows(2).all(|two| two[0] < two[1]), "{places:?}");
    }

    #[test]
    fn a_size_takes_its_place_from_another_one() {
        let kind = kind(None, 0.0);
        for bytes in (0..=u16::MAX).chain([1500, 40, 0]) {
            let twice = [(); 2].map(|()| kind.transmission(bytes));
            assert_eq!(twice, [kind.calculate_transmission(bytes); 2], "{bytes}");
        }
    }

    fn droptail(limit_packets: Option<u32>) -> Managed {
        let queue = scenario::Queue::Droptail(scenario::DropTail { limit_packets, limit_bytes: None });
        let discipline = Discipline::new(&queue, Rate::from_bps(8e6), || unreachable!());
        Managed::new(discipline.expect("decides at arrival"), None, None, None)
    }

    fn packet(size: u16) -> Packet {
        Packet::data(0, size, 0, Time::ZERO)
    }

    fn secs(departure: Option<Time>) -> Option<f64> {
        departure.map(Time::secs)
    }

    #[test]
    fn transmission_times_are_those_of_their_sizes() {
        let kind = kind(None, 0.0);
        let right = |bytes: u16| (u64::from(bytes) * 1_000_000).max(1);
        // Each is calculated, found again, and found anew after another size has taken its place.
        for bytes in 0..2000 {
            let asked = [bytes, bytes, bytes ^ 1, bytes];
            assert_eq!(asked.map(|bytes| kind.transmission(bytes).ps()), asked.map(right), "{bytes}");
        }
    }

    #[test]
    fn packets_wait_for_those_in_front() {
        let (kind, mut port) = (kind(None, 0.0), plain());
        assert_eq!(secs(port.pass(&kind, Time::ZERO, 1000)), Some(0.001));
        assert_eq!(secs(port.pass(&kind, Time::from_secs(0.0005), 500)), Some(0.0015));
        assert_eq!(secs(port.pass(&kind, Time::from_secs(0.01), 1000)), Some(0.011));
    }

    #[test]
    fn a_departure_at_an_arrival_makes_room() {
        let (kind, mut port) = (kind(Some(1), 0.0), plain());
        port.pass(&kind, Time::ZERO, 1000);
        assert_eq!(port.pass(&kind, Time::from_secs(0.0009), 1000), None);
        assert_eq!(secs(port.pass(&kind, Time::from_secs(0.001), 1000)), Some(0.002));
        assert_eq!(port.counters().packets_dropped, 1);
        assert_eq!(port.counters().packets_arrived, 3);
    }

    #[test]
    fn what_waits_when_counting_starts_departs_later() {
        let (kind, mut port) = (kind(None, 0.0015), plain());
        for _ in 0..3 {
            port.pass(&kind, Time::ZERO, 1000);
        }
        port.pass(&kind, Time::from_secs(0.002), 500);
        assert_eq!(port.departed(&kind, Time::from_secs(0.001)), (0, 0));
        assert_eq!(port.departed(&kind, Time::from_secs(0.003)), (2, 2000));
        assert_eq!(port.departed(&kind, Time::from_secs(1.0)), (3, 2500));
        assert_eq!(port.counters().packets_arrived, 1);
    }

    #[test]
    fn sums_of_delays_do_not_overflow() {
        let (mut port, long) = (plain(), Time::from_ps(u64::MAX / 3));
        for _ in 0..7 {
            port.accept(Time::ZERO, long, 1, true);
        }
        port.packets_arrived = 7;
        assert_eq!(port.counters().total_delay_ps, 7 * u128::from(long.ps()));
    }

    /// Mostly one size, so that packets of one size wait as well as packets of several.
    fn sizes() -> impl Strategy<Value = u16> {
        prop_oneof![9 => Just(1000u16), 1 => 1u16..1500]
    }

    proptest! {
        /// A plain port and one that asks a discipline are two ways to the same end.
        #[test]
        fn plain_and_managed_ports_agree(
            limit in prop::option::of(1u32..6),
            count_from in 0.0f64..0.02,
            arrivals in prop::collection::vec((0.0f64..0.003, sizes(), any::<bool>()), 1..200),
        ) {
            let kind = kind(limit, count_from);
            let (mut plain, mut managed) = (plain(), Port::new(0, DELAY, Some(droptail(limit))));
            let mut now = Time::ZERO;
            for (gap, bytes, look) in arrivals {
                now += Time::from_secs(gap);
                if look {
                    prop_assert_eq!(plain.departed(&kind, now), managed.departed(&kind, now));
                    prop_assert_eq!(plain.backlog(&kind, now), managed.backlog(&kind, now));
                }
                let outcome = managed.offer(&kind, now, &packet(bytes));
                prop_assert_eq!(plain.offer(&kind, now, &packet(bytes)), outcome);
                prop_assert_eq!(plain.counters(), managed.counters());
            }
        }
    }
}
