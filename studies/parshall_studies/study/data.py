"""Measured data that a study needs: declared with a checksum, found in folders that the caller names.

Nothing is looked for anywhere else. What is absent, or is not the file that was declared, is left out of the
study, and the report says so.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from parshall.errors import InputError

__all__ = ["VARIABLE", "Data", "Found", "find", "folders"]

VARIABLE = "PARSHALL_DATA"
"""Environment variable that names folders of data, parted as in PATH."""


@dataclass(frozen=True, slots=True)
class Data:
    """A file that a study reads."""

    path: str
    """Below one of the folders."""
    sha256: str
    what: str
    """Purpose, as the report says when it is absent."""
    source: str = ""
    """Where it can be had, as the end of a sentence that begins with its path."""


@dataclass(frozen=True)
class Found:
    """Data that is there, and why the rest is not."""

    files: dict[str, Path]
    """By :attr:`Data.path`."""
    lacking: tuple[str, ...]
    """A sentence for each thing that is left out."""


def folders(given: Sequence[str | Path] | None) -> list[Path]:
    """The folders that are given, or else those that the environment names. Raises InputError for what is not
    a folder.
    """
    named = (
        list(given) if given else [name for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
    )
    field = "data" if given else VARIABLE
    for name in named:
        if not Path(name).is_dir():
            raise InputError(field, json.dumps(str(name)), "a folder")
    return [Path(name) for name in named]


def find(declared: Sequence[Data], places: Sequence[Path]) -> Found:
    """Those of the declared files that are in these folders and unchanged."""
    files: dict[str, Path] = {}
    lacking: dict[str, str] = {}
    for data in declared:
        reason = ""
        for file in _candidates(data, places):
            if hashlib.sha256(file.read_bytes()).hexdigest() == data.sha256:
                files[data.path] = file
                break
            reason = f"{file} is not the file that the study was written for (its checksum differs)"
        if data.path not in files:
            lacking.setdefault(data.what, reason or _absent(data, places))
    return Found(files, tuple(f"{what}: {reason}." for what, reason in lacking.items()))


def _candidates(data: Data, places: Sequence[Path]) -> Iterator[Path]:
    return (place / data.path for place in places if (place / data.path).is_file())


def _absent(data: Data, places: Sequence[Path]) -> str:
    where = f"; {data.path} is {data.source}" if data.source else ""
    if not places:
        return f"no folder of data was named (give one with --data or {VARIABLE}){where}"
    return f"no {data.path} in {', '.join(map(str, places))}{where}"
