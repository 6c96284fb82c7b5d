"""A file as a series: by the tool that knows its form, or as a table."""

from __future__ import annotations

from parshall.forecast.files.measured import Measured
from parshall.forecast.files.others import refuse_others
from parshall.forecast.files.table import read_table
from parshall.forecast.files.text import lines_of
from parshall.forecast.files.tools import TOOLS

__all__ = ["read_file"]


def read_file(file: str, column: str | None, unit: str | None) -> Measured:
    """The round-trip times of a file; ``-`` is the standard input. Raises InputError."""
    lines = lines_of(file)
    for general in (False, True):
        for tool in TOOLS:
            if tool.general == general and tool.knows(lines):
                return tool.read(file, lines)
        if not general:
            refuse_others(file, lines)
    return read_table(file, lines, column, unit)
