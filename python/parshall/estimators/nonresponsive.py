"""Estimators of the share of traffic at a port that does not respond to drops and marks.

The model and its forms are those of Zhao, "Modeling and Estimation Techniques for Understanding Heterogeneous
Traffic Behavior" (Texas A&M, 2004), chapter II and appendix A; ``docs/estimators.md`` has the equations.
``parshall.estimators`` offers everything that is here.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from typing_extensions import TypedDict, Unpack

from parshall import _core
from parshall.errors import InputError, InputTypeError
from parshall.estimators import arguments
from parshall.estimators.base import Estimator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "NonresponsiveEstimate",
    "NonresponsiveEstimator",
    "NonresponsiveFixedPoint",
    "NonresponsiveKaczmarz",
    "NonresponsiveKalman",
    "NonresponsiveRls",
    "NonresponsiveSeries",
    "NonresponsiveSettings",
    "Quality",
]


class Quality(enum.IntFlag):
    """Reasons to doubt an estimate; none is 0."""

    LOW_EXCITATION = 1
    """The signal probability varied too little to tell the parameters apart."""
    EMPTY_QUEUE = 2
    """The queue was found empty in a tenth of the samples or more: its equation does not hold then."""
    NOT_CONGESTED = 4
    """Less was accepted than 95 % of what the link can send."""
    NO_DROPS = 8
    """No packet was dropped or marked in the interval."""
    WARMING_UP = 16
    """Filters, differences or the delay line were not filled throughout the interval."""
    BAD_SAMPLE = 32
    """A sample of the interval could not be used."""
    OUT_OF_RANGE = 64
    """The parameters had no meaning or the share left [0, 1], and was put at its limit."""
    EXTRAPOLATED = 128
    """The load of responsive flows was extrapolated in the absence of drops (eq. 2.17)."""
    START_DEPENDENT = 256
    """The data do not determine the estimate: it depends on the start value for ever (the multi-hop form)."""
    SATURATED = 512
    """A number left the range of the fixed-point arithmetic and was put at its limit."""


class NonresponsiveEstimate(NamedTuple):
    """Estimate of an interval. A value that does not exist is NaN."""

    share: float
    """Share of arrivals that does not respond, psi in eq. 2.10, from 0 to 1."""
    share_se: float
    """Its standard error (delta method); NaN for methods without a covariance."""
    n_s: float
    """Number of responsive flows."""
    z0: float
    """Packets of responsive flows in a round trip."""
    rtt: float
    """Round-trip time R0 in seconds."""
    arrivals: float
    """Packets that arrived in the interval."""
    excitation: float
    """Distance of the regressor's columns lately, from 0 (not distinguishable) to 1."""
    flags: Quality
    """Reasons to doubt."""


class NonresponsiveSeries(NamedTuple):
    """Estimates of a series, a column each; fields as in :class:`NonresponsiveEstimate`."""

    samples: NDArray[np.int64]
    """Number of samples up to the end of the interval, since construction or reset."""
    share: Floats
    share_se: Floats
    n_s: Floats
    z0: Floats
    rtt: Floats
    arrivals: Floats
    excitation: Floats
    flags: NDArray[np.int64]
    """Bits of :class:`Quality`."""


