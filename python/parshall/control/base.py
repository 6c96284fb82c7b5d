"""The class that a user's control is made from: what the engine calls, and what it reads afterwards."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
import re
from typing import Any, ClassVar, TypeVar

from typing_extensions import Self, dataclass_transform

from parshall import _core
from parshall.control.report import Report, Told
from parshall.errors import InputError, ScenarioError, shown
from parshall.scenario.parts import UserControl

__all__ = ["DUPLICATE", "EVENTS", "NEW", "OLD", "PARTIAL", "TIME_LIMIT", "Control", "native"]

NEW, PARTIAL, DUPLICATE, OLD = 0, 1, 2, 3
"""What an ACK is to the sender, its ``kind``: of new data, of part of what is repaired, a duplicate, or one
that others have overtaken.
"""

EVENTS = ("on_start", "on_ack", "on_loss", "on_mark", "on_timeout", "on_restart", "on_timer")
"""What the engine calls."""

_CALLED = (*EVENTS, "on_report")

TIME_LIMIT = 10.0
"""Seconds that one call may take, where nothing else is said."""

_C = TypeVar("_C", bound="Control")


@dataclass_transform(eq_default=False, field_specifiers=(dataclasses.field,))
class Control(_core.ControlBase):
    """A congestion control, to be derived from. Each flow that asks for it gets an instance of its own.

    What a class declares with a type, ``gain: float = 1.0``, is a parameter, as with ``dataclasses``; what is
    declared with ``field(init=False, default=0.0)`` is state. The engine sets these before each call, and
    reads them afterwards:

    ``cwnd``, ``ssthresh``
        Congestion window and slow start threshold, in packets.
    ``pacing_rate``
        Packets a second that may leave; 0, as at first, leaves that to ACKs, or to ``Tcp(pacing=True)``.
    ``wake_at``
        When :meth:`on_timer` shall be called, in seconds of simulated time; infinity, as at first, for never.
        It is forgotten when it is called. What :meth:`on_start` sets counts from the flow's first packet on.

    ``random()`` is a random number from 0 to below 1, of the flow's own stream: the same in each run with the
    same seed.
    """

    exact_echo: ClassVar[bool] = False
    """Whether its receivers report marks packet by packet (RFC 8257, section 3.2), as DCTCP's do."""
    time_limit: ClassVar[float] = TIME_LIMIT
    """Seconds that one call may take before its run is given up; infinity to wait, as in a debugger."""
    compiled: ClassVar[bool] = False
    """Whether it is compiled; see :func:`native`."""
    report: ClassVar[Report | None] = None
    """What to gather, and when to call :meth:`on_report`, in place of :meth:`on_ack`."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        for name, value in vars(cls).items():
            _refuse_unknown_event(cls, name, value)
            if type(value).__module__.startswith("parshall.estimators"):
                expected = (
                    "field(init=False, default_factory=lambda: ...): one for each flow, not one for all"
                )
                raise InputError(f"{cls.__name__}.{name}", shown(value), expected)
        if "__init__" not in cls.__dict__:
            dataclasses.dataclass(eq=False)(cls)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        made = super().__new__(cls)
        object.__setattr__(made, "_given", (args, kwargs))
        return made

    _given: ClassVar[Any]

    def open(self, packets: float) -> None:
        """Slow start opens the window by so many packets, or by one and up to ssthresh (RFC 5681, section
        3.1).
        """
        self.cwnd = min(self.cwnd + packets, max(self.ssthresh, self.cwnd + 1.0))

    def on_start(self) -> None:
        """The flow begins; ``cwnd`` is its initial window."""

    def on_ack(self, ack: _core.Ack) -> None:
        """An ACK has come, any but that of a SYN: ``ack.kind`` says which, and ``ack.may_grow`` whether the
        window may grow.
        """

    def on_loss(self, loss: _core.Loss) -> float:
        """Duplicate ACKs have shown a loss. Returns the window after it, in packets."""
        return loss.in_use / 2

    def on_mark(self, loss: _core.Loss) -> float:
        """A mark has been reported, for the first time of those in flight. Returns the window after it."""
        return self.on_loss(loss)

    def on_timeout(self, loss: _core.Loss) -> float:
        """The retransmission timer has expired. Returns where slow start shall end."""
        return self.on_loss(loss)

    def on_restart(self, moment: _core.Moment) -> None:
        """The sender is about to send after a time with nothing in flight."""

    def on_timer(self, moment: _core.Moment) -> None:
        """The time ``wake_at`` has come."""

    def on_report(self, report: Told) -> None:
        """What ``report`` asks for has been gathered; see :class:`Report`."""

    def parameters(self) -> dict[str, Any]:
        """The values it was made with, as far as they are not the defaults. Raises InputError for what is
        neither number, flag, text nor a list of them: a scenario could not name it.
        """
        args, kwargs = self._given
        bound = inspect.signature(type(self)).bind(*args, **kwargs).arguments
        defaults = {name: each.default for name, each in inspect.signature(type(self)).parameters.items()}
        try:
            values = UserControl(form="python", source=":", code="-", values=bound).values
        except ScenarioError as error:
            place = error.path.removeprefix("values").lstrip(".")
            raise InputError(place, error.value, error.expected) from None
        return {name: value for name, value in values.items() if not _equal(value, defaults[name])}

    def __scenario_part__(self) -> UserControl:
        """What a scenario says of it."""
        from parshall.control.found import described

        return described(type(self), self.parameters())


def _refuse_unknown_event(cls: type[Control], name: str, value: object) -> None:
    """A method called like an event that the engine does not know would never be called."""
    if not callable(value) or name in _CALLED or isinstance(value, type):
        return
    plain_name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    like = difflib.get_close_matches(plain_name, _CALLED, n=1, cutoff=0.8)
    if plain_name.startswith("on_") or (like and not name.startswith("_")):
        meant = (like or difflib.get_close_matches(plain_name, _CALLED, n=1, cutoff=0.0))[0]
        raise InputError(
            f"{cls.__name__}.{name}",
            "a method that nobody calls",
            f"{meant}, or another of {', '.join(_CALLED)}",
        )


def _equal(value: object, default: object) -> bool:
    return type(value) is type(default) and value == default


def native(cls: type[_C]) -> type[_C]:
    """Lets Numba compile a control, which takes ``pip install 'parshall[numba]'``.

    Its methods then run without the GIL, on all cores. They see what Numba can: numbers, flags and arrays of
    fixed length as fields, other methods of the class, and functions of :mod:`math`, of
    :mod:`parshall.control` and those under ``numba.njit``. An exception ends the run, but is not told apart
    from others.
    """
    if not (isinstance(cls, type) and issubclass(cls, Control)):
        raise InputError("native", shown(cls), "a class derived from parshall.Control")
    cls.compiled = True
    return cls


def checked_limit(cls: type[Control]) -> float | None:
    """The time limit of a class in seconds; none waits for ever. Raises InputError."""
    limit = cls.time_limit
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not limit > 0:
        raise InputError(f"{cls.__name__}.time_limit", shown(limit), "seconds, more than 0")
    return None if math.isinf(limit) else float(limit)
