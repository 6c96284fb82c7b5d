"""Reports in place of ACKs: a control says what is to be gathered and how often it wants to hear of it.

That is how CCP does it (Narayan et al. 2018): most controls decide once a round trip, and to be called for
each ACK would only cost time.
"""

from __future__ import annotations

import keyword
from collections import namedtuple
from collections.abc import Callable
from typing import Any, Protocol

from parshall import _core
from parshall.errors import InputError, shown
from parshall.units import parse_duration

__all__ = ["Report", "Told"]

OPERATIONS = ("sum", "min", "max", "mean", "first", "last")
"""Functions that fold the values of many ACKs into one. NaN is left out; of nothing the sum is 0 and the rest
NaN.
"""

ALWAYS = ("now", "acks", "lost")
"""Values in every report: the time in seconds, the number of ACKs that it covers, and 1 if a loss brought it,
else 0.
"""


class Told(Protocol):
    """A report, as ``on_report`` gets it: besides these attributes, what the class asked for."""

    @property
    def now(self) -> float:
        """The time in seconds."""

    @property
    def acks(self) -> float:
        """Number of ACKs that it covers."""

    @property
    def lost(self) -> float:
        """1 if a loss brought it, else 0."""

    def __getattr__(self, name: str) -> float:
        """Value gathered under this name."""


class Report:
    """Values that a control gets at intervals in place of every ACK, as an attribute of its class.

        report = Report(every="rtt", lowest="min rtt", marks="sum ecn_echo", rate="max delivery_rate")

    ``on_report(self, report)`` is then called with ``report.lowest`` and so on, besides ``report.now`` in
    seconds, ``report.acks``, the ACKs that it is about, and ``report.lost``, 1 if a loss brought it.

    ``every`` is ``"ack"``, ``"rtt"`` (when all that was in flight at the last report has been acknowledged)
    or a time such as ``"10 ms"``, of which the first ACK afterwards brings the report. With ``at_losses``
    each loss, mark and timeout brings one as well, after :meth:`Control.on_loss`. Raises InputError.
    """

    def __init__(self, every: str | float = "rtt", *, at_losses: bool = False, **gather: str) -> None:
        self.every = every if isinstance(every, str) and every in ("ack", "rtt") else self._seconds(every)
        if not isinstance(at_losses, bool):
            raise InputError("at_losses", shown(at_losses), "a truth value")
        self.at_losses = at_losses
        self.gather = {name: self._pair(name, text) for name, text in gather.items()}
        self.fields = (*ALWAYS, *self.gather)
        made: Any = namedtuple("Told", self.fields)  # type: ignore[misc]
        self.made: Callable[..., Any] = made
        """Class of the reports."""

    def __repr__(self) -> str:
        wanted = "".join(f", {name}={' '.join(pair)!r}" for name, pair in self.gather.items())
        return f"Report({self.every!r}, at_losses={self.at_losses}{wanted})"

    @staticmethod
    def _seconds(every: str | float) -> float:
        seconds = parse_duration(every)
        if not 0 < seconds <= 1e6:
            raise InputError("every", shown(every), '"ack", "rtt", or a time above 0 such as "10 ms"')
        return seconds

    @staticmethod
    def _pair(name: str, text: str) -> tuple[str, str]:
        if name in ALWAYS or name.startswith("_") or keyword.iskeyword(name):
            raise InputError(name, "the name of a value", "another name")
        known = [field for field, *_ in _core.part_interface("control")["structures"]["ack"]]
        operation, _, field = text.partition(" ") if isinstance(text, str) else ("", "", "")
        if operation not in OPERATIONS or field not in known:
            expected = f"{', '.join(OPERATIONS)}, and a field of an ACK such as rtt"
            raise InputError(name, shown(text), expected)
        return operation, field

    def asked(self) -> tuple[str, bool, list[tuple[str, str]]]:
        """Description for the engine."""
        every = self.every if isinstance(self.every, str) else repr(self.every)
        return every, self.at_losses, list(self.gather.values())
