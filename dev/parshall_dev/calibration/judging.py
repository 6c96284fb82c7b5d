"""Judges the share on scenarios whose kinds the table was not calibrated with, beside what looks at less."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall_dev.calibration import aside
from parshall_studies.responsiveness.held_out import CLOSE, WRONG

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall_dev.calibration.aside import Aside

_DITHERS = {"none": "no dither", "floor": "as many as the queue's, one in 1000 at least"}
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
    yield "count of UDP packets", [_always(each, each["udp"]) for each in of_clear]
    for name in ("deaf", "responsive", "queue"):
        for kind in sorted({each.kinds[name] for each in clear}):
            yield f"{name}: {kind}", [found[each.name] for each in clear if each.kinds[name] == kind]
    yield "ambiguous, apart", [found[each.name] for each in known if each.name in doubted]


def _always(each: Mapping[str, Any], share: NDArray[np.float64]) -> Mapping[str, Any]:
    """An estimator that says this, without bounds."""
    return {**each, "share": share, "share_lower": share, "share_upper": share}


def _row(label: str, found: Sequence[Mapping[str, Any]]) -> str:
    scores = np.array([_scores(each) for each in found])
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
    told, wrong, squares, held = scores.mean(axis=0)
    held_by_scenario = (scores[:, 3] >= 0.95).mean()
    return (
        100 * (1 - told),
        100 * wrong,
        squares / told if told > 0 else np.nan,
        100 * held,
        100 * held_by_scenario,
    )
