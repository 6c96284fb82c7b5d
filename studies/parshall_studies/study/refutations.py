"""Refutations: for each quantity that a sentence is about, the direction in which it would have to lie.

    more windows.timeouts at edge=sw, flows=10|200

A refutation names a column of a table, and the setting where it is looked at. It is written from the
sentence alone, so that a claim that is linked with the wrong sign, or that is about something else, is found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["SETTING", "Refutation"]

SETTING = "other setting"
"""Refutation of a setting or a closed form, which no table holds."""

_FORM = re.compile(r"(more|less|other) (\w+)\.(\w+)(?: at (.+))?")
_EXPECTED = (
    f"'more TABLE.COLUMN', 'less ...' or 'other ...', then 'at DIM=LABEL|LABEL, DIM=LABEL'; or {SETTING!r}"
)


@dataclass(frozen=True)
class Refutation:
    """A quantity, and the direction that would refute the sentence."""

    direction: str
    """``more``, ``less``, or ``other``: either way."""
    table: str = ""
    """Empty for a setting, which is not measured."""
    column: str = ""
    at: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Labels, as text, by dimension; all labels of those that are not named."""
    text: str = ""
    """As it is written."""

    @classmethod
    def parse(cls, text: str) -> Refutation:
        """Reads one. Raises ValueError for another form."""
        if text == SETTING:
            return cls("other", text=text)
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError(f"got {text!r}, expected {_EXPECTED}")
        direction, table, column, where = found.groups()
        return cls(direction, table, column, _labels(where or ""), text)

    def about(self, table: str, column: str, labels: Mapping[str, object]) -> bool:
        """True if it is about a cell of a table. A dimension that the cell does not have excludes it."""
        return (table, column) == (self.table, self.column) and all(
            str(labels.get(dim)) in wanted for dim, wanted in self.at.items()
        )


def _labels(where: str) -> dict[str, tuple[str, ...]]:
    found = {}
    for part in filter(None, where.split(", ")):
        dim, equals, labels = part.partition("=")
        if not (dim and equals and labels):
            raise ValueError(f"got {part!r}, expected DIM=LABEL|LABEL")
        found[dim] = tuple(labels.split("|"))
    return found
