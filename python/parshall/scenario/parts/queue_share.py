"""Estimates of the share of non-responsive traffic from a queue, and their methods."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/queue_share.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.quantities import Bytes, Given, Number, Table

__all__ = [
    "AnyMethod",
    "FixedPointMethod",
    "KaczmarzMethod",
    "KalmanMethod",
    "QueueShareSeries",
    "RlsMethod",
]


class KaczmarzMethod(Part):
    """Normalised Kaczmarz projection (Zhao 2004, eq. 2.16): ``beta += e gamma2 W / (gamma1 + W.W)``."""

    kind: Literal["kaczmarz"] = "kaczmarz"
    """Names this method."""
    gamma1: float = 5.0
    """Keeps a step finite."""
    gamma2: float = 0.45
    """Length of a step, below 2."""


class QueueShareSeries(Part):
    """Estimates of the share of non-responsive traffic from what a queue shows: its length, arrivals, drops
    and marks (Zhao 2004, chapters II and III and appendix A). The link's rate stands for the capacity, also
    where instants are recorded in its place. What is lost before the queue counts as dropped.
    """

    of: Given[tuple[str, ...], Sequence[str] | str]
    """Names of ports; ``*`` for all."""
    sampling: Given[float, Number]
    """Time between samples: at most a round trip, best a third of it."""
    propagation: Given[float, Number]
    """Round-trip time of responsive flows without the port's queue."""
    mean_packet_bytes: Given[int, Bytes] = default(1000)
    """Size of a packet, which makes packets/s of the link's rate."""
    method: Given[AnyMethod, AnyMethodGiven] = default(KaczmarzMethod.known())
    """Method that follows the unknowns."""
    form: Literal["basic", "multi-hop", "cbr"] = "basic"
    """The unknowns: one congested hop (eq. 2.14), several (eq. 2.23), or flows of a constant rate (appendix
    A).
    """
    rtt: Given[float | None, Number | None] = default(None)
    """A constant in place of the round-trip time that follows the queue."""
    count_drops: bool = False
    """True if drops are counted in the queue's equation (eq. 2.18, 2.19)."""
    zero_drops_after: int | None = None
    """After how many samples in a row without a drop or mark the responsive load is extrapolated (eq. 2.17);
    none is never.
    """
    estimation_samples: int = 20
    """Samples in an estimation interval."""
    backlog_alpha: float = 0.4
    """Forgetting factor of the queue length: ``v = alpha v + (1 - alpha) x``; 0 does not filter."""
    signal_alpha: float = 0.6
    """Forgetting factor of the probability of a drop or mark."""
    drop_alpha: float = 0.6
    """Forgetting factor of the drops."""
    derivative_alpha: float = 0.0
    """Forgetting factor of the differences of the queue length."""
    start_n_s: float | None = None
    """Start value of the number of responsive flows; none is the equilibrium at a drop probability of 5 % and
    half the capacity.
    """
    start_z0: float | None = None
    """Start value of the packets of responsive flows in a round trip; none is half the capacity."""
    start_elsewhere: float = 0.01
    """Start value of the drop probability at other hops; for ``multi-hop``."""
    start_cbr: float | None = None
    """Start value of the rate of the constant-rate flows in packets/s; none is half the capacity. For
    ``cbr``.
    """


class RlsMethod(Part):
    """Recursive least squares with exponential forgetting."""

    kind: Literal["rls"] = "rls"
    """Names this method."""
    forgetting: float = 0.999
    """Weight of a sample relative to the next one."""
    initial: float = 1.0
    """Variance of the start values, relative to their squares and to the variance of the noise."""


class KalmanMethod(Part):
    """Kalman filter of parameters that walk at random."""

    kind: Literal["kalman"] = "kalman"
    """Names this method."""
    initial: float = 1.0
    """Standard deviation of the start values, relative to them."""
    drift: float = 0.03
    """Standard deviation that each parameter gains in a second, relative to its start value."""
    noise: float | None = None
    """Standard deviation of the noise in packets/s; none is the root mean square innovation."""


class FixedPointMethod(Part):
    """Kaczmarz projection in whole numbers, as a kernel can run it (Zhao 2004, III.A.2). It looks at the
    queue at each tick, and takes bytes for ``mean_packet_bytes`` a packet. The form is ``basic``, without
    ``count_drops`` and ``derivative_alpha``.
    """

    kind: Literal["fixed-point"] = "fixed-point"
    """Names this method."""
    gamma1: float = 5.0
    """Keeps a step finite."""
    gamma2: float = 0.45
    """Length of a step, below 2."""
    tick: Given[float, Number] = default(0.01)
    """Time between two looks at the queue, a whole number of milliseconds; a sample ends with the first one
    at which ``sampling`` has passed.
    """


AnyMethod: TypeAlias = KaczmarzMethod | RlsMethod | KalmanMethod | FixedPointMethod
"""Any method."""

if TYPE_CHECKING:
    AnyMethodGiven: TypeAlias = AnyMethod | Table | Literal["kaczmarz", "rls", "kalman", "fixed-point"]
