"""The page on theory: measures every law, writes ``theory.md`` and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from parshall_studies import study as st

if TYPE_CHECKING:
    from parshall_dev.theory.comparison import Comparison, Panel, Point, PointSeries

__all__ = ["SEEDS", "measure", "write"]

SEEDS = 10
"""Seeds unless asked otherwise."""


def measure(
    seeds: int = SEEDS, jobs: int | None = None, progress: Callable[[str], object] = lambda _: None
) -> dict[str, Comparison]:
    """All comparisons by name, in the order of the page. ``progress`` is told what comes next."""
    from parshall_dev.theory import little, padhye, poisson, red, square_root
    from parshall_dev.theory.wrong_predictions.compare import compare as wrong_predictions

    progress("the square-root law")
    found = {"square_root": square_root.compare(seeds, jobs)}
    progress("Padhye's formula")
    found["padhye"] = padhye.compare(seeds, jobs)
    progress("Poisson arrivals")
    found["queues"], waited = poisson.compare(seeds, jobs)
    progress("RED and Little's law")
    equilibria, held = red.compare(seeds, jobs)
    groups = {"Poisson arrivals": _settings(waited, seeds), "RED": _settings(held, seeds)}
    found["little"] = little.compare(groups)
    found["red"] = equilibria
    progress("errors of prediction")
    found["prediction_error"] = wrong_predictions(seeds)
    return found


def write(folder: Path, found: dict[str, Comparison], seeds: int) -> Path:
    """Writes ``theory.md`` and ``figures/theory-*.svg`` into a folder; returns the page.

    Raises OutputError.
    """
    from parshall.support.causes import output_errors
    from parshall_dev.theory.figure import figure

    files = {
        folder / "figures" / f"theory-{comparison.name}.svg": figure(comparison)
        for comparison in found.values()
    }
    page = folder / "theory.md"
    files[page] = text(found, seeds)
    with output_errors(folder):
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            file.write_text(content, encoding="utf-8")
    return page


def text(found: dict[str, Comparison], seeds: int) -> str:
    """The page in Markdown."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("parshall_dev.theory", "."),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    rows = [
        {
            "law": comparison.title,
            "runs": comparison.runs,
            "deviation": deviation(comparison.worst),
            "where": _place(comparison),
            "agreeing": _agreeing([series for _, series in comparison.series()]),
        }
        for comparison in found.values()
    ]
    return environment.get_template("page.md.j2").render(rows=rows, seeds=seeds, table=_table, **found)


def deviation(point: Point) -> str:
    """A deviation in percent, with its sign."""
    return f"{100 * point.deviation:+.1f} %".replace("-", "−")


def _settings(pairs: list[tuple[float, float]], seeds: int) -> list[list[tuple[float, float]]]:
    return [pairs[start : start + seeds] for start in range(0, len(pairs), seeds)]


def _place(comparison: Comparison) -> str:
    panel, series = next(
        (panel, series) for panel, series in comparison.series() if comparison.worst in series.points
    )
    return _at(panel, series, comparison.worst)


def _at(panel: Panel, series: PointSeries, point: Point) -> str:
    return f"{panel.title}; {series.label}; {panel.x_label} = {point.x:.3g}"


def _agreeing(series: list[PointSeries]) -> str:
    return f"{sum(each.agreeing for each in series)} of {sum(len(each.points) for each in series)}"


def _table(comparison: Comparison) -> str:
    """Markdown: the largest deviation of each series, with what was measured there."""
    return "\n".join(_lines(comparison)) + "\n"


def _lines(comparison: Comparison) -> Iterator[str]:
    rows = []
    for panel, series in comparison.series():
        worst = series.worst
        found = f"{worst.measured.mean:.4g} ({worst.measured.low:.4g} to {worst.measured.high:.4g})"
        at, law = f"{panel.x_label} = {worst.x:.3g}", f"{worst.law:.4g}"
        rows.append((f"{panel.title}; {series.label}", deviation(worst), at, law, found, _agreeing([series])))
    heads = ("measured", "largest deviation", "at", "law", "measured, 95 %", "interval holds the law")
    yield from st.markdown(st.Table(comparison.name, [st.Column(head, "text") for head in heads], rows))
