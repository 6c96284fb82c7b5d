//! The probe timeout of QUIC (RFC 9002, sections 5 and 6.2): round trips without the time for which the peer held an ACK back,
//! and a timeout that gives it that time.
//!
//! Section 5.3 lists the formula of smoothed_rtt before that of rttvar, which would then take the new value. Appendix A.7, RFC
//! 6298 and erratum 7539 have them the other way round, and so has this file.

use core::borrow::Borrow;

use super::jacobson::Estimate;
use super::{RtoEstimator, RtoRules, RtoTimer};
use crate::error::ConfigError;
use crate::ewma::{deviation_toward, toward};
use crate::sample::is_rtt;
use crate::seconds::Seconds;

/// Weights of a sample in srtt and of its distance in rttvar, and how many rttvar the timeout adds (section 5.3).
const GAIN: f64 = 1.0 / 8.0;
const DEVIATION_GAIN: f64 = 1.0 / 4.0;
const DEVIATIONS: f64 = 4.0;

/// A packet number space (RFC 9000, section 12.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PacketSpace {
    /// Initial packets. Their ACKs are not held back.
    Initial,
    /// Handshake packets.
    Handshake,
    /// Application data, in packets of 0-RTT and 1-RTT.
    Application,
}

/// The side of the connection that runs the timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum QuicRole {
    /// Keeps its backoff on an ACK of an Initial packet: the server may not have validated its address yet (section 6.2.1).
    #[default]
    Client,
    /// Ends its backoff with every ACK.
    Server,
}

/// Parameters of [`QuicPto`]. All times are seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QuicSettings {
    /// The side that runs the timer; unless set, the client.
    pub role: QuicRole,
    /// Stands for the round-trip time before the first sample (kInitialRtt, section 6.2.2).
    pub initial_rtt_s: f64,
    /// Granularity of the timer (kGranularity, section 6.1.2).
    pub granularity_s: f64,
    /// The longest time for which the peer holds an ACK back on purpose: its transport parameter `max_ack_delay`.
    pub max_ack_delay_s: f64,
}

impl Default for QuicSettings {
    /// An initial round trip of 333 ms and a granularity of 1 ms (RFC 9002), and ACKs that the peer holds back for up to 25 ms
    /// (RFC 9000, section 18.2).
    fn default() -> Self {
        QuicSettings {
            role: QuicRole::Client,
            // [RFC 9002 6.2.2-a]
            initial_rtt_s: 0.333,
            granularity_s: 0.001,
            max_ack_delay_s: 0.025,
        }
    }
}

impl QuicSettings {
    /// Refuses the first parameter that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let positive = |field, value: f64| {
            let holds = value > 0.0 && value.is_finite();
            ConfigError::unless(holds, field, value, "a finite number of seconds above 0")
        };
        positive("initial_rtt", self.initial_rtt_s)?;
        positive("granularity", self.granularity_s)?;
        check_max_ack_delay(self.max_ack_delay_s)
    }

    /// The rules of a timer with these parameters. RFC 9002 has no maximum: consecutive expiries end with the idle timeout.
    pub fn rules(&self) -> RtoRules {
        RtoRules {
            initial_s: self.period(Estimate::first(self.initial_rtt_s), PacketSpace::Application),
            min_s: self.granularity_s,
            max_s: f64::MAX,
            granularity_s: self.granularity_s,
        }
    }

    /// `smoothed_rtt + max(4 rttvar, kGranularity) + max_ack_delay` (section 6.2.1), at least kGranularity.
    #[inline]
    fn period(&self, estimate: Estimate, space: PacketSpace) -> f64 {
        // [RFC 9002 6.2.1-a] [RFC 9002 6.2.1-b]
        let held_back_s = if space == PacketSpace::Application { self.max_ack_delay_s } else { 0.0 };
        estimate.srtt + (DEVIATIONS * estimate.rttvar).max(self.granularity_s) + held_back_s
    }
}

fn check_max_ack_delay(delay_s: f64) -> Result<(), ConfigError> {
    ConfigError::unless(is_rtt(delay_s), "max_ack_delay", delay_s, "a finite number of seconds, at least 0")
}

