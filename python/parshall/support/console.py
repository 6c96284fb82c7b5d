"""A console for lines and tables, whose numbers are never cut.

Brackets in a text are no markup here, and control characters are shown (:mod:`parshall.support.terminal`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from parshall.support.terminal import escaped

__all__ = ["PlainConsole"]

_LEAST_TEXT = 10
"""Columns of a terminal that a column of text has at least, if it needs as many."""
_LONGEST_WORD = 16
"""Longer words of a head are folded."""


class PlainConsole(Console):
    """Standard output, or standard error if asked for."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """A text as it is; rich calls this for each string."""
        return super().render_str(escaped(text), **{**options, "markup": False, "emoji": False})

    def say(self, line: str) -> None:
        """Prints a line; a terminal's is folded between words, a file's is not."""
        self.print(line, soft_wrap=not self.is_terminal)

    def show(self, table: Table, keys: int = 1) -> None:
        """Prints a table. One that is wider than the terminal is printed in parts below one another, each
        with the first ``keys`` columns; only text is folded. A file's is as wide as it has to be.
        """
        natural = self.measure(table, options=self.options.update(max_width=100_000)).maximum
        if natural <= self.width:
            self.print(table)
        elif not self.is_terminal:
            self.width = natural
            self.print(table)
        else:
            for part in _parts(table, keys, self.width):
                self.print(part)


def _parts(table: Table, keys: int, width: int) -> list[Table]:
    """The columns of a table in parts that are not wider than ``width``."""
    gap, edges = (3, 2) if table.box else (2, 0)
    room = width - edges
    needs = [_need(column) for column in table.columns]
    if len(needs) > keys and sum(needs[:keys]) + keys * gap + max(needs[keys:], default=0) > room:
        keys = 1
    # The first column names the row, and leaves room for the widest of the others.
    most = max(
        (need for need, column in zip(needs, table.columns, strict=True) if _is_figure(column)), default=0
    )
    if not _is_figure(table.columns[0]):
        needs[0] = min(needs[0], max(_LEAST_TEXT, room - gap - most))
    parts: list[dict[int, int]] = []
    used = room
    for place, need in list(enumerate(needs))[keys:] or [(0, needs[0])]:
        left = room - used - gap
        shrinks = not _is_figure(table.columns[place]) and left >= 2 * _LEAST_TEXT
        if not parts or (need > left and not shrinks):
            parts.append({key: needs[key] for key in range(keys)})
            used = sum(needs[:keys]) + gap * (keys - 1)
            left = room - used - gap
        parts[-1][place] = own = need if _is_figure(table.columns[place]) else max(1, min(need, left))
        used += gap + own
    return [_part(table, part, number, len(parts)) for number, part in enumerate(parts)]


def _part(table: Table, widths: dict[int, int], number: int, parts: int) -> Table:
    part = Table(
        box=table.box,
        pad_edge=table.pad_edge,
        header_style=table.header_style,
        title=table.title if number == 0 else None,
        title_justify=table.title_justify,
        caption=table.caption if number == parts - 1 else None,
        caption_justify=table.caption_justify,
    )
    for place, width in widths.items():
        column = table.columns[place]
        part.add_column(column.header, justify=column.justify, width=width, overflow="fold")
    cells: Sequence[list[Any]] = [list(table.columns[place].cells) for place in widths]
    for row in zip(*cells, strict=True):
        part.add_row(*row)
    return part


def _is_figure(column: Column) -> bool:
    """True for a column of numbers, which must be whole."""
    return column.justify == "right"


def _need(column: Column) -> int:
    """The width of the widest cell, and of the widest word of the head."""
    words = [min(_LONGEST_WORD, cell_len(word)) for word in escaped(str(column.header)).split()]
    return max([1, *words, *(cell_len(escaped(str(cell))) for cell in column.cells)])
