"""The text under each field of a model: what the JSON Schema and errors say about it.

Pydantic can collect these texts too, but does so on import, which every start of the command would pay for.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

__all__ = ["class_doc", "field_docs"]


def class_doc(model: type) -> str:
    """The docstring of a class, without those of its fields, on one line."""
    return " ".join((model.__dict__.get("__doc__") or "").split())


@cache
def field_docs(model: type) -> dict[str, str]:
    """The docstring of each field of a class, on one line; empty where the source is not at hand."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    except (OSError, TypeError):
        return {}
    definition = tree.body[0]
    return dict(_documented(definition)) if isinstance(definition, ast.ClassDef) else {}


def _documented(definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Fields that are followed by a text."""
    for field, after in pairwise(definition.body):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        text = after.value if isinstance(after, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield field.target.id, " ".join(text.value.split())
