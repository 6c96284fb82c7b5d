//! The plain count of UDP bytes: what an operator without a model would look at.
//!
//! It takes every UDP byte for non-responsive and every other byte for responsive, which short TCP flows and
//! congestion-controlled UDP (QUIC) both prove wrong; and it must look into packets.

use crate::error::ConfigError;

use super::flags::Flags;

/// Bytes of one sampling interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProtocolSample {
    /// Bytes that arrived.
    pub arrived: f64,
    /// Those of UDP.
    pub udp: f64,
}

/// The share of UDP among the bytes that arrived in an estimation interval.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UdpCounter {
    length: u32,
    samples: u32,
    arrived: f64,
    udp: f64,
    flags: Flags,
}

/// Share by the counter in an estimation interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UdpShare {
    /// UDP bytes over all bytes; `None` when nothing arrived.
    pub share: Option<f64>,
    /// Bytes that arrived.
    pub arrived: f64,
    /// [`Flags::BAD_SAMPLE`] or none.
    pub flags: Flags,
}

impl UdpCounter {
    /// A counter with a value after every `estimation_samples` samples, at least 1.
    pub fn new(estimation_samples: u32) -> Result<UdpCounter, ConfigError> {
        let expected = "a whole number, at least 1";
        ConfigError::unless(estimation_samples >= 1, "estimation_samples", estimation_samples, expected)?;
        Ok(UdpCounter { length: estimation_samples, samples: 0, arrived: 0.0, udp: 0.0, flags: Flags::NONE })
    }

    /// Takes in a sample; the share, when it ends an estimation interval. A sample whose bytes are no numbers from
    /// 0 to 1e18, or that has more UDP bytes than bytes, is left out and flagged.
    #[inline]
    pub fn update(&mut self, sample: &ProtocolSample) -> Option<UdpShare> {
        self.samples += 1;
        if (0.0..=1e18).contains(&sample.arrived) && (0.0..=sample.arrived).contains(&sample.udp) {
            self.arrived += sample.arrived;
            self.udp += sample.udp;
        } else {
            self.flags |= Flags::BAD_SAMPLE;
        }
        (self.samples >= self.length).then(|| self.close())
    }

    fn close(&mut self) -> UdpShare {
        let share = (self.arrived > 0.0).then(|| (self.udp / self.arrived).min(1.0));
        let closed = UdpShare { share, arrived: self.arrived, flags: self.flags };
        self.reset();
        closed
    }

    /// Forgets every sample.
    pub fn reset(&mut self) {
        *self = UdpCounter { length: self.length, samples: 0, arrived: 0.0, udp: 0.0, flags: Flags::NONE };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(arrived: f64, udp: f64) -> ProtocolSample {
        ProtocolSample { arrived, udp }
    }

    #[test]
    fn counts_over_the_interval_and_starts_again() {
        let mut counter = UdpCounter::new(2).unwrap();
        assert_eq!(counter.update(&sample(1000.0, 1000.0)), None);
        assert_eq!(counter.update(&sample(3000.0, 0.0)).unwrap().share, Some(0.25));
        assert_eq!(counter.update(&sample(0.0, 0.0)), None);
        assert_eq!(counter.update(&sample(0.0, 0.0)).unwrap().share, None);
    }

    #[test]
    fn what_cannot_be_is_left_out_and_flagged() {
        for bad in [sample(f64::NAN, 0.0), sample(1.0, 2.0), sample(-1.0, 0.0), sample(1.0, f64::NAN)] {
            let mut counter = UdpCounter::new(2).unwrap();
            assert_eq!(counter.update(&bad), None);
            let share = counter.update(&sample(10.0, 4.0)).unwrap();
            assert_eq!((share.share, share.flags), (Some(0.4), Flags::BAD_SAMPLE));
            counter.update(&sample(10.0, 4.0));
            assert!(counter.update(&sample(10.0, 4.0)).unwrap().flags.is_empty());
        }
        assert_eq!(UdpCounter::new(0).unwrap_err().field, "estimation_samples");
    }
}
