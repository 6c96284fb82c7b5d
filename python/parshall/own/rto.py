"""Filters of the retransmission timeout of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from typing_extensions import Unpack

from parshall import _core
from parshall.errors import InputError, shown
from parshall.estimators.rto import RtoEstimator, RtoRules
from parshall.own.base import Part
from parshall.own.kinds import RTO, Kind
from parshall.own.library import SharedPart
from parshall.scenario.parts import UserRto

if TYPE_CHECKING:
    from parshall.scenario.base import Part as Named

__all__ = ["OwnRto", "RtoFilter", "SharedRtoFilter"]


class _UsedAlone:
    """A filter outside of scenarios."""

    def with_rules(self, **rules: Unpack[RtoRules]) -> OwnRto:
        """An estimator that runs it, with the rules of RFC 6298 around it, as ``JacobsonRto`` is one. Raises
        InputError.
        """
        return OwnRto(self, **rules)

    def __rto_estimator__(self) -> OwnRto:
        """Makes an estimator with the rules of the RFC, for functions that take an estimator."""
        return OwnRto(self)


class RtoFilter(_UsedAlone, Part, _core.RtoFilterBase):
    """A filter that turns round-trip times into a timeout, to be derived from. Each sender that asks for it
    gets an instance of its own.

    :meth:`on_sample` takes in a round trip, and :meth:`rto` says what the timeout is now; the rules of RFC
    6298 around it, its minimum for one, are the engine's. These are read afterwards:

    ``srtt``, ``rttvar``
        The smoothed round trip and its deviation, in seconds, for recordings; with a ``srtt`` the granularity
        of a clock counts as in RFC 6298. NaN, as at first, for none.

    And these are set before:

    ``backoff``
        The factor that the engine applies by itself: 1 after a sample, doubled by each timeout.
    ``amid_round``
        1 if the sample is one of the same round trip as that before, else 0.

    ``random()`` is a random number from 0 to below 1, of a stream of its own: the same in each run with the
    same seed.
    """

    _kind: ClassVar[Kind] = RTO

    def on_sample(self, rtt: float) -> None:
        """A packet that was sent once has been acknowledged ``rtt`` seconds after that."""

    def on_timeout(self) -> None:
        """The timer has expired; ``backoff`` is the factor from now on."""

    def on_early_timeout(self) -> None:
        """A timeout was early, or may have been, and the round trip of its packet is withheld (Karn)."""

    def rto(self) -> float:
        """The timeout before any rule, in seconds. It is asked for after each of the others, from the first
        sample on.
        """
        raise NotImplementedError


class SharedRtoFilter(_UsedAlone, SharedPart):
    """A filter of timeouts in a shared library, for ``Tcp(rto=...)``; ``parshall_rto.h`` has its interface.

    ``parameters`` are numbers by their names, which the library declares with their defaults. Raises
    InputError for a library that cannot be loaded or has another version of the interface, and for a
    parameter that it does not have.
    """

    _kind: ClassVar[Kind] = RTO


def filter_named(source: str) -> RtoFilter | SharedRtoFilter:
    """The filter that a command names: ``module:Class``, from the current folder, or a shared library. Raises
    InputError.
    """
    from parshall.own.found import instance_of, named

    part = named("UserRto", source, {})
    if part.form == "library":
        return SharedRtoFilter(part.source)
    made: RtoFilter = instance_of(part)
    return made


class OwnRto(RtoEstimator):
    """A filter of one's own with the rules of RFC 6298 around it: an estimator like ``JacobsonRto``."""

    __slots__ = ()

    filter: RtoFilter | SharedRtoFilter
    """The filter that makes it."""
    _config = UserRto

    def __init__(self, filter: Any, **rules: Unpack[RtoRules]) -> None:
        from parshall.own.found import parts_of

        if not isinstance(filter, RtoFilter | SharedRtoFilter):
            raise InputError("filter", shown(filter), "a filter derived from parshall.RtoFilter")
        own = {"filter": filter}
        super().__init__("OwnRto", _core.RtoTimer.own, own, rules, filter=parts_of(filter))

    def __scenario_part__(self) -> Named:
        """Name of it in a scenario. Raises InputError for rules of its own."""
        self._refuse_rules(OwnRto(self.filter))
        return self.filter.__scenario_part__()

    def __reduce__(self) -> NoReturn:
        """Raises TypeError: what code of one's own has in it, nobody knows."""
        raise TypeError(
            f"{self!r} does not pickle; the filter that makes it does where its class can be imported"
        )
