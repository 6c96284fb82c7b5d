"""Numbers as a document prints them: text with its digits, which say how exactly the number is known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["ROUNDING", "Printed", "numbers_in"]

ROUNDING = (
    "A printed number stands for all numbers that round to it: the interval that it is held against is "
    "wider by half of its last digit on both sides, and by a whole one for a difference of two printed "
    "numbers, both of which were rounded."
)

_NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?")


@dataclass(frozen=True, slots=True)
class Printed:
    """A number of the document."""

    text: str
    """As it is printed, without its unit: ``0.970``."""
    unit: str = ""
    where: str = ""
    """Its place in the document: ``Table VIII``."""
    terms: int = 1
    """Printed numbers that it was computed from: each of them was rounded."""

    def __post_init__(self) -> None:
        if not _NUMBER.fullmatch(self.text):
            raise ValueError(f"printed number: got {self.text!r}, expected digits as in 0.970")

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text.replace(",", ""))

    @property
    def half_digit(self) -> float:
        """Distance from it that the number may have had before it was rounded: half of one unit in the last
        place.
        """
        return 0.5 * 10.0**-self.decimals * self.terms

    @property
    def decimals(self) -> int:
        """Digits behind the point."""
        return len(self.text.partition(".")[2])

    def __str__(self) -> str:
        whole, point, decimals = self.text.lstrip("-").replace(",", "").partition(".")
        sign = "\N{MINUS SIGN}" if self.text.startswith("-") else ""
        return f"{sign}{int(whole):,}{point}{decimals}"

    def less(self, other: Printed) -> Printed:
        """The difference of two printed numbers, with as many digits as the less exact of them."""
        decimals = min(self.decimals, other.decimals)
        unit = "points" if self.unit == "%" else self.unit
        text = f"{self.value - other.value:.{decimals}f}"
        return Printed(text, unit, self.where, self.terms + other.terms)


def numbers_in(table: str) -> Iterator[tuple[tuple[str, ...], Sequence[str]]]:
    """The lines of a table as it is printed, ``words | numbers``: the words, and the numbers as text."""
    for line in filter(None, map(str.strip, table.splitlines())):
        words, _, numbers = line.partition("|")
        yield tuple(words.split()), numbers.split()
