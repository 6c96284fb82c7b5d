"""Completion in the shell: files, folders, studies, flows and ports of a recording, and paths for ``--set``.

Click completes commands and options by itself. Its script for bash is replaced by one that falls back to the
names of files, and puts no blank behind a path that goes on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

__all__ = ["Bash", "changes", "files", "flows", "folders", "ports", "studies"]

_UNFINISHED = ("=", ".", "]")
_SPECIAL = re.compile(r"[\s<>&|;()$`'\"\\]")
"""Signs that bash takes for its own."""
_MOST = 500
"""Names that are offered at most."""


class Bash(BashComplete):
    """Completion in bash, with names of files where nothing else is known."""

    name = "bash"
    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion type value
    response=$(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD %(complete_var)s=bash_complete $1)
    COMPREPLY=()
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        case $type in
        dir) compopt -o dirnames ;;
        file) compopt -o default ;;
        more) compopt -o nospace; COMPREPLY+=("$value") ;;
        plain) COMPREPLY+=("$value") ;;
        esac
    done
}

complete -o nosort -o default -F %(complete_func)s %(prog_name)s
"""

    def format_completion(self, item: CompletionItem) -> str:
        """Kind and text of a completion; ``more`` is one that goes on, behind which stands no blank."""
        kind = "more" if item.type == "plain" and item.value.endswith(_UNFINISHED) else item.type
        text = _SPECIAL.sub(r"\\\g<0>", item.value) if kind in ("more", "plain") else item.value
        return f"{kind},{text}"


add_completion_class(Bash)


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of files and folders."""
    del ctx, param
    return [CompletionItem(incomplete, type="file")]


def folders(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of folders."""
    del ctx, param
    return [CompletionItem(incomplete, type="dir")]


def studies(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of installed studies, which are not loaded for it."""
    from importlib.metadata import entry_points

    del ctx, param
    return sorted(
        each.name for each in entry_points(group="parshall.studies") if each.name.startswith(incomplete)
    )


def flows(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Flows of the recording that the command line names before."""
    del param
    return _starting(incomplete, _recorded(ctx, "flows"))


def ports(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Named links and ports of the recording that the command line names before."""
    del param
    return _starting(incomplete, _recorded(ctx, "ports"))


def changes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Paths into the scenario that the command line names before, one step at a time."""
    del param
    if "=" in incomplete or not (file := _named(ctx, "file", "sides")):
        return []
    try:
        return _starting(incomplete, _steps(file, incomplete))
    except Exception:  # a file that is wrong completes nothing, and is told of when it is run
        return []


def _starting(incomplete: str, names: Iterator[str]) -> list[str]:
    found = dict.fromkeys(name for name in names if name.startswith(incomplete))
    return list(found)[:_MOST]


def _named(ctx: click.Context, *arguments: str) -> str:
    """The value on the command line of the first of these arguments; where an option has no value yet, Click
    leaves that among what it could not read.
    """
    own = (ctx.params.get(name) for name in arguments)
    given = (each[0] if isinstance(each, tuple) and each else each for each in own)
    return str(next((each for each in (*given, *ctx.args) if each), ""))


def _recorded(ctx: click.Context, what: str) -> Iterator[str]:
    """Names out of the scenario beside a recording, read without checking it."""
    try:
        scenario = json.loads((Path(_named(ctx, "folder")) / "scenario.json").read_text(encoding="utf-8"))
        if what == "flows":
            yield from (flow["name"] for flow in scenario["flows"])
            return
        yield from (link["name"] for link in scenario["links"] if "name" in link)
        for link in scenario["links"]:
            a, b = link["between"]
            yield from (f"{a}->{b}", f"{b}->{a}")
    except (OSError, ValueError, KeyError, TypeError):
        return


def _steps(file: str, incomplete: str) -> Iterator[str]:
    """Candidates for the last, unfinished step of a path."""
    from parshall.scenario.base import Part
    from parshall.scenario.parts import Tcp
    from parshall.scenario.paths import names_of, parse

    if incomplete.endswith("]"):
        before = incomplete
    elif (open := incomplete.rfind("[")) > incomplete.rfind("]"):
        before = incomplete[:open]
    else:
        before = incomplete[: max(incomplete.rfind("."), 0)]
    model = _model(file)
    for whole in dict.fromkeys((model, model.scenario())):
        place: Any = whole
        for step in parse(before) if before else ():
            item = step.startswith("[")
            place = _picked(place, step[1:-1]) if item else getattr(place, step, None)
        if isinstance(place, Part):
            dot = "." if before else ""
            yield from (
                f"{before}{dot}{_with_sign(name, place)}"
                for name in type(place).model_fields
                if name != "kind"
            )
        elif isinstance(place, tuple):
            # The first of an item's names; a link that has none is called by its ends.
            names = [(names_of(item) or [str(index)])[0] for index, item in enumerate(place)]
            yield from (f"{before}[{name}]" for name in ("*", *names))
    if not before:
        yield from (f"{name}=" for name in Tcp.model_fields if name != "kind")


def _model(file: str) -> Any:
    """The scenario in a file. Code of one's own is not run: nobody wants that when pressing a key."""
    from parshall.scenario.files import parsed
    from parshall.scenario.toml import model_of

    place = Path(file)
    tables = parsed(place.read_text(encoding="utf-8"), file)
    return model_of(tables, place.parent, find=lambda _part, source, *_: ("python", source, "unread"))


def _picked(items: Any, key: str) -> Any:
    from parshall.scenario.paths import picks

    listed = items if isinstance(items, tuple) else ()
    return next((item for index, item in enumerate(listed) if picks(key, index, item)), None)


def _with_sign(name: str, model: Any) -> str:
    """A field with what comes behind it: a step into a table or list, or the value."""
    from parshall.scenario.base import Part

    value = getattr(model, name)
    if isinstance(value, tuple) and value and not isinstance(value[0], int | float):
        return f"{name}["
    return f"{name}." if isinstance(value, Part) else f"{name}="
