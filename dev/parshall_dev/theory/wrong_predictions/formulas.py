"""The printed formulas of the prediction-error model, each beside the right one with its proof in short.

Equations (12) to (15) define what the others compute. Each formula gets the right values of what it takes
from the others, so that an error counts once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from parshall.theory.wrong_predictions import SharedLink, SubCase, law
from parshall_studies.tcp_tp import printed_model as printed

__all__ = ["FORMULAS", "Formula"]

Value = Callable[[SharedLink], float]


@dataclass(frozen=True)
class Formula:
    """One printed formula beside the right one."""

    where: str
    sub_case: SubCase
    what: str
    printed: str
    printed_value: Value
    right_value: Value
    right: str = ""
    """The right formula, where the printed one is wrong."""
    why: str = ""
    """Its proof in short."""


# --- The right values ---------------------------------------------------------------------------------------


def _p(link: SharedLink) -> float:
    return law(link).loss_probability


def _loss_window(link: SharedLink) -> float:
    return law(link).loss_window or 0.0


def _halved_window(link: SharedLink) -> float:
    return law(link).halved_window or 0.0


def _lossless_window(link: SharedLink) -> float:
    return law(link).lossless_window


def _throughput(link: SharedLink) -> float:
    return law(link).throughput


def _edge(link: SharedLink) -> float:
    """Where f + B is at the upper left corner of the rectangle, less C."""
    left, top = link.share * (1 - link.error), (link.connections - 1) * link.share * (1 + link.error)
    return left + top - link.capacity


def _mean_length(link: SharedLink) -> float:
    """Intervals that a prediction and what follows it take: one, or two with a loss."""
    return (1 - _p(link)) + 2 * _p(link)


def _triangle_1(link: SharedLink) -> float:
    """The area between the line of loss and the level of its upper end, in a rectangle with edges of 2."""
    return 2 / (link.connections - 1)


def _box_2(link: SharedLink) -> float:
    """The area to the left of the triangle of losses, as high as it, in a rectangle with edges of 2."""
    leg = link.connections * (1 - link.spare / printed.reach(link))
    return (2 - leg) * leg / (link.connections - 1)


# --- The formulas -------------------------------------------------------------------------------------------

FORMULAS: tuple[Formula, ...] = (
    Formula(
        "before (15)",
        1,
        "upper bound of W/RTT",
        "C (1 + gamma)/2",
        lambda link: link.capacity * (1 + link.error) / 2,
        lambda link: link.share * (1 + link.error),
        "C (1 + gamma)/N",
        "the right edge of the rectangle; the printed one is that of N = 2",
    ),
    Formula(
        "(16)",
        1,
        "M_c/M and M_d/M",
        "p/(1+p)",
        lambda link: _p(link) / (1 + _p(link)),
        lambda link: _p(link) / _mean_length(link),
    ),
    Formula(
        "(16)",
        1,
        "M_u/M",
        "(1-p)/(1+p)",
        lambda link: (1 - _p(link)) / (1 + _p(link)),
        lambda link: (1 - _p(link)) / _mean_length(link),
    ),
    Formula(
        "lemmas 1 and 2",
        1,
        "integral of the density",
        "density 3/(b-a)^2 on the triangle",
        lambda _: 3 / 2,
        lambda _: 1.0,
        "density 2/(b-a)^2",
        "the triangle has the area (b-a)^2/2; printed with x for a",
    ),
    Formula(
        "sub-case 1",
        1,
        "largest l",
        "(N-2) C gamma/(2N)",
        lambda link: (link.connections - 2) / (2 * link.connections) * printed.reach(link),
        _edge,
        "(N-2) C gamma/N",
        "f + B - C at the upper left corner, (C/N)(1 - gamma) + (N-1)(C/N)(1 + gamma) - C",
    ),
    Formula("sub-case 1", 1, "p", "((N-1) C gamma - N l)/(2 (N-1) C gamma)", printed.loss_1, _p),
    Formula(
        "before (17)",
        1,
        "P_C",
        "C gamma/((N-1) C gamma - N l)",
        printed.share_c_1,
        lambda link: _triangle_1(link) / (4 * _p(link)),
    ),
    Formula(
        "(17)",
        1,
        "E(W_c)",
        "RTT (P_C (C/N + C gamma/(3N)) + (1 - P_C) C/N)",
        printed.window_17,
        _loss_window,
    ),
    Formula(
        "(18)",
        1,
        "E(W_d)",
        "RTT C/(2N) (1 + C gamma^2/(3 ((N-1) C gamma - 2 N l)))",
        printed.window_18,
        _halved_window,
        "N l in place of 2 N l",
        "half of (17)",
    ),
    Formula(
        "(19)",
        1,
        "E(W_u)",
        "RTT (P_A C/N + (1 - P_A)(C/N - C gamma/(3N)))",
        printed.window_19,
        _lossless_window,
        "P_A and 1 - P_A change places",
        "P_A = C gamma/((N-1) C gamma + N l) is the share of the triangle under the line, with the mean "
        "C/N - C gamma/(3N); the rest is a rectangle with the mean C/N",
    ),
    Formula(
        "(20)",
        1,
        "T",
        "C/(2N(1+p)) (2 + p + (C gamma^2/3)(2p/((N-1) C gamma - N l) - 2(1-p)/((N-1) C gamma + N l)))",
        lambda link: printed.throughput_20(link, _p(link)),
        _throughput,
        "3p in place of 2p; in short C/(2N(1+p)) (2 + p + gamma/(6(N-1)))",
        "E(W_c) counts with p and E(W_d) = E(W_c)/2 as well; as printed, the two fractions cancel",
    ),
    Formula(
        "sub-case 2",
        2,
        "least l",
        "(N-2) C gamma/N",
        lambda link: (link.connections - 2) / link.connections * printed.reach(link),
        _edge,
    ),
    Formula(
        "sub-case 2",
        2,
        "p",
        "N^2 (C gamma - l)^2/(8 (N-1) C^2 gamma)",
        printed.loss_2,
        _p,
        "gamma^2 in the denominator",
        "the triangle has the legs a = N (C gamma - l)/(C gamma) and a/(N-1), the rectangle edges of 2",
    ),
    Formula("(21)", 2, "E(W_c)", "RTT (3C + N l + (3-N) C gamma)/(3N)", printed.window_21, _loss_window),
    Formula(
        "(22)",
        2,
        "E(W_d)",
        "RTT (3C + N l + (3-N) C gamma)/(6N)",
        lambda link: printed.window_21(link) / 2,
        _halved_window,
    ),
    Formula(
        "before (23)",
        2,
        "P_C",
        "N^2 (C gamma - l)^2/(8 C^2 gamma^2 (N-1) - N^2 (C gamma - l)^2)",
        printed.share_c_2,
        lambda link: _p(link) / (1 - _p(link)),
    ),
    Formula(
        "before (23)",
        2,
        "mean window in C",
        "RTT (2 (C/N + C gamma/N) + 2 (C/N + l - (N-1) C gamma/N))/3",
        printed.window_c,
        lambda link: link.rtt * (link.share * (1 + link.error) + 2 * printed.corner_rate(link)) / 3,
        "no 2 before the first part, as (23) has it",
        "lemma 2, (2a + b)/3",
    ),
    Formula(
        "before (23)",
        2,
        "P_B",
        "2 N^2 (l - (N-3) C gamma/N)(C gamma - l)/(8 C^2 gamma^2 (N-1) - N^2 (C gamma - l)^2)",
        printed.share_b,
        lambda link: _box_2(link) / (4 * (1 - _p(link))),
        "N-2 in place of N-3",
        "the box is 2 - a = N (l - (N-2) C gamma/N)/(C gamma) wide",
    ),
    Formula(
        "(23)",
        2,
        "E(W_u)",
        "RTT ((1-P_B-P_C) C/N + P_B (C/N + l/2 - C gamma/2) "
        "+ P_C (C/N + C gamma/N + 2 (C/N + l - (N-1) C gamma/N))/3)",
        lambda link: printed.window_23(link, printed.share_b(link, 2)),
        _lossless_window,
    ),
    Formula(
        "(24)",
        2,
        "T",
        "C/(2N(1+p)) (2 + p + N p l/C + (3-N) p gamma + (1-p) l N/(2C)) "
        "+ ((1-p) gamma/3)((4-2N) P_C - 3N P_B)",
        lambda link: printed.throughput_24(link, _p(link), printed.share_b(link, 2)),
        _throughput,
        "the last term inside of the bracket and with (6-4N) P_C; (1-p)(P_B + 4 P_C/3) N l/C in place of "
        "(1-p) l N/(2C); in short C/(2N(1+p)) (2 + p (1 + gamma (1 - a/3)))",
        "(21) to (23) put into (15); the short form, since f has the mean C/N over all predictions",
    ),
    Formula(
        "(24)",
        2,
        "T, the last term taken into the bracket",
        "the same with the bracket closed at the end",
        lambda link: printed.throughput_24(link, _p(link), printed.share_b(link, 2), last_inside=True),
        _throughput,
        "as above",
        "as above",
    ),
    Formula(
        "sub-case 3",
        3,
        "its condition",
        "l <= C gamma",
        lambda link: float(link.spare <= printed.reach(link)),
        lambda link: float(_p(link) == 0),
        "l >= C gamma",
        "f + B is at most C + C gamma, at the upper right corner",
    ),
    Formula("sub-case 3", 3, "T", "C/N", lambda link: link.share, _throughput),
    Formula(
        "sub-case 3",
        3,
        "F",
        "1",
        lambda _: 1.0,
        lambda link: law(link).fairness,
        "1/(1 + gamma^2/3)",
        "predicted rates differ without any loss, E f^2 = (C/N)^2 (1 + gamma^2/3); averages over a long time "
        "are even, but they are so in every sub-case",
    ),
)
