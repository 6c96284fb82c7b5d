"""Judges the share on scenarios whose kinds the table was not calibrated with, beside what looks at less."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import parshall
from parshall_dev.calibration import aside
from parshall_studies.responsiveness import drawn, held_out
from parshall_studies.responsiveness.held_out import CLOSE, WRONG

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall_dev.calibration.aside import Aside

_DITHERS = {"none": "no dither", "floor": "as many as the queue's, one in 1000 at least"}
_AGGREGATE = {
    "udp": "count of UDP packets",
    "kaczmarz": "the dissertation's model, its own filter",
    "kalman": "the same, Kalman filter",
}
"""Estimators that look at the aggregate alone, by what :func:`aside.judged` has of them."""
_DIGITS = (1, 2, 5, 1, 1)
_DRAWS = 1000
"""Samples of scenarios with replacement, for the interval of a figure."""


def lines(most: int | None) -> Iterator[str]:
    """A table in Markdown, a row an estimator, a dither and a kind; intervals are over scenarios."""
    every = aside.scenarios()[:most]
    doubted = {each.name for each in every if aside.contradicted(each)}
    held = f"Bounds hold (to {CLOSE}), % | Scenarios held, %"
    yield f"| | Scenarios | Unknown, % | Wrong of all, % | MSE where told | {held} |"
    yield "|---|---|---|---|---|---|---|"
    for dither, label in _DITHERS.items():
        found = {each.name: aside.judged(each, dither) for each in every}
        for what, chosen in _chosen(label, every, found, doubted):
            if chosen:
                yield _row(what, chosen)


def _chosen(
    label: str, every: Sequence[Aside], found: Mapping[str, Mapping[str, Any]], doubted: Container[str]
) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
    """Labels of a dither's rows, and estimates of the scenarios that have some."""
    known = [each for each in every if len(found[each.name]["truth"])]
    clear = [each for each in known if each.name not in doubted]
    of_clear = [found[each.name] for each in clear]
    yield f"all, {label}", of_clear
    yield "one half, for ever", [_always(each, np.full(len(each["truth"]), 0.5)) for each in of_clear]
    for name, label_of in _AGGREGATE.items():
        yield label_of, [_always(each, each[name]) for each in of_clear]
    for name in ("deaf", "responsive", "queue"):
        for kind in sorted({each.kinds[name] for each in clear}):
            yield f"{name}: {kind}", [found[each.name] for each in clear if each.kinds[name] == kind]
    yield "ambiguous, apart", [found[each.name] for each in known if each.name in doubted]


def lines_of_drawn(most: int) -> Iterator[str]:
    """A table in Markdown of the study's scenarios to judge on, by protocol: those with the fewest packets, a
    row a dither. Figures are over intervals at a full link, their brackets over scenarios.
    """
    every = sorted(drawn.judging_set(), key=lambda each: each.rate * each.duration)[:most]
    held = f"Bounds hold (to {CLOSE}), % | Scenarios held, %"
    yield f"| Dither | Scenarios | Unknown, % | Wrong of all, % | MSE where told | {held} |"
    yield "|---|---|---|---|---|---|---|"
    for dither, label in _DITHERS.items():
        found = [each for each in (_drawn(each, dither) for each in every) if len(each["truth"])]
        yield _row(label, found, by_interval=True)


def _drawn(each: drawn.Drawn, dither: str) -> Mapping[str, Any]:
    run = parshall.run(held_out.watched(each, dither, ()), 1)
    seen = run.columns("responsiveness")
    full = held_out.at_full_link(each, seen, run.columns("port_series"))
    found = {name: seen[name][full] for name in ("share", "share_lower", "share_upper")}
    return {"truth": seen["packets_udp"][full] / seen["packets"][full], **found}


def _always(each: Mapping[str, Any], share: NDArray[np.float64]) -> Mapping[str, Any]:
    """An estimator that says this, without bounds."""
    return {**each, "share": share, "share_lower": share, "share_upper": share}


def _row(label: str, found: Sequence[Mapping[str, Any]], *, by_interval: bool = False) -> str:
    weights = [len(each["truth"]) if by_interval else 1 for each in found]
    scores = np.array([(*_scores(each), weight) for each, weight in zip(found, weights, strict=True)])
    rng = np.random.default_rng(0)
    drawn = scores[rng.integers(len(scores), size=(_DRAWS, len(scores)))]
    ends = np.nanquantile([_figures(each) for each in drawn], (0.025, 0.975), axis=0)
    cells = (
        f"{value:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"
        for value, low, high, digits in zip(_figures(scores), *ends, _DIGITS, strict=True)
    )
    return f"| {label} | {len(found)} | {' | '.join(cells)} |"


def _scores(each: Mapping[str, Any]) -> tuple[float, ...]:
    """Parts of a scenario's intervals: told, wrong though told, its squared error, held."""
    told = np.isfinite(each["share"])
    error = np.abs(np.where(told, each["share"], 0) - each["truth"]) * told
    held = (each["truth"] >= each["share_lower"] - CLOSE) & (each["truth"] <= each["share_upper"] + CLOSE)
    return float(told.mean()), float((error > WRONG).mean()), float((error**2).mean()), float(held.mean())


def _figures(scores: NDArray[np.float64]) -> tuple[float, ...]:
    told, wrong, squares, held = np.average(scores[:, :4], axis=0, weights=scores[:, 4])
    held_by_scenario = (scores[:, 3] >= 0.95).mean()
    return (
        100 * (1 - told),
        100 * wrong,
        squares / told if told > 0 else np.nan,
        100 * held,
        100 * held_by_scenario,
    )
