"""``python -m parshall_dev.words`` counts docs that open with a clause in place of a name.

A comment or docstring starts with the noun that a thing is, or the verb for what it does. What, Whether, Of,
That, The same, Who and Whose open a clause instead. The most that are allowed stand in pyproject.toml, under
``tool.words``, and only fall; ``--list PATH`` shows those of a file or folder.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click

from parshall_dev.checkout import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["openings", "openings_of_python", "openings_of_rust"]

_CLAUSE = re.compile(r"(What|Whether|Of|That|The same|Whose?)\b")
_RUST_DOC = re.compile(r"\s*//[/!](?!/)\s?(.*)")
_LANGUAGES = {".py": "python", ".rs": "rust"}
_FOLDERS = ("crates", "python", "studies", "dev", "tests", "examples")

Opening = tuple[Path, int, str]
"""A file, a line, and the text there."""


def openings(folder: Path) -> Iterator[Opening]:
    """Docs below a folder, or of a file, that open with a clause."""
    for file in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
        # What a link points to is read where it is.
        if file.is_symlink() or {"target", "__pycache__"} & set(file.parts):
            continue
        if file.suffix in _LANGUAGES:
            text = file.read_text(encoding="utf-8")
            found = openings_of_python(text) if file.suffix == ".py" else openings_of_rust(text)
            yield from ((file, line, words) for line, words in found)


def openings_of_rust(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of doc comments (``///`` and ``//!``) that open with a clause."""
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        found = _RUST_DOC.match(line)
        if found and not inside and _CLAUSE.match(found[1]):
            yield number, found[1]
        inside = found is not None


def openings_of_python(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of docstrings, those below assignments too, that open with a clause."""
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        first = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        texts = body[:1] if first else []
        texts += [after for before, after in pairwise(body) if isinstance(before, ast.Assign | ast.AnnAssign)]
        for each in texts:
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                words = str(each.value.value).strip()
                if _CLAUSE.match(words):
                    yield each.lineno, words.partition("\n")[0]


@click.command()
@click.option("--list", "listed", type=click.Path(exists=True, path_type=Path), help="Show those in PATH.")
def check(listed: Path | None) -> None:
    """Fail when more docs open with a clause than pyproject.toml allows."""
    if listed is not None:
        for file, line, words in openings(listed):
            click.echo(f"{file}:{line}: {words}")
        return
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    most: dict[str, int] = settings["tool"]["words"]
    counts = dict.fromkeys(most, 0)
    for folder in _FOLDERS:
        for file, _, _ in openings(ROOT / folder):
            counts[_LANGUAGES[file.suffix]] += 1
    for language, count in counts.items():
        if count > most[language]:
            click.echo(
                f"{count} docs in {language} open with What, Whether, Of, That, The same, Who or Whose, and "
                f"{most[language]} are allowed: start with the noun that the thing is, or the verb for "
                "what it does (python -m parshall_dev.words --list PATH)",
                err=True,
            )
        elif count < most[language]:
            click.echo(f"tool.words.{language} in pyproject.toml may fall from {most[language]} to {count}")
    raise SystemExit(any(counts[language] > most[language] for language in most))


if __name__ == "__main__":
    check()
