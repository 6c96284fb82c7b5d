"""The call and the text of a class of scenarios, for ``help``, notebooks and editors that ask at run time.

Both are made of the fields and of the texts under them, when somebody asks.
"""

from __future__ import annotations

import inspect
import textwrap
from functools import cache
from typing import TYPE_CHECKING

from parshall.scenario.takes import takes

if TYPE_CHECKING:
    from parshall.scenario.base import Part

__all__ = ["signature_of", "text_of"]

_WIDTH = 96


class _Words:
    """An annotation that is shown as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


@cache
def signature_of(model: type[Part]) -> inspect.Signature:
    """The call that makes an instance: each field by its name, with what it takes and its default."""
    kinds = _kinds(model)
    required = sorted(model.model_fields.items(), key=lambda item: not item[1].is_required())
    return inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.is_required() else _Words(repr(field.default)),
                annotation=_Words(kinds[name].replace(", ", " | ")),
            )
            for name, field in required
            if name != "kind"
        ]
    )


@cache
def text_of(model: type[Part]) -> str:
    """The text of a class, then its fields and theirs; of blank ones also what each profile gives them."""
    own = inspect.cleandoc(model.__dict__.get("__doc__") or "")
    fields = [name for name in model.model_fields if name != "kind"]
    if not fields:
        return own
    kinds = _kinds(model)
    texts = {name: field["description"] for name, field in model.table_schema()["properties"].items()}
    lines = [own, "", "Fields", "------"]
    for name in fields:
        field = model.model_fields[name]
        default = "" if field.is_required() or field.default is None else f"; {field.default!r} unless given"
        lines += _wrapped(f"{name} : {kinds[name]}{default}", "        ")
        lines += _wrapped(texts.get(name, ""), "    ", "    ")
        lines += _wrapped(_by_profile(model, name), "    ", "    ")
    return "\n".join(lines)


def _wrapped(text: str, indent: str, first: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)


def _by_profile(model: type[Part], name: str) -> str:
    from parshall.scenario.profiles import blank_defaults

    given = blank_defaults().get(name) if model.__name__ == "Tcp" else None
    return "; ".join(f"{profile}: {value}" for profile, value in given.items()) if given else ""


@cache
def _kinds(model: type[Part]) -> dict[str, str]:
    """The values that each field takes, in words."""
    fields = model.table_schema()["properties"].items()
    return {name: takes(field).replace("true, false", "True, False") for name, field in fields}
