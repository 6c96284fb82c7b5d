"""The formulas of the prediction-error model as they were printed.

He, Gao, Hou and Park, A Case for Exploiting Self-Similarity of Network Traffic in TCP Congestion Control,
equations (17) to (24) and the probabilities between them. They are here to be judged
(:mod:`parshall_dev.theory.wrong_predictions.verdicts`), not to be used. Rates are bit/s, windows bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parshall.theory.wrong_predictions import SharedLink

__all__ = [
    "corner_rate",
    "loss_1",
    "loss_2",
    "model",
    "reach",
    "share_b",
    "share_c_1",
    "share_c_2",
    "throughput_20",
    "throughput_24",
    "window_17",
    "window_18",
    "window_19",
    "window_21",
    "window_23",
    "window_c",
]


def reach(link: SharedLink) -> float:
    """C gamma: how far beyond the capacity the corner of the rectangle lies."""
    return link.capacity * link.error


def corner_rate(link: SharedLink) -> float:
    """C/N + l - (N-1) C gamma/N: the rate where the line of loss meets the upper edge."""
    return link.share + link.spare - (link.connections - 1) * reach(link) / link.connections


# --- Sub-case 1 ---------------------------------------------------------------------------------------------


def loss_1(link: SharedLink) -> float:
    """The probability of a loss, p."""
    return _below(link) / (2 * (link.connections - 1) * reach(link))


def share_c_1(link: SharedLink) -> float:
    """P_C."""
    return reach(link) / _below(link)


def window_17(link: SharedLink) -> float:
    """E(W_c)."""
    share, third = share_c_1(link), reach(link) / (3 * link.connections)
    return link.rtt * (share * (link.share + third) + (1 - share) * link.share)


def window_18(link: SharedLink) -> float:
    """E(W_d)."""
    below = _below(link) - link.connections * link.spare
    return link.rtt * link.share / 2 * (1 + reach(link) * link.error / (3 * below))


def window_19(link: SharedLink) -> float:
    """E(W_u)."""
    share, third = reach(link) / _above(link), reach(link) / (3 * link.connections)
    return link.rtt * (share * link.share + (1 - share) * (link.share - third))


def throughput_20(link: SharedLink, p: float) -> float:
    """T."""
    bracket = 2 * p / _below(link) - 2 * (1 - p) / _above(link)
    return link.share / (2 * (1 + p)) * (2 + p + reach(link) * link.error / 3 * bracket)


def _below(link: SharedLink) -> float:
    """(N-1) C gamma - N l."""
    return (link.connections - 1) * reach(link) - link.connections * link.spare


def _above(link: SharedLink) -> float:
    """(N-1) C gamma + N l."""
    return (link.connections - 1) * reach(link) + link.connections * link.spare


# --- Sub-case 2 ---------------------------------------------------------------------------------------------


def loss_2(link: SharedLink) -> float:
    """The probability of a loss, p."""
    return _beyond(link) / (8 * (link.connections - 1) * link.capacity**2 * link.error)


def window_21(link: SharedLink) -> float:
    """E(W_c)."""
    n = link.connections
    return link.rtt * (3 * link.capacity + n * link.spare + (3 - n) * reach(link)) / (3 * n)


def share_c_2(link: SharedLink) -> float:
    """P_C."""
    return _beyond(link) / _within(link)


def share_b(link: SharedLink, less: int = 3) -> float:
    """P_B, with N - ``less`` in it: 3 as printed."""
    n = link.connections
    return 2 * n**2 * (link.spare - (n - less) * reach(link) / n) * (reach(link) - link.spare) / _within(link)


def window_c(link: SharedLink) -> float:
    """The mean window in area C as the text before (23) has it."""
    return link.rtt * 2 / 3 * (link.share * (1 + link.error) + corner_rate(link))


def window_23(link: SharedLink, left: float) -> float:
    """E(W_u), where ``left`` is P_B."""
    corner = share_c_2(link)
    beside = link.share + (link.spare - reach(link)) / 2
    under = (link.share * (1 + link.error) + 2 * corner_rate(link)) / 3
    return link.rtt * ((1 - left - corner) * link.share + left * beside + corner * under)


def throughput_24(link: SharedLink, p: float, left: float, *, last_inside: bool = False) -> float:
    """T, where ``left`` is P_B. As printed, the last term stands outside of the bracket."""
    n, load = link.connections, link.connections * link.spare / link.capacity
    first = 2 + p + p * load + (3 - n) * p * link.error + (1 - p) * load / 2
    last = (1 - p) * link.error / 3 * ((4 - 2 * n) * share_c_2(link) - 3 * n * left)
    factor = link.capacity / ((1 + p) * 2 * n)
    return factor * (first + last) if last_inside else factor * first + last


def _beyond(link: SharedLink) -> float:
    """N^2 (C gamma - l)^2."""
    return link.connections**2 * (reach(link) - link.spare) ** 2


def _within(link: SharedLink) -> float:
    """8 C^2 gamma^2 (N-1) - N^2 (C gamma - l)^2."""
    return 8 * reach(link) ** 2 * (link.connections - 1) - _beyond(link)


# --- All of it ----------------------------------------------------------------------------------------------


def model(link: SharedLink) -> tuple[float, float]:
    """Both p and T by printed formulas alone, with the boundaries that leave no gap between sub-cases."""
    if link.sub_case == 3:
        return 0.0, link.share
    if link.sub_case == 1:
        return loss_1(link), throughput_20(link, loss_1(link))
    return loss_2(link), throughput_24(link, loss_2(link), share_b(link))
