"""A series of one's own, from a file: round-trip times in seconds, maybe with the times of samples."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.errors import InputError, shown
from parshall.forecast.files.numbers import SECONDS_IN
from parshall.forecast.files.reader import read_file
from parshall.forecast.regularity import irregular

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NO_UNIT", "MeasuredSeries", "read", "read_quietly"]

NO_UNIT = "The file names no unit"
"""Beginning of the remark that says so."""

_ENDINGS = re.compile(r"(\.(csv|txt|log|tsv|dat|out))?(\.gz)?$")


@dataclass(frozen=True)
class MeasuredSeries:
    """Round-trip times as they were read, in seconds whatever the file has."""

    name: str
    """The file's name without its endings."""
    rtts: NDArray[np.float64]
    """One for each request, in seconds; NaN where there was no reply."""
    times: NDArray[np.float64] | None
    """When each sample was taken, in seconds; ``None`` if the file does not say."""
    unit: str = "s"
    """The unit in which the file has them, ``s``, ``ms``, ``us`` or ``ns``, and in which they are shown."""
    remarks: tuple[str, ...] = ()
    """Remarks on how the file was read, a sentence each: several runs, replies without a time."""

    def __repr__(self) -> str:
        lost = f", {self.gaps} of them gaps" if self.gaps else ""
        return f"<MeasuredSeries {self.name}: {len(self.rtts)} round-trip times{lost}, shown in {self.unit}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Round-trip times as an array, so that a series can be used as one."""
        return np.array(self.rtts, dtype=dtype, copy=True if copy is None else copy)

    @property
    def answered(self) -> NDArray[np.float64]:
        """The round-trip times without the gaps, for what takes no NaN."""
        return self.rtts[~np.isnan(self.rtts)]

    @property
    def gaps(self) -> int:
        """Number of missing replies."""
        return int(np.isnan(self.rtts).sum())

    @property
    def irregular(self) -> bool | None:
        """True if samples came at irregular times; ``None`` if the file has no times."""
        return None if self.times is None else irregular(self.times)


def read(file: str | Path, column: str | None = None, unit: str | None = None) -> MeasuredSeries:
    """Reads what ping, fping or another tool printed, or a CSV file (also ``.gz``); ``-`` is standard input.

    A CSV file has a column of round-trip times, and may have one of times. With a header, the first is the
    one that ``column`` names, or whose name holds "rtt", or the only one that is not a time; ``rtt_ms``
    names its unit. Without one, a single column holds round-trip times, and two hold times and round-trip
    times. ``unit`` is that of numbers whose unit the file does not name; without either, they are taken for
    seconds, with a warning. Empty cells and NaN are lost replies. The guide to forecasting lists all tools.
    Raises InputError, which names file and line.
    """
    series = read_quietly(file, column, unit)
    for remark in series.remarks:
        if remark.startswith(NO_UNIT):
            warnings.warn(remark, stacklevel=2)
    return series


def read_quietly(file: str | Path, column: str | None = None, unit: str | None = None) -> MeasuredSeries:
    """As :func:`read`, without a warning: its remark says the same."""
    if not isinstance(file, str | Path):
        raise InputError("file", shown(file), "the name of a file, or - for the standard input")
    if not isinstance(column, str | None):
        raise InputError("column", shown(column), "the name of a column")
    if unit is not None and not (isinstance(unit, str) and unit in SECONDS_IN):
        raise InputError("unit", shown(unit), f"one of {', '.join(SECONDS_IN)}")
    found = read_file(str(file), column, unit)
    remarks = found.remarks
    if found.unit is None and found.values:
        usual = float(np.nanmedian(found.values)) if not np.isnan(found.values).all() else 0.0
        hint = "a column rtt_ms, or unit (--unit), would name it"
        remarks = (
            f"{NO_UNIT}: its numbers were taken for seconds, {usual:g} s on the median ({hint}).",
            *remarks,
        )
    return MeasuredSeries(
        name="standard input" if str(file) == "-" else _ENDINGS.sub("", Path(file).name),
        rtts=np.array(found.values, dtype=np.float64),
        times=None if found.times is None else np.array(found.times, dtype=np.float64),
        unit=found.unit or "s",
        remarks=remarks,
    )
