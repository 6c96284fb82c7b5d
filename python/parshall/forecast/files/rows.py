"""Which rows of a table are round trips: not those of lost requests, whatever number stands in them."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence

from parshall.errors import InputError
from parshall.forecast.files.columns import Columns
from parshall.forecast.files.numbers import says_lost
from parshall.forecast.files.plausible import plausible

__all__ = ["is_lost", "said_of_packets", "samples"]

_NO = ("0", "false", "no", "n", "f", "0.0")
_YES = ("1", "true", "yes", "y", "t", "1.0")
_MARKER = re.compile(
    r"(?:9{4,}|8{4,}|65535|2147483647|4294967295|9223372036854775807|18446744073709551615)(?:\.0+)?|"
    r"2147483\.647|4294967\.295|2147\.483647|4294\.967295"
)
"""Numbers that programs write where they have none: the largest of a type, or all digits alike."""
_MANY, _BY_FAR = 10, 100.0
"""From so many rows on, with round trips so many times longer than the run, the unit is another one."""
_FAR = 10.0
"""Such a number is one if it is longer than so many usual round trips."""


def is_lost(columns: Columns, cells: Sequence[str]) -> bool:
    """True if a column beside the round-trip time says that there was no reply."""
    return (
        any(says_lost(cells[place]) for place in columns.states if cells[place])
        or any(cells[place].lower() in _NO for place in columns.answered)
        or any(cells[place].lower() in _YES for place in columns.unanswered)
    )


def said_of_packets(title: str) -> list[str]:
    """The remark on a column of tshark; ``title`` is empty if it has no name."""
    if not title:
        return [
            "Rows without a number are packets without a round trip, as tshark writes them: none was lost."
        ]
    if title.lower() != "tcp.analysis.ack_rtt":
        return []
    return [
        "tcp.analysis.ack_rtt measures data that was sent again from its first copy, the timeout included, "
        "and mixes both directions and the handshake: parshall capture FILE has round trips by Karn's rule."
    ]


def samples(
    file: str,
    cells: Sequence[tuple[int, str]],
    values: Sequence[float],
    steps: Sequence[float],
    times: Sequence[float] | None,
    lost: Sequence[bool],
) -> tuple[list[float], list[str]]:
    """Seconds, NaN for lost requests, and remarks on numbers that are no round trips. Raises InputError if
    most are none.
    """
    kept = [math.nan if gone else value for value, gone in zip(values, lost, strict=True)]
    remarks = []
    called = sum(gone and value >= 0 for value, gone in zip(values, lost, strict=True))
    if called:
        rows = "1 row has a number and is" if called == 1 else f"{called} rows have a number and are"
        remarks.append(f"{rows} called lost by another column: left out as a gap.")
    positive = [value for value in kept if value > 0]
    if not positive and any(value == 0 for value in kept):
        line = next(line for (line, _), value in zip(cells, kept, strict=True) if value == 0)
        raise InputError(f"{file}:{line}", "zeros alone", "round-trip times above 0")
    if _in_another_unit(positive, times):
        line, cell = next(cell for cell, value in zip(cells, kept, strict=True) if value > 0)
        expected = "a round-trip time no longer than the whole run: is its unit another one (--unit)?"
        raise InputError(f"{file}:{line}", cell, expected)
    markers = _markers(cells, kept)
    for place in markers:
        kept[place] = math.nan
    if markers:
        text = cells[markers[0]][1]
        are = "1 number is" if len(markers) == 1 else f"{len(markers)} numbers are such as"
        remarks.append(f"{are} {text}, which stands for none: left out as lost.")
    kept, said = plausible(kept, steps, times)
    return kept, [*remarks, *said]


def _in_another_unit(values: Sequence[float], times: Sequence[float] | None) -> bool:
    """True if round trips are usually longer than the whole run, by far."""
    if times is None or len(values) < _MANY or times[-1] == times[0]:
        return False
    return statistics.median(values) > _BY_FAR * (times[-1] - times[0])


def _markers(cells: Sequence[tuple[int, str]], values: Sequence[float]) -> list[int]:
    """Places of numbers that stand for none."""
    marked = [place for place, (_, cell) in enumerate(cells) if _MARKER.fullmatch(cell) and values[place] > 0]
    others = [value for place, value in enumerate(values) if value > 0 and place not in set(marked)]
    if not others:
        return []
    return [place for place in marked if values[place] > _FAR * statistics.median(others)]
