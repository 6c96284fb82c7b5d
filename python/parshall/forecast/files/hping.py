"""Statistics of hping3, which stand before replies or amid a line, since it writes these in blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["is_hping", "statistics_last"]

_FIRST = re.compile(r"HPING \S+ \(")
_STATISTICS = re.compile(r"--- .* hping statistic ---\s*$")
_COUNTS = re.compile(r"\d+ packets t[a-z]+, \d+ packets received|round-trip min/avg/max")
_BEGUN = re.compile(r"(?:DUP! )?len=|HPING |---|\d+ packets |round-trip |\s*$")


def is_hping(lines: Sequence[str]) -> bool:
    """Returns true for output of hping3."""
    return any(_FIRST.match(line) or _STATISTICS.match(line) for line in lines)


def statistics_last(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Numbers and lines, with the statistics of each run behind its replies, and cut lines joined."""
    runs: list[list[tuple[int, str]]] = [[]]
    statistics: list[list[tuple[int, str]]] = []
    within = cut = False
    for number, line in enumerate(lines, 1):
        if _FIRST.match(line):
            runs.append([])
        if _STATISTICS.match(line):
            statistics.append([(number, line)])
            within, cut = True, True
        elif within and _COUNTS.match(line):
            statistics[-1].append((number, line))
        elif cut and runs[-1] and line.strip() and not _BEGUN.match(line):
            before = next(place for place in range(len(runs[-1]) - 1, -1, -1) if runs[-1][place][1].strip())
            runs[-1][before] = (runs[-1][before][0], runs[-1][before][1] + line)
            within = cut = False
        else:
            runs[-1].append((number, line))
            within = within and not line.strip()
    bodies = [run for run in runs if any(line.strip() for _, line in run)]
    if len(bodies) != len(statistics):
        return list(enumerate(lines, 1))
    return [pair for body, counts in zip(bodies, statistics, strict=True) for pair in (*body, *counts)]
