"""Congestion controls of your own: classes in Python, compiled by Numba or in a shared library.

    class Mine(parshall.Control):
        gain: float = 1.0

        def on_ack(self, ack):
            if ack.may_grow:
                self.cwnd += self.gain * ack.growth / self.cwnd

    parshall.Tcp(control=Mine(gain=2))

docs/guide/own-control.md leads from there to compiled code and to a native control.
"""

from __future__ import annotations

from parshall._core import Ack, Loss, Moment, cbrt, exp, log, pow  # noqa: A004 - as in math
from parshall.control.base import DUPLICATE, NEW, OLD, PARTIAL, Control
from parshall.control.library import SharedControl
from parshall.control.report import Report, Told
from parshall.own.base import TIME_LIMIT, native

__all__ = [
    "DUPLICATE",
    "NEW",
    "OLD",
    "PARTIAL",
    "TIME_LIMIT",
    "Ack",
    "Control",
    "Loss",
    "Moment",
    "Report",
    "SharedControl",
    "Told",
    "cbrt",
    "exp",
    "log",
    "native",
    "pow",
]
