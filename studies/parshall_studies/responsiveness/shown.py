"""Figure and tables of the report, and what its sentences are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from parshall import plot
from parshall.stats import SHARE, Interval, known_mean, mean_interval
from parshall_studies import study as st
from parshall_studies.responsiveness import aggregate, attacks, claims, drawn, held_out, sampled

KINDS_OF_SCENARIOS = {
    "responsive": "What responds",
    "queue": "Queue",
    "deaf": "What does not",
    "shape": "Shape",
}
"""Kinds of the drawn scenarios that have a table, and the head of its first column."""
_SHORT = {"none": "no dither", "part": "a twentieth", "floor": "floor"}
"""The dithers, for heads."""


def _errors(results: st.Results, judged: object) -> st.Figure:
    """Number of scenarios with a mean square error up to a bound, where a share is told."""
    traces = []
    for place, (dither, label) in enumerate(held_out.LABELS.items()):
        found = _of_scenarios(results, dither, "mse")
        errors = np.sort(found[np.isfinite(found)])
        parts = 100 * np.arange(1, len(errors) + 1) / len(found)
        look = st.Look(label, plot.SERIES[place], "", ("-", "--", "-.")[place])
        traces.append(st.Trace(look, errors, parts))
    x = st.Axis("mean square error", log=True, limits=(1e-6, 1.0))
    return st.drawn("errors", st.Panel(tuple(traces)), x, st.Axis("scenarios", "%", limits=(0, 100)))


def _drawn(results: st.Results, judged: object) -> st.Table:
    """Answers to an operator, over all scenarios, by dither."""
    plain = _of_scenarios(results, "none", "bytes_departed")
    rows = []
    for dither in held_out.DITHERS:
        mse = _of_scenarios(results, dither, "mse")
        throughput = 100 * (_of_scenarios(results, dither, "bytes_departed") / plain - 1)
        by_protocol = _of_scenarios(results, dither, "mse_by_protocol")
        rows.append(
            (
                held_out.LABELS[dither],
                *(_digits(each, 1) for each in (*parts(results, dither), bounded(results, dither))),
                *(_digits(each, 4) for each in (np.nanmean(mse), np.nanmedian(mse), np.nanmax(mse))),
                _digits(np.nanmean(by_protocol), 4),
                *(_digits(each, 1) for each in (np.nanmean(throughput), np.nanmin(throughput))),
            )
        )
    heads = (
        "Unknown, %",
        "Wrong of all, %",
        f"Told and held (to {held_out.CLOSE}), %",
        f"Bounds hold (to {held_out.CLOSE}), %",
        "MSE where told, mean",
        "MSE, median",
        "MSE, worst",
        "MSE by protocol, mean",
        "Throughput, mean change in %",
        "Throughput, worst",
    )
    return st.Table("drawn", ("Dither", *heads), rows)


def _drawn_by_kind(kind: str, results: st.Results, judged: object) -> st.Table:
    """The mean square error where a share is told, and how much of the truth is covered, by kind."""
    of_case = {each.name: each.kinds[kind] for each in drawn.drawn()}
    kinds = np.array([of_case[str(name)] for name in results.labels("drawn", "case")])
    rows = []
    for name in sorted(set(kinds.tolist())):
        chosen = kinds == name
        cells: list[Any] = [name, _digits(chosen.sum(), 0)]
        for dither in held_out.DITHERS:
            mse = _of_scenarios(results, dither, "mse")[chosen]
            flagged, _, covered = parts(results, dither, chosen)
            cells += [_digits(known_mean(mse), 4), _digits(flagged, 0), _digits(covered, 0)]
        rows.append(tuple(cells))
    heads = [
        f"{what}, {dither}"
        for dither in _SHORT.values()
        for what in ("MSE", "Unknown, %", f"Told and held (to {held_out.CLOSE}), %")
    ]
    return st.Table(f"drawn-{kind}", (KINDS_OF_SCENARIOS[kind], "Scenarios", *heads), rows)


_AGGREGATE = {
    "half": "one half, for ever",
    "kalman": "the document's model, Kalman filter as it comes",
    "lock_in_short": "lock-in, 2 round trips",
    "lock_in": "lock-in, 8 round trips",
}


def _aggregate(results: st.Results, judged: object) -> st.Table:
    """Estimators that see no keys."""
    rows = []
    for name, label in _AGGREGATE.items():
        mse = results.values("aggregate", name).along("case", "seed")[:, 0]
        count = float(np.isfinite(mse).sum())
        numbers = (np.nanmean(mse), np.nanmedian(mse), np.nanmax(mse))
        rows.append((label, _digits(count, 0), *(_digits(float(each), 3) for each in numbers)))
    heads = ("Scenarios", "MSE, mean", "MSE, median", "MSE, worst")
    return st.Table("drawn-aggregate", ("What tells the share", *heads), rows)


def _of_scenarios(results: st.Results, dither: str, measure: str) -> np.ndarray:
    """A measure by scenario."""
    return np.asarray(results.values("drawn", measure, dither=dither).along("case", "seed")[:, 0])


def parts(
    results: st.Results, dither: str, chosen: np.ndarray | slice = slice(None)
) -> tuple[float, float, float]:
    """Parts of the intervals of these scenarios, or all: % in which the share is unknown, % that tells a
    wrong one, and of those that tell one % whose bounds hold the truth.
    """
    every, clear, wrong, covered = (
        _of_scenarios(results, dither, name)[chosen].sum()
        for name in ("intervals", "clear", "wrong", "covered")
    )
    if every == 0:
        return float("nan"), float("nan"), float("nan")
    return (
        100 * (1 - clear / every),
        100 * wrong / every,
        100 * covered / clear if clear else float("nan"),
    )


def told_wrong(results: st.Results, dither: str) -> Interval:
    """% of a network's intervals that tell a wrong share: the mean over networks."""
    return _over_networks(results, dither, lambda every, clear, wrong: wrong / every)


