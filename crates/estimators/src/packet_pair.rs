//! The capacity of a path, at the sender, by packet pairs from the dispersion of ACKs (Lai and Baker, INFOCOM 1999).
//!
//! Two packets that queue one behind the other at the bottleneck leave it one service time apart, and their ACKs keep that
//! distance if nothing comes between. An ACK of k packets that comes d seconds after the one before it gives the sample
//! k / d, if those packets were sent much closer together than their ACKs came: packets that were sent as far apart as they
//! arrived tell how fast they were sent. (Lai and Baker take all that were sent closer together at all.) Cross traffic between the two makes samples too low, ACKs that were held up
//! together make them too high; the mode of many samples is the estimate, by a kernel density or by a histogram.
//!
//! What the spacing of ACKs cannot tell is which way they were spaced. Where the way back is so thin that ACKs queue there,
//! they come at its rate. Only ACKs of different numbers of packets show it: they agree in packets a second if the way
//! there spaced them, and in ACKs a second if the way back did. [`Flags`] has one for either.

mod density;
mod flags;
mod histogram;
mod progress;
mod settings;
mod spacing;
#[cfg(test)]
mod tests;

pub use flags::Flags;
pub use settings::{Filter, PacketPairSettings};

use alloc::boxed::Box;
use alloc::vec;

use crate::error::ConfigError;
use crate::sample::is_finite;
use crate::seconds::Seconds;
use density::Density;
use histogram::Histogram;
use progress::Progress;

/// Packets a second that a pair may tell. What lies outside is a fault of a clock.
const RATES: core::ops::RangeInclusive<f64> = 1e-6..=1e12;

/// Fewer pairs than this are too few.
const FEW_PAIRS: usize = 8;

/// Density of another mode, as a part of the highest one's, from which on the two are close.
const CLOSE: f64 = 0.8;

/// Capacity of the bottleneck as packet pairs show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// Packets a second.
    pub packets_per_second: f64,
    /// Number of pairs in the window.
    pub pairs: u32,
    /// Reasons to doubt it.
    pub flags: Flags,
}

/// A pair of ACKs.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Pair {
    /// Packets a second.
    rate: f64,
    /// Packets that the later ACK acknowledged.
    packets: u32,
}

/// The highest mode of the samples, and how high the next one is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mode {
    rate: f64,
    height: f64,
    rival: f64,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Filtered {
    Density(Density),
    Histogram(Histogram),
}

/// Estimates the capacity of a path from ACKs as they come.
///
/// An ACK that ends no pair costs a few nanoseconds; a pair, and a look at the estimate, O(window). No memory is allocated
/// after construction.
///
/// # Examples
///
/// ```
/// use parshall_estimators::packet_pair::{PacketPair, PacketPairSettings};
/// let mut pairs = PacketPair::new(PacketPairSettings::default())?;
/// for burst in 0..20 {
///     let sent_at_s = f64::from(burst); // two packets at a time, through 1000 packets a second
///     pairs.on_ack(sent_at_s + 0.100, sent_at_s, 1);
///     pairs.on_ack(sent_at_s + 0.101, sent_at_s, 1);
/// }
/// let capacity = pairs.capacity().unwrap();
/// assert!((capacity.packets_per_second - 1000.0).abs() < 1e-6);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PacketPair {
    settings: PacketPairSettings,
    /// A ring of the newest pairs.
    pairs: Box<[Pair]>,
    len: usize,
    next: usize,
    filtered: Filtered,
    /// When the last ACK came, and when the newest packet that it acknowledged was sent.
    last: Option<(f64, f64)>,
    progress: Progress,
}

