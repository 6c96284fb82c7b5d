//! Markers for TCP that go by round trips, timeouts and losses (Nandy et al. 2000; Habib, Bhargava and Fahmy 2002): what
//! an aggregate sends beyond its committed rate is green, yellow or red so that excess capacity is shared out fairly.
//!
//! All measure the rate as TSW markers do. Of a rate `m` beyond the committed rate `r`, the part `(m - r) / m` is marked,
//! and a part [rho](Division) of that is red. With three colours the rest of what is marked is yellow, with two it is
//! green.

use super::bucket::MeterClock;
use super::config::{FairExcessMeter, RttAwareMeter, RttRtoMeter, TcpModelMeter};
use super::tsw::TswRate;
use super::Colour;
use crate::math::sqrt;
use crate::seconds::Seconds;

/// State of an aggregate of TCP connections; NaN for values not known yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AggregateView {
    /// Round-trip time in seconds, a mean over its connections.
    pub rtt_s: f64,
    /// Retransmission timeout in seconds without backoff, a mean over its connections.
    pub rto_s: f64,
    /// Part of its packets that is lost.
    pub loss: f64,
    /// Acknowledged rate beyond the committed one, in bytes/s; negative below it.
    pub excess: f64,
}

impl Default for AggregateView {
    /// Nothing is known.
    fn default() -> Self {
        AggregateView { rtt_s: f64::NAN, rto_s: f64::NAN, loss: f64::NAN, excess: f64::NAN }
    }
}

/// View of an aggregate and of those that it shares a bottleneck with, itself among them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// The aggregate.
    pub own: AggregateView,
    /// The aggregate with the least round-trip time.
    pub nearest: AggregateView,
    /// True if that is the aggregate itself.
    pub is_nearest: bool,
    /// The least timeout.
    pub least_rto_s: f64,
    /// Mean over all of what is acknowledged beyond committed rates, in bytes/s.
    pub mean_excess: f64,
}

/// A marker of an aggregate's excess.
#[derive(Clone, Debug)]
pub struct ExcessMarker {
    rate: TswRate,
    /// Bytes a second.
    cir: f64,
    three_colours: bool,
    division: Division,
}

/// Rule for rho, the part of excess packets that is red.
#[derive(Clone, Debug)]
enum Division {
    /// `(RTTmin / RTT)^a (RTOmin / RTO)^b`.
    Powers {
        rtt: f64,
        rto: f64,
        /// For the aggregate that has the least round trip, in place of 1: `RTT / RTO`.
        own_timeout: bool,
    },
    /// The ratio of losses that makes the rates of a model of TCP equal.
    Model {
        /// Takes [`padhye_ratio`] and not [`drop_ratio`].
        full: bool,
    },
    /// Part found by feedback, which makes excesses equal.
    Feedback(Feedback),
}

impl ExcessMarker {
    /// Marks by round trips (Nandy et al. 2000).
    pub fn rtt_aware(config: &RttAwareMeter) -> Self {
        let division = Division::Powers { rtt: config.exponent, rto: 0.0, own_timeout: false };
        ExcessMarker::new(config.cir, config.window, config.colours == 3, division)
    }

    /// Marks by round trips and timeouts (Habib, Bhargava and Fahmy 2002, equation 9 and Figure 1).
    pub fn rtt_rto(config: &RttRtoMeter) -> Self {
        let (rtt, rto) = (config.rtt_exponent, config.rto_exponent);
        let division = Division::Powers { rtt, rto, own_timeout: config.own_timeout };
        ExcessMarker::new(config.cir, config.window, config.colours == 3, division)
    }

    /// Marks by the exact solution of equation 6 of Habib, Bhargava and Fahmy 2002, or of equation 2 for both.
    pub fn tcp_model(config: &TcpModelMeter) -> Self {
        let division = Division::Model { full: config.full };
        ExcessMarker::new(config.cir, config.window, config.colours == 3, division)
    }

    /// Marks so that excesses become equal.
    pub fn fair_excess(config: &FairExcessMeter) -> Self {
        let division = Division::Feedback(Feedback::default());
        ExcessMarker::new(config.cir, config.window, true, division)
    }

    fn new(cir_bps: f64, window_s: f64, three_colours: bool, division: Division) -> Self {
        ExcessMarker { rate: TswRate::new(cir_bps, window_s), cir: cir_bps / 8.0, three_colours, division }
    }

