"""Generated pages of the reference that are no names: commands, recorded columns, metrics, profiles, and the
methods of all scenario classes.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parshall_dev.site.fields import plain
from parshall_dev.site.names import attribute_texts

__all__ = ["PAGES", "write"]


def write(folder: Path) -> None:
    """Writes the pages into ``folder``."""
    for name, make in PAGES.items():
        path, text = folder / f"{name}.md", "\n".join(make()) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# --- Commands -----------------------------------------------------------------------------------------------


def _commands() -> Iterator[str]:
    from parshall.cli.main import cli

    yield from ("# Commands", "", "`parshall COMMAND --help` says the same in a terminal.", "")
    yield from _command(cli, "parshall", "##")


def _command(command: Any, path: str, level: str) -> Iterator[str]:
    import click

    context = click.Context(command, info_name=path, terminal_width=100, max_content_width=100)
    if path != "parshall":
        yield from (f"{level} {path}", "", "```text", command.get_help(context).rstrip(), "```", "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from _command(inner, f"{path} {name}", level if path == "parshall" else f"{level}#")


# --- Recorded columns ---------------------------------------------------------------------------------------


def _columns() -> Iterator[str]:
    from parshall.recording import views

    yield from (
        "# Recorded columns",
        "",
        "What a recording holds: counters of flows and ports always, the rest where the scenario's "
        "[`record`](parshall.Record.md) asks for it. Attributes of the views are the columns of the "
        "tables; times are in seconds, and a value that does not exist yet is NaN.",
        "",
    )
    for name in sorted(views.__all__, key=lambda name: not name.endswith("View")):
        yield from _view(getattr(views, name))


def _view(kind: type) -> Iterator[str]:
    texts = attribute_texts(kind.__module__)
    yield from (f"## {kind.__name__}", "", plain(inspect.cleandoc(kind.__doc__ or "")), "")
    for field in dataclasses.fields(kind):
        if not field.name.startswith("_"):
            owner = next(
                each.__name__ for each in kind.__mro__ if field.name in inspect.get_annotations(each)
            )
            yield from _definition(field.name, _type(str(field.type)), texts.get((owner, field.name), ""))
    for name, value in inspect.getmembers(kind, lambda value: isinstance(value, property)):
        if not name.startswith("_"):
            yield from _definition(name, "derived", inspect.getdoc(value) or "")


def _type(annotation: str) -> str:
    words = {
        "Reals": "array of reals",
        "Counts": "array of whole numbers",
        "Numbers": "array of whole numbers",
    }
    return words.get(annotation, re.sub(r"NDArray\[np\.(\w+)\]", r"array of \1", annotation))


def _definition(name: str, kind: str, text: str) -> Iterator[str]:
    if not text.strip():
        raise ValueError(f"recorded column {name}: no text")
    yield from (f"`{name}`: {kind}", f": {plain(' '.join(text.split()))}", "")


# --- Metrics ------------------------------------------------------------------------------------------------


def _metrics() -> Iterator[str]:
    from parshall.sweep import metric
    from parshall.sweep.quantities import FLOW_QUANTITIES, PORT_QUANTITIES, SAMPLED, unit_of

    first, *_ = (metric.__doc__ or "").partition("Quantities of flows")
    yield from ("# Metrics", "", *inspect.cleandoc(first).splitlines(), "")
    yield "[Sweeps](../../guide/sweep.md) has examples. *Samples*: the scenario has to record the table."
    yield ""
    for title, names in (("Quantities of flows", FLOW_QUANTITIES), ("Quantities of ports", PORT_QUANTITIES)):
        yield from (f"## {title}", "", "| quantity | unit | samples |", "|---|---|---|")
        for name in sorted(names):
            yield f"| `{name}` | {unit_of(name)} | {f'`{SAMPLED[name].table}`' if name in SAMPLED else ''} |"
        yield ""


# --- Profiles and what all classes have ---------------------------------------------------------------------


def _profiles() -> Iterator[str]:
    from parshall.scenario.profiles import table

    yield from (
        "# Profiles",
        "",
        "What `Tcp(profile=...)` fills in where a field is left out: the RFCs, Linux, or ns-2. "
        '`Tcp(profile="linux").resolved()` has the values as fields.',
        "",
        *table(),
    )


_SHARED = ("alike", "given", "from_dict", "replace", "with_")


def _common() -> Iterator[str]:
    yield from (
        "# What all scenario classes have",
        "",
        "Parts of a scenario are values: they never change, compare by what they say, and are checked when "
        "they are made. A fault is a [ScenarioError](parshall.ScenarioError.md) of a line for each mistake.",
        "",
        "```{eval-rst}",
        *(f".. automethod:: parshall.Tcp.{name}\n   :no-index:\n" for name in _SHARED),
        "```",
    )


PAGES = {
    "commands": _commands,
    "columns": _columns,
    "metrics": _metrics,
    "profiles": _profiles,
    "common": _common,
}
"""Generated pages by name."""