class NonresponsiveSettings(TypedDict, total=False):
    """Settings that every method shares; the defaults are what the dissertation prints, where it does."""

    rtt: float | None
    """R0 in seconds; by default q(t)/C + Tp takes its place."""
    form: Literal["basic", "multi-hop", "cbr"]
    """``"basic"`` (eq. 2.14), ``"multi-hop"`` (eq. 2.23) or ``"cbr"`` (appendix A)."""
    count_drops: bool
    """True if drops l(t) are counted in the queue's equation (eq. 2.18, 2.19); by default not."""
    zero_drops_after: int | None
    """After how many sampling intervals in a row without a signal z is extrapolated (eq. 2.17); never."""
    backlog_alpha: float
    """Forgetting factor of the queue length, 0.4: ``v = alpha v + (1 - alpha) x``; 0 does not filter."""
    signal_alpha: float
    """Forgetting factor of the signal probability, 0.6."""
    drop_alpha: float
    """Forgetting factor of the drops l(t), 0.6."""
    derivative_alpha: float
    """Forgetting factor of the differences of the queue length, 0."""
    estimation_samples: int
    """Sampling intervals in an estimation interval, 20."""
    start_n_s: float
    """Start value of N_s; ``start_z0 / 6.32``, the equilibrium at a drop probability of 5 %."""
    start_z0: float
    """Start value of z0 in packets per round trip; half of the capacity."""
    start_elsewhere: float
    """Start value of the mean drop probability at other hops, 0.01; for ``"multi-hop"``."""
    start_cbr: float
    """Start value of the rate of the constant-rate flows in packets/s, half the capacity; for ``"cbr"``."""


_CORE_NAMES: dict[str, str] = {
    "capacity": "capacity_pps",
    "propagation": "propagation_s",
    "sampling": "sampling_s",
    "rtt": "rtt_s",
    "start_cbr": "start_cbr_pps",
}
"""Names of settings in Rust, where they differ."""


class NonresponsiveEstimator(Estimator):
    """Base class of the estimators of non-responsive traffic. Use one of the classes made from it.

    Each sample tells of one sampling interval what the port shows, in packets: its queue length (the mean
    over the interval, or the value at its end), how many packets arrived, and how many of those the queue
    dropped and marked. After every ``estimation_samples`` of them there is an estimate. A sample that is not
    a number of packets from 0 to 1e12 changes no parameter and no filter, and flags its interval.
    """

    __slots__ = ()

    capacity: float
    """Rate of the link, in packets/s."""
    propagation: float
    """Round-trip time without a queue, in seconds."""
    sampling: float
    """Time between samples, in seconds."""
    rtt: float | None
    form: Literal["basic", "multi-hop", "cbr"]
    count_drops: bool
    zero_drops_after: int | None
    backlog_alpha: float
    signal_alpha: float
    drop_alpha: float
    derivative_alpha: float
    estimation_samples: int
    start_n_s: float
    start_z0: float
    start_elsewhere: float
    start_cbr: float

    def update(
        self, *, backlog: float, arrivals: float, drops: float, marks: float = 0.0
    ) -> NonresponsiveEstimate | None:
        """Take in a sample; return the estimate when it ends an estimation interval, else ``None``."""
        sample = arguments.reals(backlog=backlog, arrivals=arrivals, drops=drops, marks=marks)
        row = self._core.update(*sample.values())
        return None if row is None else _estimate(*row)

    def run(
        self, *, backlog: ArrayLike, arrivals: ArrayLike, drops: ArrayLike, marks: ArrayLike | None = None
    ) -> NonresponsiveSeries:
        """Take in a series of samples; return the estimates of the intervals that ended in it.

        The arrays have one length. Without ``marks`` nothing was marked. Works without the GIL.
        """
        given: dict[str, ArrayLike] = {"backlog": backlog, "arrivals": arrivals, "drops": drops}
        columns = {name: arguments.samples(name, values) for name, values in given.items()}
        if marks is None:
            columns["marks"] = np.zeros(len(columns["backlog"]))
        else:
            columns["marks"] = arguments.samples("marks", marks)
        try:
            series = self._core.run(*columns.values())
        except ValueError as fault:
            raise InputError(*fault.args) from None
        return NonresponsiveSeries(**series)


class _Linear(NonresponsiveEstimator):
    """The linear model of eq. 2.14, 2.23 or A.6, whatever follows its parameters."""

    __slots__ = ()

    @property
    def parameters(self) -> tuple[float, ...]:
        """The unknowns now: ``(N_s, z0**2 / N_s)`` and, for forms with three, the third one.

        The third is ``z0**2 S_P / N_s**2`` for ``"multi-hop"`` and the rate of the constant-rate flows in
        packets/s for ``"cbr"``.
        """
        return tuple(self._core.parameters)


