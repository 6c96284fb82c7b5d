"""The cases P1 to P7: the network, for how long, which peers run it too, and what must agree.

Tolerances are wider than the scatter between seeds. Here they only show that both sides did the same work;
`docs/validation.md` compares means over many more runs, as narrowly as these allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parshall_dev.bench.networks import Bell, Bottlenecks, ParkingLot

__all__ = ["CASES", "Case", "Rival", "Tolerance"]


@dataclass(frozen=True)
class Tolerance:
    """Largest differences, as shares of the peer's value."""

    packets_sent: float
    bytes_delivered: float
    packets_dropped: float


_NS2 = Tolerance(packets_sent=0.05, bytes_delivered=0.05, packets_dropped=0.25)
# Another TCP: ns-3's has no limited window here, PRR in place of Sack1 and always SACK.
_NS3 = Tolerance(packets_sent=0.08, bytes_delivered=0.08, packets_dropped=0.4)
# NewReno without SACK, which repairs bursts of losses so slowly that it leaves part of P2's link idle.
_HTSIM = Tolerance(packets_sent=0.25, bytes_delivered=0.25, packets_dropped=0.4)
_SAME = Tolerance(packets_sent=0.0, bytes_delivered=0.0, packets_dropped=0.0)


@dataclass(frozen=True)
class Rival:
    """A peer that runs a case, or another way of running it here."""

    seconds: float
    """Simulated; Parshall is measured over as many beside it."""
    tolerance: Tolerance
    script: str = ""
    """Script of the peer; empty where the rival is ourselves."""
    network: Bottlenecks | None = None
    """The other network that we run ourselves."""


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    name: str
    title: str
    network: Bottlenecks
    seconds: float
    """Simulated."""
    rivals: Mapping[str, Rival] = field(default_factory=dict)
    """By the peer's name; ``ns2``, ``ns3``, ``htsim``, or what is said of another way of running it here."""
    few: Bottlenecks | None = None
    """A smaller network of the same load: what memory it takes less is what the further flows take."""
    whole_process: bool = True
    """True if ``parshall run`` is timed too."""


_MIXED = Bell(
    tcp=35,
    cbr=22,
    rate=28e6,
    delay=0.05,
    limit=60,
    access=100e6,
    access_delays=(0.005, 0.005),
)
_SACK = Bell(
    tcp=100,
    cbr=0,
    rate=1e9,
    delay=0.04,
    limit=400,
    access=1e9,
    access_delays=(0.001, 0.009),
    variant="Sack1",
    window=1000,
    payload=1460,
)
_MARKED = _MIXED.with_(red=True, access_delays=(0.001, 0.009))
_LOT = ParkingLot(
    tcp=10,
    cbr=2,
    rate=20e6,
    delay=0.005,
    limit=50,
    access=100e6,
    access_delays=(0.001, 0.005),
)
_EVERY = 0.01

CASES = {
    case.name: case
    for case in (
        Case(
            "P1",
            "35 TCP and 22 CBR over 28 Mbit/s, 320 s",
            _MIXED,
            320.0,
            {"ns2": Rival(320.0, _NS2, "dumbbell"), "ns3": Rival(40.0, _NS3, "dumbbell")},
        ),
        Case(
            "P2",
            "100 SACK over 1 Gbit/s, 20 s",
            _SACK,
            20.0,
            {
                "ns2": Rival(20.0, _NS2, "dumbbell"),
                "ns3": Rival(4.0, _NS3, "dumbbell"),
                "htsim": Rival(20.0, _HTSIM, "dumbbell"),
            },
        ),
        Case(
            "P3",
            "1000 SACK over 1 Gbit/s, 20 s",
            _SACK.with_(tcp=1000),
            20.0,
            {
                "ns2": Rival(20.0, _NS2, "dumbbell"),
                "ns3": Rival(1.0, _NS3, "dumbbell"),
                "htsim": Rival(20.0, _HTSIM, "dumbbell"),
            },
        ),
        Case(
            "P4",
            "100,000 SACK over 100 Gbit/s, 2 s",
            _SACK.with_(tcp=100_000, rate=100e9, limit=40_000),
            2.0,
            few=_SACK.with_(tcp=1000, rate=100e9, limit=40_000),
            whole_process=False,
        ),
        Case(
            "P5",
            "P1 over RED with ECN, unrecorded; beside it series every 10 ms",
            _MARKED,
            320.0,
            {
                "port series": Rival(320.0, _SAME, network=_MARKED.with_(record_every=_EVERY)),
                "port and flow series": Rival(
                    320.0, _SAME, network=_MARKED.with_(record_every=_EVERY, record_flows=True)
                ),
                "ns2": Rival(320.0, _NS2, "dumbbell"),
            },
        ),
        Case(
            "P6",
            "parking lot: 10 bottlenecks, 110 TCP, 20 CBR, 60 s",
            _LOT,
            60.0,
            {"ns2": Rival(60.0, _NS2, "parking_lot")},
        ),
    )
}