    /// The colour of a packet. It draws only where the rate exceeds CIR.
    pub fn colour(
        &mut self,
        now: impl Into<Seconds>,
        bytes: f64,
        around: &Surroundings,
        uniform: impl FnOnce() -> f64,
    ) -> Colour {
        let now_s = now.into().get();
        let rate = self.rate.update(now_s, bytes);
        if let Division::Feedback(feedback) = &mut self.division {
            feedback.learn(now_s, around);
        }
        if rate <= self.cir {
            return Colour::Green;
        }
        let excess = (rate - self.cir) / rate;
        let (drawn, part) = (uniform(), self.red_part(around));
        if drawn < excess * part {
            Colour::Red
        } else if drawn < -excess * part {
            Colour::Green
        } else if self.three_colours && drawn < excess {
            Colour::Yellow
        } else {
            Colour::Green
        }
    }

    /// The estimated rate, in bytes/s.
    pub fn rate(&self) -> f64 {
        self.rate.rate()
    }

    /// The part of excess packets that is red just now, rho.
    pub fn red_part(&self, around: &Surroundings) -> f64 {
        let (own, nearest) = (&around.own, &around.nearest);
        match &self.division {
            Division::Powers { own_timeout: true, .. } if around.is_nearest => part(own.rtt_s / own.rto_s),
            Division::Powers { rtt, rto, .. } => {
                part(power(nearest.rtt_s / own.rtt_s, *rtt) * power(around.least_rto_s / own.rto_s, *rto))
            }
            Division::Model { .. } if around.is_nearest => 1.0,
            Division::Model { full: false } => part(drop_ratio(nearest, own)),
            Division::Model { full: true } => part(padhye_ratio(nearest, own)),
            Division::Feedback(feedback) => feedback.part,
        }
    }
}

/// A ratio as a part of a whole; while nothing is known, all of it.
fn part(ratio: f64) -> f64 {
    if ratio.is_nan() {
        1.0
    } else {
        ratio.clamp(0.0, 1.0)
    }
}

/// A power of a ratio; with an exponent of 0 it need not be known.
fn power(ratio: f64, exponent: f64) -> f64 {
    if exponent == 0.0 {
        1.0
    } else {
        libm::pow(ratio, exponent)
    }
}

/// The ratio `p2 / p1` of the losses of two aggregates for which `BW = 1 / (RTT sqrt(p) + RTO p)` is the same for both,
/// where `p1` is the loss of the first (Habib, Bhargava and Fahmy 2002, equations 3 to 6).
///
/// Equation 6 is a quadratic in `sqrt(rho)`:
/// `RTO2 p1 x^2 + RTT2 sqrt(p1) x = RTT1 sqrt(p1) + RTO1 p1`. With few losses the root tends to `(RTT1 / RTT2)^2`
/// (equation 7), with many to `RTO1 / RTO2` (equation 8); in between it is neither, nor their product.
pub fn drop_ratio(first: &AggregateView, second: &AggregateView) -> f64 {
    let root_p = sqrt(first.loss.max(0.0));
    // Divided by sqrt(p1), so that nothing vanishes without losses.
    let (a, b) = (second.rto_s * root_p, second.rtt_s);
    let c = first.rtt_s + first.rto_s * root_p;
    // The form of the root that loses no digits where `a` is small.
    let x = 2.0 * c / (b + sqrt(b * b + 4.0 * a * c));
    x * x
}

