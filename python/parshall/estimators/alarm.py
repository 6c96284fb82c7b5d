"""An alarm over any estimate of a share.

``parshall.estimators`` offers everything that is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from parshall import _core
from parshall.errors import InputError, shown
from parshall.estimators import arguments
from parshall.estimators.base import Estimator
from parshall.estimators.responsiveness import ResponsivenessSeries

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Alarm"]

_RULES = ("level", "k-of-n", "cusum")


class Alarm(Estimator):
    """Tells whether estimates of a share are above ``level``, by one of three rules.

    - ``level``: the last estimate is above it.
    - ``k-of-n``: at least ``k`` of the last ``n`` estimates are.
    - ``cusum``: Page's cumulative sum (1954) of what estimates are above the level, less what they are below
      it, is above ``excess``; it stays between 0 and ``most``, so that an alarm ends after its cause.

    A missing estimate (NaN) never raises an alarm, and ends that of the cumulative sum. Put NaN where an
    estimator flags a doubt that matters to you. :meth:`watch` takes the lower bounds of ``Responsiveness``.

    >>> alarm = Alarm(level=0.6, rule="k-of-n", k=2, n=3)
    >>> [alarm.update(share) for share in (0.9, 0.5, 0.8, 0.2, 0.1)]
    [False, False, True, False, False]
    """

    __slots__ = ()

    _core: _core.Alarm
    level: float
    """The level, a share from 0 to 1."""
    rule: str
    """Rule that turns estimates into an alarm."""
    k: int
    """For ``k-of-n``: how many estimates must be above the level."""
    n: int
    """For ``k-of-n``: of how many."""
    excess: float
    """For ``cusum``: the sum at which the alarm goes on."""
    most: float
    """For ``cusum``: the greatest sum."""

    def __init__(
        self,
        *,
        level: float,
        rule: Literal["level", "k-of-n", "cusum"] = "k-of-n",
        k: int = 4,
        n: int = 5,
        excess: float = 0.2,
        most: float = 0.6,
    ) -> None:
        if not isinstance(rule, str) or rule not in _RULES:
            raise InputError("rule", shown(rule), "one of level, k-of-n, cusum")
        given: dict[str, Any] = {
            "level": arguments.real("level", level),
            "rule": rule,
            "k": arguments.count("k", k),
            "n": arguments.count("n", n),
            "excess": arguments.real("excess", excess),
            "most": arguments.real("most", most),
        }
        with arguments.Faults():
            if rule == "level":
                core = _core.Alarm.level(given["level"])
            elif rule == "k-of-n":
                core = _core.Alarm.k_of_n(given["level"], given["k"], given["n"])
            else:
                core = _core.Alarm.cusum(given["level"], given["excess"], given["most"])
        super().__init__(core, given)

    @property
    def on(self) -> bool:
        """True while the alarm is on."""
        return self._core.on

    def update(self, share: float) -> bool:
        """Takes the estimate of the next interval, NaN for none. Whether the alarm is on."""
        return self._core.update(arguments.real("share", share))

    def run(self, shares: ArrayLike) -> NDArray[np.bool_]:
        """Takes a series of estimates: whether the alarm was on after each."""
        return self._core.run(arguments.samples("shares", shares))

    def watch(self, series: ResponsivenessSeries) -> NDArray[np.bool_]:
        """Takes a series of ``Responsiveness``. The alarm goes by the lower bound: what is unknown raises
        none.
        """
        if not isinstance(series, ResponsivenessSeries):
            raise arguments.wrong_type("series", series, "a series of Responsiveness")
        return self.run(series.share_lower)
