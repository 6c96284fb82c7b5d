"""Which constants, and which fairness index, give the figure that was printed for the prediction-error model.

Figure 8 is said to be of C = 10 Mbit/s, N = 20, L = 40 packets of 1000 bytes and RTT = 20 ms; T falls
from 0.5 to 0.42 Mbit/s and F from 1 to 0.975 as gamma goes from 0 to 1. With these constants nothing is ever
lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from parshall.theory.wrong_predictions import SharedLink, law
from parshall_studies.tcp_tp import printed_model as printed

__all__ = [
    "PACKET_BYTES",
    "PRINTED_FAIRNESS",
    "PRINTED_THROUGHPUT",
    "PUBLISHED",
    "Reading",
    "largest_spare",
    "readings",
    "shared_background_fairness",
    "shortfall_fairness",
    "with_spare",
]

PUBLISHED = SharedLink(error=1.0, connections=20, capacity=10e6, buffer_bytes=40_000, rtt=0.02)
"""Parameters of Figure 8, at its right end."""
PRINTED_THROUGHPUT = 0.42
"""T at the right end, in Mbit/s."""
PRINTED_FAIRNESS = 0.975
"""F at the right end."""
PACKET_BYTES = 1000
_UNITS = {"bits": 8.0, "bytes, as if bits": 1.0, "packets, as if bits": 1 / PACKET_BYTES}
"""Factors of L in bytes."""
_DIVISORS = {
    "RTT = 20 ms": 0.02,
    "RTT = 200 ms": 0.2,
    "not divided": 1.0,
    "20, ms taken for s": 20.0,
}


@dataclass(frozen=True)
class Reading:
    """One way to make l of the printed constants, and what is then at gamma = 1."""

    buffer: str
    """L counts these."""
    divisor: str
    """Divisors of L."""
    spare: float
    """l, in bit/s."""
    throughput: float
    """T by the right formulas, in Mbit/s."""
    printed_throughput: float
    """T by the printed formulas, in Mbit/s."""

    @property
    def fairness(self) -> float:
        """By :func:`shortfall_fairness`."""
        return shortfall_fairness(self.throughput, PUBLISHED.share / 1e6)

    @property
    def fits(self) -> bool:
        """True if T by the right formulas is what was printed, to the digits printed."""
        return _as_printed(self.throughput)

    @property
    def printed_fits(self) -> bool:
        """True if T by the printed formulas is."""
        return _as_printed(self.printed_throughput)


def readings() -> list[Reading]:
    """Every unit for L with every divisor."""
    return [
        Reading(unit, divisor, spare, law(link).throughput / 1e6, printed.model(link)[1] / 1e6)
        for (unit, factor), (divisor, seconds) in product(_UNITS.items(), _DIVISORS.items())
        for spare in [PUBLISHED.buffer_bytes * factor / seconds]
        for link in [with_spare(spare)]
    ]


def with_spare(spare: float, error: float = 1.0) -> SharedLink:
    """The link of the figure, with another l in bit/s and another gamma."""
    buffer_bytes = spare * PUBLISHED.rtt / 8
    return SharedLink(error, PUBLISHED.connections, PUBLISHED.capacity, buffer_bytes, PUBLISHED.rtt)


def largest_spare(throughput: float, *, as_printed: bool = False) -> float:
    """The largest l, in bit/s, with which T at gamma = 1 is at most ``throughput`` in Mbit/s.

    T grows with l in sub-case 1, by either set of formulas; this bisects there.
    """
    low, high = 0.0, (1 - 2 / PUBLISHED.connections) * PUBLISHED.capacity
    for _ in range(80):
        middle = (low + high) / 2
        link = with_spare(middle)
        found = printed.model(link)[1] if as_printed else law(link).throughput
        low, high = (middle, high) if found <= 1e6 * throughput else (low, middle)
    return low


def shortfall_fairness(throughput: float, share: float) -> float:
    """The index of two connections of which one gets what the other lacks: 1/(1 + d^2) d = 1 - T N/C."""
    return 1 / (1 + (1 - throughput / share) ** 2)


def shared_background_fairness(link: SharedLink) -> float:
    """(13) as a ratio of means over the rectangle, when the N - 1 others have equal rates.

    With x and y of mean 1 and variance gamma^2/3, (x + k y)^2/(N (x^2 + k y^2)) falls short of 1 by
    k (x - y)^2/(N (x^2 + k y^2)), of which the means are 2 k gamma^2/3 and N^2 (1 + gamma^2/3).
    """
    n, gamma = link.connections, link.error
    return 1 - 2 * (n - 1) * gamma**2 / (n**2 * (3 + gamma**2))


def _as_printed(throughput: float) -> bool:
    return round(throughput, 2) == PRINTED_THROUGHPUT
