"""How the window of a responsive flow answers losses: the growth in a round trip and what a loss takes.

The window obeys W' = (increase - decrease W W_R p_R) / R, with the subscript for a round trip ago (Zhao 2004,
eq. 2.2, where increase is 1 and decrease 1/2). At rest W = sqrt(increase / (decrease p)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from parshall.errors import InputError, shown
from parshall.theory.tcp_laws import padhye_send_rate, random_loss_constant

__all__ = ["DOCUMENT", "PERIODIC", "Response", "SquareRoot", "WithTimeouts", "random_losses"]

_MOST = 0.98
"""Loss up to which Padhye's formula is asked; beyond, it is a few packets a minute."""


class Response(Protocol):
    """What the window model asks of a flow."""

    @property
    def increase(self) -> float:
        """Packets that the window grows in a round trip without losses."""
        ...

    def decrease(self, loss: float, round_trip: float) -> float:
        """The share of the window that a loss takes."""
        ...

    def window(self, loss: float, round_trip: float) -> float:
        """Packets in flight at rest; infinite without losses."""
        ...


@dataclass(frozen=True)
class SquareRoot:
    """Additive increase, multiplicative decrease, with constants. Raises InputError unless both are positive.

    A loss halves the window that it meets. Losses meet large windows more often than small ones: where every
    1/p-th packet is lost they meet the peak of a tooth, 4/3 of its mean, so that in terms of the mean a loss
    takes 2/3 (:data:`PERIODIC`). The document's 1/2 lets a loss meet the mean (:data:`DOCUMENT`).
    """

    increase: float = 1.0
    fraction: float = 0.5

    def __post_init__(self) -> None:
        for name in ("increase", "fraction"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise InputError(name, shown(value), "a positive number")

    def decrease(self, loss: float, round_trip: float) -> float:
        return self.fraction

    def window(self, loss: float, round_trip: float) -> float:
        return math.sqrt(self.increase / (self.fraction * loss)) if loss > 0 else math.inf


DOCUMENT = SquareRoot()
"""W = sqrt(2 / p), as in the document (eq. 2.2)."""

PERIODIC = SquareRoot(fraction=2 / 3)
"""W = sqrt(1.5 / p), the law of Mathis, Semke, Mahdavi and Ott (CCR 27(3), 1997)."""


def random_losses() -> SquareRoot:
    """W = 1.3098 / sqrt(p), the law for independent losses (Ott, Kemperman and Mathis, 1996)."""
    return SquareRoot(fraction=random_loss_constant() ** -2)


@dataclass(frozen=True)
class WithTimeouts:
    """Growth by 1/``acked`` packets a round trip, and losses that take so much that the window at rest is
    what Padhye, Firoiu, Towsley and Kurose (ToN 8(2), 2000, section II) say, timeouts included.

    ``timeout`` is the retransmission timeout in seconds, before backoff. Only the point of rest is theirs:
    the wait for a timer is spread over the losses, not modelled as a wait. Raises InputError unless the
    timeout is positive and ``acked`` at least 1.
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

    def decrease(self, loss: float, round_trip: float) -> float:
        if loss <= 0:
            return 2 / 3  # the limit; without losses nothing is taken
        return self.increase / (loss * self.window(loss, round_trip) ** 2)

    def window(self, loss: float, round_trip: float) -> float:
        if loss <= 0:
            return math.inf
        rate = padhye_send_rate(min(loss, _MOST), rtt=round_trip, timeout=self.timeout, acked=self.acked)
        return rate * round_trip
