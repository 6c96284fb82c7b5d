"""A folder of reference runs: ``scenarios.json``, and ``traces/NAME.csv.gz`` for each scenario in it."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parshall.errors import InputError, ParshallError, shown
from parshall_dev.validate.events import EVENTS, KINDS, NOTES, PLACES, Events
from parshall_dev.validate.fields import Fields

__all__ = ["Entry", "Folder", "load_folder"]

SCENARIOS = "scenarios.json"
TRACES = "traces"
_CLASS_COLUMNS = ("code_point", "colour")
_COLUMNS = ("time_s", "event", "kind", "flow", "seq", "size_bytes", "place", "note")


@dataclass(frozen=True)
class Entry:
    """One scenario of the folder; ``value`` is what the file holds, ``place`` where."""

    name: str
    value: Any
    place: str
    trace: Path
    fault: InputError | None = None

    def fields(self) -> Fields:
        """The entry, for reading. Raises InputError when it cannot be read."""
        if self.fault is not None:
            raise self.fault
        return Fields(self.value, self.place)


@dataclass(frozen=True)
class Folder:
    """The scenarios of a folder, in the order of its file."""

    path: Path
    entries: tuple[Entry, ...]

    def only(self, names: Sequence[str]) -> Folder:
        """A copy with these scenarios only. Raises InputError for a name that is not there."""
        known = {entry.name for entry in self.entries}
        for name in names:
            if name not in known:
                raise InputError("--only", shown(name), f"the name of a scenario of {self.path / SCENARIOS}")
        return Folder(self.path, tuple(entry for entry in self.entries if entry.name in names))


def load_folder(path: str | Path) -> Folder:
    """Reads ``scenarios.json``, not yet the traces. Raises ParshallError for what is missing or no JSON.

    A fault inside of one entry is kept for when that entry is compared, so that it hides no other.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise ParshallError(f"{folder}: no such folder, expected one with {SCENARIOS} and {TRACES}/")
    file = folder / SCENARIOS
    values = _load_json(file)
    if not isinstance(values, list) or not values:
        raise InputError(str(file), shown(values), "a list of scenarios that is not empty")
    entries: list[Entry] = []
    for index, value in enumerate(values):
        entries.append(_entry(folder, value, index, {entry.name for entry in entries}))
    return Folder(folder, tuple(entries))


def _entry(folder: Path, value: Any, index: int, taken: set[str]) -> Entry:
    place = f"{folder / SCENARIOS}: [{index}]"
    try:
        fields = Fields(value, place)
        name = fields.word("name")
        if name in taken or Path(name).name != name or name == "..":
            raise fields.error("name", "a name of its own that a file can have")
    except InputError as error:
        return Entry(f"[{index}]", value, place, folder, error)
    return Entry(name, value, f"{folder / SCENARIOS}: {name}", folder / TRACES / f"{name}.csv.gz")


def _load_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"), parse_constant=_refuse)
    except FileNotFoundError:
        raise ParshallError(f"{file}: no such file, expected a list of scenarios") from None
    except OSError as error:
        raise ParshallError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ParshallError(f"{file}: is not UTF-8, expected JSON") from None
    except json.JSONDecodeError as error:
        raise ParshallError(f"{file}:{error.lineno}: is not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise ParshallError(f"{file}: is not JSON: {error}") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"got {constant}, expected a finite number")


def load_trace(file: Path, flows: int, colours: Mapping[int, str] | None = None) -> Events:
    """Reads the packet trace of a scenario with this many flows, and where code points have ``colours``, with
    these. Raises ParshallError.
    """
    rows = _load_rows(file)
    names = _COLUMNS if colours is None else (*_COLUMNS, *_CLASS_COLUMNS)
    if not rows or tuple(rows[0]) != names:
        header = ",".join(rows[0]) if rows else ""
        raise InputError(f"{file}:1", shown(header), f"the columns {','.join(names)}")
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise InputError(f"{file}:{line}", shown(",".join(row)), f"{len(names)} columns")
    columns = list(zip(*rows[1:], strict=True)) or [()] * len(names)
    reader = _ColumnReader(file, dict(zip(names, columns, strict=True)))
    flow = reader.whole("flow", 0, flows - 1)
    return Events(
        time=reader.times("time_s"),
        place=reader.words("place", PLACES),
        event=reader.words("event", EVENTS),
        kind=reader.words("kind", KINDS),
        flow=flow,
        seq=reader.whole("seq", -1),
        size=reader.whole("size_bytes", 1),
        note=reader.words("note", NOTES),
        code_point=np.zeros(len(flow), dtype=np.int64) if colours is None else reader.code_points(colours),
    )


def _load_rows(file: Path) -> list[list[str]]:
    try:
        with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
            return list(csv.reader(lines, strict=True))
    except FileNotFoundError:
        raise ParshallError(f"{file}: no such file, expected the trace of the scenario") from None
    except (OSError, EOFError, zlib.error) as error:
        # gzip's own errors have no strerror.
        why = getattr(error, "strerror", None) or error
        raise ParshallError(f"{file}: cannot be read as gzip: {why}") from None
    except UnicodeDecodeError:
        raise ParshallError(f"{file}: is not UTF-8, expected CSV") from None
    except csv.Error as error:
        raise ParshallError(f"{file}: is not CSV: {error}") from None


@dataclass(frozen=True)
class _ColumnReader:
    """Text columns of a trace to numbers; a fault names its line."""

    file: Path
    columns: dict[str, Sequence[str]]

    def times(self, name: str) -> Any:
        expected = "seconds, in order"
        try:
            times = np.array(self.columns[name], dtype=np.float64)
        except ValueError:
            raise self._error(name, self._first_that_is_no(float, name), expected) from None
        wrong = ~np.isfinite(times)
        wrong[1:] |= np.diff(times) < 0
        wrong |= times < 0
        self._refuse(name, wrong, expected)
        return times

    def whole(self, name: str, least: int, most: int | None = None) -> Any:
        expected = f"a whole number of at least {least}" if most is None else f"{least} to {most}"
        try:
            values = np.array(self.columns[name], dtype=np.int64)
        except (ValueError, OverflowError):
            raise self._error(name, self._first_that_is_no(np.int64, name), expected) from None
        self._refuse(
            name, (values < least) | (values > (np.iinfo(np.int64).max if most is None else most)), expected
        )
        return values

    def code_points(self, colours: Mapping[int, str]) -> Any:
        """Code points, each with its colour beside it."""
        values = self.whole("code_point", 0, 63)
        named = np.array([colours.get(int(value), "") for value in values])
        wrong = named != np.array(self.columns["colour"])
        self._refuse("colour", wrong, "the colour of the code point, as the field colours has it")
        return values

    def words(self, name: str, words: Sequence[str]) -> Any:
        codes = {word: code for code, word in enumerate(words)}
        values = np.array([codes.get(text, -1) for text in self.columns[name]], dtype=np.int64)
        self._refuse(name, values < 0, " or ".join(shown(word) for word in words))
        return values

    def _refuse(self, name: str, wrong: Any, expected: str) -> None:
        if wrong.any():
            raise self._error(name, int(np.argmax(wrong)), expected)

    def _first_that_is_no(self, number: type, name: str) -> int:
        for index, text in enumerate(self.columns[name]):
            try:
                number(text)
            except (ValueError, OverflowError):
                return index
        raise AssertionError("one of them is none")

    def _error(self, name: str, index: int, expected: str) -> InputError:
        # The first line is the header.
        return InputError(f"{self.file}:{index + 2}: {name}", shown(self.columns[name][index]), expected)
