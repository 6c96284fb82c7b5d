"""The work of ``parshall hurst``: reads a series, prints the estimates, writes the figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from parshall.forecast.reading import NO_UNIT, read_quietly
from parshall.long_memory.estimates import hurst, hurst_all
from parshall.long_memory.plots import TITLES, svg_of
from parshall.long_memory.processes import aggregate
from parshall.long_memory.shifts import level_shifts
from parshall.support.console import PlainConsole
from parshall.support.files import write_file
from parshall.support.terminal import echo

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.forecast.reading import MeasuredSeries
    from parshall.long_memory.estimates import HurstEstimate
    from parshall.long_memory.shifts import LevelShifts

__all__ = ["hurst_file"]

BANDWIDTHS = (0.5, 0.6, 0.65, 0.7, 0.8)
"""Powers of n at which local Whittle estimation is repeated: long memory gives one H at all of them."""


def hurst_file(file: str, out: str, column: str | None, block: int, as_json: bool) -> None:
    """The figure goes into the folder ``out``, which is made if it is not there. Raises InputError and
    OutputError.
    """
    series = read_quietly(file, column)
    kept = series.rtts[~np.isnan(series.rtts)]
    samples = aggregate(kept, block) if block > 1 else kept
    found = hurst_all(samples)
    shifts = level_shifts(samples) if len(samples) >= 128 else None
    place = Path(out) / f"{series.name.replace(' ', '-')}.svg"
    write_file(place, svg_of(list(found.values()), f"Long memory of {series.name}"))
    if as_json:
        echo(json.dumps([_record(each) for each in found.values()], indent=2))
        return
    console = PlainConsole()
    console.show(_table(found))
    for remark in _remarks(series, samples, shifts, block):
        console.say(remark)
    console.say(f"log-log diagrams drawn in {place}")


def _record(found: HurstEstimate) -> dict[str, object]:
    low, high = found.interval(0.95)
    return {
        "method": found.method,
        "h": found.h,
        "standard_error": found.standard_error,
        "low_95": low,
        "high_95": high,
        "flags": sorted(found.flags),
        "shift_at": found.shift_at,
        "points": found.points,
        "samples": found.samples,
    }


def _table(found: dict[str, HurstEstimate]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("method", "H", "standard error", "95 % interval", "flags"):
        table.add_column(title, justify="left" if title in ("method", "flags") else "right")
    for each in found.values():
        low, high = each.interval(0.95)
        table.add_row(
            TITLES[each.method],
            f"{each.h:.3f}",
            f"{each.standard_error:.3f}",
            f"{low:.3f} to {high:.3f}",
            ", ".join(sorted(each.flags)),
        )
    return table


def _remarks(
    series: MeasuredSeries, samples: NDArray[np.float64], shifts: LevelShifts | None, block: int
) -> list[str]:
    remarks = [f"{len(samples)} samples" + (f", each the mean of {block}" if block > 1 else "")]
    if series.gaps:
        remarks.append(f"{series.gaps} samples are missing; the others were joined")
    # H is free of units, so that none has to be named.
    remarks += [remark for remark in series.remarks if not remark.startswith(NO_UNIT)]
    if series.irregular:
        remarks.append("samples came at irregular times; H is that of their order")
    if shifts is None:
        remarks.append("fewer than 128 samples: level shifts were not looked for")
    elif shifts:
        places = ", ".join(str(place + 1) for place in shifts.at)
        remarks.append(
            f"the level shifts at sample {places}: "
            f"with the shifts taken out, local Whittle gives H = {shifts.h_without:.3f}"
        )
    across = [f"{power:g}: {hurst(samples, power=power).h:.3f}" for power in BANDWIDTHS]
    remarks.append(f"local Whittle by bandwidth n^p, p = {', '.join(across)}")
    return remarks
