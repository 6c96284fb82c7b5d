"""Response of a flow's window to losses: the growth in a round trip and what a loss takes.

The window obeys W' = (increase - decrease W W_R p_R) / R, with the subscript for a round trip ago (Zhao 2004,
eq. 2.2, where increase is 1 and decrease 1/2). A law says what share of the window a loss takes, on the
average, and where the window rests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from parshall.errors import InputError, shown
from parshall.estimators.typed import typed
from parshall.theory.tcp_laws import (
    periodic_loss_window,
    random_loss_constant,
    send_rate,
    stepped_window,
)

__all__ = [
    "DOCUMENT",
    "PERIODIC",
    "Response",
    "SquareRoot",
    "WithTimeouts",
    "random_losses",
    "whole_packets",
]

_MOST, _LEAST = 0.98, 0.2
"""Loss up to which Padhye's formula is asked, and the least window; beyond, it is a few packets a minute."""


class Response(Protocol):
    """Interface of a flow for the window model."""

    @property
    def increase(self) -> float:
        """Packets that the window grows in a round trip without losses."""
        ...

    def decrease(self, loss: float, round_trip: float, window: float) -> float:
        """The share of a window of so many packets that a loss takes."""
        ...

    def window(self, loss: float, round_trip: float) -> float:
        """Packets in flight at rest; infinite without losses."""
        ...


@typed
@dataclass(frozen=True)
class SquareRoot:
    """Additive increase, multiplicative decrease, with constants. Raises InputError unless both are positive.

    A loss takes the share ``fraction`` of the window, and the growth of ``pause`` round trips. A loss halves
    the window that it meets. Losses meet large windows more often than small ones: where every 1/p-th packet
    is lost they meet the peak of a tooth, 4/3 of its mean, so that in terms of the mean a loss takes 2/3
    (:data:`PERIODIC`). The document's 1/2 lets a loss meet the mean (:data:`DOCUMENT`). A window below one
    packet pauses in proportion, so that it never becomes negative.
    """

    increase: float = 1.0
    fraction: float = 0.5
    pause: float = 0.0

    def __post_init__(self) -> None:
        for name in ("increase", "fraction"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise InputError(name, shown(value), "a positive number")
        if not 0 <= self.pause < math.inf:
            raise InputError("pause", shown(self.pause), "a number of round trips of at least 0")

    def decrease(self, loss: float, round_trip: float, window: float) -> float:
        return self.fraction + self.increase * self.pause / max(window, 1.0)

    def window(self, loss: float, round_trip: float) -> float:
        if loss <= 0:
            return math.inf
        # The positive root of fraction W^2 + increase pause W = increase / p.
        paused = self.increase * self.pause
        root = math.sqrt(paused**2 / 4 + self.fraction * self.increase / loss)
        window = (root - paused / 2) / self.fraction
        return window if window >= 1 else math.sqrt(self.increase / ((self.fraction + paused) * loss))


DOCUMENT = SquareRoot()
"""W = sqrt(2 / p), as in the document (eq. 2.2)."""

PERIODIC = SquareRoot(fraction=2 / 3)
"""W = sqrt(1.5 / p), the law of Mathis, Semke, Mahdavi and Ott (CCR 27(3), 1997)."""


def random_losses() -> SquareRoot:
    """W = 1.3098 / sqrt(p), the law for independent losses (Ott, Kemperman and Mathis, 1996)."""
    return SquareRoot(fraction=random_loss_constant() ** -2)


@cache
def whole_packets() -> SquareRoot:
    """Periodic losses, with windows that move once a round trip, in whole packets, and do not grow in the
    round of the repair.

    Such a window stays a constant behind sqrt(1.5 / p) when losses are rare; the pause that has this effect
    is computed from :func:`parshall.theory.tcp_laws.stepped_window`.
    """
    rare = 1e-5
    behind = periodic_loss_window(rare) - stepped_window(rare, whole=True, pause=True)
    # W (W + pause / fraction) = 1 / (fraction p): for small p behind by half of pause / fraction.
    return SquareRoot(fraction=PERIODIC.fraction, pause=2 * PERIODIC.fraction * behind)


@typed
@dataclass(frozen=True)
class WithTimeouts:
    """Growth by 1/``acked`` packets a round trip, and losses after which a window rests where Padhye, Firoiu,
    Towsley and Kurose (ToN 8(2), 2000, section II) say, timeouts included.

    ``timeout`` is the retransmission timeout in seconds, before backoff. A loss takes 2/3 of the window; what
    is missing is a pause, on average over all losses. Only the point of rest is Padhye's; the single wait
    for a timer is not modelled. Windows of less than a fifth of a packet are not told apart. Raises
    InputError unless the timeout is positive and ``acked`` at least 1.
    """

    timeout: float = 1.0
    acked: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.timeout < math.inf:
            raise InputError("timeout", shown(self.timeout), "a positive number of seconds")
        if self.acked < 1:
            raise InputError("acked", shown(self.acked), "a whole number of at least 1")

    @property
    def increase(self) -> float:
        return 1 / self.acked

    def decrease(self, loss: float, round_trip: float, window: float) -> float:
        if loss <= 0:
            return PERIODIC.fraction  # the limit; without losses nothing is taken
        rest = self.window(loss, round_trip)
        pause = max(rest, 1.0) * (self.increase / (loss * rest**2) - PERIODIC.fraction)
        return PERIODIC.fraction + pause / max(window, 1.0)

    def window(self, loss: float, round_trip: float) -> float:
        if loss <= 0:
            return math.inf
        rate = send_rate(min(loss, _MOST), round_trip, self.timeout, self.acked)
        return max(rate * round_trip, _LEAST)
