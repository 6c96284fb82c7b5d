//! Estimates of the share of non-responsive traffic from a queue, and their methods.

use crate::part::{parts, Kinds, B, F, I, J, NONE, T};
use crate::takes::{
    Takes, COUNT, DURATION, FLAG, NAMES, NOT_NEGATIVE, PACKET_SIZE, PART_OR_ZERO, PERIOD, POSITIVE,
    PROBABILITY, SHARE,
};

parts! {
    /// Estimates of the share of non-responsive traffic from what a queue shows: its length, arrivals,
    /// drops and marks (Zhao 2004, chapters II and III and appendix A). The link's rate stands for the
    /// capacity, also where instants are recorded in its place. What is lost before the queue counts as
    /// dropped.
    QUEUE_SHARE_SERIES: "QueueShareSeries" {
        /// Names of ports; `*` for all.
        of: NAMES,
        /// Time between samples: at most a round trip, best a third of it.
        sampling: PERIOD,
        /// Round-trip time of responsive flows without the port's queue.
        propagation: DURATION,
        /// Size of a packet, which makes packets/s of the link's rate.
        mean_packet_bytes: PACKET_SIZE => I(1000),
        /// Method that follows the unknowns.
        method: Takes::OneOf(&ANY_METHOD) => J(r#"{"kind":"kaczmarz"}"#),
        /// The unknowns: one congested hop (eq. 2.14), several (eq. 2.23), or flows of a constant rate
        /// (appendix A).
        form: Takes::Choice(&["basic", "multi-hop", "cbr"]) => T("basic"),
        /// A constant in place of the round-trip time that follows the queue.
        rtt: PERIOD => NONE,
        /// True if drops are counted in the queue's equation (eq. 2.18, 2.19).
        count_drops: FLAG => B(false),
        /// After how many samples in a row without a drop or mark the responsive load is extrapolated (eq.
        /// 2.17); none is never.
        zero_drops_after: COUNT => NONE,
        /// Samples in an estimation interval.
        estimation_samples: COUNT => I(20),
        /// Forgetting factor of the queue length: `v = alpha v + (1 - alpha) x`; 0 does not filter.
        backlog_alpha: PART_OR_ZERO => F(0.4),
        /// Forgetting factor of the probability of a drop or mark.
        signal_alpha: PART_OR_ZERO => F(0.6),
        /// Forgetting factor of the drops.
        drop_alpha: PART_OR_ZERO => F(0.6),
        /// Forgetting factor of the differences of the queue length.
        derivative_alpha: PART_OR_ZERO => F(0.0),
        /// Start value of the number of responsive flows; none is the equilibrium at a drop probability of
        /// 5 % and half the capacity.
        start_n_s: POSITIVE => NONE,
        /// Start value of the packets of responsive flows in a round trip; none is half the capacity.
        start_z0: POSITIVE => NONE,
        /// Start value of the drop probability at other hops; for `multi-hop`.
        start_elsewhere: PROBABILITY => F(0.01),
        /// Start value of the rate of the constant-rate flows in packets/s; none is half the capacity. For
        /// `cbr`.
        start_cbr: NOT_NEGATIVE => NONE,
    }

    /// Normalised Kaczmarz projection (Zhao 2004, eq. 2.16): `beta += e gamma2 W / (gamma1 + W.W)`.
    KACZMARZ_METHOD: "KaczmarzMethod" as "kaczmarz" {
        /// Keeps a step finite.
        gamma1: NOT_NEGATIVE => F(5.0),
        /// Length of a step, below 2.
        gamma2: POSITIVE => F(0.45),
    }

    /// Recursive least squares with exponential forgetting.
    RLS_METHOD: "RlsMethod" as "rls" {
        /// Weight of a sample relative to the next one.
        forgetting: SHARE => F(0.999),
        /// Variance of the start values, relative to their squares and to the variance of the noise.
        initial: POSITIVE => F(1.0),
    }

    /// Kalman filter of parameters that walk at random.
    KALMAN_METHOD: "KalmanMethod" as "kalman" {
        /// Standard deviation of the start values, relative to them.
        initial: POSITIVE => F(1.0),
        /// Standard deviation that each parameter gains in a second, relative to its start value.
        drift: NOT_NEGATIVE => F(0.03),
        /// Standard deviation of the noise in packets/s; none is the root mean square innovation.
        noise: POSITIVE => NONE,
    }

    /// Kaczmarz projection in whole numbers, as a kernel can run it (Zhao 2004, III.A.2). It looks at the
    /// queue at each tick, and takes bytes for `mean_packet_bytes` a packet. The form is `basic`, without
    /// `count_drops` and `derivative_alpha`.
    FIXED_POINT_METHOD: "FixedPointMethod" as "fixed-point" {
        /// Keeps a step finite.
        gamma1: NOT_NEGATIVE => F(5.0),
        /// Length of a step, below 2.
        gamma2: POSITIVE => F(0.45),
        /// Time between two looks at the queue, a whole number of milliseconds; a sample ends with the
        /// first one at which `sampling` has passed.
        tick: PERIOD => F(0.01),
    }
}

/// The kinds of method.
pub static ANY_METHOD: Kinds = Kinds::new(
    "AnyMethod",
    module_path!(),
    "method",
    &[&KACZMARZ_METHOD, &RLS_METHOD, &KALMAN_METHOD, &FIXED_POINT_METHOD],
);
