"""Where findings stand on a wide page: two side by side, or one across it with its text beside its figure.

A figure is mostly taller than what is said of it. Heights are estimated, in pixels, and that order of pairs
is taken which leaves the least of the page empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from parshall_studies.study.figures import Figure
from parshall_studies.study.tables import Table

if TYPE_CHECKING:
    from parshall_studies.study.figures import Picker
    from parshall_studies.study.page import Part

__all__ = ["beside", "halves"]

_SHOWN = re.compile(r"\[\[show ([\w.-]+)\]\]")
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_COLUMN = 540
"""Width of a half of the page; figures are no wider."""
_LETTERS, _SMALL = 68, 78
"""In a line of that width, of text and of captions."""
_LINE, _SMALL_LINE, _ROW = 24, 20, 32
_LARGER = 1.5
"""Height of the answer's letters, of which there are fewer in a line, over that of other text."""
_TALLY, _ENTRY = 130, 28
_MOST_COLUMNS = 5
"""Columns at most of a table that fits into a half."""


@dataclass(frozen=True)
class _Size:
    """Heights of what a finding has, in a half of the page."""

    text: float
    figures: float
    tables: float
    fits: bool
    """True if it may stand in a half."""
    several: bool
    """True if it has several figures, which stand side by side, too."""

    @property
    def half(self) -> float:
        """In a half of the page everything is one below the other."""
        return self.text + self.figures + self.tables

    @property
    def empty(self) -> float:
        """Beside the figures, or beside the text, where the finding is as wide as the page."""
        if not self.figures:
            return self.text
        return 0.0 if self.several else max(self.figures - self.text, 0.0)


def halves(parts: Sequence[Part], items: Mapping[str, Figure | Picker | Table]) -> list[bool]:
    """True for each part that takes a half of the page, beside its neighbour."""
    sizes = [_size(part, items) for part in parts]

    @cache
    def best(first: int) -> tuple[float, tuple[bool, ...]]:
        """Least emptiness from a part on, and which parts are halves then."""
        if first == len(sizes):
            return 0.0, ()
        size, (empty, rest) = sizes[first], best(first + 1)
        found = (size.empty + empty, (False, *rest))
        if first + 1 < len(sizes) and size.fits and sizes[first + 1].fits:
            empty, rest = best(first + 2)
            found = min(found, (abs(size.half - sizes[first + 1].half) + empty, (True, True, *rest)))
        return found

    return list(best(0)[1])


def beside(
    answer: Part | None, items: Mapping[str, Figure | Picker | Table], tallies: int, entries: int
) -> tuple[bool, bool]:
    """Two answers: so many tallies of verdicts fit under the answer, beside its figure; so does a list of
    contents, too.
    """
    if answer is None:
        return True, True
    size = _size(answer, items)
    left = size.figures + _ENTRY - _LARGER * size.text - _TALLY * tallies
    return left >= 0, left >= _ENTRY * (entries + 2)


def _size(part: Part, items: Mapping[str, Figure | Picker | Table]) -> _Size:
    shown = [items[id] for id in _SHOWN.findall(part.markdown)]
    figures = [item for item in shown if isinstance(item, Figure)]
    tables = [item for item in shown if isinstance(item, Table)]
    text = _SHOWN.sub("", part.markdown)
    said = sum(_lines(each, _LETTERS) * _LINE + 12 for each in text.split("\n\n") if each.strip())
    return _Size(
        said,
        sum(map(_figure, figures)),
        sum(_ROW * (len(each.rows) + 3) + _caption(each.caption) for each in tables),
        len(figures) < 2
        and len(figures) + len(tables) == len(shown)
        and all(len(each.heads) <= _MOST_COLUMNS for each in tables)
        and "|---" not in text
        and "```" not in text,
        len(figures) > 1,
    )


def _figure(figure: Figure) -> float:
    size = _SIZE.search(figure.svg)
    shape = float(size[2]) / float(size[1]) if size else 0.75
    return 30 + _COLUMN * shape + _caption(figure.caption)


def _caption(words: str) -> float:
    return _SMALL_LINE * _lines(words, _SMALL)


def _lines(words: str, letters: int) -> int:
    return -(-len(words.strip()) // letters)
