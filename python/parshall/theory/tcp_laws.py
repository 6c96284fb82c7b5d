"""Rate of a bulk TCP at a given loss probability and round-trip time, in closed form.

Windows and rates count packets. The laws hold for a sender that the network alone limits, with a constant
round-trip time.
"""

from __future__ import annotations

import math
from functools import cache

from parshall.errors import InputError, shown
from parshall.estimators.typed import typed

__all__ = [
    "padhye_send_rate",
    "periodic_loss_window",
    "random_loss_constant",
    "random_loss_window",
    "stepped_window",
]


@typed
def periodic_loss_window(loss: float, acked: int = 1) -> float:
    """Packets sent in a round-trip time when every 1/``loss``-th is lost: sqrt(3 / (2 b p)).

    ``acked`` is b, the packets that an ACK answers. The window goes up from half its peak to its peak by 1/b
    a round trip, and the area under that tooth is the 1/p packets between two losses (Mathis, Semke, Mahdavi
    and Ott, CCR 27(3), 1997). Raises InputError unless 0 < loss < 1.
    """
    return math.sqrt(1.5 / (_acked(acked) * _probability(loss)))


@typed
def random_loss_window(loss: float, acked: int = 1) -> float:
    """Packets sent in a round-trip time when each packet is lost with probability ``loss``, independently.

    ``acked`` is as in :func:`periodic_loss_window`. Raises InputError unless 0 < loss < 1.
    """
    return random_loss_constant() / math.sqrt(_acked(acked) * _probability(loss))


def stepped_window(loss: float, *, whole: bool, pause: bool, cycles: int = 400) -> float:
    """Packets sent in a round trip with every 1/``loss``-th lost, from one round to the next.

    What the law for periodic losses leaves out, apart: a window that moves once a round; ``whole`` packets
    only, in flight and in what is halved; a ``pause`` of the growth in the round of the repair. Raises
    InputError unless 0 < loss < 1.
    """
    window = periodic_loss_window(loss) * 2 / 3
    cycle, since_loss, packets, rounds, losses = 1 / loss, 0.0, 0.0, 0, 0
    repairing = False
    while losses < cycles:
        sent = math.floor(window) if whole else window
        packets, rounds, since_loss = packets + sent, rounds + 1, since_loss + sent
        window += 0 if repairing else sent / window
        repairing = False
        if since_loss >= cycle:
            since_loss, losses, repairing = since_loss - cycle, losses + 1, pause
            window = (math.floor(window) if whole else window) / 2
    return packets / rounds


@cache
def random_loss_constant() -> float:
    """The constant of the square-root law for independent losses, 1.3098...

    Half the square of the window, times p, grows by p a packet and falls to a quarter at each loss; losses
    are a Poisson process of rate 1 in that scale. So its stationary law is that of the sum of E_k / 4^k with
    independent unit exponentials E_k (Ott, Kemperman and Mathis, 1996), whose density is a sum of
    exponentials. The rate is the inverse of the mean of 1/window over packets.
    """
    terms = 24
    inverse_root = 0.0
    for k in range(terms):
        weight = math.prod(1 / (1 - 4.0 ** (k - j)) for j in range(2 * terms) if j != k)
        inverse_root += weight * 2.0**k
    return math.sqrt(2) / (math.sqrt(math.pi) * inverse_root)


@typed
def padhye_send_rate(
    loss: float, rtt: float, timeout: float, acked: int = 1, max_window: float = math.inf
) -> float:
    """Packets a second that Reno sends, retransmissions and timeouts included.

    The full model of Padhye, Firoiu, Towsley and Kurose (IEEE/ACM ToN 8(2), 2000, section II). ``loss`` is
    the probability that a packet is lost when the one before it was not; once one is lost, so is the rest of
    its round. ``rtt`` and ``timeout`` (the first of a sequence, before backoff) are seconds, ``acked`` is b,
    the packets that an ACK answers, ``max_window`` the receiver's window. Raises InputError unless
    0 < loss < 1 and everything else is positive.
    """
    _positive(rtt=rtt, timeout=timeout, max_window=max_window)
    return send_rate(_probability(loss), rtt, timeout, _acked(acked), max_window)


def send_rate(p: float, rtt: float, timeout: float, b: int, max_window: float = math.inf) -> float:
    """:func:`padhye_send_rate` for loops, which takes its numbers on trust."""
    window = unlimited_window(p, b)
    limited = window >= max_window
    if limited:
        window = max_window
        rounds = b / 8 * window + (1 - p) / (p * window) + 2
    else:
        rounds = b / 2 * window + 1
    by_timeout = timeout_share(p, window)
    packets = (1 - p) / p + window + by_timeout / (1 - p)
    return packets / (rtt * rounds + by_timeout * timeout * _backoff(p) / (1 - p))


def unlimited_window(loss: float, acked: int) -> float:
    """The mean window at the end of a period between two loss indications."""
    half = (2 + acked) / (3 * acked)
    return half + math.sqrt(8 * (1 - loss) / (3 * acked * loss) + half**2)


def timeout_share(loss: float, window: float) -> float:
    """The probability that a loss indication in a window of this size is a timeout."""
    kept = 1 - loss
    if window <= 3:
        return 1.0
    few: float = (1 - kept**3) * (1 + kept**3 * (1 - kept ** (window - 3)))
    share: float = few / (1 - kept**window)
    return min(1.0, share)


def _backoff(p: float) -> float:
    """Mean length of a sequence of timeouts over the first one, times 1 - p; doubling stops at 64."""
    return 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6


def _probability(loss: float) -> float:
    if not 0 < loss < 1:
        raise InputError("loss", shown(loss), "a probability above 0 and below 1")
    return loss


def _acked(acked: int) -> int:
    if not 1 <= acked < 2**53:
        raise InputError("acked", shown(acked), "a whole number of at least 1")
    return acked


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise InputError(name, shown(value), "a number above 0")