class NonresponsiveKaczmarz(_Linear):
    """The dissertation's estimator: normalised Kaczmarz projection (eq. 2.16).

    ``capacity`` is what the link sends in packets/s, ``propagation`` the round-trip time without a queue and
    ``sampling`` the time between samples, both in seconds; :class:`NonresponsiveSettings` lists the rest. The
    step is ``beta += e gamma2 W / (gamma1 + W.W)``; ``gamma1`` is at least 0, ``gamma2`` between 0 and 2.

    The printed gains hardly move the second parameter, so the start values decide the estimate for minutes.

    >>> estimator = NonresponsiveKaczmarz(3500, 0.1, 0.033, estimation_samples=1)
    >>> estimate = estimator.update(backlog=20, arrivals=120, drops=4)
    >>> estimate.flags
    <Quality.LOW_EXCITATION|WARMING_UP: 17>
    >>> round(estimate.share, 3)
    0.545
    """

    __slots__ = ()

    gamma1: float
    gamma2: float

    def __init__(
        self,
        capacity: float,
        propagation: float,
        sampling: float,
        *,
        gamma1: float = 5.0,
        gamma2: float = 0.45,
        **settings: Unpack[NonresponsiveSettings],
    ) -> None:
        port = arguments.reals(capacity=capacity, propagation=propagation, sampling=sampling)
        method = arguments.reals(gamma1=gamma1, gamma2=gamma2)
        super().__init__(*_build("NonresponsiveKaczmarz", port, method, settings))


class NonresponsiveRls(_Linear):
    """Estimator by recursive least squares with exponential forgetting, for the linear model.

    A sample weighs ``forgetting`` times as much as the next one. ``initial`` is the variance of the start
    values, relative to their squares and to the variance of the noise: the greater, the sooner the start is
    forgotten. The standard error takes the noise for independent, which filtered differences are not.

    >>> NonresponsiveRls(3500, 0.1, 0.033, start_n_s=35, start_z0=140).parameters
    (35.0, 560.0)
    """

    __slots__ = ()

    forgetting: float
    initial: float

    def __init__(
        self,
        capacity: float,
        propagation: float,
        sampling: float,
        *,
        forgetting: float = 0.999,
        initial: float = 1.0,
        **settings: Unpack[NonresponsiveSettings],
    ) -> None:
        port = arguments.reals(capacity=capacity, propagation=propagation, sampling=sampling)
        method = arguments.reals(forgetting=forgetting, initial=initial)
        super().__init__(*_build("NonresponsiveRls", port, method, settings))


class NonresponsiveKalman(_Linear):
    """Estimator by a Kalman filter whose parameters walk at random, for the linear model.

    ``initial`` is the standard deviation of the start values, relative to them; ``drift`` the one that each
    parameter gains in a second, relative to its start value; ``noise`` that of chi in packets/s, by default
    the root mean square innovation. The noise is taken for independent, which filtered differences are not.
    """

    __slots__ = ()

    initial: float
    drift: float
    noise: float | None

    def __init__(
        self,
        capacity: float,
        propagation: float,
        sampling: float,
        *,
        initial: float = 1.0,
        drift: float = 0.03,
        noise: float | None = None,
        **settings: Unpack[NonresponsiveSettings],
    ) -> None:
        port = arguments.reals(capacity=capacity, propagation=propagation, sampling=sampling)
        method: dict[str, Any] = arguments.reals(initial=initial, drift=drift)
        method["noise"] = None if noise is None else arguments.real("noise", noise)
        super().__init__(*_build("NonresponsiveKalman", port, method, settings))


