//! Settings of the estimator: properties of the port, and the method.

use alloc::string::String;

use crate::error::ConfigError;

/// Window that the default start values are made of: `sqrt(2/p)`, the equilibrium of eq. 2.2, at p = 0.05.
const START_WINDOW: f64 = 6.324_555_320_336_759;

/// Most sampling intervals that a round trip without a queue may take, so that one with a queue still fits.
pub(super) const LONGEST_LAG: usize = 100;

/// The unknowns of the linear model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "&'static str"))]
#[non_exhaustive]
pub enum Form {
    /// One congested hop: N_s and z0^2 / N_s (Zhao 2004, eq. 2.13 and 2.14).
    #[default]
    Basic,
    /// Further congested hops: a third unknown for the drops elsewhere (eq. 2.23).
    ///
    /// Its column is -1/2 of the first one, so no data can tell the two apart: what is identified is
    /// `beta0 - beta2 / 2`. The split stays where the start value put it.
    MultiHop,
    /// Non-responsive flows of a constant rate, which is the third unknown; z0 and that rate are projected on
    /// the line `z0 / R0 + d_u = C` (appendix A).
    Cbr,
}

impl Form {
    /// Name in a scenario and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Form::Basic => "basic",
            Form::MultiHop => "multi-hop",
            Form::Cbr => "cbr",
        }
    }
}

impl From<Form> for &'static str {
    fn from(form: Form) -> Self {
        form.name()
    }
}

impl TryFrom<String> for Form {
    type Error = ConfigError;

    fn try_from(name: String) -> Result<Self, ConfigError> {
        let found = [Form::Basic, Form::MultiHop, Form::Cbr].into_iter().find(|form| form.name() == name);
        let expected = "\"basic\", \"multi-hop\" or \"cbr\"";
        found.ok_or_else(|| ConfigError::new("form", format_args!("{name:?}"), expected))
    }
}

/// Method that follows the unknowns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Method {
    /// Normalised Kaczmarz projection (eq. 2.16): `beta += e gamma2 W / (gamma1 + W^T W)`.
    Kaczmarz {
        /// At least 0.
        gamma1: f64,
        /// Between 0 and 2, both excluded.
        gamma2: f64,
    },
    /// Recursive least squares with exponential forgetting.
    Rls {
        /// Weight of a sample relative to the next one: above 0, at most 1.
        forgetting: f64,
        /// Covariance to start from, relative to the squared start values and the variance of the noise: the
        /// greater, the sooner the start is forgotten. Above 0.
        initial: f64,
    },
    /// Kalman filter of parameters that walk at random.
    Kalman {
        /// Standard deviation of the start values, relative to them. Above 0.
        initial: f64,
        /// Standard deviation that each parameter gains in a second, relative to its start value. At least 0.
        drift: f64,
        /// Standard deviation of the noise of chi, in packets/s; when `None`, the root mean square innovation.
        noise: Option<f64>,
    },
}

/// Everything that can be set. [`Settings::new`] fills in what Zhao 2004, II.C, prints.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Rate of the link, C, in packets/s.
    pub capacity_pps: f64,
    /// Round-trip time without a queue, Tp, in seconds.
    pub propagation_s: f64,
    /// Time between samples, T, in seconds: at most a round trip.
    pub sampling_s: f64,
    /// R0 in seconds; when `None`, R(t) = q(t)/C + Tp takes its place.
    pub rtt_s: Option<f64>,
    /// The unknowns.
    pub form: Form,
    /// Method that follows them.
    pub method: Method,
    /// True if drops are counted in the queue's equation (eq. 2.18 and 2.19).
    pub count_drops: bool,
    /// After how many sampling intervals in a row without a drop or mark, seen a round trip late, z is
    /// extrapolated (eq. 2.17; PZTHD in III.A.1); `None` never. At least 1.
    pub zero_drops_after: Option<u32>,
    /// Forgetting factor of the queue length, from 0 (no filter) to below 1: `v = alpha v + (1 - alpha) x`.
    pub backlog_alpha: f64,
    /// Forgetting factor of the signal probability p.
    pub signal_alpha: f64,
    /// Forgetting factor of the drops l(t).
    pub drop_alpha: f64,
    /// Forgetting factor of the differences q' and q'' ("dirty derivatives"); 0, no filter, in the document.
    pub derivative_alpha: f64,
    /// Sampling intervals in an estimation interval. At least 1.
    pub estimation_samples: u32,
    /// Start value of N_s. Above 0.
    pub start_n_s: f64,
    /// Start value of z0, in packets per round trip. Above 0.
    pub start_z0: f64,
    /// Start value of the mean drop probability elsewhere; for [`Form::MultiHop`]. From 0 to 1.
    pub start_elsewhere: f64,
    /// Start value of the rate of the constant-rate flows d_u, in packets/s; for [`Form::Cbr`]. At least 0.
    pub start_cbr_pps: f64,
}

impl Method {
    /// The gains printed in Zhao 2004, II.B, for one hop.
    pub fn kaczmarz() -> Method {
        Method::Kaczmarz { gamma1: 5.0, gamma2: 0.45 }
    }

    /// A memory of some thousand samples and a start that counts for little.
    pub fn rls() -> Method {
        Method::Rls { forgetting: 0.999, initial: 1.0 }
    }

    /// Start values that may be wrong by their own size, a drift of 3 % in a second, noise from the innovations.
    pub fn kalman() -> Method {
        Method::Kalman { initial: 1.0, drift: 0.03, noise: None }
    }

