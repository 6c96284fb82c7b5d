//! A port: the queue in front of one direction of a link, and the link.
//!
//! Most ports are plain: DropTail that counts packets, a constant rate, nothing random. Such a port is one cache
//! line, and nothing else is touched while the packets that wait are of one size. Whatever else a port may have
//! lies behind a pointer. With a hundred thousand flows that is what keeps a packet cheap (docs/performance.md).

mod held;

use parshall_estimators::responsiveness::Dither;

use super::arrival_port::ArrivalPort;
use super::departure_port::DeparturePort;
use super::port_kind::PortKind;
use super::recent::Recent;
use super::report::{Outcome, PortCounters, Probe};
use super::treated::Treated;
use crate::packet::Packet;
use crate::queue::Reason;
use crate::units::Time;

/// One direction of a link with its queue. Service is first in, first out.
///
/// While all packets that wait are of one size, they depart at even distances before `busy_until`, and how many
/// there are follows from that. While they are of several sizes, the newest packet is here, those before it are in
/// [`Recent`], and were put there only if they had not left when the next one came.
#[derive(Debug)]
#[repr(align(64))]
pub struct Port {
    /// Departure of the newest packet.
    busy_until: Time,
    packets_arrived: u64,
    bytes_arrived: u64,
    /// Sum of delays in picoseconds, the lower 64 bits.
    delay_low: u64,
    overflow: Option<Box<Overflow>>,
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
    /// True if packets of different sizes may be waiting.
    mixed: bool,
    /// Packets that found the link idle, of one instant and one size, while they are all that has come since: where
    /// [`PortKind::ties`].
    first_burst: u16,
}

const _: () = assert!(std::mem::size_of::<Port>() == 64);

/// State of a port at which packets of different sizes wait, and the pointer to its extension.
#[derive(Debug, Default)]
struct Overflow {
    recent: Recent,
    /// No packet that departs later is of another size than the newest one.
    mixed_until: Time,
    extension: Option<Box<Extension>>,
}

/// State of a port that drops packets or has parts that a plain port lacks.
#[derive(Debug, Default)]
struct Extension {
    arrival_port: Option<Box<ArrivalPort>>,
    /// Queue that decides at departure; it then keeps all counts itself.
    serving: Option<Box<DeparturePort>>,
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
    pub fn new(kind: u32, delay: Time, arrival_port: Option<ArrivalPort>) -> Self {
        let extension = arrival_port.map(|arrival_port| {
            Box::new(Extension { arrival_port: Some(Box::new(arrival_port)), ..Extension::default() })
        });
        let overflow = extension
            .map(|extension| Box::new(Overflow { extension: Some(extension), ..Overflow::default() }));
        Port {
            busy_until: Time::ZERO,
            packets_arrived: 0,
            bytes_arrived: 0,
            delay_low: 0,
            overflow,
            delay,
            kind,
            most_held: 0,
            newest_bytes: 0,
            delay_high: 0,
            counting: false,
            mixed: false,
            first_burst: 0,
        }
    }

    /// Makes an idle port whose queue decides at departure.
    pub fn serving(kind: u32, delay: Time, serving: DeparturePort) -> Self {
        let mut port = Port::new(kind, delay, None);
        port.extension().serving = Some(Box::new(serving));
        port
    }

    /// Server of a port whose queue decides at departure.
    #[inline]
    pub fn serving_mut(&mut self) -> Option<&mut DeparturePort> {
        self.overflow.as_mut()?.extension.as_mut()?.serving.as_deref_mut()
    }

    /// Server of a port whose queue decides at departure, read-only.
    pub fn serving_ref(&self) -> Option<&DeparturePort> {
        self.overflow.as_ref()?.extension.as_ref()?.serving.as_deref()
    }

