//! Laws of random times and numbers.

use crate::part::{parts, Kinds};
use crate::takes::{AMOUNT, AMOUNTS, CHOICE_WEIGHTS, NOT_NEGATIVE, TAIL_EXPONENT};

parts! {
    /// Always the same. In its place the value may stand.
    CONSTANT_LAW: "ConstantLaw" as "constant" {
        /// The value: a number, or a time in seconds or with a unit.
        value: AMOUNT,
    }

    /// Exponentially distributed.
    EXPONENTIAL_LAW: "ExponentialLaw" as "exponential" {
        /// The mean: a number, or a time in seconds or with a unit.
        mean: AMOUNT,
    }

    /// Pareto distributed: `P(X > x) = (scale / x)^shape` above `scale = mean (shape - 1) / shape`.
    PARETO_LAW: "ParetoLaw" as "pareto" {
        /// The mean: a number, or a time in seconds or with a unit.
        mean: AMOUNT,
        /// Tail exponent, above 1 so that there is a mean.
        shape: TAIL_EXPONENT,
    }

    /// Pareto distributed of the second kind, from 0 on (Lomax 1954; ns-2's ParetoII): `P(X > x) = (1 + x /
    /// scale)^-shape` with `scale = mean (shape - 1)`.
    LOMAX_LAW: "LomaxLaw" as "lomax" {
        /// The mean: a number, or a time in seconds or with a unit.
        mean: AMOUNT,
        /// Tail exponent, above 1 so that there is a mean.
        shape: TAIL_EXPONENT,
    }

    /// Uniformly distributed.
    UNIFORM_LAW: "UniformLaw" as "uniform" {
        /// The least value: a number, or a time in seconds or with a unit.
        low: AMOUNT,
        /// The greatest one.
        high: AMOUNT,
    }

    /// Lognormally distributed.
    LOGNORMAL_LAW: "LognormalLaw" as "lognormal" {
        /// The mean: a number, or a time in seconds or with a unit.
        mean: AMOUNT,
        /// Standard deviation of the logarithm.
        sigma: NOT_NEGATIVE,
    }

    /// One of a list, each as often as its weight says.
    CHOICE_LAW: "ChoiceLaw" as "choice" {
        /// The list: numbers, or times in seconds or with a unit.
        values: AMOUNTS,
        /// As many weights, whose sum need not be 1.
        weights: CHOICE_WEIGHTS,
    }
}

/// The kinds of law.
pub static ANY_LAW: Kinds = Kinds::new(
    "AnyLaw",
    module_path!(),
    "law",
    &[&CONSTANT_LAW, &EXPONENTIAL_LAW, &PARETO_LAW, &LOMAX_LAW, &UNIFORM_LAW, &LOGNORMAL_LAW, &CHOICE_LAW],
);
