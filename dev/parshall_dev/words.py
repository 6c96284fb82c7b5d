"""``python -m parshall_dev.words`` finds docs that open with a clause in place of a name.

A comment or docstring starts with the noun that a thing is, or the verb for what it does. What, Whether, Of,
That, The same, Who and Whose open a clause instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click

from parshall_dev.checkout import ROOT

__all__ = ["openings", "openings_of_python", "openings_of_rust"]

_CLAUSE = re.compile(r"(What|Whether|Of|That|The same|Whose?)\b")
_RUST_DOC = re.compile(r"\s*//[/!](?!/)\s?(.*)")
_FOLDERS = ("crates", "python", "studies", "dev", "tests", "examples")

Opening = tuple[Path, int, str]
"""A file, a line, and the text there."""


def openings(folder: Path) -> Iterator[Opening]:
    """Docs below a folder that open with a clause."""
    for file in sorted(folder.rglob("*")):
        # What a link points to is read where it is.
        if file.is_symlink() or {"target", "__pycache__"} & set(file.parts):
            continue
        if file.suffix in (".py", ".rs"):
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
def check() -> None:
    """Fail where a doc opens with a clause, and name each."""
    found = [opening for folder in _FOLDERS for opening in openings(ROOT / folder)]
    for file, line, words in found:
        click.echo(f"{file.relative_to(ROOT)}:{line}: {words}", err=True)
    if found:
        click.echo(
            f"{len(found)} docs open with What, Whether, Of, That, The same, Who or Whose: start with the "
            "noun that the thing is, or the verb for what it does",
            err=True,
        )
    raise SystemExit(bool(found))


if __name__ == "__main__":
    check()