impl PacketPair {
    /// An estimator before its first ACK.
    ///
    /// # Errors
    /// What [`PacketPairSettings::validate`] refuses.
    pub fn new(settings: PacketPairSettings) -> Result<Self, ConfigError> {
        settings.validate()?;
        let PacketPairSettings { filter, width, window, .. } = settings;
        Ok(PacketPair {
            settings,
            pairs: vec![Pair::default(); window as usize].into_boxed_slice(),
            len: 0,
            next: 0,
            filtered: match filter {
                Filter::Density => Filtered::Density(Density::new(width, window)),
                Filter::Histogram => Filtered::Histogram(Histogram::new(width, window)),
            },
            last: None,
            progress: Progress::new(window),
        })
    }

    /// Takes in an ACK that came at `now` and acknowledged `packets_acked` more packets, the newest of which was sent at
    /// `sent_at`. Whether it completed a pair.
    ///
    /// Packets are taken to be of one size. An ACK of nothing (a duplicate), a `sent_at` that is NaN (a packet that was
    /// sent twice) and instants that run backwards end a run of pairs as [`PacketPair::interrupt`] does.
    #[inline]
    pub fn on_ack(
        &mut self,
        now: impl Into<Seconds>,
        sent_at: impl Into<Seconds>,
        packets_acked: u32,
    ) -> bool {
        let (now_s, sent_at_s) = (now.into().get(), sent_at.into().get());
        let known = is_finite(now_s) && is_finite(sent_at_s);
        if !known || packets_acked == 0 {
            self.interrupt();
            return false;
        }
        self.progress.on_ack(now_s, packets_acked);
        let Some((before_s, sent_before_s)) = self.last.replace((now_s, sent_at_s)) else { return false };
        let (received, sent) = (now_s - before_s, sent_at_s - sent_before_s);
        if sent < 0.0 || received < 0.0 || sent * self.settings.stretch >= received {
            return false;
        }
        let rate = f64::from(packets_acked) / received;
        let counts = RATES.contains(&rate);
        if counts {
            self.push(Pair { rate, packets: packets_acked });
        }
        counts
    }

    /// The next ACK makes no pair with the one before: after a retransmission or a timeout, when an ACK may acknowledge
    /// what arrived long ago.
    pub fn interrupt(&mut self) {
        self.last = None;
        self.progress.restart();
    }

    fn push(&mut self, pair: Pair) {
        let slot = self.next;
        let leaving = (self.len == self.pairs.len()).then(|| self.pairs[slot].rate);
        self.pairs[slot] = pair;
        self.len = (self.len + 1).min(self.pairs.len());
        self.next = if slot + 1 == self.pairs.len() { 0 } else { slot + 1 };
        match &mut self.filtered {
            Filtered::Density(density) => density.put(slot, self.len, pair.rate, leaving),
            Filtered::Histogram(histogram) => histogram.put(slot, pair.rate, leaving.is_some()),
        }
    }

    /// The estimate; `None` before the first pair.
    pub fn capacity(&self) -> Option<Capacity> {
        let pairs = &self.pairs[..self.len];
        let mode = match &self.filtered {
            Filtered::Density(density) => density.mode(self.len)?,
            Filtered::Histogram(histogram) => histogram.mode(pairs)?,
        };
        let width = self.settings.width;
        let flags = Flags::FEW_PAIRS.when(self.len < FEW_PAIRS)
            | Flags::CLOSE_MODES.when(mode.rival >= CLOSE * mode.height)
            | Flags::BELOW_THROUGHPUT.when(mode.rate * (1.0 + width) < self.progress.throughput())
            | spacing::flags(pairs, mode.rate, width);
        Some(Capacity { packets_per_second: mode.rate, pairs: self.len as u32, flags })
    }

    /// Settings of the estimator.
    pub fn settings(&self) -> &PacketPairSettings {
        &self.settings
    }

    /// Forgets every ACK.
    pub fn reset(&mut self) {
        self.len = 0;
        self.next = 0;
        self.last = None;
        self.progress = Progress::new(self.settings.window);
        if let Filtered::Histogram(histogram) = &mut self.filtered {
            histogram.clear();
        }
    }
}
