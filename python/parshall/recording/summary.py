"""A recording in a few lines for the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.table import Table

from parshall.recording.counters import LOST, cell
from parshall.recording.fairness import compared_flows, fairness
from parshall.support.console import PlainConsole
from parshall.units import format_duration, format_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.recording.recording import Recording
    from parshall.recording.views import FlowView, PortView

__all__ = ["fairness_note", "figure_table", "print_summary"]

_MOST_ROWS = 16


def print_summary(recording: Recording, console: PlainConsole | None = None) -> None:
    """Prints the flows and the ports that matter."""
    console = console or PlainConsole()
    scenario = recording.scenario
    title = f"{scenario.title}: " if scenario.title else ""
    seconds = format_duration(scenario.duration)
    console.say(f"{title}{seconds}, seed {recording.seed}, scenario {scenario.hash[:12]}")
    console.show(_flows([recording.flow(name) for name in recording.flows[:_MOST_ROWS]]))
    _more(console, len(recording.flows), "flows")
    if len(recording.flows) > 1:
        console.say(_together(recording))
    ports = _notable(recording)
    if ports:
        console.show(_ports(ports[:_MOST_ROWS], recording))
        _more(console, len(ports), "ports")


def _together(recording: Recording) -> str:
    """Totals of all flows: goodput, how evenly it is shared, and when the last transfer was complete."""
    counters = recording.columns("flows")
    delivered = [cell(counters, "bytes_delivered", row) for row in range(len(recording.flows))]
    said = f"all {len(delivered):,} flows: goodput {_rate(8 * sum(delivered) / recording.counted_seconds)}"
    compared = compared_flows(recording.scenario)
    index = fairness(delivered, compared)
    if len(compared) > 1 and not math.isnan(index):
        said += f", fairness {index:.3f} ({fairness_note(len(compared), len(delivered))})"
    return f"{said}{_completion(recording)}"


def fairness_note(compared: int, flows: int) -> str:
    """Says which flows the index of fairness compares."""
    return "Jain" if compared == flows else f"Jain, of the {compared:,} bulk TCP flows"


def _completion(recording: Recording) -> str:
    finite = [place for place, flow in enumerate(recording.scenario.flows) if flow.app.kind == "transfer"]
    if not finite:
        return ""
    counters = recording.columns("flows")
    ends = [cell(counters, "completed_at", row) for row in finite]
    done = [end for end in ends if not math.isnan(end)]
    last = f", the last at {max(done):.4g} s" if done else ""
    return f", {len(done):,} of {len(finite):,} transfers complete{last}"


def _flows(flows: Sequence[FlowView]) -> Table:
    table = figure_table("flow", "sent", "delivered", "goodput", "dropped", "retransmitted", "timeouts")
    for flow in flows:
        counts = (flow.packets_dropped, flow.packets_retransmitted, flow.timeouts)
        table.add_row(
            flow.name,
            f"{flow.packets_sent:,}",
            f"{flow.packets_delivered:,}",
            _rate(flow.goodput),
            *(f"{count:,}" for count in counts),
        )
    return table


def _ports(ports: Sequence[PortView], recording: Recording) -> Table:
    marks = any(port.packets_marked for port in ports)  # a column that few scenarios need
    counted = ("arrived", "dropped", *(("marked",) if marks else ()), "lost")
    table = figure_table("port", "rate", "used", *counted, "delay", "most held")
    directions = dict(zip(recording.ports, recording.scenario.ports, strict=True))
    for port in ports:
        way = directions[port.name]
        table.add_row(
            port.name if port.name == way else f"{port.name} ({way})",
            _rate(port.rate),
            f"{port.utilization:.1%}",
            *(f"{getattr(port, f'packets_{what}'):,}" for what in counted),
            _delay(port.mean_delay),
            f"{port.max_backlog_packets:,}",
        )
    return table


def _notable(recording: Recording) -> list[PortView]:
    """Ports of named links and ports that lost or marked packets; the others only pass packets on."""
    named = set(recording.scenario.named_ports)
    counters = recording.columns("ports")
    return [
        recording.port(name)
        for index, name in enumerate(recording.ports)
        if name in named or any(cell(counters, what, index) for what in LOST)
    ]


def figure_table(first: str, *others: str) -> Table:
    """A table whose first column names things and whose others are figures."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, no_wrap=True)
    for header in others:
        table.add_column(header, justify="right", no_wrap=True)
    return table


def _delay(delay: float) -> str:
    """In milliseconds; a dash where no packet had one."""
    return "-" if math.isnan(delay) else f"{delay * 1e3:.2f} ms"


def _rate(rate: float) -> str:
    """A rate to four digits."""
    return format_rate(float(f"{rate:.4g}"))


def _more(console: PlainConsole, count: int, what: str) -> None:
    if count > _MOST_ROWS:
        console.say(f"... and {count - _MOST_ROWS} more {what}")