class NonresponsiveFixedPoint(NonresponsiveEstimator):
    """:class:`NonresponsiveKaczmarz` in whole numbers, as a kernel can run it (chapter III).

    A sample is one of a clock tick: the queue length at the tick and the counts since the tick before. A
    sampling interval ends with the first tick at which ``sampling`` seconds have passed, and lasts as long as
    it did: 40 ms for 33 ms and ticks of ``tick_ms = 10``. Numbers are scaled by 2**14; packets count as
    ``mean_packet_bytes`` bytes, which the estimator turns back into packets. The form is ``"basic"``, without
    ``count_drops`` and ``derivative_alpha``; ``signal_alpha`` is 0.8 and ``backlog_alpha`` 0.23 in chapter
    III, here they have the defaults of chapter II.

    ``samples`` of a series counts ticks. The excitation is that of the estimation interval alone.

    >>> estimator = NonresponsiveFixedPoint(3500, 0.1, 0.033, estimation_samples=1)
    >>> ticks = [estimator.update(backlog=20, arrivals=36, drops=1) for _ in range(4)]
    >>> ticks[:3], round(ticks[3].share, 3)
    ([None, None, None], 0.54)
    """

    __slots__ = ()

    gamma1: float
    gamma2: float
    mean_packet_bytes: int
    tick_ms: int

    def __init__(
        self,
        capacity: float,
        propagation: float,
        sampling: float,
        *,
        gamma1: float = 5.0,
        gamma2: float = 0.45,
        mean_packet_bytes: int = 1000,
        tick_ms: int = 10,
        **settings: Unpack[NonresponsiveSettings],
    ) -> None:
        port = arguments.reals(capacity=capacity, propagation=propagation, sampling=sampling)
        method = arguments.reals(gamma1=gamma1, gamma2=gamma2)
        counts = {
            "mean_packet_bytes": arguments.count("mean_packet_bytes", mean_packet_bytes),
            "tick_ms": arguments.count("tick_ms", tick_ms),
        }
        super().__init__(*_build("NonresponsiveFixedPoint", port, method, settings, counts))

    @property
    def parameters(self) -> tuple[float, float]:
        """``(N_s, z0**2 / N_s)`` now."""
        first, second = self._core.parameters
        return first / 2**14, second / 2**14


def _estimate(*row: float) -> NonresponsiveEstimate:
    *reals, flags = row
    return NonresponsiveEstimate._make([*reals, Quality(int(flags))])


def _build(
    name: str,
    port: dict[str, float],
    method: dict[str, Any],
    settings: NonresponsiveSettings,
    fixed_point: dict[str, int] | None = None,
) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """The estimator of the extension, the arguments that were given, and the settings that were not."""
    given: dict[str, Any] = {**port, **method, **_checked(name, settings)}
    core_settings = {_CORE_NAMES.get(key, key): value for key, value in given.items() if value is not None}
    try:
        core: Any = (
            _core.Nonresponsive(core_settings)
            if fixed_point is None
            else _core.NonresponsiveFixedPoint(core_settings, **fixed_point)
        )
    except ValueError as fault:
        place, value, expected = fault.args
        raise InputError(_own_name(place), value, expected) from None
    given |= fixed_point or {}
    used = {_own_name(key): value for key, value in core.settings.items()}
    return core, given, {key: value for key, value in used.items() if key not in given}


def _own_name(core_name: str) -> str:
    """Name here of a setting in Rust."""
    return next((key for key, name in _CORE_NAMES.items() if name == core_name), core_name)


def _checked(name: str, settings: NonresponsiveSettings) -> dict[str, Any]:
    """The shared settings with their types checked."""
    checked: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in NonresponsiveSettings.__annotations__:
            raise InputTypeError(name, f"the setting {key}", f"one of {_names(settings)}")
        checked[key] = _checked_setting(key, value)
    return checked


def _checked_setting(key: str, value: Any) -> Any:
    if value is None and key in ("rtt", "zero_drops_after"):
        return None
    if key in ("zero_drops_after", "estimation_samples"):
        return arguments.count(key, value)
    if key == "count_drops":
        if not isinstance(value, bool | np.bool_):
            raise arguments.wrong_type(key, value, "a truth value")
        return bool(value)
    if key == "form":
        if not isinstance(value, str):
            raise arguments.wrong_type(key, value, "a name")
        return value
    return arguments.real(key, value)


def _names(settings: Mapping[str, Any]) -> str:
    return ", ".join(name for name in NonresponsiveSettings.__annotations__ if name not in settings)
