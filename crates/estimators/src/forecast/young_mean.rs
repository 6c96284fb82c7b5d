//! A mean whose memory fades, and which is a plain mean while it is young.

/// `v += max(gain, 1/n) (x - v)`: without the pull of the first sample that an EWMA has.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct YoungMean {
    gain: f64,
    seen: f64,
    value: f64,
}

impl YoungMean {
    pub fn new(gain: f64) -> Self {
        YoungMean { gain, seen: 0.0, value: 0.0 }
    }

    #[inline]
    pub fn update(&mut self, x: f64) {
        self.seen += 1.0;
        let young = 1.0 / self.seen;
        let gain = if young > self.gain { young } else { self.gain };
        let next = self.value + gain * (x - self.value);
        self.value = if next.is_finite() { next } else { x };
    }

    #[inline]
    pub fn value(&self) -> f64 {
        self.value
    }

    pub fn reset(&mut self) {
        self.seen = 0.0;
        self.value = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_mean_at_first_and_fades_later() {
        let mut mean = YoungMean::new(0.25);
        [1.0, 2.0, 6.0, 3.0].into_iter().for_each(|x| mean.update(x));
        assert_eq!(mean.value(), 3.0);
        mean.update(7.0);
        assert_eq!(mean.value(), 4.0);
    }
}