def unknown(results: st.Results, dither: str) -> Interval:
    """% of a network's intervals in which the share is unknown: the mean over networks."""
    return _over_networks(results, dither, lambda every, clear, wrong: 1 - clear / every)


def _over_networks(results: st.Results, dither: str, part: Callable[..., np.ndarray]) -> Interval:
    """Networks whose link is never full have no intervals and do not count."""
    counts = [_of_scenarios(results, dither, name) for name in ("intervals", "clear", "wrong")]
    some = counts[0] > 0
    return mean_interval(part(*(count[some] for count in counts)), within=SHARE).scaled(100)


def bounded(results: st.Results, dither: str) -> float:
    """% of all intervals whose bounds hold the truth."""
    every, held = (_of_scenarios(results, dither, name).sum() for name in ("intervals", "bounded"))
    return float(100 * held / every)


def _digits(value: float, decimals: int) -> st.Number | None:
    return st.Number(float(value), decimals=decimals) if np.isfinite(value) else None


def _attacks(results: st.Results, judged: object) -> st.Table:
    """Estimates on senders that know the method."""
    of = st.NumbersOf(results)
    columns = {
        "Truth": ("truth", 2),
        "Share read": ("share", 2),
        "At most": ("share_upper", 2),
        "At least": ("share_lower", 2),
        "Unknown, %": ("flagged", 0),
        "Read by a dither": ("share_dithered", 2),
        "Packets it forgoes, %": ("cost", 1),
    }
    rows = [
        (
            attack.label,
            *(
                _digits(of.mean(f"attacks.{column}", attack=name), digits)
                for column, digits in columns.values()
            ),
            attack.price,
        )
        for name, attack in attacks.ATTACKS.items()
    ]
    return st.Table("attacks", ("The sender", *columns, st.Column("It needs", "text", key=True)), rows)


def _root(column: str) -> tuple[st.Expression, int]:
    return st.quantity(f"sampled.{column}").mean(st.SEED) ** 0.5, 3


def believed(results: st.Results) -> list[str]:
    """Attacks of which even the most that the share may be is too small, on average."""
    short = st.quantity("attacks.truth") - st.quantity("attacks.share_upper")
    of = st.NumbersOf(results)
    return [
        attack.label
        for name, attack in attacks.ATTACKS.items()
        if of.mean(short, attack=name) > claims.TOO_SMALL
    ]


NAMES = {
    "believed": believed,
    "aggregate": aggregate,
    "attacks": attacks,
    "claims": claims,
    "drawn": drawn,
    "held_out": held_out,
    "parts": parts,
    "sampled": sampled,
    "told_wrong": told_wrong,
    "unknown": unknown,
}
SHOWN: tuple[st.Shown, ...] = (
    st.Made(_errors),
    st.Made(_drawn),
    *(st.Made(partial(_drawn_by_kind, kind)) for kind in KINDS_OF_SCENARIOS),
    st.Made(_aggregate),
    st.Made(_attacks),
    st.means_table(
        "sampled",
        "Flows that the table holds",
        st.each("{room}", room=map(str, sampled.SIZES)),
        {
            "Packets watched, %": ("sampled.watched", 0),
            "Error (root mean square)": _root("mse"),
            "Standard error told": _root("variance"),
            "Covered, %": ("sampled.covered", 0),
        },
    ),
)
