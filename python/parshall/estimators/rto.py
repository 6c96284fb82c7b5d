"""Base of the estimators of the retransmission timeout: the rules around them and how they are used.

``parshall.estimators`` offers everything that is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, SupportsFloat, cast

import numpy as np
from typing_extensions import TypedDict

from parshall.errors import InputError, InputTypeError
from parshall.estimators import arguments
from parshall.estimators.base import Estimator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from parshall.scenario.base import Part

    Floats = NDArray[np.float64]

__all__ = ["RtoEstimator", "RtoRules", "RtoSeries"]


class RtoRules(TypedDict, total=False):
    """The rules of RFC 6298, in seconds; the defaults are the RFC's, with an exact clock."""

    initial_rto: float
    """The timeout before the first sample, 1."""
    min_rto: float
    """The least timeout, 1."""
    max_rto: float
    """The greatest timeout, 60."""
    granularity: float
    """Granularity of the clock, 0."""


_RFC_6298: RtoRules = {"initial_rto": 1.0, "min_rto": 1.0, "max_rto": 60.0, "granularity": 0.0}


class RtoSeries(NamedTuple):
    """Values of an estimator after each sample, in seconds; NaN for those not known yet."""

    srtt: Floats
    """Smoothed round-trip time."""
    rttvar: Floats
    """Its deviation."""
    rto: Floats
    """The retransmission timeout, with all rules and the backoff."""


