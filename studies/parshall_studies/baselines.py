"""Results of ns-2: the runs of a study, grouped by label, read from a table of runs."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from parshall.errors import FileError, InputError, shown
from parshall.support.causes import reason

__all__ = ["NS2_RUNS", "Baseline", "Settings", "load_study"]

NS2_RUNS = "a table of runs of ns-2.35, a row each, which is not distributed with Parshall"
"""Where such a table can be had, for :class:`Data`."""
_OUTCOME = "out_"
_SUFFIXES = {"k": 1e3, "M": 1e6, "Mb": 1e6}


@dataclass(frozen=True)
class Settings:
    """The settings of a scenario, by the names that ns-2's script gives them. ``where`` is for errors."""

    values: Mapping[str, str]
    where: str

    def number(self, name: str) -> float:
        """A setting that is a number; ns-2's ``370k`` is 370000."""
        text = self.word(name)
        digits = text.rstrip("kMb")
        try:
            value = float(digits) * _SUFFIXES.get(text[len(digits) :], 1.0)
        except ValueError:
            raise self.error(name, "a number") from None
        if not math.isfinite(value):
            raise self.error(name, "a finite number")
        return value

    def whole(self, name: str) -> int:
        """A setting that is a whole number."""
        value = self.number(name)
        if value != int(value):
            raise self.error(name, "a whole number")
        return int(value)

    def flag(self, name: str) -> bool:
        """A setting that is 0 or 1."""
        if (value := self.number(name)) not in (0.0, 1.0):
            raise self.error(name, "0 or 1")
        return value == 1.0

    def word(self, name: str) -> str:
        """A setting as it stands."""
        try:
            return self.values[name]
        except KeyError:
            raise InputError(self.where, f"no column {name}", "one for each setting of the script") from None

    def one_of(self, name: str, choices: Iterable[str]) -> str:
        """A setting that is one of some words."""
        known = list(choices)
        if (word := self.word(name)) not in known:
            raise self.error(name, f"one of {', '.join(known)}")
        return word

    def error(self, name: str, expected: str) -> InputError:
        """Returns the error for a setting that was not expected."""
        return InputError(f"{self.where}: {name}", shown(self.values[name]), expected)


@dataclass(frozen=True)
class Baseline:
    """The runs of one scenario."""

    label: str
    settings: Settings
    outcomes: Mapping[str, tuple[float, ...]]
    """Measured values, one a seed."""


def load_study(folder: Path | str, study: str) -> list[Baseline]:
    """The scenarios of a study, in the order of its file. Raises InputError for a file of another kind."""
    file = Path(folder) / "results" / f"study{study}.csv"
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines, strict=True)
            rows = list(reader)
            columns = list(reader.fieldnames or ())
    except OSError as error:
        raise FileError(str(file), reason(error), "the runs of ns-2") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(str(file), f"no table ({error})", "comma-separated values with a head") from None
    _check_columns(file, columns)
    groups: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for line, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise InputError(f"{file}:{line}", "a row of another length", f"{len(columns)} values")
        groups.setdefault(row["label"], []).append((line, row))
    if not groups:
        raise InputError(str(file), "no run", "at least one row")
    return [_baseline(file, label, members) for label, members in groups.items()]


def _check_columns(file: Path, columns: Sequence[str]) -> None:
    for name in ("label", "seed"):
        if name not in columns:
            raise InputError(str(file), f"no column {name}", "label, seed, settings and out_ columns")
    if not any(name.startswith(_OUTCOME) for name in columns):
        raise InputError(str(file), "no column of a measured value", "names that start with out_")


def _baseline(file: Path, label: str, members: Sequence[tuple[int, dict[str, str]]]) -> Baseline:
    first_line, first = members[0]
    settings = {name: value for name, value in first.items() if _is_setting(name)}
    outcomes: dict[str, list[float]] = {name: [] for name in first if name.startswith(_OUTCOME)}
    for line, row in members:
        for name, value in settings.items():
            if row[name] != value:
                raise InputError(
                    f"{file}:{line}: {name}", shown(row[name]), f"{shown(value)} as in line {first_line}"
                )
        for name, values in outcomes.items():
            values.append(_measured(f"{file}:{line}: {name}", row[name]))
    return Baseline(
        label=label,
        settings=Settings(settings, f"{file}:{first_line}"),
        outcomes={name.removeprefix(_OUTCOME): tuple(values) for name, values in outcomes.items()},
    )


def _is_setting(name: str) -> bool:
    return name not in ("label", "seed") and not name.startswith(_OUTCOME)


def _measured(where: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(where, shown(text), "a finite number")
    return value
