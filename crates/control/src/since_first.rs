//! A clock for estimators that count seconds in floating point. Since the start of a run they would be rounded by how long
//! that is ago, and what a flow does would depend on when it starts.

use crate::units::Time;

/// Counts seconds from the first instant that it is asked about.
#[derive(Clone, Copy, Debug, Default)]
pub struct SinceFirst(Option<Time>);

impl SinceFirst {
    /// Seconds from the first instant to this one, below 0 for one before it.
    #[inline]
    pub fn secs(&mut self, at: Time) -> f64 {
        let first = *self.0.get_or_insert(at);
        at.since(first).secs() - first.since(at).secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_count_from_the_first_instant() {
        let mut clock = SinceFirst::default();
        // A picosecond is less than a double tells at a thousand seconds.
        let instants = [1e15 as u64, 1e15 as u64 + 1, 1e15 as u64 - 3];
        assert_eq!(instants.map(|ps| clock.secs(Time::from_ps(ps))), [0.0, 1e-12, -3e-12]);
    }
}
