"""The table of runs in regimes: how near each comes to Linux, and why not where that is known."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from parshall_dev.validate.regimes.judging import Judged, Point, Sum
from parshall_studies import study as st

__all__ = ["page"]

_HEADS = ("run", "windows", "farthest off: Linux", "ours", "lost: Linux", "ours", "sent again: Linux", "ours")


def page(found: Iterable[Judged]) -> Iterator[str]:
    """As Markdown, line by line: the table, how many agree, and the reasons of those that do not."""
    runs = list(found)
    rows = [_row(each) for each in runs]
    yield from ("# Regimes beside Linux", "")
    yield from st.markdown(st.Table("runs", [st.Column(head, "text") for head in (*_HEADS, "differs")], rows))
    agree = sum(not each.differs for each in runs)
    windows = sum(point.agrees for each in runs for point in each.points)
    yield ""
    yield (
        f"{agree} of {len(runs)} runs agree in all that is compared, and {windows} of"
        f" {sum(len(each.points) for each in runs)} windows."
    )
    differing = [each for each in runs if each.differs]
    yield from _reasons(differing)


def _row(each: Judged) -> tuple[str, ...]:
    near = sum(point.agrees for point in each.points)
    windows = f"{near} of {len(each.points)}"
    where, linux, ours = _shown(each)
    sums = [cell for total in (each.lost, each.again) for cell in _sum(total)]
    return (each.asked.name, windows, f"{linux}, {where}", ours, *sums, ", ".join(each.differs))


def _shown(each: Judged) -> tuple[str, str, str]:
    point: Point = each.worst
    linux = (
        f"{point.low:.0f}"
        if round(point.low) == round(point.high)
        else f"{point.low:.0f} to {point.high:.0f}"
    )
    where = point.where if len(each.asked.flows) == 1 else f"{point.where}, flow {point.flow}"
    return where, linux, f"{point.ours:.0f}"


def _sum(total: Sum) -> tuple[str, str]:
    return ", ".join(str(each) for each in total.linux), str(total.ours)


def _reasons(differing: Iterable[Judged]) -> Iterator[str]:
    """Known reasons of the runs that differ, a paragraph each, and the runs without one."""
    runs = list(differing)
    left = {each.asked.name: each.differs for each in runs}
    shown = {each.asked.name: _named(each) for each in runs}
    known = tomllib.loads(files(__package__).joinpath("known.toml").read_text(encoding="utf-8"))
    for reason in known["reason"]:
        names = [name for name, parts in left.items() if _explains(reason, name, parts)]
        if names:
            yield from ("", f"- {reason['why']} ({', '.join(shown[name] for name in names)})")
            for name in names:
                left[name] = tuple(part for part in left[name] if part not in reason["parts"])
    unexplained = [f"`{name}` ({', '.join(parts)})" for name, parts in left.items() if parts]
    if unexplained:
        yield from ("", f"- Not explained: {', '.join(unexplained)}.")


def _named(each: Judged) -> str:
    """A run that differs, and how many of its windows are possible."""
    drawn = "" if each.possible is None else f", {each.possible} of {len(each.points)}"
    return f"`{each.asked.name}`{drawn}"


def _explains(reason: Mapping[str, Any], name: str, parts: Iterable[str]) -> bool:
    named = any(fnmatchcase(name, pattern) for pattern in reason["runs"])
    return named and any(part in reason["parts"] for part in parts)
