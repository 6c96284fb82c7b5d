"""The command ``rto``: reads round trips, prints costs of the filters and the advice, writes the figure."""

from __future__ import annotations

import json
from pathlib import Path

from parshall.cli.commands.plot import SUFFIXES, open_picture, write_picture
from parshall.errors import InputError, shown
from parshall.forecast.reading import MeasuredSeries, read_quietly
from parshall.own import RtoFilter, SharedRtoFilter
from parshall.own.rto import filter_named
from parshall.rto.comparison import RtoComparison, compare
from parshall.rto.shown import remarks, svg_of, table_of
from parshall.support.console import PlainConsole
from parshall.support.files import write_file
from parshall.support.terminal import echo
from parshall.units import parse_duration

__all__ = ["rto_file"]


def rto_file(
    file: str,
    *,
    risk: float,
    min_rto: str,
    own: tuple[str, ...],
    column: str | None,
    unit: str | None,
    out: str,
    as_json: bool,
    show: bool,
) -> None:
    """The figure goes into ``out``, a folder or the name of a picture. Raises InputError and OutputError."""
    series = read_quietly(file, column, unit)
    found = _compared(series, risk, min_rto, own)
    place = Path(out)
    if place.suffix not in SUFFIXES:
        place /= f"{series.name.replace(' ', '-')}.svg"
    if place.suffix == ".svg":
        write_file(place, svg_of(found, f"Retransmission timeouts on {series.name}"))
    else:
        write_picture(found.plot(), place)
    if as_json:
        echo(json.dumps(_plain(found), indent=2))
        for remark in series.remarks:
            echo(remark, err=True)
    else:
        console = PlainConsole()
        console.show(table_of(found))
        for remark in (*series.remarks, *remarks(found)):
            console.say(remark)
        console.say(f"early timeouts against waiting drawn in {place}")
    if show:
        open_picture(place)


def _compared(series: MeasuredSeries, risk: float, min_rto: str, own: tuple[str, ...]) -> RtoComparison:
    try:
        least = parse_duration(min_rto)
    except InputError as error:
        raise InputError("--min-rto", shown(min_rto), error.expected) from None
    filters = {source.rpartition(":")[2]: _filter(source) for source in own}
    try:
        return compare(series.rtts, risk=risk, min_rto=least, filters=filters)
    except InputError as error:
        option = f"--{error.path.replace('_', '-')}"
        place = series.name if error.path == "rtts" else option
        raise InputError(place, error.value, error.expected) from None


def _filter(source: str) -> RtoFilter | SharedRtoFilter:
    try:
        return filter_named(source)
    except InputError as error:
        raise InputError("--filter", error.value, error.expected) from None


def _plain(found: RtoComparison) -> dict[str, object]:
    """Seconds and shares, for other programs."""
    return {
        "samples": len(found.rtts),
        "lost": found.gaps,
        "risk": found.risk,
        "min_rto": found.min_rto,
        "chosen": found.chosen,
        "advice": found.advice,
        "filters": [
            {
                "filter": name,
                "early": costs.spurious,
                "early_share": costs.spurious_share,
                "mean_rto": costs.mean_wait,
                "second_half_early_share": found.judged[name].spurious_share,
                "second_half_mean_rto": found.judged[name].mean_wait,
            }
            for name, costs in found.rows.items()
        ],
    }
