"""What one run can tell and what the filters change: single runs, printed differences, paired differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from parshall import plot, stats
from parshall.report import Figure
from parshall.studies.median_rto.document import MEASURES, Measure, printed, printed_difference
from parshall.studies.median_rto.measures import Runs
from parshall.studies.median_rto.scenarios import (
    DOCUMENT_FILTERS,
    FILTERS,
    ORIGINAL,
    PROTOCOLS,
    RECOVERIES,
    TRAFFICS,
    Recovery,
    Traffic,
    Variant,
    traffic_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from parshall.stats import Interval

__all__ = ["paired_differences", "printed_differences", "single_runs"]

_DRAWN: Mapping[str, tuple[float, str]] = {"bit/s": (1e-3, "kbit/s"), "%": (1.0, "%")}
"""The unit a measure is drawn in, and the factor to it."""


def single_runs(runs: Runs) -> Iterator[Figure]:
    """Where single runs fall, for each printed measure, with the document's numbers."""
    for measure in MEASURES:
        yield _single_runs(runs, measure)


def _single_runs(runs: Runs, measure: Measure) -> Figure:
    factor, unit = _DRAWN[measure.unit]
    ident, title = f"single-runs-{measure.name}", f"{measure.label} of single runs"
    columns: dict[str, Any] = {"seed": runs.seeds}
    with plot.drawing(2.7, columns=2, sharex=True, sharey=True) as (canvas, axes):
        for axis, traffic in zip(axes, TRAFFICS, strict=True):
            for row, name in enumerate(DOCUMENT_FILTERS):
                values = runs.of(Variant(traffic, "tahoe", name), measure.name) * factor
                columns[f"{traffic} {name} ({unit})"] = values
                _strip(axis, row, values, printed(traffic, name, measure.name) * factor)
            _panel(axis, traffic)
        plot.row_labels(axes[0], [FILTERS[name].label for name in DOCUMENT_FILTERS])
        canvas.supxlabel(f"{measure.label.lower()} of one run ({unit})", fontsize=9)
        plot.legend_above(canvas, axes[0], columns=3)
        svg = plot.to_svg(
            canvas,
            ident,
            title,
            "One row a filter, one panel a kind of traffic: a point for each seed, a bar that holds 95 % "
            "of single runs, and a diamond at the document's number.",
        )
    return Figure(
        ident,
        title,
        "Each point is one seed. The bar is the 95 % prediction interval of a single run: a printed "
        "number inside it is one that chance alone may give.",
        svg,
        data=pa.table(columns),
    )


def _strip(axis: Axes, row: int, values: Any, document: float) -> None:
    """A point for each seed, spread so that none hides another, and the range of one run."""
    spread = (np.arange(len(values)) * 0.618034) % 1 * 0.5 - 0.25
    once = row == 0
    label = "one seed" if once else None
    axis.plot(values, row + spread, ".", color=plot.SERIES[0], markersize=2.4, alpha=0.6, label=label)
    run = stats.prediction_interval(values)
    if run.bounded:
        _bar(axis, row + 0.38, run, plot.SERIES[1], 2.5, "95 % of runs" if once else None)
    axis.plot(document, row, "D", color=plot.INK, markersize=5, label="document" if once else None)


def printed_differences(runs: Runs) -> Iterator[Figure]:
    """The document's differences from the original TCP against the two kinds of noise."""
    for measure in MEASURES:
        yield _printed_differences(runs, measure)


def _printed_differences(runs: Runs, measure: Measure) -> Figure:
    factor, unit = _DRAWN[measure.unit]
    unit = "points" if unit == "%" else unit
    ident = f"printed-differences-{measure.name}"
    title = f"Printed differences in {measure.label.lower()}, and noise"
    names = [name for name in DOCUMENT_FILTERS if name != ORIGINAL]
    rows: list[dict[str, object]] = []
    with plot.drawing(2.5, columns=2, sharex=True, sharey=True) as (canvas, axes):
        for axis, traffic in zip(axes, TRAFFICS, strict=True):
            original = runs.of(Variant(traffic, "tahoe", ORIGINAL), measure.name) * factor
            bound = stats.noise_bound(original).mean
            if np.isfinite(bound):
                axis.axvspan(-bound, bound, color=plot.GRID, linewidth=0, label="other seed, same TCP")
            axis.axvline(0, color=plot.FAINT, linewidth=0.8)
            for row, name in enumerate(names):
                other = runs.of(Variant(traffic, "tahoe", name), measure.name) * factor
                run = stats.prediction_interval(other - original)
                if run.bounded:
                    _bar(axis, row, run, plot.SERIES[0], 5, "same seed, other filter" if row == 0 else None)
                value = printed_difference(traffic, name, ORIGINAL, measure.name) * factor
                label = "document" if row == 0 else None
                axis.plot(value, row, "D", color=plot.INK, markersize=5, label=label)
                rows.append(
                    {
                        "traffic": traffic,
                        "filter": name,
                        "unit": unit,
                        "document": value,
                        "other_seed": bound,
                        "same_seed_low": run.low,
                        "same_seed_high": run.high,
                    }
                )
            _panel(axis, traffic)
        plot.row_labels(axes[0], [FILTERS[name].label for name in names])
        canvas.supxlabel(f"{measure.label.lower()}, less the original's ({unit})", fontsize=9)
        plot.legend_above(canvas, axes[0], columns=2)
        svg = plot.to_svg(
            canvas,
            ident,
            title,
            "For each median: the document's difference from the original TCP as a diamond, the range of "
            "what the filter makes with the same seed as a bar, and as a band what another seed makes of "
            "one and the same TCP.",
        )
    return Figure(
        ident,
        title,
        "Band: 95 % of differences between two runs of the original TCP with different seeds. Bar: 95 % "
        "of differences that the filter makes with the same seed.",
        svg,
        data=pa.Table.from_pylist(rows),
    )


