//! Counts of a port in a sampling interval.

use core::fmt;

/// More than any port counts in a sampling interval; what is above is taken for a fault.
const MOST: f64 = 1e12;

/// Queue length and counts of one sampling interval, in packets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Queue length: its mean over the interval, or its value at the end where no mean is kept.
    pub backlog: f64,
    /// Packets that arrived, dropped ones included.
    pub arrivals: f64,
    /// Packets that the queue dropped.
    pub drops: f64,
    /// Packets that the queue marked (ECN).
    pub marks: f64,
}

/// A field of a [`Sample`] that cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleFault {
    /// Name of the field.
    pub field: &'static str,
    /// Its value.
    pub value: f64,
}

impl Sample {
    /// The first field that is not a number from 0 to 1e12.
    pub fn fault(&self) -> Option<SampleFault> {
        let fields = [
            ("backlog", self.backlog),
            ("arrivals", self.arrivals),
            ("drops", self.drops),
            ("marks", self.marks),
        ];
        fields
            .into_iter()
            .find(|&(_, value)| !is_count(value))
            .map(|(field, value)| SampleFault { field, value })
    }

    /// Returns whether every field can be used.
    #[inline]
    pub fn is_usable(&self) -> bool {
        is_count(self.backlog) & is_count(self.arrivals) & is_count(self.drops) & is_count(self.marks)
    }

    /// Drops and marks: what tells a flow to slow down.
    #[inline]
    pub fn signals(&self) -> f64 {
        self.drops + self.marks
    }

    /// Signals per arrival; `None` when nothing arrived. A queue that drops at departure may signal more packets
    /// than arrived in the interval; that counts as 1.
    #[inline]
    pub(super) fn signal_probability(&self) -> Option<f64> {
        (self.arrivals > 0.0).then(|| (self.signals() / self.arrivals).min(1.0))
    }
}

#[inline]
fn is_count(x: f64) -> bool {
    // NaN compares false with everything.
    (0.0..=MOST).contains(&x)
}

impl fmt::Display for SampleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: got {}, expected a number of packets from 0 to 1e12", self.field, self.value)
    }
}

impl core::error::Error for SampleFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_unusable_field_is_named() {
        let good = Sample { backlog: 3.5, arrivals: 100.0, drops: 2.0, marks: 1.0 };
        assert_eq!(good.fault(), None);
        for bad in [f64::NAN, -1.0, f64::INFINITY, 1e13] {
            let cases = [
                ("backlog", Sample { backlog: bad, ..good }),
                ("arrivals", Sample { arrivals: bad, ..good }),
                ("drops", Sample { drops: bad, ..good }),
                ("marks", Sample { marks: bad, ..good }),
            ];
            for (field, sample) in cases {
                assert_eq!(sample.fault().unwrap().field, field);
                assert!(!sample.is_usable());
            }
        }
        let fault = Sample { drops: -2.0, ..good }.fault().unwrap();
        assert_eq!(fault.to_string(), "drops: got -2, expected a number of packets from 0 to 1e12");
    }

    #[test]
    fn a_probability_needs_arrivals_and_is_at_most_1() {
        let sample = Sample { backlog: 0.0, arrivals: 10.0, drops: 1.0, marks: 2.0 };
        assert_eq!(sample.signal_probability(), Some(0.3));
        assert_eq!(Sample { arrivals: 2.0, ..sample }.signal_probability(), Some(1.0));
        assert_eq!(Sample { arrivals: 0.0, ..sample }.signal_probability(), None);
    }
}
