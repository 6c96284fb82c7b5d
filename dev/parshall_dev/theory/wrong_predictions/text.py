"""Text of the page on errors of prediction: tables and numbers, all computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parshall.stats import mean_interval
from parshall.theory.wrong_predictions import law
from parshall_dev.theory.wrong_predictions.deviations import judge
from parshall_dev.theory.wrong_predictions.draws import draw_independent, draw_rectangle
from parshall_studies import study as st
from parshall_studies.tcp_tp import printed_figure
from parshall_studies.tcp_tp.printed_model import model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from parshall.stats import Interval
    from parshall.theory.wrong_predictions import SharedLink
    from parshall_dev.theory.wrong_predictions.deviations import Deviation
    from parshall_dev.theory.wrong_predictions.draws import Drawn

__all__ = ["facts"]

UNDIVIDED = 320e3
"""l in bit/s when L of the printed figure, in bits, is not divided by RTT."""
SPARES = (0.0, 320e3, 1e6, 2e6)
"""l of the table of independent errors, in bit/s."""
SEEDS, PREDICTIONS = 10, 20_000
"""Seeds and predictions of each row."""


def facts(connections: int, capacity: float, rtt: float, predictions: int) -> dict[str, str]:
    """Everything that the text quotes; the arguments are the figure's."""
    verdicts = judge()
    return {
        "connections": str(connections),
        "capacity": f"{capacity / 1e6:g}",
        "rtt_ms": f"{1e3 * rtt:g}",
        "predictions": f"{predictions:,}",
        "verdicts": _verdicts(verdicts),
        "judged": str(len(verdicts)),
        "holding": str(sum(verdict.holds for verdict in verdicts)),
        "readings": _readings(),
        "indices": _indices(),
        "independent": _independent(),
        "independent_predictions": f"{SEEDS * PREDICTIONS:,}",
        **_printed_figure(),
    }


def _printed_figure() -> dict[str, str]:
    published, printed = printed_figure.PUBLISHED, printed_figure.PRINTED_THROUGHPUT
    rounded = printed_figure.largest_spare(printed + 0.005)
    errors = np.linspace(0, 1, 1001)[1:]
    peak = max(model(printed_figure.with_spare(UNDIVIDED, float(error)))[1] for error in errors)
    undivided, unbuffered = printed_figure.with_spare(UNDIVIDED), printed_figure.with_spare(0.0)
    return {
        "published_spare": _mbit(published.spare),
        "published_throughput": _mbit(law(published).throughput),
        "share": _mbit(published.share),
        "printed_throughput": f"{printed:g}",
        "printed_fairness": f"{printed_figure.PRINTED_FAIRNESS:g}",
        "rounded": _mbit(rounded),
        "rounded_printed": _mbit(printed_figure.largest_spare(printed + 0.005, as_printed=True)),
        "rounded_packets": f"{rounded * published.rtt / (8 * printed_figure.PACKET_BYTES):.1f}",
        "exact": _mbit(printed_figure.largest_spare(printed)),
        "exact_printed": _mbit(printed_figure.largest_spare(printed, as_printed=True)),
        "unbuffered": _mbit(law(unbuffered).throughput),
        "unbuffered_printed": _mbit(model(unbuffered)[1]),
        "undivided": _mbit(UNDIVIDED),
        "undivided_throughput": f"{law(undivided).throughput / 1e6:.4f}",
        "peak": f"{peak / 1e6:.2f}",
    }


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    table = st.Table("text", [st.Column(each, "text") for each in head], [tuple(row) for row in rows])
    return "\n".join(st.markdown(table)) + "\n"


def _verdicts(verdicts: Iterable[Deviation]) -> str:
    return _table(
        ("where", "what", "printed", "verdict", "right", "why"),
        (
            [
                each.formula.where,
                each.formula.what,
                f"`{each.formula.printed}`",
                "holds" if each.holds else f"wrong, by up to {_percent(each.largest)}",
                each.formula.right,
                each.formula.why,
            ]
            for each in verdicts
        ),
    )


def _readings() -> str:
    return _table(
        ("L in", "divided by", "l, Mbit/s", "T, Mbit/s", "T by printed formulas", "rounds to the figure's T"),
        (
            [
                reading.buffer,
                reading.divisor,
                _mbit(reading.spare),
                f"{reading.throughput:.4f}",
                f"{reading.printed_throughput:.4f}",
                f"{_yes(reading.fits)}; {_yes(reading.printed_fits)} by printed formulas",
            ]
            for reading in printed_figure.readings()
        ),
    )


def _indices() -> str:
    """F at gamma = 1 by each reading of (13), without losses and with those of the undivided L."""
    links = (printed_figure.PUBLISHED, printed_figure.with_spare(UNDIVIDED))
    laws = [law(link) for link in links]
    share = printed_figure.PUBLISHED.share
    rows = {
        "averages of connections over a long time: all are alike": ["1", "1"],
        "rates of many connections, each at a moment of its own (`fairness`)": [
            f"{each.fairness:.4f}" for each in laws
        ],
        "rates of all in one interval, independent errors (Monte Carlo)": [
            _spread(_drawn(draw_independent, link, "synchronous_fairness")) for link in links
        ],
        "the same, the others' rates equal, as the rectangle has them (Monte Carlo)": [
            _spread(_drawn(draw_rectangle, link, "synchronous_fairness")) for link in links
        ],
        "the same over predictions, as a ratio of means: 1 - 2(N-1)γ²/(N²(3+γ²))": [
            f"{printed_figure.shared_background_fairness(link):.4f}" for link in links
        ],
        "1/(1 + d²), d = 1 - T/(C/N)": [
            f"{printed_figure.shortfall_fairness(each.throughput, share):.4f}" for each in laws
        ],
    }
    head = ("F as", "nothing lost", f"l = {_mbit(UNDIVIDED)} Mbit/s")
    return _table(head, ([label, *values] for label, values in rows.items()))


def _independent() -> str:
    values = [f"{name}, {source}" for name in "pTF" for source in ("model", "independent")]
    return _table(("l, Mbit/s", *values), (_independent_row(spare) for spare in SPARES))


def _independent_row(spare: float) -> list[str]:
    link = printed_figure.with_spare(spare)
    model_law = law(link)
    return [
        _mbit(spare),
        f"{model_law.loss_probability:.3f}",
        _spread(_drawn(draw_independent, link, "loss_probability"), 3),
        f"{model_law.throughput / 1e6:.3f}",
        _spread(_drawn(draw_independent, link, "throughput").scaled(1e-6), 3),
        f"{model_law.fairness:.3f}",
        _spread(_drawn(draw_independent, link, "fairness"), 3),
    ]


def _drawn(draw: Callable[[SharedLink, int, int], Drawn], link: SharedLink, value: str) -> Interval:
    """One value of a Monte-Carlo run, over seeds."""
    return mean_interval([getattr(draw(link, PREDICTIONS, seed), value) for seed in range(SEEDS)])


def _spread(found: Interval, digits: int = 4) -> str:
    return f"{found.mean:.{digits}f} ± {found.half_width:.{digits}f}"


def _mbit(rate: float) -> str:
    return f"{rate / 1e6:.4g}"


def _percent(deviation: float) -> str:
    return f"{100 * deviation:.1f} %" if deviation < 1 else f"{100 * deviation:,.0f} %"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"