/// The ratio `p2 / p1` of the losses of two aggregates, up to 1, for which the rate of Padhye et al. 1998 is the same for
/// both, with a packet an ACK (Habib, Bhargava and Fahmy 2002, equation 2 for both). No formula gives it, and intervals are
/// halved: the rate falls with losses.
pub fn padhye_ratio(first: &AggregateView, second: &AggregateView) -> f64 {
    let root_p = sqrt(first.loss.max(0.0));
    let target = padhye_seconds(first, root_p);
    let over = |root: f64| padhye_seconds(second, root * root_p) * root - target;
    if over(1.0).is_nan() {
        return f64::NAN;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if over(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high * high
}

/// Seconds that a packet takes by that model, over the root of the losses, whose root is `root_p`.
fn padhye_seconds(view: &AggregateView, root_p: f64) -> f64 {
    let p = root_p * root_p;
    let often = (3.0 * sqrt(0.375_f64) * root_p).min(1.0);
    view.rtt_s * sqrt(2.0_f64 / 3.0) + view.rto_s * often * root_p * (1.0 + 32.0 * p * p)
}

/// Moves the red part of an aggregate's excess until it gets as much as others: a proportional and integral control.
///
/// A negative part stands for excess that is green: without it, an aggregate that loses nothing any more could not be
/// helped further. Who gets more than the mean must be ahead of one who gets less, so as much excess turns green as
/// turns red.
#[derive(Clone, Debug, Default)]
struct Feedback {
    integral: f64,
    part: f64,
    clock: MeterClock,
}

impl Feedback {
    /// An aggregate that gets twice the mean changes from yellow to red within so many seconds: windows must have time
    /// to answer, or both oscillate.
    const TIME_S: f64 = 5.0;
    /// Change that such an aggregate makes at once.
    const AT_ONCE: f64 = 0.5;

    fn learn(&mut self, now_s: f64, around: &Surroundings) {
        let (then_s, now_s) = self.clock.advance(now_s);
        let ahead = (around.own.excess - around.mean_excess) / around.mean_excess.abs();
        if ahead.is_nan() {
            return;
        }
        let ahead = ahead.clamp(-1.0, 1.0);
        self.integral = (self.integral + ahead * (now_s - then_s) / Self::TIME_S).clamp(-1.0, 1.0);
        // Where there is not even what is committed, none has an excess that could be helped: what is sent beyond it is
        // sent again.
        let least = if around.mean_excess > 0.0 { -1.0 } else { 0.0 };
        self.part = (self.integral + Self::AT_ONCE * ahead).clamp(least, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAR: AggregateView = AggregateView { rtt_s: 0.02, rto_s: 0.2, loss: 0.05, excess: 3e5 };
    const FAR: AggregateView = AggregateView { rtt_s: 0.1, rto_s: 0.4, loss: 0.02, excess: 1e5 };

    fn around(own: AggregateView) -> Surroundings {
        Surroundings {
            own,
            nearest: NEAR,
            is_nearest: own == NEAR,
            least_rto_s: NEAR.rto_s,
            mean_excess: 2e5,
        }
    }

    /// Parts of each colour over many packets of a rate of 5 times CIR, drawn evenly.
    fn parts(mut marker: ExcessMarker, around: &Surroundings) -> [f64; 3] {
        const PACKETS: usize = 10_000;
        // 1000 bytes every 0.2 ms are 40 Mbit/s; the estimate is there after some windows.
        let at = |packet: usize| packet as f64 * 2e-4;
        for packet in 0..PACKETS {
            marker.colour(at(packet), 1000.0, around, || 0.5);
        }
        let mut counts = [0.0; 3];
        for packet in 0..PACKETS {
            let drawn = (packet as f64 + 0.5) / PACKETS as f64;
            counts[marker.colour(at(PACKETS + packet), 1000.0, around, || drawn) as usize] += 1.0;
        }
        counts.map(|count| count / PACKETS as f64)
    }

    #[track_caller]
    fn close(found: [f64; 3], expected: [f64; 3]) {
        let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.005);
        assert!(near, "{found:?}, expected {expected:?}");
    }

    #[test]
    fn excess_is_divided_by_the_square_of_round_trips() {
        let config = RttAwareMeter { cir: 8e6, window: 0.1, colours: 3, exponent: 2.0 };
        // (20 / 100)^2 of 4/5 is red.
        close(parts(ExcessMarker::rtt_aware(&config), &around(FAR)), [0.2, 0.768, 0.032]);
        close(parts(ExcessMarker::rtt_aware(&config), &around(NEAR)), [0.2, 0.0, 0.8]);
        let two = RttAwareMeter { colours: 2, ..config };
        close(parts(ExcessMarker::rtt_aware(&two), &around(FAR)), [0.968, 0.0, 0.032]);
    }

    #[test]
    fn the_nearest_aggregate_goes_by_its_own_timeout() {
        let config = RttRtoMeter {
            cir: 8e6,
            window: 0.1,
            colours: 3,
            rtt_exponent: 1.0,
            rto_exponent: 0.5,
            own_timeout: true,
        };
        close(parts(ExcessMarker::rtt_rto(&config), &around(NEAR)), [0.2, 0.72, 0.08]);
        let rho = 0.2 * 0.5_f64.sqrt();
        close(parts(ExcessMarker::rtt_rto(&config), &around(FAR)), [0.2, 0.8 - 0.8 * rho, 0.8 * rho]);
        let literal = RttRtoMeter { own_timeout: false, ..config };
        close(parts(ExcessMarker::rtt_rto(&literal), &around(NEAR)), [0.2, 0.0, 0.8]);
    }

    #[test]
    fn below_the_committed_rate_all_is_green() {
        let config = RttAwareMeter { cir: 80e6, window: 0.1, colours: 3, exponent: 2.0 };
        close(parts(ExcessMarker::rtt_aware(&config), &around(NEAR)), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn while_nothing_is_known_all_excess_is_red() {
        let config = RttAwareMeter { cir: 8e6, window: 0.1, colours: 3, exponent: 2.0 };
        close(parts(ExcessMarker::rtt_aware(&config), &Surroundings::default()), [0.2, 0.0, 0.8]);
    }

    #[test]
    fn the_ratio_of_losses_makes_rates_equal() {
        let rate = |view: &AggregateView, p: f64| 1.0 / (view.rtt_s * p.sqrt() + view.rto_s * p);
        for p in [1e-6, 1e-3, 0.02, 0.1, 0.5] {
            let first = AggregateView { loss: p, ..NEAR };
            let ratio = drop_ratio(&first, &FAR);
            let (one, other) = (rate(&first, p), rate(&FAR, ratio * p));
            assert!((one / other - 1.0).abs() < 1e-12, "{p}: {one} and {other}");
        }
    }

    #[test]
    fn so_does_that_of_the_full_model() {
        let rate = |view: &AggregateView, p: f64| {
            let timeouts = (3.0 * (3.0 * p / 8.0).sqrt()).min(1.0) * p * (1.0 + 32.0 * p * p);
            1.0 / (view.rtt_s * (2.0 * p / 3.0).sqrt() + view.rto_s * timeouts)
        };
        for p in [1e-6, 1e-3, 0.02, 0.1, 0.5] {
            let first = AggregateView { loss: p, ..NEAR };
            let ratio = padhye_ratio(&first, &FAR);
            let (one, other) = (rate(&first, p), rate(&FAR, ratio * p));
            assert!((one / other - 1.0).abs() < 1e-9, "{p}: {one} and {other}");
        }
        let at = |loss| padhye_ratio(&AggregateView { loss, ..NEAR }, &FAR);
        assert!((at(0.0) - 0.04).abs() < 1e-10);
        assert!(padhye_ratio(&AggregateView::default(), &FAR).is_nan());
        // Who would have more at the same losses is not helped by more.
        assert!((padhye_ratio(&FAR, &NEAR) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_ratio_of_losses_has_both_special_cases_as_limits() {
        let at = |loss| drop_ratio(&AggregateView { loss, ..NEAR }, &FAR);
        assert!((at(0.0) - 0.04).abs() < 1e-15 && (at(1e-12) - 0.04).abs() < 1e-6);
        // A loss beyond 1 is no loss, but shows where the formula goes.
        assert!((at(1e9) - 0.5).abs() < 1e-4, "{}", at(1e9));
    }

    #[test]
    fn feedback_makes_red_who_gets_more_and_green_who_gets_less() {
        let config = FairExcessMeter { cir: 8e6, window: 0.1 };
        let after = |seconds: u32, own: AggregateView| {
            let (mut marker, around) = (ExcessMarker::fair_excess(&config), around(own));
            let mut colour = Colour::Green;
            for ms in 0..seconds * 1000 {
                colour = marker.colour(f64::from(ms) / 1e3, 5000.0, &around, || 0.6);
            }
            (marker.red_part(&around), colour)
        };
        // Half more than the mean: a quarter at once, and another tenth each second. 4/5 of the rate is excess.
        let [(near, yellow), (far, _)] = [after(2, NEAR), after(2, FAR)];
        assert!((near - 0.45).abs() < 1e-3 && (far + 0.45).abs() < 1e-3, "{near} {far}");
        assert_eq!(yellow, Colour::Yellow);
        assert_eq!(after(20, NEAR), (1.0, Colour::Red));
        assert_eq!(after(20, FAR), (-1.0, Colour::Green));
    }
}