@dataclass(frozen=True)
class _Compared:
    """A measure of the forest plots."""

    name: str
    label: str
    factor: float
    unit: str


_COMPARED = (
    _Compared("throughput", "throughput", 1e-3, "kbit/s"),
    _Compared("goodput", "goodput", 1e-3, "kbit/s"),
    _Compared("loss", "loss", 1.0, "points"),
    _Compared("rto_margin", "mean RTO \N{MINUS SIGN} RTT", 1e3, "ms"),
    _Compared("spurious_timeouts", "spurious timeouts", 1.0, "a run"),
    _Compared("timeout_wait", "time waiting for timeouts", 1.0, "s a run"),
)


def paired_differences(runs: Runs) -> Iterator[Figure]:
    """Forest plots: the mean paired difference of every filter from the original, by traffic and recovery."""
    for measure in _COMPARED:
        yield _forest(runs, measure)


def _forest(runs: Runs, measure: _Compared) -> Figure:
    ident = f"difference-{measure.name.replace('_', '-')}"
    title = f"Paired differences: {measure.label}"
    names = [name for name in FILTERS if name != ORIGINAL]
    rows: list[dict[str, object]] = []
    with plot.drawing(3.3, columns=2, sharex=True, sharey=True) as (canvas, axes):
        for axis, traffic in zip(axes, TRAFFICS, strict=True):
            axis.axvline(0, color=plot.FAINT, linewidth=0.9)
            for place, recovery in enumerate(RECOVERIES):
                found = _differences(runs, traffic, recovery, names, measure)
                plot.whiskers(axis, list(found.values()), place, len(RECOVERIES), PROTOCOLS[recovery])
                rows += [
                    {"traffic": traffic, "recovery": recovery, "filter": name, "unit": measure.unit}
                    | {"mean": each.mean, "low": each.low, "high": each.high, "n": each.n}
                    for name, each in found.items()
                ]
            _panel(axis, traffic)
        plot.row_labels(axes[0], [FILTERS[name].label for name in names])
        canvas.supxlabel(f"{measure.label}, less the original's ({measure.unit})", fontsize=9)
        plot.legend_above(canvas, axes[0], columns=2)
        svg = plot.to_svg(
            canvas,
            ident,
            title,
            "One row a filter, one panel a kind of traffic, one mark each for Tahoe and NewReno: the mean "
            "difference from the original filter with the same seeds, and its 95 % interval.",
        )
    return Figure(
        ident,
        title,
        "Mean over seeds of (this filter less the original filter, same seed) with its 95 % interval. An "
        "interval that crosses zero cannot tell the two apart.",
        svg,
        data=pa.Table.from_pylist(rows),
    )


def _differences(
    runs: Runs, traffic: Traffic, recovery: Recovery, names: Sequence[str], measure: _Compared
) -> dict[str, Interval]:
    base = runs.of(Variant(traffic, recovery, ORIGINAL), measure.name)
    return {
        name: stats.difference_interval(runs.of(Variant(traffic, recovery, name), measure.name), base).scaled(
            measure.factor
        )
        for name in names
    }


def _panel(axis: Axes, traffic: Traffic) -> None:
    axis.set_title(traffic_name(traffic).capitalize())
    axis.grid(axis="y", visible=False)


def _bar(axis: Axes, y: float, run: Interval, colour: str, width: float, label: str | None) -> None:
    axis.plot([run.low, run.high], [y, y], color=colour, lw=width, solid_capstyle="butt", label=label)
