"""Dimensions of the study, and the parts that it is made of. A cell is one scenario, to be run over seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

CAPACITIES = (5, 35, 100)
"""Mbit/s of the bottleneck."""
BUFFERS: Mapping[str, float] = {"1/3": 1 / 3, "1": 1.0, "3": 3.0}
"""Sizes of the buffer, in bandwidth-delay products (BWDP)."""
LOADS = (0, 5, 30)
"""Load of short flows as the document calls it, in % of the capacity."""
QUEUES: Mapping[str, str] = {
    "droptail": "DropTail",
    "red": "RED",
    "red-ecn": "RED-ECN",
    "red-low": "RED, low thresholds",
    "red-tuned": "tuned RED",
    "codel": "CoDel",
    "pie": "PIE",
    "fq-codel": "FQ-CoDel",
    "red-ecn-low": "RED-ECN, low thresholds",
    "red-tuned-queue": "tuned RED, queue alone",
}
"""Disciplines, as a reader knows them."""
LOW = "-low"
"""End of the name of a queue whose thresholds are a twelfth and a quarter of the buffer."""


DIMS = ("queue", "senders", "capacity", "buffer", "load")
"""Dimensions of the tables of all parts."""


def ident(label: object) -> str:
    """A label as it stands in names and ids."""
    return "third" if label == "1/3" else str(label)


@dataclass(frozen=True)
class Cell:
    """One scenario of the grid."""

    part: str
    """The part that it belongs to: the name of a :class:`Part`."""
    queue: str
    capacity: int
    buffer: str
    load: int
    senders: str = "sack"

    @property
    def name(self) -> str:
        """Unique in the study: ``grid/red/sack/35/1/30``, with ``third`` for a third of a BWDP."""
        return f"{self.part}/{self.queue}/{self.senders}/{self.capacity}/{ident(self.buffer)}/{self.load}"

    @property
    def key(self) -> tuple[str, str, int, str, int]:
        """Labels of :data:`DIMS`."""
        return (self.queue, self.senders, self.capacity, self.buffer, self.load)


@dataclass(frozen=True)
class Part:
    """A grid over queues, senders, capacities, buffers and loads, with how it is run."""

    name: str
    title: str
    queues: Sequence[str]
    loads: Sequence[int] = LOADS
    senders: Sequence[str] = ("sack",)
    duration: float = 300.0
    """Seconds simulated."""
    warm_up: float = 60.0
    """Counters count from here on, in seconds."""
    in_phase: bool = True
    """True if all CBR flows start at one instant."""
    on_off: bool = False
    """True if they are on and off in turn."""
    surge: tuple[float, float] | None = None
    """From when until when most of them are there, in seconds; the others always are."""
    capacities: Sequence[int] = CAPACITIES
    buffers: Sequence[str] = tuple(BUFFERS)
    probe_spacing: float = 2.0037
    """Seconds between the starts of two short flows whose response time is taken; no multiple of a CBR
    period."""

    def cells(self) -> Iterator[Cell]:
        """Every combination, those that share a network one after another."""
        for capacity, load, buffer, senders, queue in product(
            self.capacities, self.loads, self.buffers, self.senders, self.queues
        ):
            yield Cell(self.name, queue, capacity, buffer, load, senders)


DOCUMENT = Part("grid", "The dissertation's grid", ("droptail", "red", "red-ecn"))
ON_OFF = Part("on_off", "The dissertation's grid, ON/OFF flows", DOCUMENT.queues, loads=(30,), on_off=True)
SPREAD = Part(
    "spread",
    "CBR flows that start at random",
    DOCUMENT.queues,
    duration=120.0,
    warm_up=40.0,
    in_phase=False,
    probe_spacing=0.7037,
)
SPREAD_ON_OFF = replace(
    ON_OFF, name="spread_on_off", title="ON/OFF flows that start at random", in_phase=False
)
THRESHOLDS = Part(
    "thresholds",
    "RED with low thresholds",
    ("red-low", "red-ecn-low"),
    duration=120.0,
    warm_up=40.0,
    probe_spacing=0.7037,
)
THRESHOLDS_ON_OFF = replace(
    ON_OFF, name="thresholds_on_off", title="RED with low thresholds, ON/OFF flows", queues=THRESHOLDS.queues
)
TUNED = Part("tuned", "Tuned RED", ("red-tuned",), duration=120.0, warm_up=40.0, probe_spacing=0.7037)
TUNED_SPREAD = replace(
    TUNED, name="tuned_spread", title="Tuned RED, CBR flows that start at random", in_phase=False
)
CROSSING = Part(
    "crossing",
    "A share that crosses the threshold",
    ("droptail", "red", "red-tuned", "red-tuned-queue"),
    loads=(0,),
    buffers=("1",),
    duration=240.0,
    warm_up=40.0,
    surge=(100.0, 180.0),
)
CROSSING_SPREAD = replace(
    CROSSING,
    name="crossing_spread",
    title="A share that crosses the threshold, CBR flows that start at random",
    in_phase=False,
)
MODERN = Part(
    "modern",
    "Today's queues and senders",
    ("droptail", "red", "codel", "pie", "fq-codel"),
    senders=("sack", "cubic"),
    duration=60.0,
    warm_up=20.0,
    in_phase=False,
    probe_spacing=0.5037,
)
PARTS = (
    *(DOCUMENT, ON_OFF, SPREAD, SPREAD_ON_OFF, THRESHOLDS, THRESHOLDS_ON_OFF),
    *(TUNED, TUNED_SPREAD, CROSSING, CROSSING_SPREAD, MODERN),
)
"""Cells that the study runs by default."""
