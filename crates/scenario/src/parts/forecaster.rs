//! Forecasters.

use crate::part::{parts, Kinds, B, EMPTY_LIST, F, I, NONE, T};
use crate::parts::USER_FORECASTER;
use crate::read as checks;
use crate::takes::{
    Takes, DIFFERENCES, FLAG, LEVEL, NOT_NEGATIVE, NUMBERS, ORDER_OF, PART, POSITIVE, REAL, SHARE, WINDOW,
};

parts! {
    /// One number, whatever comes: what any other forecaster has to do better than.
    CONSTANT: "Constant" as "constant" {
        /// Forecast: seconds where round-trip times are forecast.
        value: LEVEL,
    }

    /// The last sample: best for a random walk.
    LAST_VALUE: "LastValue" as "last-value" {
    }

    /// Exponentially weighted mean, as TCP's srtt is one: best for a random walk seen through noise.
    EWMA: "Ewma" as "ewma" {
        /// Weight of the newest sample; that of srtt is 1/8 (RFC 6298, section 2.3).
        gain: SHARE,
    }

    /// Exponentially weighted level and trend (Holt 1957).
    HOLT: "Holt" as "holt" {
        /// Weight of a sample in the level.
        gain: SHARE,
        /// Weight of a step of the level in the trend.
        trend_gain: SHARE,
    }

    /// Exponentially weighted mean whose gain grows while errors lie on one side (Trigg and Leach 1967).
    ADAPTIVE_EWMA: "AdaptiveEwma" as "adaptive-ewma" {
        /// Weight of the newest error in what sets the gain.
        smoothing: SHARE => F(0.1),
    }

    /// Median of the last samples: least absolute error where outliers are many.
    MEDIAN: "Median" as "median" {
        /// Number of samples.
        window: WINDOW,
    }

    /// ARIMA(p,d,q) with given coefficients, where p and q are how many there are, at most 5 each. It has
    /// to be stationary, differences apart, and invertible (Jeyasekar et al. 2014, eq. 24).
    ARIMA: "Arima" as "arima", checked by checks::forecaster {
        /// phi: what the last values count for, the newest first.
        ar: NUMBERS => EMPTY_LIST,
        /// Number of times that the series is differenced, 0 to 2.
        d: DIFFERENCES => I(0),
        /// theta: what the last errors count for, the newest first; `y(t) = ... + e(t) + theta e(t-1)`.
        ma: NUMBERS => EMPTY_LIST,
        /// Mean of the series; 0 if it is differenced.
        mean: REAL => F(0.0),
        /// Assumption before the first sample: that sample again and no errors, as in the document, or that
        /// the differenced series has been stationary for ever, by the exact filter.
        start: Takes::Choice(&["repeated", "exact"]) => T("repeated"),
    }

    /// Best linear prediction from the last samples, by autocovariances over a sliding window.
    LMMSE: "Lmmse" as "lmmse", checked by checks::forecaster {
        /// Number of samples that predict the next, at most 100.
        order: WINDOW => I(20),
        /// Number of samples that the autocovariances are taken over, more than `order`.
        window: WINDOW => I(500),
        /// The coefficients are solved for every so many samples.
        every: WINDOW => I(10),
        /// True to predict the changes instead of the samples, which follows walks and trends.
        differenced: FLAG => B(false),
    }

    /// Linear prediction whose weights follow the gradient of the error (Widrow and Hoff 1960; He et al.
    /// 2002, eq. 8): with u the last samples less the centre, `w += step e u`.
    LMS: "Lms" as "lms", checked by checks::forecaster {
        /// Number of samples that predict the next, at most 100.
        order: WINDOW => I(20),
        /// Step size of the weights, in units of 1 / x^2: stable below about 2 / u.u.
        step: POSITIVE,
        /// Level around which the samples vary; a running mean if it is left out.
        centre: LEVEL => NONE,
        /// About how many samples the running mean remembers.
        memory: WINDOW => I(500),
        /// Largest error that counts, in mean absolute errors, at least 1: a guard against outliers.
        clip: POSITIVE => F(6.0),
    }

    /// LMS normalised: `w += step e u / (eps + u.u)` (Nagumo and Noda 1967), for series of any scale.
    NLMS: "Nlms" as "nlms", checked by checks::forecaster {
        /// Number of samples that predict the next, at most 100.
        order: WINDOW => I(20),
        /// Step size of the weights: below 2.
        step: POSITIVE => F(0.1),
        /// Constant added to u.u, in units of x^2; a tenth of its running mean if it is left out.
        eps: NOT_NEGATIVE => NONE,
        /// Level around which the samples vary; a running mean if it is left out.
        centre: LEVEL => NONE,
        /// About how many samples the running mean remembers.
        memory: WINDOW => I(500),
        /// Largest error that counts, in mean absolute errors, at least 1: a guard against outliers.
        clip: POSITIVE => F(6.0),
    }

    /// Linear prediction by recursive least squares with forgetting, in square-root form (Bierman 1977).
    RLS: "Rls" as "rls", checked by checks::forecaster {
        /// Number of samples that predict the next, at most 100.
        order: WINDOW => I(20),
        /// About how many samples are remembered, at least 10; the weight of older ones fades by 1 -
        /// 1/memory.
        memory: WINDOW => I(1000),
        /// Level around which the samples vary; a running mean if it is left out.
        centre: LEVEL => NONE,
        /// Largest error that counts, in mean absolute errors, at least 1.
        clip: POSITIVE => F(6.0),
    }

    /// Weights that are best for the increments of fractional Brownian motion (Gripenberg and Norros 1996),
    /// by the Hurst parameter.
    FBM: "Fbm" as "fbm", checked by checks::forecaster {
        /// Number of samples that predict the next, 2 to 100.
        order: WINDOW => I(20),
        /// Number of samples that the mean, and H, are estimated from: at least `order`, and 32 if H is estimated.
        window: WINDOW => I(1000),
        /// The Hurst parameter; the local Whittle estimate of the window if it is left out.
        h: PART => NONE,
        /// H is estimated every so many samples.
        every: WINDOW => I(100),
    }

    /// Weights that are best for fractionally differenced noise, FARIMA(0, H - 1/2, 0) (Hosking 1981), by
    /// the Hurst parameter.
    FARIMA: "Farima" as "farima", checked by checks::forecaster {
        /// Number of samples that predict the next, at most 100.
        order: WINDOW => I(20),
        /// Number of samples that the mean, and H, are estimated from: at least `order`, and 32 if H is estimated.
        window: WINDOW => I(1000),
        /// The Hurst parameter; the local Whittle estimate of the window if it is left out.
        h: PART => NONE,
        /// H is estimated every so many samples.
        every: WINDOW => I(100),
    }

    /// ARIMA(p,d,q) whose coefficients follow the series (recursive maximum likelihood, Ljung and
    /// Soederstrom 1983).
    ARIMA_RECURSIVE: "ArimaRecursive" as "arima-recursive", checked by checks::forecaster {
        /// Number of the last values that count.
        p: ORDER_OF => I(2),
        /// Number of times that the series is differenced.
        d: DIFFERENCES => I(1),
        /// Number of the last errors that count.
        q: ORDER_OF => I(1),
        /// About how many samples are remembered, at least 10.
        memory: WINDOW => I(1000),
    }

    /// ARIMA(p,d,q) fitted anew, by exact likelihood, to the last samples every so often.
    ARIMA_REFITTED: "ArimaRefitted" as "arima-refitted", checked by checks::forecaster {
        /// Number of the last values that count.
        p: ORDER_OF => I(2),
        /// Number of times that the series is differenced.
        d: DIFFERENCES => I(1),
        /// Number of the last errors that count.
        q: ORDER_OF => I(1),
        /// Number of samples that the model is fitted to.
        window: WINDOW => I(1000),
        /// Number of samples between two fits, at most; the first are closer together.
        every: WINDOW => I(2000),
    }

    /// One forecaster that needs no choice: experts of every kind, weighted by what each has lost so far.
    MIXTURE: "Mixture" as "mixture" {
        /// Loss to minimise: the mean absolute error, or the mean squared one. No forecaster is best by both.
        loss: Takes::Choice(&["absolute", "squared"]) => T("absolute"),
    }
}

/// The kinds of forecaster.
pub static ANY_FORECASTER: Kinds = Kinds::new(
    "ForecasterConfig",
    module_path!(),
    "forecaster",
    &[
        &CONSTANT,
        &LAST_VALUE,
        &EWMA,
        &HOLT,
        &ADAPTIVE_EWMA,
        &MEDIAN,
        &ARIMA,
        &LMMSE,
        &LMS,
        &NLMS,
        &RLS,
        &FBM,
        &FARIMA,
        &ARIMA_RECURSIVE,
        &ARIMA_REFITTED,
        &MIXTURE,
        &USER_FORECASTER,
    ],
);
