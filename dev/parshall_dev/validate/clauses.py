"""``parshall validate clauses``: which clause of which RFC the code keeps, and the test that shows it.

``rfcs/`` lists every MUST and SHOULD, an RFC a file: its tag, how strong it is and its gist in a few words.
It is kept if a comment ``// [RFC 5681 3.1-a]`` stands in the code that does it and another one at a test; or
its entry says why not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from parshall_dev.checkout import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["BEGIN", "END", "Clause", "Tags", "faults", "inserted", "listed", "page", "tags"]

RFCS = Path(__file__).parent / "rfcs"
BEGIN = "<!-- clauses: begin -->"
END = "<!-- clauses: end -->"

_TAG = re.compile(r"\[RFC (\d+) ([^\]\s]+)\]")
_LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT")


@dataclass(frozen=True)
class Clause:
    """A clause of an RFC."""

    rfc: int
    name: str
    """The section, a hyphen and a letter."""
    level: str
    gist: str
    deviation: str = ""
    """Why it is not kept; empty where it is."""

    @property
    def tag(self) -> str:
        """Name in comments."""
        return f"RFC {self.rfc} {self.name}"


@dataclass(frozen=True)
class Tags:
    """The tags of a checkout, and where each stands first."""

    code: Mapping[str, str]
    tests: Mapping[str, str]


def listed(folder: Path = RFCS) -> list[Clause]:
    """The clauses of a folder's files, in their order. Raises ValueError where an entry is none."""
    clauses = [clause for file in sorted(folder.glob("*.toml")) for clause in _read(file)]
    seen: set[str] = set()
    for clause in clauses:
        if clause.level not in _LEVELS:
            raise ValueError(
                f"{clause.tag}: got the level {clause.level!r}, expected one of {', '.join(_LEVELS)}"
            )
        if clause.tag in seen:
            raise ValueError(f"{clause.tag}: there are two of that name")
        seen.add(clause.tag)
    return clauses


def _read(file: Path) -> Iterator[Clause]:
    content: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    for name, entry in content["clauses"].items():
        yield Clause(content["rfc"], name, **entry)


def tags(root: Path = ROOT) -> Tags:
    """The tags in the Rust code of a checkout and in the tests of both languages."""
    code: dict[str, str] = {}
    tests: dict[str, str] = {}
    for file in [*sorted(root.glob("crates/**/*.rs")), *sorted(root.glob("tests/*.py"))]:
        place = file.relative_to(root)
        if "target" in place.parts:
            continue
        text = file.read_text(encoding="utf-8")
        first = _first_of_tests(place, text)
        for line, content in enumerate(text.splitlines()):
            for rfc, name in _TAG.findall(content):
                (tests if line >= first else code).setdefault(f"RFC {rfc} {name}", f"{place}:{line + 1}")
    return Tags(code, tests)


def _first_of_tests(place: Path, text: str) -> int:
    """The line from which on a file holds tests: unit tests are the last thing in one of code."""
    if "tests" in place.parts or place.name == "tests.rs":
        return 0
    return len(text.partition("#[cfg(test)]\nmod ")[0].splitlines())


def faults(clauses: Iterable[Clause], found: Tags) -> list[str]:
    """A line for each clause that has neither tags nor a reason, or has both, and for tags of no clause."""
    clauses = list(clauses)
    lines = [line for clause in clauses if (line := _fault(clause, found))]
    known = {clause.tag for clause in clauses}
    for places in (found.code, found.tests):
        lines += [
            f"{place}: got [{tag}], which is no clause of the list"
            for tag, place in places.items()
            if tag not in known
        ]
    return lines


def _fault(clause: Clause, found: Tags) -> str:
    places = {"code": found.code.get(clause.tag), "a test": found.tests.get(clause.tag)}
    if clause.deviation:
        tagged = [f"{name} ({place})" for name, place in places.items() if place]
        return (
            f"{clause.tag}: is said not to be kept, and is tagged in {' and '.join(tagged)}" if tagged else ""
        )
    missing = [name for name, place in places.items() if not place]
    return f"{clause.tag}: has no tag in {' and none in '.join(missing)} ({clause.gist})" if missing else ""


def page(clauses: Iterable[Clause]) -> list[str]:
    """The table over RFCs and the list of what is not kept, as lines of Markdown."""
    by_rfc: dict[int, list[Clause]] = {}
    for clause in clauses:
        by_rfc.setdefault(clause.rfc, []).append(clause)
    lines = ["| RFC | MUST | SHOULD | kept, with a test | not kept |", "|---|---|---|---|---|"]
    for rfc, own in [*by_rfc.items(), (0, list(chain.from_iterable(by_rfc.values())))]:
        must = sum(clause.level.startswith("MUST") for clause in own)
        not_kept = sum(bool(clause.deviation) for clause in own)
        counts = (must, len(own) - must, len(own) - not_kept, not_kept)
        lines.append(f"| {rfc or 'all'} | {' | '.join(map(str, counts))} |")
    lines += ["", "Not kept:", ""]
    for own in by_rfc.values():
        lines += [f"- **{c.tag}** ({c.level}): {c.gist}. {c.deviation}" for c in own if c.deviation]
    return lines


def inserted(text: str, lines: Iterable[str]) -> str:
    """A document with ``lines`` between its two marks. Raises ValueError where these are not there."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"got no {BEGIN} with {END} behind it, expected both")
    return f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}"
