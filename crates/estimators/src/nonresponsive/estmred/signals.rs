//! Filters, differences and the delay line (II.B), in whole numbers.

use super::super::fixed::{div_round, Fixed, ONE, SCALE};
use super::Settings;

/// Slots of the delay line.
const SLOTS: usize = 128;

/// Measurements of a sampling interval, scaled.
pub(super) struct Dynamics {
    /// chi, or chi + l', in packets/s.
    pub growth: i64,
    /// p of a round trip ago.
    pub p: i64,
    /// Sampling intervals without a signal until then.
    pub quiet: u32,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Signals {
    backlog: Option<i64>,
    probability: Option<i64>,
    drops: Option<i64>,
    /// q and l of the last sample.
    before: Option<(i64, i64)>,
    rate: Option<i64>,
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    slots: [(u32, u32); SLOTS],
    written: u64,
    /// Sampling intervals in a row without a signal.
    pub quiet: u32,
    /// Samples until filters and differences are filled.
    pub until_filled: u32,
}

/// `x` filtered, and the first one as it is.
pub(super) fn blend_or_first(fixed: &mut Fixed, alpha: i64, before: Option<i64>, x: i64) -> i64 {
    before.map_or(x, |v| fixed.blend(alpha, v, x))
}

impl Signals {
    pub fn new(until_filled: u32) -> Signals {
        Signals {
            backlog: None,
            probability: None,
            drops: None,
            before: None,
            rate: None,
            slots: [(0, 0); SLOTS],
            written: 0,
            quiet: 0,
            until_filled,
        }
    }

    pub fn filter_backlog(&mut self, fixed: &mut Fixed, alpha: i64, packets: i64) -> i64 {
        let filtered = blend_or_first(fixed, alpha, self.backlog, packets);
        self.backlog = Some(filtered);
        filtered
    }

    /// Dropped packets of a sampling interval, filtered; 0 where drops are not counted.
    pub fn filter_drops(&mut self, fixed: &mut Fixed, settings: &Settings, dropped: u64) -> i64 {
        if !settings.count_drops {
            return 0;
        }
        let packets = div_round((dropped << SCALE) as i64, settings.mean_packet_bytes);
        let filtered = blend_or_first(fixed, settings.drop_alpha, self.drops, packets);
        self.drops = Some(filtered);
        filtered
    }

    pub fn push_signals(&mut self, fixed: &mut Fixed, alpha: i64, arrived: u64, signals: u64) {
        if arrived > 0 {
            let p = div_round((signals.min(arrived) << SCALE) as i64, arrived as i64);
            self.probability = Some(blend_or_first(fixed, alpha, self.probability, p));
        }
        self.quiet = if signals > 0 { 0 } else { self.quiet.saturating_add(1) };
        self.push();
    }

    /// A sampling interval that cannot be used: p is taken to have stayed, differences start again.
    pub fn skip(&mut self) {
        self.before = None;
        self.rate = None;
        if self.probability.is_some() {
            self.push();
        }
    }

    fn push(&mut self) {
        self.slots[(self.written % SLOTS as u64) as usize] =
            (self.probability.unwrap_or(0) as u32, self.quiet);
        self.written += 1;
    }

    /// Eq. 2.14, or 2.19, with the differences of II.B; `None` until they and p(t - R0) exist.
    pub fn dynamics(
        &mut self,
        fixed: &mut Fixed,
        settings: &Settings,
        (q, lost): (i64, i64),
        (current_rtt, rtt): (i64, i64),
        us: i64,
    ) -> Option<Dynamics> {
        let before = self.before.replace((q, lost));
        let rate_before = self.rate.take();
        let (q_before, lost_before) = before?;
        let change = fixed.sub(q, q_before);
        let rate = fixed.scale(change, 1_000_000, us);
        self.rate = Some(rate);
        let rate_change = fixed.sub(rate, rate_before?);
        let acceleration = fixed.scale(rate_change, 1_000_000, us);
        let inertia = fixed.mul(current_rtt, acceleration);
        let relative = fixed.div(rate, settings.capacity);
        let drift = fixed.mul(relative.saturating_add(ONE), rate);
        let mut growth = fixed.add(div_round(inertia, 1000), drift);
        if settings.count_drops {
            let change = fixed.sub(lost, lost_before);
            let change = fixed.scale(change, 1_000_000, us);
            growth = fixed.add(growth, change);
        }
        let lag = div_round(rtt.saturating_mul(1000), settings.sampling_us << SCALE);
        let (p, quiet) = self.delayed(lag as u64)?;
        Some(Dynamics { growth, p, quiet })
    }

    fn delayed(&self, lag: u64) -> Option<(i64, u32)> {
        let slots = SLOTS as u64;
        let (p, quiet) = *self.slots.get(((self.written - 1).wrapping_sub(lag) % slots) as usize)?;
        (lag < self.written.min(slots)).then_some((i64::from(p), quiet))
    }
}