    /// Bytes of its queue's record of moved thresholds.
    pub fn bytes_tuning(&self) -> u64 {
        let extension = self.overflow.as_ref().and_then(|overflow| overflow.extension.as_ref());
        extension
            .and_then(|extension| extension.arrival_port.as_ref())
            .map_or(0, |arrival_port| arrival_port.bytes_tuning())
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
    /// dropped. Calls must be in order of time. Where another packet leaves at that instant, it is asked how long the
    /// one that arrives was on its way (see [`super::Lead`]).
    #[inline(always)]
    pub fn pass(
        &mut self,
        kind: &PortKind,
        now: Time,
        bytes: u16,
        lead: impl Fn() -> Time + Copy,
    ) -> Option<Time> {
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
            if !self.has_room(kind, now, bytes, transmission, lead) {
                self.drop_plain(counted, bytes);
                return None;
            }
            start = self.busy_until;
        }
        let departure = start + transmission;
        if kind.ties {
            self.note_burst(kind, now, bytes, transmission, lead);
        }
        self.accept(now, departure, bytes, counted);
        Some(departure)
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
        let extension = self.extension();
        extension.packets_dropped += u64::from(counted);
        extension.bytes_dropped += u64::from(counted) * u64::from(bytes);
    }

    /// Takes a packet that arrives at `now` and decides its fate. Calls must be in order of time.
    pub fn offer(
        &mut self,
        kind: &PortKind,
        now: Time,
        packet: &Packet,
        lead: impl Fn() -> Time + Copy,
    ) -> Outcome {
        if self.arrival_port().is_some() {
            return self.offer_managed(kind, now, packet, lead);
        }
        if kind.holds_one_of_ties() && self.leaves_later(kind, now, lead) {
            self.refuse(kind, now, packet.size);
            return Outcome::Dropped(Reason::Full);
        }
        let start = now.max(self.busy_until);
        match self.pass(kind, now, packet.size, lead) {
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

    /// Observable state of the queue.
    pub fn probe(&mut self) -> Probe<'_> {
        let Some(extension) = self.overflow.as_mut().and_then(|overflow| overflow.extension.as_mut()) else {
            return Probe::Nothing;
        };
        match (&mut extension.arrival_port, &mut extension.serving) {
            (Some(arrival_port), _) => arrival_port.probe(),
            (None, Some(serving)) => serving.probe(),
            (None, None) => Probe::Nothing,
        }
    }

    fn offer_managed(
        &mut self,
        kind: &PortKind,
        now: Time,
        packet: &Packet,
        lead: impl Fn() -> Time + Copy,
    ) -> Outcome {
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
        let extension = self.extension();
        let Some(arrival_port) = &mut extension.arrival_port else {
            return Outcome::Dropped(Reason::Full);
        };
        let outcome = arrival_port.offer(kind, now, busy_until, packet, lead);
        let count = u64::from(counted);
        match outcome {
            Outcome::Lost => {
                extension.packets_lost += count;
                extension.bytes_lost += count * bytes;
            }
            Outcome::Dropped(_) => {
                extension.packets_dropped += count;
                extension.bytes_dropped += count * bytes;
            }
            Outcome::Sent { departure, marked, .. } => {
                extension.packets_marked += count * u64::from(marked);
                self.accept(now, departure, packet.size, counted);
            }
        }
        if counted && outcome != Outcome::Lost {
            self.note_held(now);
        }
        outcome
    }

    /// Keeps the most that such a port holds after an arrival.
    fn note_held(&mut self, now: Time) {
        let held = self.arrival_port_mut().map_or(0, |arrival_port| arrival_port.backlog(now).0 as u32);
        self.most_held = self.most_held.max(held);
    }

    /// Drop probability and draw for the last packet that arrived.
    pub fn dither(&self) -> Dither {
        let Some(extension) = self.overflow.as_ref().and_then(|overflow| overflow.extension.as_ref()) else {
            return Dither::NONE;
        };
        match (&extension.arrival_port, &extension.serving) {
            (Some(arrival_port), _) => arrival_port.dither(),
            (None, Some(serving)) => serving.dither(),
            (None, None) => Dither::NONE,
        }
    }

    /// Bytes of what came of experiments.
    pub fn bytes_treated(&self) -> u64 {
        let extension = self.overflow.as_ref().and_then(|overflow| overflow.extension.as_ref());
        let treated = extension.and_then(|extension| match (&extension.arrival_port, &extension.serving) {
            (Some(arrival_port), _) => arrival_port.treated_ref(),
            (None, Some(departure_port)) => departure_port.treated_ref(),
            (None, None) => None,
        });
        treated.map_or(0, Treated::bytes)
    }

    /// The experiments that are made before its queue.
    pub fn treated(&mut self) -> Option<&mut Treated> {
        let extension = self.overflow.as_mut()?.extension.as_mut()?;
        match (&mut extension.arrival_port, &mut extension.serving) {
            (Some(arrival_port), _) => arrival_port.treated(),
            (None, Some(departure_port)) => departure_port.treated(),
            (None, None) => None,
        }
    }

    fn extension(&mut self) -> &mut Extension {
        self.overflow.get_or_insert_default().extension.get_or_insert_default()
    }

    fn arrival_port(&self) -> Option<&ArrivalPort> {
        self.overflow.as_ref()?.extension.as_ref()?.arrival_port.as_deref()
    }

    fn arrival_port_mut(&mut self) -> Option<&mut ArrivalPort> {
        self.overflow.as_mut()?.extension.as_mut()?.arrival_port.as_deref_mut()
    }

    /// Arrival at the far end of a packet that departs at `departure`.
    #[inline]
    pub fn arrival(&mut self, kind: &PortKind, departure: Time, packet: &Packet) -> Time {
        let arrival = departure + self.delay;
        if kind.simple {
            return arrival;
        }
        if let Some(arrival_port) = self.arrival_port_mut() {
            return arrival_port.far_end(departure, arrival, packet.is_ack());
        }
        let serving = self.serving_mut();
        serving.map_or(arrival, |serving| serving.far_end(departure, arrival, packet.is_ack()))
    }

    /// Packets and bytes held at `now`, the packet in transmission included.
    pub fn backlog(&mut self, kind: &PortKind, now: Time) -> (u64, u64) {
        if let Some(arrival_port) = self.arrival_port_mut() {
            return arrival_port.backlog(now);
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
        if let Some(overflow) = &self.overflow {
            let noted = u32::from(overflow.recent.last() == self.busy_until);
            for back in 1 + noted..self.most_held + noted {
                let (departure, bytes) = overflow.recent.back(back);
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
        self.most_held = if self.arrival_port().is_some() { 0 } else { held };
    }

    /// Notes what is held when counting starts, at the first look after that.
    #[cold]
    fn start_counting(&mut self, kind: &PortKind) {
        if std::mem::replace(&mut self.counting, true) || kind.count_from == Time::ZERO {
            return;
        }
        let held = self.backlog(kind, kind.count_from);
        if held != (0, 0) {
            self.extension().held_at_first = held;
        }
    }

    /// As [`Port::backlog`], for one who looks at any time: counting may have to start with a look back first.
    pub fn sample_backlog(&mut self, kind: &PortKind, now: Time) -> (u64, u64) {
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
        let extension = self.overflow.as_ref().and_then(|overflow| overflow.extension.as_ref());
        let (packets_before, bytes_before) = extension.map_or((0, 0), |extension| extension.held_at_first);
        (packets_before + packets - packets_held, bytes_before + bytes - bytes_held)
    }

    /// Mean time in seconds from arrival to the end of transmission of the packets that have arrived since the start of
    /// counting and are not dropped, those that have not left by the `end` of the run included: these leave as they do
    /// if nothing more comes. To be asked for last: a queue that decides at departure serves them for that.
    pub fn mean_delay(&mut self, kind: &PortKind, end: Time) -> f64 {
        let (packets, total_ps) = match self.serving_mut() {
            Some(serving) => serving.delays_in_the_end(kind, end),
            None => {
                let counters = self.counters();
                (counters.packets_delayed, counters.total_delay_ps)
            }
        };
        total_ps as f64 / 1e12 / packets as f64
    }

    /// Counters since the start of counting.
    pub fn counters(&self) -> PortCounters {
        if let Some(serving) = self.serving_ref() {
            return serving.counters();
        }
        let none = Extension::default();
        let overflow = self.overflow.as_deref();
        let extension = overflow.and_then(|overflow| overflow.extension.as_deref()).unwrap_or(&none);
        let accepted = self.packets_arrived - extension.packets_dropped - extension.packets_lost;
        let most_held = u64::from(self.most_held.max(1));
        PortCounters {
            packets_arrived: self.packets_arrived,
            bytes_arrived: self.bytes_arrived,
            packets_dropped: extension.packets_dropped,
            bytes_dropped: extension.bytes_dropped,
            packets_marked: extension.packets_marked,
            packets_lost: extension.packets_lost,
            bytes_lost: extension.bytes_lost,
            max_backlog_packets: if accepted == 0 { 0 } else { most_held },
            packets_delayed: accepted,
            total_delay_ps: (u128::from(self.delay_high) << 64) | u128::from(self.delay_low),
        }
    }
}

#[cfg(test)]
mod tests;
