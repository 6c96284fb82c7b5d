"""A table with round-trip times, and maybe the times of its samples: CSV as programs and spreadsheets write
it.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from parshall.errors import InputError, shown
from parshall.forecast.files.columns import Columns, columns_of
from parshall.forecast.files.measured import Measured
from parshall.forecast.files.numbers import NOTHING, is_number, numbers, step_of
from parshall.forecast.files.rows import is_lost, said_of_packets, samples
from parshall.forecast.files.stamps import Stamp, epoch, rising, stamp

__all__ = ["read_table"]

_SEPARATORS = ("\t", ";", ",", "|")
_SPACES = " "
_ALONE = "\x1f"
"""Separator of one column: nothing."""


@dataclass(frozen=True)
class _Row:
    line: int
    cells: list[str]


def read_table(file: str, lines: Sequence[str], column: str | None, unit: str | None) -> Measured:
    """Round-trip times of a table. ``column`` names theirs, ``unit`` is that of numbers without one.

    Raises InputError, which names file and line.
    """
    separator, rows = _rows(file, lines)
    if not rows:
        raise InputError(file, "nothing", "round-trip times, one a line")
    first = rows[0].cells
    header = None if all(is_number(cell) or stamp(cell) for cell in first) else first
    body = rows if header is None else rows[1:]
    columns = (
        _without_names(file, rows, separator, column)
        if header is None
        else columns_of(f"{file}:{rows[0].line}", header, column, unit)
    )
    if not body:
        raise InputError(f"{file}:{rows[0].line}", shown(", ".join(first)), "round-trip times, one a line")
    _check_widths(file, body, len(first), named=header is not None)
    remarks = []
    if columns.derived is not None:
        remarks.append(f"The column {shown(columns.derived)} is worked out of several round trips.")
    if columns.packets:
        # A packet that acknowledges nothing has no round trip: none was lost.
        body = [row for row in body if row.cells[columns.value]]
        remarks += said_of_packets(header[columns.value] if header else "")
    if not body:
        raise InputError(
            f"{file}:{rows[0].line}", "a column without a number", "round-trip times, one a line"
        )
    _check_one_series(file, body, header or (), columns)
    cells = [(row.line, row.cells[columns.value]) for row in body]
    values, own = numbers(file, cells, separator, columns.unit or unit)
    for (line, cell), value in zip(cells, values, strict=True):
        if value < 0 or math.isinf(value):
            raise InputError(f"{file}:{line}", cell, "a round-trip time: a finite number, at least 0")
    times = _times(file, body, columns, separator) if columns.times else None
    lost = [is_lost(columns, row.cells) for row in body]
    steps = [step_of(cell, columns.unit or unit) for _, cell in cells]
    kept, said = samples(file, cells, values, steps, times, lost)
    return Measured(kept, times, columns.unit or own or unit, (*remarks, *said))


# --- Rows ---------------------------------------------------------------------------------------------------


def _rows(file: str, lines: Sequence[str]) -> tuple[str, list[_Row]]:
    """Separator of columns, and the cells of each line that is neither empty nor a comment."""
    kept = list(lines)
    told = re.fullmatch(r'"?sep=(.)"?', kept[0].strip(), re.IGNORECASE) if kept else None
    for place, line in enumerate(kept):
        if line[:1] == "#" or not line.strip() or (place == 0 and told):
            kept[place] = ""
    if not any(kept):
        return _ALONE, []
    separator = told[1] if told else _separator(kept)
    if separator == _SPACES:
        return separator, [_Row(n, _spaced(line)) for n, line in enumerate(kept, 1) if line]
    reader = csv.reader(
        io.StringIO("\n".join(kept), newline=""), delimiter=separator, skipinitialspace=True, strict=True
    )
    rows: list[_Row] = []
    try:
        rows.extend(_Row(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if cells)
    except csv.Error as error:
        raise InputError(f"{file}:{reader.line_num}", f"a row that is no CSV ({error})", "CSV") from None
    return separator, rows


def _separator(lines: Sequence[str]) -> str:
    filled = (line for line in lines if line)
    first = re.sub(r'"[^"]*"', "", next(filled))
    for separator in _SEPARATORS:
        if separator in first:
            return separator
    second = next(filled, first).strip()
    single = is_number(second) or stamp(second) or '"' in first
    return _ALONE if single or len(_spaced(second)) == 1 else _SPACES


def _spaced(line: str) -> list[str]:
    return re.sub(r"(\d{4}-\d\d-\d\d) (?=\d\d:\d\d)", r"\1T", line).split()


def _check_widths(file: str, body: Sequence[_Row], width: int, *, named: bool) -> None:
    as_in = "as the names have" if named else "as in the first line"
    for row in body:
        surplus = row.cells[width:]
        if len(row.cells) < width or any(surplus):
            got = f"{len(row.cells)} {'cell' if len(row.cells) == 1 else 'cells'}"
            comma = " (does a comma stand before a fraction?)" if surplus else ""
            raise InputError(f"{file}:{row.line}", f"{got}{comma}", f"{width}, {as_in}")


def _check_one_series(file: str, body: Sequence[_Row], header: Sequence[str], columns: Columns) -> None:
    """Round-trip times to several hosts are no series."""
    for place in columns.whose:
        filled = [row for row in body if row.cells[place] not in ("", "*")]
        for row in filled:
            if row.cells[place] != filled[0].cells[place]:
                expected = (
                    f"{shown(filled[0].cells[place])} in the column {header[place]}, as before: one series"
                )
                if columns.packets:
                    expected += " (parshall capture FILE takes connections apart)"
                raise InputError(f"{file}:{row.line}", shown(row.cells[place]), expected)


# --- Columns ------------------------------------------------------------------------------------------------


def _without_names(file: str, rows: Sequence[_Row], separator: str, column: str | None) -> Columns:
    width = len(rows[0].cells)
    place = f"{file}:{rows[0].line}"
    if column is not None or width > 2:
        raise InputError(place, f"{width} columns without names", "a header, or one or two columns")
    if width == 1:
        return Columns(0, None)
    if separator == "," and _may_be_fractions(rows):
        text = ",".join(rows[0].cells)
        raise InputError(place, shown(text), "a header: two columns, or a comma before a fraction?")
    return Columns(1, None, (0,), packets=_is_of_tshark(rows))


def _is_of_tshark(rows: Sequence[_Row]) -> bool:
    """True for rows of tshark without names: seconds with nine digits, some without a value."""
    times = all(re.fullmatch(r"\d+\.\d{9}", row.cells[0]) for row in rows)
    return times and any(not row.cells[-1] for row in rows)


def _may_be_fractions(rows: Sequence[_Row]) -> bool:
    """True if two columns of digits could be one of numbers with commas: unless the first always rises."""
    if not all(cell.isdigit() for row in rows for cell in row.cells):
        return False
    firsts = [int(row.cells[0]) for row in rows]
    return len(firsts) < 2 or any(after <= before for before, after in pairwise(firsts))


# --- Times --------------------------------------------------------------------------------------------------


def _times(file: str, body: Sequence[_Row], columns: Columns, separator: str) -> list[float]:
    """When samples were taken, in seconds; a column of dates and one of clocks are one time."""
    first = columns.times[0]
    texts = [row.cells[first] for row in body]
    if body and len(columns.times) == 2 and _parts_of_a_day(body[0], columns.times):
        pairs = ([row.cells[place] for place in columns.times] for row in body)
        texts = [" ".join(sorted(pair, key=lambda cell: ":" in cell)) for pair in pairs]
    if texts and is_number(texts[0]):
        seconds = _numeric_times(file, body, texts, separator, columns.time_unit)
    else:
        seconds = _rising(file, body, texts)
    for row, text, before, after in zip(body[1:], texts[1:], seconds, seconds[1:], strict=False):
        if after < before:
            raise InputError(f"{file}:{row.line}", text, "a time that is not before the one ahead of it")
    return seconds


def _parts_of_a_day(row: _Row, places: Sequence[int]) -> bool:
    """Returns true if one of two cells is a date, and the other one a clock."""
    day, clock = sorted((row.cells[place] for place in places), key=lambda cell: ":" in cell)
    return ":" not in day and ":" in clock and stamp(f"{day} {clock}") is not None


def _numeric_times(
    file: str, body: Sequence[_Row], texts: Sequence[str], separator: str, unit: str | None
) -> list[float]:
    cells = [(row.line, text) for row, text in zip(body, texts, strict=True)]
    found, own = numbers(file, cells, separator, unit)
    if unit is None and own is None:
        found = [epoch(number) for number in found]
    for (line, text), number in zip(cells, found, strict=True):
        if not math.isfinite(number):
            raise InputError(f"{file}:{line}", shown(text), "a finite time")
    return found


def _rising(file: str, body: Sequence[_Row], texts: Sequence[str]) -> list[float]:
    stamps: list[Stamp] = []
    for row, text in zip(body, texts, strict=True):
        found = stamp(text)
        if found is None or (stamps and found.kind != stamps[0].kind):
            got = "nothing" if text.lower() in NOTHING else shown(text)
            expected = "a time: seconds, or a date such as 2023-11-14T22:13:00Z"
            raise InputError(f"{file}:{row.line}", got, expected)
        stamps.append(found)
    return rising(stamps) or []