/// The round-trip time and the probe timeout of a path, as RFC 9002 estimates them.
///
/// With the time for which the peer held the ACK back taken off a sample, where it may be, `rttvar += (|R - srtt| - rttvar) / 4`
/// and `srtt += (R - srtt) / 8`. The timeout is `srtt + max(4 rttvar, granularity) + max_ack_delay`. [`RtoTimer::quic`] doubles
/// it at each expiry.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QuicPto {
    settings: QuicSettings,
    confirmed: bool,
    latest_s: f64,
    /// The least sample as it was measured.
    min_s: f64,
    estimate: Estimate,
}

impl QuicPto {
    /// A path that has not been measured, before the handshake is confirmed.
    ///
    /// # Errors
    ///
    /// What [`QuicSettings::validate`] refuses.
    pub fn new(settings: QuicSettings) -> Result<Self, ConfigError> {
        settings.validate()?;
        Ok(QuicPto { settings, confirmed: false, latest_s: 0.0, min_s: 0.0, estimate: Estimate::NONE })
    }

    /// Takes in a round-trip time, measured on an ACK in this packet number space, and the time for which the peer says that it
    /// held the ACK back.
    ///
    /// That time is ignored for Initial packets. Once the handshake is confirmed, no more of it counts than `max_ack_delay`. It is
    /// not subtracted where the rest would be less than the least round trip (section 5.3). A round trip that is negative, NaN or
    /// infinite is left out; such a time of holding back counts as none.
    #[inline]
    pub fn on_delayed_sample(
        &mut self,
        space: PacketSpace,
        rtt: impl Into<Seconds>,
        ack_delay: impl Into<Seconds>,
    ) {
        let (rtt_s, ack_delay_s) = (rtt.into().get(), ack_delay.into().get());
        if !is_rtt(rtt_s) {
            return;
        }
        self.latest_s = rtt_s;
        let Some(old) = self.estimate.known() else {
            // [RFC 9002 5.2-a]
            self.min_s = rtt_s;
            self.estimate = Estimate::first(rtt_s);
            return;
        };
        // [RFC 9002 5.2-b]
        self.min_s = self.min_s.min(rtt_s);
        let adjusted_s = self.adjusted(rtt_s, self.counted(space, ack_delay_s));
        self.estimate = Estimate {
            srtt: toward(old.srtt, adjusted_s, GAIN),
            rttvar: deviation_toward(old.rttvar, (adjusted_s - old.srtt).abs(), DEVIATION_GAIN),
        };
    }

    /// The part of the time of holding back that counts.
    #[inline]
    fn counted(&self, space: PacketSpace, ack_delay_s: f64) -> f64 {
        if space == PacketSpace::Initial || !is_rtt(ack_delay_s) {
            0.0
        } else if self.confirmed {
            // [RFC 9002 5.3-b]
            ack_delay_s.min(self.settings.max_ack_delay_s)
        } else {
            // [RFC 9002 5.3-a]
            ack_delay_s
        }
    }

    #[inline]
    fn adjusted(&self, rtt_s: f64, ack_delay_s: f64) -> f64 {
        let without_s = rtt_s - ack_delay_s;
        // Times in nanoseconds that are equal must not differ by what seconds round.
        let rounding_s = rtt_s * f64::EPSILON;
        // [RFC 9002 5.3-c]
        if without_s >= self.min_s - rounding_s {
            without_s.max(self.min_s)
        } else {
            rtt_s
        }
    }

    /// Limits times of holding back to `max_ack_delay` from now on (RFC 9001, section 4.1.2).
    pub fn on_handshake_confirmed(&mut self) {
        self.confirmed = true;
    }

    /// Takes the newest sample for the least round trip: the path may have become longer (section 5.2).
    pub fn on_persistent_congestion(&mut self) {
        // [RFC 9002 5.2-c]
        self.min_s = self.latest_s;
    }

    /// Sets the peer's `max_ack_delay`, once its transport parameters are known.
    ///
    /// # Errors
    ///
    /// What is negative, NaN or infinite; the parameter then stays as it was.
    pub fn set_max_ack_delay(&mut self, delay: impl Into<Seconds>) -> Result<(), ConfigError> {
        let delay_s = delay.into().get();
        check_max_ack_delay(delay_s)?;
        self.settings.max_ack_delay_s = delay_s;
        Ok(())
    }

    /// The parameters.
    pub fn settings(&self) -> &QuicSettings {
        &self.settings
    }

    /// The newest sample as it was measured, in seconds; `None` before the first.
    pub fn latest_rtt(&self) -> Option<f64> {
        self.estimate.known().map(|_| self.latest_s)
    }

