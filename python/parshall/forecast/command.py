"""The work of ``parshall forecast``: reads a series, prints the table, writes the figure."""

from __future__ import annotations

import json
from pathlib import Path

from parshall.errors import InputError
from parshall.forecast.evaluation import evaluate
from parshall.forecast.reading import read_quietly
from parshall.forecast.shown import remarks, svg_of, table_of
from parshall.support.console import PlainConsole
from parshall.support.files import write_file
from parshall.support.terminal import echo

__all__ = ["forecast_file"]


def forecast_file(
    file: str,
    out: str,
    horizons: str,
    warm_up: int | None,
    coverage: float,
    column: str | None,
    unit: str | None,
    as_json: bool,
) -> None:
    """The figure goes into the folder ``out``, which is made if it is not there. Raises InputError and
    OutputError.
    """
    series = read_quietly(file, column, unit)
    found = evaluate(series, horizons=_horizons(horizons), warm_up=warm_up, coverage=coverage)
    place = Path(out) / f"{series.name.replace(' ', '-')}.svg"
    write_file(place, svg_of(found, f"Forecasts of {series.name}"))
    if as_json:
        echo(json.dumps([{**score._asdict(), "unit": "s"} for score in found.scores], indent=2))
        for remark in series.remarks:
            echo(remark, err=True)
        return
    console = PlainConsole()
    console.show(table_of(found, found.horizons[0]))
    for remark in (*remarks(found), *series.remarks):
        console.say(remark)
    console.say(f"error against horizon drawn in {place}")


def _horizons(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.strip().isdigit() for part in parts):
        raise InputError("horizons", text, "whole numbers with commas between them, such as 1,2,5")
    return tuple(int(part) for part in parts)
