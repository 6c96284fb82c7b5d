"""Estimates of the share of non-responsive traffic from what a queue shows, and the methods that make them.

Each default is the estimator's; ``docs/guide/nonresponsive.md`` says how to choose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from parshall.scenario.base import Model, one_of
from parshall.scenario.quantities import (
    ABSENT,
    Count,
    Duration,
    Flag,
    MaybePeriod,
    Names,
    NotNegative,
    PacketSize,
    PartOrZero,
    Period,
    Positive,
    Probability,
    Share,
)

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["FixedPointMethod", "KaczmarzMethod", "KalmanMethod", "QueueShareSeries", "RlsMethod"]

_MEAN_PACKET: Any = 1000
_TICK: Any = 0.01


class KaczmarzMethod(Model):
    """Normalised Kaczmarz projection (Zhao 2004, eq. 2.16):
    ``beta += e gamma2 W / (gamma1 + W.W)``.
    """

    kind: Literal["kaczmarz"] = "kaczmarz"
    """Names this method."""
    gamma1: NotNegative = 5.0
    """Keeps a step finite."""
    gamma2: Positive = 0.45
    """Length of a step, below 2."""


class RlsMethod(Model):
    """Recursive least squares with exponential forgetting."""

    kind: Literal["rls"] = "rls"
    """Names this method."""
    forgetting: Share = 0.999
    """Weight of a sample relative to the next one."""
    initial: Positive = 1.0
    """Variance of the start values, relative to their squares and to the variance of the noise."""


class KalmanMethod(Model):
    """Kalman filter of parameters that walk at random."""

    kind: Literal["kalman"] = "kalman"
    """Names this method."""
    initial: Positive = 1.0
    """Standard deviation of the start values, relative to them."""
    drift: NotNegative = 0.03
    """Standard deviation that each parameter gains in a second, relative to its start value."""
    noise: Positive | None = None
    """Standard deviation of the noise in packets/s; none is the root mean square innovation."""


class FixedPointMethod(Model):
    """Kaczmarz projection in whole numbers, as a kernel can run it (Zhao 2004, III.A.2). It looks at the
    queue at each tick, and takes bytes for ``mean_packet_bytes`` a packet. The form is ``basic``, without
    ``count_drops`` and ``derivative_alpha``.
    """

    kind: Literal["fixed-point"] = "fixed-point"
    """Names this method."""
    gamma1: NotNegative = 5.0
    """Keeps a step finite."""
    gamma2: Positive = 0.45
    """Length of a step, below 2."""
    tick: Period = _TICK
    """Time between two looks at the queue, a whole number of milliseconds; a sample ends with the first one
    at which ``sampling`` has passed."""


ShareMethod: TypeAlias = KaczmarzMethod | RlsMethod | KalmanMethod | FixedPointMethod

if TYPE_CHECKING:
    Method: TypeAlias = Given[
        ShareMethod, ShareMethod | Literal["kaczmarz", "rls", "kalman", "fixed-point"] | Table
    ]
else:
    Method = one_of(KaczmarzMethod, RlsMethod, KalmanMethod, FixedPointMethod)

_KACZMARZ: Any = KaczmarzMethod.known()


class QueueShareSeries(Model):
    """Estimates of the share of non-responsive traffic from what a queue shows: its length, arrivals, drops
    and marks (Zhao 2004, chapters II and III and appendix A). The link's rate stands for the capacity, also
    where instants are recorded in its place. What is lost before the queue counts as dropped.
    """

    of: Names
    """Names of ports; ``*`` for all."""
    sampling: Period
    """Time between samples: at most a round trip, best a third of it."""
    propagation: Duration
    """Round-trip time of responsive flows without the port's queue."""
    mean_packet_bytes: PacketSize = _MEAN_PACKET
    """Size of a packet, which makes packets/s of the link's rate."""
    method: Method = _KACZMARZ
    """How the unknowns are followed."""
    form: Literal["basic", "multi-hop", "cbr"] = "basic"
    """The unknowns: one congested hop (eq. 2.14), several (eq. 2.23), or flows of a constant rate (appendix
    A)."""
    rtt: MaybePeriod = ABSENT
    """A constant in place of the round-trip time that follows the queue."""
    count_drops: Flag = False
    """Whether drops are counted in the queue's equation (eq. 2.18, 2.19)."""
    zero_drops_after: Count | None = None
    """After how many samples in a row without a drop or mark the responsive load is extrapolated (eq. 2.17);
    none is never."""
    estimation_samples: Count = 20
    """Samples in an estimation interval."""
    backlog_alpha: PartOrZero = 0.4
    """Forgetting factor of the queue length: ``v = alpha v + (1 - alpha) x``; 0 does not filter."""
    signal_alpha: PartOrZero = 0.6
    """Forgetting factor of the probability of a drop or mark."""
    drop_alpha: PartOrZero = 0.6
    """Forgetting factor of the drops."""
    derivative_alpha: PartOrZero = 0.0
    """Forgetting factor of the differences of the queue length."""
    start_n_s: Positive | None = None
    """Start value of the number of responsive flows; none is the equilibrium at a drop probability of 5 % and
    half the capacity."""
    start_z0: Positive | None = None
    """Start value of the packets of responsive flows in a round trip; none is half the capacity."""
    start_elsewhere: Probability = 0.01
    """Start value of the drop probability at other hops; for ``multi-hop``."""
    start_cbr: NotNegative | None = None
    """Start value of the rate of the constant-rate flows in packets/s; none is half the capacity. For
    ``cbr``."""
