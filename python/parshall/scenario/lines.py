"""Finds the line of each key in a TOML text, so that an error can name it.

The text is known to be valid, since it has been parsed; this walks over it once more for the positions alone,
which the standard parser does not give.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeAlias

__all__ = ["Place", "lines_of", "nearest"]

Place: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the top of a file to a value."""

_BLANK = re.compile(r"(?:[\s]|#[^\n]*)*")
_KEY = re.compile(r'[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'", re.DOTALL
)
_SCALAR = re.compile(r"[^\s,\]}#][^\n,\]}#]*")


def lines_of(text: str) -> dict[Place, int]:
    """The line, from 1, of every key, table and array item in a valid TOML text."""
    return _Walk(text).file()


def nearest(lines: dict[Place, int], place: Sequence[str | int]) -> int | None:
    """The line of ``place``, or of the closest thing around it that the file has."""
    for length in range(len(place), 0, -1):
        line = lines.get(tuple(place[:length]))
        if line is not None:
            return line
    return None


class _Walk:
    """One pass over a text. ``at`` is the offset reached."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Place, int] = {}
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.lengths: dict[Place, int] = {}

    def file(self) -> dict[Place, int]:
        table: Place = ()
        before = -1
        self.take(_BLANK)
        while before < self.at < len(self.text):
            before = self.at
            table = self.header() if self.text[self.at] == "[" else self.pair(table)
            self.take(_BLANK)
        return self.lines

    def header(self) -> Place:
        """``[a.b]`` or ``[[a.b]]``; the place that the keys after it belong to."""
        start = self.at
        brackets = 2 if self.text.startswith("[[", start) else 1
        self.at += brackets
        self.take(_BLANK)
        *parents, last = self.key()
        self.take(_BLANK)
        self.at += brackets
        place = (*self.current(parents), last)
        if brackets == 2:
            self.note(place, start, keep=True)
            index = self.lengths.get(place, 0)
            self.lengths[place] = index + 1
            place = (*place, index)
        self.note(place, start)
        return place

    def current(self, keys: Sequence[str]) -> Place:
        """The place of a table, within the newest item of every array of tables on the way."""
        place: Place = ()
        for key in keys:
            place = (*place, key)
            if place in self.lengths:
                place = (*place, self.lengths[place] - 1)
        return place

    def pair(self, table: Place) -> Place:
        """``key = value``; returns the table, which stays the same."""
        start = self.at
        place = table
        for key in self.key():
            place = (*place, key)
            self.note(place, start, keep=True)
        self.take(_EQUALS)
        self.value(place)
        return table

    def key(self) -> list[str]:
        keys = []
        while True:
            key = self.take(_KEY)
            keys.append(key.strip("\"'"))
            if not self.take(_DOT):
                return keys

    def value(self, place: Place) -> None:
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self.array(place)
        elif opening == "{":
            self.inline_table(place)
        else:
            self.take(_STRING if opening in "\"'" else _SCALAR)

    def array(self, place: Place) -> None:
        index = 0
        while self.next_item("]"):
            self.note((*place, index), self.at)
            self.value((*place, index))
            index += 1

    def inline_table(self, place: Place) -> None:
        while self.next_item("}"):
            self.pair(place)

    def next_item(self, closing: str) -> bool:
        """Moves over an opening bracket or a comma to the next item; false at the closing bracket."""
        if self.text[self.at] in "[{,":
            self.at += 1
        self.take(_BLANK)
        if self.text[self.at] == ",":
            self.at += 1
            self.take(_BLANK)
        if self.text[self.at] == closing:
            self.at += 1
            return False
        return True

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]

    def note(self, place: Place, offset: int, *, keep: bool = False) -> None:
        """Remembers the line of a place; ``keep`` leaves an earlier line as it is."""
        if not (keep and place in self.lines):
            self.lines[place] = 1 + bisect_left(self.newlines, offset)
