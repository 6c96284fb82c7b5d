"""The quick form: one capacity and buffer, long flows alone and with 30 % short ones, in shorter runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from parshall_studies.aqm.grid import DOCUMENT, MODERN, SPREAD, TUNED, TUNED_SPREAD, Part
from parshall_studies.aqm.measures import measure_parts

if TYPE_CHECKING:
    from parshall_studies import study as st

CAPACITY = 35
"""Mbit/s."""
_CELLS: dict[str, Any] = {
    "capacities": (CAPACITY,),
    "buffers": ("1",),
    "loads": (0, 30),
    "senders": ("sack",),
    "duration": 60.0,
    "warm_up": 20.0,
    "probe_spacing": 0.5037,
}
_QUEUES = (
    (DOCUMENT, ("red",)),
    (SPREAD, ("red",)),
    (TUNED, TUNED.queues),
    (TUNED_SPREAD, TUNED_SPREAD.queues),
    (MODERN, ("red", "fq-codel")),
)
PARTS: tuple[Part, ...] = tuple(replace(part, queues=queues, **_CELLS) for part, queues in _QUEUES)
"""The cells that decide the report's answer."""


def measure(bench: st.Workbench) -> st.Measures:
    """These cells; what ns-2 gave is left out."""
    return {name: table for name, table in measure_parts(bench, PARTS).items() if name != "ns2"}
