"""The class that a control of one's own is made from: what the engine calls, and what it reads afterwards."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from parshall import _core
from parshall.control.report import ALWAYS, Report, Told
from parshall.own.base import Part
from parshall.own.kinds import CONTROL, Event, Kind

__all__ = ["DUPLICATE", "NEW", "OLD", "PARTIAL", "Control"]

NEW, PARTIAL, DUPLICATE, OLD = 0, 1, 2, 3
"""Kinds of ACKs, the values of ``kind``: of new data, of part of a repair, a duplicate, or one that others
have overtaken.
"""

_ON_REPORT = Event("on_report", (("report", "report"),), "nothing", "A report is due.")


class Control(Part, _core.ControlBase):
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
    """True if its receivers report marks packet by packet (RFC 8257, section 3.2), as DCTCP's do."""
    report: ClassVar[Report | None] = None
    """Report to be gathered, for :meth:`on_report` in place of :meth:`on_ack`."""

    _kind: ClassVar[Kind] = CONTROL
    _called: ClassVar[tuple[str, ...]] = ("on_report",)

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
        """Decides on a report; see :class:`Report`."""

    @classmethod
    def _events(cls) -> tuple[Event, ...]:
        return cls._kind.events if cls.report is None else (*cls._kind.events, _ON_REPORT)

    @classmethod
    def _layout(cls, told: str) -> Any:
        fields = ALWAYS if cls.report is None else cls.report.fields
        return np.dtype([(field, np.float64) for field in fields])

    @classmethod
    def _engine_options(cls) -> dict[str, Any]:
        report = None if cls.report is None else cls.report.asked()
        return {"exact_echo": bool(cls.exact_echo), "report": report}

    @classmethod
    def _python_options(cls, options: dict[str, Any]) -> dict[str, Any]:
        report = None if cls.report is None else (options["report"], cls.report.made)
        return {**options, "report": report}
