"""A series of one's own: a CSV file with round-trip times, with or without the times of its samples, or what
ping prints.
"""

from __future__ import annotations

import gzip
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import InputError, shown
from parshall.forecast.ping import is_ping, read_ping
from parshall.forecast.regularity import irregular
from parshall.support.files import reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MeasuredSeries", "read"]

_TIME = re.compile(r"^(time|times|t|timestamp|stamp|date|sent|seconds)(_(s|ms|us))?$")
_UNIT = re.compile(r"(?:_|\(|\[| )(s|ms|us)[)\]]?$")
_NOTHING = {"", "nan", "na", "null", "none", "-", "*"}
"""Cells that say that there was no reply."""


@dataclass(frozen=True)
class MeasuredSeries:
    """Round-trip times as they were read."""

    name: str
    """The file's name without its endings."""
    rtts: NDArray[np.float64]
    """One for each request, in ``unit``; NaN where there was no reply."""
    times: NDArray[np.float64] | None
    """When each sample was taken; ``None`` if the file does not say."""
    unit: str
    """``ms``, ``s`` or ``us``; empty if the file does not say."""

    @property
    def gaps(self) -> int:
        """How many replies are missing."""
        return int(np.isnan(self.rtts).sum())

    @property
    def irregular(self) -> bool | None:
        """Whether samples came at irregular times; ``None`` if the file has no times."""
        return None if self.times is None else irregular(self.times)


def read(file: str | Path, column: str | None = None) -> MeasuredSeries:
    """Reads a CSV file (also compressed, ``.gz``) or the output of ping; ``-`` is the standard input.

    A CSV file has a column of round-trip times, and may have one of times. With a header, the first is the
    one that ``column`` names, or whose name holds "rtt", or the only one that is not a time; ``rtt_ms``
    names its unit. Without one, a single column holds round-trip times, and two hold times and round-trip
    times. Empty cells and NaN are lost replies. Raises InputError, which names file and line.
    """
    lines = _lines(str(file))
    name = (
        "standard input"
        if str(file) == "-"
        else re.sub(r"(\.(csv|txt|log|tsv|dat))?(\.gz)?$", "", Path(file).name)
    )
    if is_ping(lines):
        values, stamps = read_ping(lines)
        if not values:
            raise InputError(
                str(file), "no reply", "lines such as: 64 bytes from 192.0.2.1: icmp_seq=1 time=12.3 ms"
            )
        _check(str(file), values, None)
        return MeasuredSeries(name, np.array(values), None if stamps is None else np.array(stamps), "ms")
    return _read_csv(str(file), name, lines, column)


def _lines(file: str) -> list[str]:
    try:
        if file == "-":
            return sys.stdin.read().splitlines()
        data = Path(file).read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(file, "bytes that are no text", "a CSV file or the output of ping") from None
    except (OSError, EOFError) as error:
        raise InputError(
            file, reason(error) if isinstance(error, OSError) else "half a file", "a file"
        ) from None


def _read_csv(file: str, name: str, lines: list[str], column: str | None) -> MeasuredSeries:
    rows = [
        (number, _cells(line)) for number, line in enumerate(lines, 1) if line.strip() and line[:1] != "#"
    ]
    if not rows:
        raise InputError(file, "nothing", "round-trip times, one a line")
    header = [cell.strip().lower() for cell in rows[0][1]] if not _numeric(rows[0][1]) else None
    value, time = _columns(file, header, len(rows[0][1]), column)
    body = rows[1:] if header else rows
    values = [_number(f"{file}:{line}", cells, value) for line, cells in body]
    _check(file, values, [line for line, _ in body])
    times = (
        None if time is None else np.array([_number(f"{file}:{line}", cells, time) for line, cells in body])
    )
    if times is not None:
        wrong = ~np.isfinite(times) | (np.diff(times, prepend=times[:1]) < 0)
        if wrong.any():
            place = int(np.argmax(wrong))
            expected = "a time that is not before the one ahead of it"
            raise InputError(f"{file}:{body[place][0]}", f"{times[place]:g}", expected)
    unit = _UNIT.search(header[value]) if header else None
    return MeasuredSeries(name, np.array(values, float), times, unit[1] if unit else "")


def _cells(line: str) -> list[str]:
    for separator in (",", ";", "\t"):
        if separator in line:
            return line.split(separator)
    return line.split()


def _numeric(cells: list[str]) -> bool:
    return all(cell.strip().lower() in _NOTHING or _float(cell) is not None for cell in cells)


def _float(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _columns(file: str, header: list[str] | None, width: int, column: str | None) -> tuple[int, int | None]:
    """Which column holds round-trip times, and which times, if any does."""
    if header is None:
        if column is not None or width > 2:
            raise InputError(f"{file}:1", f"{width} columns without names", "a header, or one or two columns")
        return (0, None) if width == 1 else (1, 0)
    times = [place for place, title in enumerate(header) if _TIME.match(title)]
    if column is not None:
        found = [place for place, title in enumerate(header) if title == column.strip().lower()]
    else:
        found = [place for place, title in enumerate(header) if "rtt" in title]
        others = [place for place in range(width) if place not in times]
        found = found or (others if len(others) == 1 else [])
    if len(found) != 1:
        expected = "one column whose name holds rtt" if column is None else f"a column {shown(column)}"
        raise InputError(f"{file}:1", shown(", ".join(header)), expected)
    return found[0], next((place for place in times if place != found[0]), None)


def _number(place: str, cells: list[str], column: int) -> float:
    cell = cells[column].strip() if column < len(cells) else ""
    if cell.lower() in _NOTHING:
        return math.nan
    number = _float(cell)
    if number is None:
        raise InputError(place, shown(cell), "a number")
    return number


def _check(file: str, values: list[float], lines: list[int] | None) -> None:
    for place, value in enumerate(values):
        if value < 0 or math.isinf(value):
            where = f"{file}: rtt {place}" if lines is None else f"{file}:{lines[place]}"
            raise InputError(where, f"{value:g}", "a round-trip time: a finite number, at least 0")
