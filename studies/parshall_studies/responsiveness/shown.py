"""Figure and tables of the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from parshall import plot
from parshall.stats import known_mean
from parshall_studies import study as st
from parshall_studies.responsiveness import attacks, drawn, held_out, sampled

KINDS_OF_SCENARIOS = {
    "responsive": "What responds",
    "queue": "Queue",
    "deaf": "What does not",
    "shape": "Shape",
}
"""Kinds of the drawn scenarios that have a table, and the head of its first column."""
_SHORT = {"none": "no dither", "part": "a twentieth", "floor": "floor"}
"""The dithers, for heads."""


def shown(results: st.Results, judged: st.Judgements) -> Iterator[st.Figure | st.Table]:
    """Everything that the page refers to."""
    del judged
    yield _errors(results)
    yield from tables(results)


def _errors(results: st.Results) -> st.Figure:
    """How many scenarios have a mean square error of at most so much."""
    traces = []
    for place, (dither, label) in enumerate(held_out.LABELS.items()):
        found = _of_scenarios(results, dither, "mse")
        errors = np.sort(found[np.isfinite(found)])
        parts = 100 * np.arange(1, len(errors) + 1) / len(found)
        look = st.Look(label, plot.SERIES[place], "", ("-", "--", "-.")[place])
        traces.append(st.Trace(look, errors, parts))
    x = st.Axis("mean square error", log=True, limits=(1e-6, 1.0))
    return st.drawn("errors", st.Panel(tuple(traces)), x, st.Axis("scenarios", "%", limits=(0, 100)))


def tables(results: st.Results) -> Iterator[st.Table]:
    """All tables of the report."""
    yield _drawn(results)
    yield from (_drawn_by_kind(results, kind) for kind in KINDS_OF_SCENARIOS)
    yield _aggregate(results)
    yield _attacks(results)
    yield _sampled(results)


def _drawn(results: st.Results) -> st.Table:
    """What an operator would ask, over all scenarios, by dither."""
    plain = _of_scenarios(results, "none", "bytes_departed")
    rows = []
    for dither in held_out.DITHERS:
        mse = _of_scenarios(results, dither, "mse")
        throughput = 100 * (_of_scenarios(results, dither, "bytes_departed") / plain - 1)
        by_protocol = _of_scenarios(results, dither, "mse_by_protocol")
        flagged, wrong, covered = parts(results, dither)
        rows.append(
            (
                held_out.LABELS[dither],
                *(_digits(each, 1) for each in (flagged, wrong, covered)),
                *(_digits(each, 4) for each in (np.nanmean(mse), np.nanmedian(mse), np.nanmax(mse))),
                _digits(np.nanmean(by_protocol), 4),
                *(_digits(each, 1) for each in (np.nanmean(throughput), np.nanmin(throughput))),
            )
        )
    heads = (
        "Flagged, %",
        "Wrong, no flag, %",
        "Covered, %",
        "MSE, mean",
        "MSE, median",
        "MSE, worst",
        "MSE by protocol, mean",
        "Throughput, mean change in %",
        "Throughput, worst",
    )
    return st.Table("drawn", (_text("Dither"), *heads), rows)


def _drawn_by_kind(results: st.Results, kind: str) -> st.Table:
    """The mean square error without a flag, and how much of the truth is covered, by kind."""
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
        f"{what}, {dither}" for dither in _SHORT.values() for what in ("MSE", "Flagged, %", "Covered, %")
    ]
    return st.Table(f"drawn-{kind}", (_text(KINDS_OF_SCENARIOS[kind]), "Scenarios", *heads), rows)


_AGGREGATE = {
    "half": "one half, for ever",
    "kalman": "the document's model, Kalman filter as it comes",
    "lock_in_short": "lock-in, 2 round trips",
    "lock_in": "lock-in, 8 round trips",
}


def _aggregate(results: st.Results) -> st.Table:
    """What sees no keys."""
    rows = []
    for name, label in _AGGREGATE.items():
        mse = results.values("aggregate", name).along("case", "seed")[:, 0]
        count = float(np.isfinite(mse).sum())
        numbers = (np.nanmean(mse), np.nanmedian(mse), np.nanmax(mse))
        rows.append((label, _digits(count, 0), *(_digits(float(each), 3) for each in numbers)))
    heads = ("Scenarios", "MSE, mean", "MSE, median", "MSE, worst")
    return st.Table("drawn-aggregate", (_text("What tells the share"), *heads), rows)


def _of_scenarios(results: st.Results, dither: str, measure: str) -> np.ndarray:
    """A measure by scenario."""
    return np.asarray(results.values("drawn", measure, dither=dither).along("case", "seed")[:, 0])


def parts(
    results: st.Results, dither: str, chosen: np.ndarray | slice = slice(None)
) -> tuple[float, float, float]:
    """Of the intervals of these scenarios, or all: % that is flagged, % that is wrong without a flag, and of
    those without a flag % whose 95 % interval holds the truth.
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


def _digits(value: float, decimals: int) -> st.Number | None:
    return st.Number(float(value), decimals=decimals) if np.isfinite(value) else None


def _attacks(results: st.Results) -> st.Table:
    """What is read of senders that know the method."""
    rows = []
    for name, attack in attacks.ATTACKS.items():
        read = {
            column: float(results.values("attacks", column, attack=name).array.mean())
            for column in ("truth", "share", "share_upper", "flagged", "share_dithered", "cost")
        }
        shares = (_digits(read[column], 2) for column in ("truth", "share", "share_upper"))
        dithered = _digits(read["share_dithered"], 2)
        rows.append(
            (
                attack.label,
                *shares,
                _digits(read["flagged"], 0),
                dithered,
                _digits(read["cost"], 1),
                attack.price,
            )
        )
    heads = ("Truth", "Share read", "At most", "Flagged, %", "Read by a dither", "Packets it forgoes, %")
    return st.Table("attacks", (_text("The sender"), *heads, _text("It needs")), rows)


def _sampled(results: st.Results) -> st.Table:
    """What a small table of flows costs."""
    rows = []
    for size in sampled.SIZES:
        read = {
            column: float(results.values("sampled", column, room=str(size)).array.mean())
            for column in ("watched", "mse", "variance", "covered")
        }
        errors = (_digits(read[column] ** 0.5, 3) for column in ("mse", "variance"))
        rows.append((str(size), _digits(read["watched"], 0), *errors, _digits(read["covered"], 0)))
    heads = ("Packets watched, %", "Error (root mean square)", "Standard error told", "Covered, %")
    return st.Table("sampled", (_text("Flows that the table holds"), *heads), rows)


def _text(name: str) -> st.Column:
    return st.Column(name, "text", key=True)
