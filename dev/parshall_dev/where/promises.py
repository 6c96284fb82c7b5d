"""Sentences of the docs that promise that something runs somewhere, held against the table.

``readings.toml`` says of each such sentence what it promises: of which rows, and where.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parshall_dev.where.places import PLACES, there
from parshall_dev.where.rows import CONTROLS, Row, rows
from parshall_dev.where.sentences import Sentence, places_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Reading", "faults", "readings"]

_READINGS = Path(__file__).with_name("readings.toml")


@dataclass(frozen=True)
class Reading:
    """The promise of a sentence."""

    file: str
    begins: str
    """Words of the sentence, by which it is found."""
    what: tuple[str, ...] = ()
    """Names of rows or of groups; ``estimators`` is all but the controls."""
    where: tuple[str, ...] = ()
    """Places that have all of the rows, or as many as ``extent`` says."""
    extent: str = "all"
    """``all``, ``most`` or ``some``."""
    some: tuple[str, ...] = ()
    """Places that have some of them."""
    nowhere: tuple[str, ...] = ()
    """Places that have none of them."""
    besides: tuple[str, ...] = ()
    """Places that it names without saying that anything of the table runs there."""
    reason: str = ""
    """Reason why it promises nothing; empty where it does."""

    def fits(self, sentence: Sentence) -> bool:
        """Returns true for the sentence that it is about."""
        return sentence.file == self.file and self.begins in sentence.words

    @property
    def places(self) -> set[str]:
        """All places that it speaks of."""
        return {*self.where, *self.some, *self.nowhere, *self.besides}


def readings(path: Path = _READINGS) -> list[Reading]:
    """The readings of a file."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["sentence"]
    return [Reading(**{key: _value(value) for key, value in entry.items()}) for entry in entries]


def faults(sentences: Iterable[Sentence], read: Iterable[Reading]) -> list[str]:
    """A line for each sentence without a reading, reading without a sentence, and broken promise."""
    sentences, read = list(sentences), list(read)
    found = []
    for sentence in sentences:
        fitting = [reading for reading in read if reading.fits(sentence)]
        if len(fitting) != 1:
            found.append(f"{sentence.file}: {len(fitting)} readings, expected one: {sentence.words}")
        else:
            found += [
                f"{sentence.file}: {fault}: {sentence.words}" for fault in _faults(sentence, fitting[0])
            ]
    for reading in read:
        if not any(reading.fits(sentence) for sentence in sentences):
            found.append(f"{reading.file}: no sentence with the words {reading.begins!r}")
    return found


def _faults(sentence: Sentence, reading: Reading) -> Iterator[str]:
    if reading.reason:
        return
    named = places_of(sentence.words)
    for place in sorted(named - reading.places):
        yield f"names {place}, of which the reading says nothing"
    meant = list(_rows(reading.what))
    if not meant:
        yield "the reading is about no row"
    for place in sorted(reading.places - set(PLACES)):
        yield f"the reading names no place of the table with {place!r}"
    for place in reading.where:
        yield from _lacks(meant, place, reading.extent)
    for place in reading.some:
        yield from _lacks(meant, place, "some")
    for place in reading.nowhere:
        yield from (f"{row.name} is in {place}" for row in meant if there(row, place))


def _lacks(meant: list[Row], place: str, extent: str) -> Iterator[str]:
    missing = [row.name for row in meant if not there(row, place)]
    allowed = {"all": 0, "most": (len(meant) - 1) // 2, "some": len(meant) - 1}[extent]
    if len(missing) > allowed:
        yield f"not in {place}: {', '.join(missing)}"


def _rows(what: Iterable[str]) -> Iterator[Row]:
    for name in what:
        for row in rows():
            if name in (row.name, row.group) or (name == "estimators" and row.group != CONTROLS):
                yield row


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