class RtoEstimator(Estimator):
    """Base class of the estimators of the retransmission timeout. Use one of the classes made from it.

    The timeout is ``min(max_rto, max(min_rto, srtt + max(granularity, K rttvar)) * backoff)``; before the
    first sample ``initial_rto`` stands for the sum (RFC 6298).
    """

    __slots__ = ()

    initial_rto: float
    """The timeout before the first sample, in seconds."""
    min_rto: float
    """The least timeout, in seconds."""
    max_rto: float
    """The greatest timeout, in seconds."""
    granularity: float
    """Granularity of the clock, in seconds."""

    _config: ClassVar[type[Part]]
    """Class of its part in scenarios."""

    def __init__(
        self, name: str, make: Callable[..., Any], own: Mapping[str, Any], rules: RtoRules, **core_own: Any
    ) -> None:
        """``name`` is that of the class, ``own`` its own arguments, in the order in which ``make`` of the
        extension takes them; ``core_own`` has those that go there in another form.
        """
        checked = _checked(name, rules)
        with arguments.Faults():
            core = make(*{**own, **core_own}.values(), tuple(checked.values()))
        super().__init__(core, {**own, **checked})

    def update(self, rtt: SupportsFloat, *, retransmitted: bool = False) -> float:
        """Take in the round-trip time of an acknowledged packet, in seconds, and return the RTO after it.

        A retransmitted packet says nothing, since the ACK may belong to either copy (Karn; RFC 6298, section
        3): the RTO stays as it is. Any other sample also ends the backoff.

        >>> JacobsonRto(min_rto=0).update(0.5)
        1.5
        """
        rto: float
        try:
            rto = self._core.update(rtt, retransmitted)
        except ValueError as fault:
            raise InputError(*fault.args) from None
        except (TypeError, OverflowError):
            raise arguments.wrong_type("rtt", rtt, "a number of seconds") from None
        return rto

    def run(self, rtts: ArrayLike, retransmitted: ArrayLike | None = None) -> Floats:
        """Take in a series of round-trip times, in seconds, and return the RTO after each.

        ``retransmitted``, if given, has a flag for each sample and marks those that say nothing.

        >>> JacobsonRto(min_rto=0).run([0.5, 0.7, 0.5], [False, True, False])
        array([1.5 , 1.5 , 1.25])
        """
        with arguments.Faults():
            series: Floats = self._core.run(arguments.samples("rtts", rtts), arguments.flags(retransmitted))
        return series

    def run_rounds(self, rtts: ArrayLike, amid_round: ArrayLike) -> Floats:
        """As :meth:`run`, where ``amid_round`` marks the samples that do not end a round trip.

        Linux lowers what it adds to the smoothed round trip once a round trip, however many samples that has;
        other estimators take all samples alike.

        >>> LinuxRto(min_rto=0).run_rounds([1.0, 0.1, 0.1], [False, True, True])
        array([3.       , 2.9375   , 2.8734375])
        """
        if amid_round is None:
            raise arguments.wrong_type("amid_round", amid_round, "an array of truth values")
        with arguments.Faults():
            flags = arguments.flags(amid_round, "amid_round")
            series: Floats = self._core.run_rounds(arguments.samples("rtts", rtts), flags)
        return series

    def run_full(self, rtts: ArrayLike, retransmitted: ArrayLike | None = None) -> RtoSeries:
        """As :meth:`run`, with srtt and rttvar.

        >>> JacobsonRto(min_rto=0).run_full([0.5, 0.5]).rttvar
        array([0.25  , 0.1875])
        """
        with arguments.Faults():
            columns = self._core.run_full(arguments.samples("rtts", rtts), arguments.flags(retransmitted))
        return RtoSeries(*columns)

    def on_timeout(self) -> float:
        """Double the backoff, beyond 64 only below the maximum RTO, and return the RTO after it (RFC 6298,
        section 5.5).
        """
        rto: float = self._core.on_timeout()
        return rto

    def reset_backoff(self) -> None:
        """End the backoff without a sample, as some senders do on any ACK of new data."""
        self._core.reset_backoff()

    def reset(self) -> None:
        """Forget every sample and the backoff."""
        self._core.reset()

    def __scenario_part__(self) -> Part:
        """Part of a scenario that stands for it, ``Tcp(rto=...)``. Raises InputError for rules of its own:
        there they are the connection's.
        """
        fresh = cast("Callable[[], RtoEstimator]", type(self))()
        self._refuse_rules(fresh)
        defaults = fresh._given
        own = {key: value for key, value in self._given.items() if key not in _RFC_6298}
        return self._config(**{key: value for key, value in own.items() if value != defaults[key]})

    def _refuse_rules(self, fresh: RtoEstimator) -> None:
        """Raises InputError for rules that are not those of ``fresh``."""
        for key in _RFC_6298:
            if self._given[key] != fresh._given[key]:
                expected = f"an estimator without rules of its own: Tcp({key}=...) has it"
                raise InputError("", f"{type(self).__name__}({key}={self._given[key]:g})", expected)

    @property
    def rto(self) -> float:
        """The timeout that would be set now, in seconds."""
        rto: float = self._core.rto
        return rto

    @property
    def srtt(self) -> float | None:
        """The smoothed round-trip time in seconds; ``None`` before the first sample."""
        srtt: float | None = self._core.srtt
        return srtt

    @property
    def rttvar(self) -> float | None:
        """The deviation of the round-trip time in seconds; ``None`` before the first sample."""
        rttvar: float | None = self._core.rttvar
        return rttvar

    @property
    def backoff(self) -> int:
        """The backoff factor: 1 after a sample, doubled by each timeout since."""
        backoff: int = self._core.backoff
        return backoff


def as_estimator(name: str, given: object) -> RtoEstimator:
    """An estimator as it is; a filter of one's own with the rules of the RFC around it. Raises
    InputTypeError.
    """
    if (make := getattr(type(given), "__rto_estimator__", None)) is not None:
        given = make(given)
    if not isinstance(given, RtoEstimator):
        expected = (
            "an estimator such as MedianRto(), or an instance of a class derived from parshall.RtoFilter"
        )
        raise arguments.wrong_type(name, given, expected)
    return given


def _checked(name: str, rules: RtoRules) -> dict[str, float]:
    """All rules with their types checked, in the order in which the extension takes them."""
    for key in rules:
        if key not in _RFC_6298:
            expected = f"its own arguments and {', '.join(_RFC_6298)}"
            raise InputTypeError(name, f"an unknown argument {key}", expected)
    given = cast("dict[str, float]", {**_RFC_6298, **rules})
    return arguments.reals(**given)