    fn validate(&self) -> Result<(), ConfigError> {
        match *self {
            Method::Kaczmarz { gamma1, gamma2 } => {
                within(0.0..=1e12, "gamma1", gamma1, "a number from 0 to 1e12")?;
                let open = gamma2 > 0.0 && gamma2 < 2.0;
                ConfigError::unless(open, "gamma2", gamma2, "a number above 0 and below 2")
            }
            Method::Rls { forgetting, initial } => {
                let fits = forgetting > 0.0 && forgetting <= 1.0;
                ConfigError::unless(fits, "forgetting", forgetting, "a number above 0 and at most 1")?;
                within(1e-12..=1e12, "initial", initial, "a number from 1e-12 to 1e12")
            }
            Method::Kalman { initial, drift, noise } => {
                within(1e-6..=1e6, "initial", initial, "a number from 1e-6 to 1e6")?;
                within(0.0..=1e6, "drift", drift, "a number from 0 to 1e6")?;
                let noise = noise.unwrap_or(1.0);
                within(1e-6..=1e12, "noise", noise, "a number of packets/s from 1e-6 to 1e12")
            }
        }
    }
}

impl Settings {
    /// The settings that the document prints: the basic form by Kaczmarz projection with gains 5 and 0.45,
    /// forgetting factors 0.4 (queue) and 0.6 (drops), 20 sampling intervals an estimate.
    ///
    /// The document has no start value. Here half of the capacity is taken to respond, in windows of 6.3 packets:
    /// the equilibrium at a drop probability of 5 %.
    pub fn new(capacity_pps: f64, propagation_s: f64, sampling_s: f64) -> Settings {
        Settings {
            capacity_pps,
            propagation_s,
            sampling_s,
            rtt_s: None,
            form: Form::Basic,
            method: Method::kaczmarz(),
            count_drops: false,
            zero_drops_after: None,
            backlog_alpha: 0.4,
            signal_alpha: 0.6,
            drop_alpha: 0.6,
            derivative_alpha: 0.0,
            estimation_samples: 20,
            start_n_s: 0.0,
            start_z0: 0.0,
            start_elsewhere: 0.01,
            start_cbr_pps: capacity_pps / 2.0,
        }
        .with_rtt(None)
    }

    /// Returns the settings with another R0, and with default start values of N_s and z0 that fit it.
    pub fn with_rtt(mut self, rtt_s: Option<f64>) -> Settings {
        self.rtt_s = rtt_s;
        self.start_z0 = self.capacity_pps * self.least_rtt_s() / 2.0;
        self.start_n_s = self.start_z0 / START_WINDOW;
        self
    }

    /// R0, or the least that R(t) can be.
    pub fn least_rtt_s(&self) -> f64 {
        self.rtt_s.unwrap_or(self.propagation_s)
    }

    /// `Ok` if every field is in its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_port()?;
        self.method.validate()?;
        self.validate_filters()?;
        self.validate_start()
    }

    fn validate_port(&self) -> Result<(), ConfigError> {
        let expected = "a number of packets/s from 1e-3 to 1e12";
        within(1e-3..=1e12, "capacity_pps", self.capacity_pps, expected)?;
        within(0.0..=1e3, "propagation_s", self.propagation_s, "a number of seconds from 0 to 1000")?;
        if let Some(rtt_s) = self.rtt_s {
            within(1e-6..=1e3, "rtt_s", rtt_s, "a number of seconds from 1e-6 to 1000")?;
        }
        within(1e-6..=1e3, "sampling_s", self.sampling_s, "a number of seconds from 1e-6 to 1000")?;
        self.validate_sampling()
    }

    fn validate_sampling(&self) -> Result<(), ConfigError> {
        let rtt_s = self.least_rtt_s();
        ConfigError::unless(
            self.sampling_s <= rtt_s,
            "sampling_s",
            format_args!("{} with a round-trip time of {rtt_s} s", self.sampling_s),
            "at most one round-trip time",
        )?;
        ConfigError::unless(
            rtt_s / self.sampling_s <= LONGEST_LAG as f64,
            "sampling_s",
            format_args!("{} with a round-trip time of {rtt_s} s", self.sampling_s),
            "at least 1/100 of the round-trip time",
        )
    }

    fn validate_filters(&self) -> Result<(), ConfigError> {
        for (field, alpha) in [
            ("backlog_alpha", self.backlog_alpha),
            ("signal_alpha", self.signal_alpha),
            ("drop_alpha", self.drop_alpha),
            ("derivative_alpha", self.derivative_alpha),
        ] {
            ConfigError::unless((0.0..1.0).contains(&alpha), field, alpha, "a number from 0 to below 1")?;
        }
        let samples = self.estimation_samples;
        ConfigError::unless(samples >= 1, "estimation_samples", samples, "a whole number, at least 1")?;
        let after = self.zero_drops_after.unwrap_or(1);
        ConfigError::unless(after >= 1, "zero_drops_after", after, "a whole number, at least 1")
    }

    fn validate_start(&self) -> Result<(), ConfigError> {
        within(1e-6..=1e12, "start_n_s", self.start_n_s, "a number of flows from 1e-6 to 1e12")?;
        within(1e-6..=1e12, "start_z0", self.start_z0, "a number of packets from 1e-6 to 1e12")?;
        within(0.0..=1.0, "start_elsewhere", self.start_elsewhere, "a probability from 0 to 1")?;
        let expected = "a number of packets/s from 0 to 1e12";
        within(0.0..=1e12, "start_cbr_pps", self.start_cbr_pps, expected)
    }
}

fn within(
    range: core::ops::RangeInclusive<f64>,
    field: &'static str,
    value: f64,
    expected: &'static str,
) -> Result<(), ConfigError> {
    ConfigError::unless(range.contains(&value), field, value, expected)
}
