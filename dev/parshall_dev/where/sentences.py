"""Sentences of the documentation that may promise that something runs somewhere."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from parshall_dev.checkout import ROOT
from parshall_dev.where.page import PAGE
from parshall_dev.where.rows import rows

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Sentence", "places_of", "promising", "texts"]

_PLACES = {
    "simulator": r"\bsimulator\b|\bsimulations?\b|\bin any scenario\b",
    "Python": r"\bPython\b",
    "Rust": r"\bRust\b",
    "C": r"(?:\b(?:in|from|or|and|for|by|to)|,) C\b(?! ?[=+/·*(|])",
    "capture": r"\bcaptures?\b",
    "browser": r"\bbrowsers?\b|WebAssembly|[Pp]layground",
    "quinn": r"\bquinn\b|\bQUIC\b",
    "Linux kernel": r"\bkernel\b|\brouters?\b|\bqueue disciplines?\b|\bin the module\b",
}
_THING = "|".join(
    (
        *(r"\bestimators?\b", r"\bfilters? of\b", r"\bforecasters?\b", r"\bmeters?\b", r"\bmarkers?\b"),
        *(r"\bcontrols?\b", r"\b[Aa]ll of them run\b", r"\bruns? both\b"),
    )
)
_RUNS = "|".join(
    (
        r"\b(?:runs?|works?|offers?|drives?|available|usable|take place|is not in|stands? wherever)\b",
        r"\bcan be (?:used|put|had)\b",
        r"\bused? (?:in|from|by)\b",
        r"\bfrom (?:Python|Rust|C)\b",
        r"\bsame (?:Rust )?code\b",
        r"\b[Oo]n an? (?:real )?(?:router|capture)\b",
    )
)
_FENCE = re.compile(r"^```.*?^```$|^#.*?$", re.M | re.S)
_CODE = re.compile(r"(?<=\n\n)(?: {4}[^\n]*\n?)+")
_OTHERS = ("docs/claims.md", "docs/changes.md", PAGE)
"""Pages that quote other documents, hold the changelog, or are the table itself."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, and the file that it stands in."""

    file: str
    words: str


def promising() -> list[Sentence]:
    """Sentences that name a place, something of the table, and that it runs; or several places."""
    things = re.compile("|".join([_THING, *(rf"\b{re.escape(name)}\b" for name in _names())]))
    return [
        each
        for each in _sentences()
        if (places := places_of(each.words))
        and re.search(_RUNS, each.words)
        and (len(places) > 1 or things.search(each.words))
    ]


def places_of(words: str) -> set[str]:
    """The places that a sentence names."""
    return {place for place, pattern in _PLACES.items() if re.search(pattern, words)}


def texts() -> Iterator[tuple[str, str]]:
    """The documentation, piece by piece: pages, what crates and the package say of themselves, help texts."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    pages += (ROOT / "crates").glob("*/README.md")
    for page in sorted(pages):
        name = page.relative_to(ROOT).as_posix()
        if name not in _OTHERS and not name.startswith("docs/reference/api/"):
            yield name, page.read_text(encoding="utf-8")
    for file in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        lines = re.findall(r"^\s*//[!/] ?(.*)$", file.read_text(encoding="utf-8"), re.M)
        yield file.relative_to(ROOT).as_posix(), "\n".join(lines)
    for file in sorted((ROOT / "python/parshall").rglob("*.py")):
        yield file.relative_to(ROOT).as_posix(), "\n\n".join(_docstrings(file))
    yield from _descriptions()


def _descriptions() -> Iterator[tuple[str, str]]:
    for file in sorted([*ROOT.glob("crates/*/Cargo.toml"), *ROOT.glob("**/pyproject.toml")]):
        if ".venv" in file.parts or "target" in file.parts:
            continue
        manifest = tomllib.loads(file.read_text(encoding="utf-8"))
        about = manifest.get("package", manifest.get("project", {}))
        yield file.relative_to(ROOT).as_posix(), str(about.get("description", ""))


def _docstrings(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def _sentences() -> Iterator[Sentence]:
    for file, text in texts():
        plain = _CODE.sub("\n\n", _FENCE.sub("\n\n", text) if file.endswith(".md") else text)
        plain = re.sub(r"\]\([^)]*\)", "]", plain).replace("[", "").replace("]", "")
        for part in re.split(r"\n\s*\n|\n(?=\s*[|*-] ?)", plain):
            words = " ".join(part.split())
            for sentence in re.split(r"(?<=[.?!;:])\s+(?=[A-Z`(*])", words):
                yield Sentence(file, sentence)


def _names() -> list[str]:
    """Names of rows that are no common words."""
    found = {row.name.partition("(")[0] for row in rows()}
    return sorted(name for name in found if sum(letter.isupper() for letter in name) > 1)
