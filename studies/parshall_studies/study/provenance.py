"""Provenance of a report: when, on what machine, with what versions, from what. It is kept beside the
tables, so that a report that is made again from them says the same.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from parshall.errors import ParshallError

__all__ = ["FILE", "Provenance", "collected", "read"]

FILE = "provenance.json"
_LIBRARIES = ("numpy", "scipy", "pyarrow", "matplotlib")


@dataclass(frozen=True)
class Provenance:
    """Where the measures of a report come from."""

    study: str
    seeds: tuple[int, int]
    """First and last."""
    runs: int
    date: str
    machine: str
    versions: Mapping[str, str]
    commit: str
    tables: tuple[str, ...]
    """Names of the Parquet files."""
    lacking: tuple[str, ...] = ()
    """Omissions, and why."""
    files: tuple[str, ...] = field(default=())
    """Everything that was written, so that a later report takes it away."""
    sha256: Mapping[str, str] = field(default_factory=dict)
    """Checksums of the Parquet files."""
    full: bool = False
    """True if ``--full`` was given."""
    quick: bool = False
    """True if ``--quick`` was given: the report is preliminary."""

    def shown(self) -> dict[str, str]:
        """For the end of the page."""
        count = self.seeds[1] - self.seeds[0] + 1
        extent = " --full" if self.full else " --quick" if self.quick else ""
        return {
            "Command": f"parshall reproduce {self.study} --seeds {count}{extent}",
            "Made": self.date,
            "Machine": self.machine,
            "Versions": ", ".join(f"{name} {number}" for name, number in self.versions.items()),
            "Commit": self.commit or "not from a checkout",
            "Seeds": f"{self.seeds[0]} to {self.seeds[1]}",
            "Runs": f"{self.runs:,}",
            "Beside this page": "claims.json (every claim), figures (as SVG), the measures as Parquet "
            f"tables, and {FILE}; parshall reproduce {self.study} --from DIR makes the page from them again",
        }

    def preliminary(self) -> str:
        """Says that the report is of a part of the study, where it is."""
        if not self.quick:
            return ""
        count = self.seeds[1] - self.seeds[0] + 1
        seeds = "1 seed" if count == 1 else f"{count} seeds"
        return f"Preliminary: {seeds} of a part of the study; parshall reproduce {self.study} runs all of it."

    def to_json(self) -> str:
        """As it is written."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"


def collected(
    study: str,
    seeds: Sequence[int],
    runs: int,
    tables: Sequence[str],
    lacking: Sequence[str],
    *,
    full: bool = False,
    quick: bool = False,
) -> Provenance:
    """Provenance of new measures. ``SOURCE_DATE_EPOCH`` fixes the date, for equal bytes."""
    from parshall import __version__
    from parshall._core import ENGINE_VERSION

    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    utc = dt.timezone.utc
    now = dt.datetime.fromtimestamp(int(epoch), utc) if epoch else dt.datetime.now(utc)
    versions = {"Parshall": __version__, "engine": ENGINE_VERSION, "Python": platform.python_version()}
    versions |= {name: found for name in _LIBRARIES if (found := _version(name))}
    return Provenance(
        study,
        (seeds[0], seeds[-1]),
        runs,
        now.strftime("%Y-%m-%d %H:%M UTC"),
        _machine(),
        versions,
        _commit(),
        tuple(tables),
        tuple(lacking),
        full=full,
        quick=quick,
    )


def read(folder: Path) -> Provenance:
    """Reads the provenance in a folder. Raises ParshallError for one that holds no study."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        read = Provenance(**{**found, "seeds": tuple(found["seeds"]), **_tuples(found)})
        _check_types(read)
        return read
    except FileNotFoundError:
        raise ParshallError(f"{folder}: no {FILE}, expected a folder that reproduce has written") from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise ParshallError(f"{folder / FILE}: {reason}, expected what reproduce has written") from None


def _check_types(read: Provenance) -> None:
    """Raises TypeError for what this package would not have written."""
    first, last = read.seeds
    texts = (read.study, read.date, read.machine, read.commit, *read.tables, *read.lacking, *read.files)
    if not all(isinstance(each, int) for each in (first, last, read.runs)):
        raise TypeError("seeds and runs are not whole numbers")
    pairs = [*read.versions.items(), *read.sha256.items()]
    if not all(isinstance(each, str) for each in (*texts, *itertools.chain(*pairs))):
        raise TypeError("a text is not one")


def _tuples(found: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(found[name]) for name in ("tables", "lacking", "files")}


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def _machine() -> str:
    from parshall.engine.limits import available_cores

    return f"{platform.machine()}, {available_cores()} cores, {platform.system()} {platform.release()}"


def _commit() -> str:
    """Commit of the checkout that this package lies in, if it is part of one."""
    here = Path(__file__)
    try:
        tracked = ["git", "-C", str(here.parent), "ls-files", "--error-unmatch", here.name]
        subprocess.run(tracked, capture_output=True, check=True, timeout=5)
        command = [
            "git",
            "-C",
            str(here.parent),
            "describe",
            "--always",
            "--dirty",
            "--abbrev=12",
            "--exclude=*",
        ]
        found = subprocess.run(command, capture_output=True, check=True, timeout=5, text=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip()
