"""Verdicts on scenarios as lines of text: 'exact', or where two runs part, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from parshall_dev.validate.compare import Divergence, Pair
from parshall_dev.validate.compared import Compared
from parshall_dev.validate.events import Event
from parshall_studies.study.rules import Verdict

__all__ = ["described", "summary"]

_WIDTH = 38


def described(compared: Compared, width: int) -> Iterator[str]:
    """The lines of one scenario; names are padded to ``width``."""
    if compared.fault is not None:
        yield f"{compared.name:<{width}}  cannot be compared"
    elif compared.state is not None:
        state = compared.state
        yield f"{compared.name:<{width}}  parts from ns-2 in its state at {state.time_s:.9f} s"
        yield f"    {state.what} at port {state.place}: ns-2 {state.reference}, ours {state.ours}"
    elif compared.divergence is None:
        yield f"{compared.name:<{width}}  exact  {compared.rows:>7} events"
    else:
        yield f"{compared.name:<{width}}  parts from ns-2 at {compared.divergence.time_s:.9f} s"
        yield from _explained(compared.divergence)


def summary(scenarios: Sequence[Compared]) -> str:
    """One line about all of them."""
    count = Counter(each.verdict for each in scenarios)
    exact, parted, faults = count[Verdict.HOLDS], count[Verdict.FAILS], count[Verdict.OPEN]
    parts = [f"{exact} of {len(scenarios)} exact"]
    if parted:
        parts.append(f"{parted} part{'s' if parted == 1 else ''} from ns-2")
    if faults:
        parts.append(f"{faults} cannot be compared")
    rows = sum(each.rows for each in scenarios)
    return f"{', '.join(parts)}; {rows} events"


def _explained(divergence: Divergence) -> Iterator[str]:
    event = divergence.event
    what = f"{_WHAT[event.event]} of {event.kind} of flow {event.flow} at {_where(event)}"
    yield f"    event {divergence.index + 1} of this kind: {what}"
    yield f"        ns-2: {_stated(divergence.reference)}"
    yield f"        ours: {_stated(divergence.ours)}"
    yield f"    {'time (s)':>14}    {'ns-2':<{_WIDTH}}  ours"
    for pair in divergence.context:
        yield f"  {' ' if pair.same else '>'} {pair.time_s:>14.9f}    {_line(pair)}".rstrip()


_WHAT = {"+": "arrival", "-": "start of transmission", "d": "drop", "r": "reception"}


def _where(event: Event) -> str:
    return "its host" if event.place == "host" else f"port {event.place}"


def _stated(event: Event | None) -> str:
    if event is None:
        return "no more of them"
    note = f", {event.note}" if event.note else ""
    code_point = f", code point {event.code_point}" if event.code_point else ""
    return f"{event.time_s:.9f} s, number {event.seq}, {event.size_bytes} bytes{code_point}{note}"


def _line(pair: Pair) -> str:
    return f"{_cell(pair.reference):<{_WIDTH}}  {_cell(pair.ours)}"


def _cell(event: Event | None) -> str:
    if event is None:
        return ""
    code_point = f" cp {event.code_point}" if event.code_point else ""
    packet = f"{event.kind:<4} flow {event.flow} #{event.seq:<6} {event.size_bytes} B{code_point}"
    return f"{event.place:<4} {event.event} {packet} {event.note}".rstrip()