    /// The least sample as it was measured, in seconds; `None` before the first.
    pub fn min_rtt(&self) -> Option<f64> {
        self.estimate.known().map(|_| self.min_s)
    }

    /// The timeout of packets in this space before any backoff, in seconds. Before the first sample the initial round trip
    /// stands for it.
    #[inline]
    pub fn period(&self, space: PacketSpace) -> f64 {
        let estimate = self.estimate.known().unwrap_or(Estimate::first(self.settings.initial_rtt_s));
        self.settings.period(estimate, space)
    }
}

impl RtoEstimator for QuicPto {
    /// Takes in the round-trip time of application data whose ACK was not held back.
    #[inline]
    fn on_sample(&mut self, rtt_s: f64) {
        self.on_delayed_sample(PacketSpace::Application, rtt_s, 0.0);
    }

    #[inline]
    fn srtt(&self) -> Option<f64> {
        self.estimate.known().map(|e| e.srtt)
    }

    #[inline]
    fn rttvar(&self) -> Option<f64> {
        self.estimate.known().map(|e| e.rttvar)
    }

    /// The timeout of application data.
    #[inline]
    fn base_rto(&self) -> Option<f64> {
        self.granular_rto(0.0)
    }

    #[inline]
    fn granular_rto(&self, granularity_s: f64) -> Option<f64> {
        let estimate = self.estimate.known()?;
        let granularity_s = self.settings.granularity_s.max(granularity_s);
        Some(QuicSettings { granularity_s, ..self.settings }.period(estimate, PacketSpace::Application))
    }

    /// Forgets the path, for a new one of the same connection: the handshake stays confirmed.
    fn reset(&mut self) {
        *self = QuicPto { latest_s: 0.0, min_s: 0.0, estimate: Estimate::NONE, ..*self };
    }
}

impl RtoTimer<QuicPto> {
    /// The probe timer of a connection: [`QuicPto`] with a backoff that doubles at each expiry, without a maximum.
    ///
    /// ```
    /// use core::time::Duration;
    /// use parshall_estimators::rto::{PacketSpace, QuicSettings, RtoTimer};
    ///
    /// let mut timer = RtoTimer::quic(QuicSettings::default())?;
    /// assert_eq!(timer.pto(PacketSpace::Initial).to_duration(), Duration::from_millis(999));
    /// timer.on_delayed_ack(PacketSpace::Initial, Duration::from_millis(40), Duration::ZERO);
    /// timer.estimator_mut().on_handshake_confirmed();
    /// // 40 ms + 4 * 20 ms + 25 ms, for which the peer may hold an ACK back.
    /// assert_eq!(timer.pto(PacketSpace::Application).to_duration(), Duration::from_millis(145));
    /// timer.on_timeout();
    /// assert_eq!(timer.timeout(), Duration::from_millis(290));
    /// # Ok::<(), parshall_estimators::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What [`QuicSettings::validate`] refuses.
    pub fn quic(settings: QuicSettings) -> Result<Self, ConfigError> {
        // Its backoff is one for all spaces. [RFC 9002 6.2.1-c]
        Ok(RtoTimer::new(QuicPto::new(settings)?, settings.rules()))
    }
}

impl<R: Borrow<RtoRules>> RtoTimer<QuicPto, R> {
    /// Takes in the round-trip time of an ACK as [`QuicPto::on_delayed_sample`] does, and ends the backoff: a client's not on an
    /// ACK of an Initial packet (section 6.2.1). An ACK without a sample ends it by [`RtoTimer::reset_backoff`].
    #[inline]
    pub fn on_delayed_ack(
        &mut self,
        space: PacketSpace,
        rtt: impl Into<Seconds>,
        ack_delay: impl Into<Seconds>,
    ) {
        let rtt = rtt.into();
        if !is_rtt(rtt.get()) {
            return;
        }
        self.estimator_mut().on_delayed_sample(space, rtt, ack_delay);
        let keeps = space == PacketSpace::Initial && self.estimator().settings().role == QuicRole::Client;
        if !keeps {
            self.reset_backoff();
        }
    }

    /// The probe timeout to set now for packets in this space. That of application data counts only once the handshake is
    /// confirmed.
    #[inline]
    pub fn pto(&self, space: PacketSpace) -> Seconds {
        self.rules().apply(self.estimator().period(space), self.backoff()).into()
    }
}

#[cfg(test)]
mod tests;
