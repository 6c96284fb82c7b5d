"""The report as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from parshall.recording.summary import figure_table
from parshall_dev.bench.peers import NAMES

__all__ = ["show"]


def show(report: Mapping[str, Any], console: Console) -> None:
    """Prints costs, contests, the sweep, starts, and whatever was missing or did not agree."""
    console.print(_costs(report["cases"]))
    contests = [(case["name"], contest) for case in report["cases"] for contest in case["contests"]]
    if contests:
        console.print(_contests(contests))
    if report["sweep"] is not None:
        console.print(_sweep(report["sweep"]))
    if report["controls"] is not None:
        console.print(_controls(report["controls"]))
    if report.get("parts"):
        console.print(_parts(report["parts"]))
    if report["processes"]:
        console.print(_processes(report["processes"]))
    for line in _notes(report, contests):
        console.print(line, highlight=False, soft_wrap=True)


def _costs(cases: Sequence[Mapping[str, Any]]) -> Table:
    table = figure_table("case", "packets", "seconds", "packets/s", "events/packet", "ns/event", "ns/packet")
    for header in ("grows by", "process"):
        table.add_column(header, justify="right")
    table.add_column("what it is")
    for case in cases:
        cost = case["ours"]
        if cost is None:
            continue
        table.add_row(
            case["name"],
            f"{cost['packets']:,.0f}",
            _seconds(cost["seconds"]),
            f"{cost['packets_per_second']:,.0f}",
            f"{cost['events_per_packet']:.2f}",
            f"{cost['ns_per_event']:.0f}",
            f"{cost['ns_per_packet']:.0f}",
            _mb(cost["growth_mb"]),
            _mb(cost["peak_mb"]),
            case["title"],
        )
    return table


def _contests(contests: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    table = figure_table(
        "case", "beside", "simulated", "ours", "theirs", "ratio", "with its start", "memory", "same"
    )
    for name, contest in contests:
        whole = contest.get("ratio_whole_process")
        table.add_row(
            name,
            NAMES.get(contest["rival"], contest["rival"]),
            f"{contest['simulated_seconds']:g} s",
            _seconds(_median(contest["ours"])),
            _seconds(contest["seconds"]),
            _ratio(contest["ratio"]),
            "" if whole is None else _ratio(whole),
            _mb(contest["peak_mb"]),
            "yes" if contest["passed"] else "NO",
        )
    return table


def _sweep(sweep: Mapping[str, Any]) -> Table:
    table = figure_table("sweep", "runs", "1 thread", "2 threads", "of linear", "outside the engine")
    table.add_row(
        "P7",
        f"{sweep['runs']:,}",
        _seconds(sweep["one_thread_s"]),
        _seconds(sweep["two_threads_s"]),
        f"{sweep['of_linear']:.1%}",
        f"{sweep['outside_the_engine']:.1%}",
    )
    return table


def _controls(controls: Mapping[str, Mapping[str, float]]) -> Table:
    table = figure_table("P8: a control in", "ns a callback more", "short runs/s")
    for form, more in controls["ns_a_callback_more"].items():
        table.add_row(form, f"{more:.0f}", f"{controls['runs_a_second'][form]:,.0f}")
    return table


def _parts(parts: Mapping[str, Mapping[str, float]]) -> Table:
    table = figure_table("P10: ns a call more", "python", "numba", "c")
    for kind, more in parts.items():
        table.add_row(kind, *(f"{more[form]:.0f}" for form in ("python", "numba", "c")))
    return table


def _processes(processes: Mapping[str, float]) -> Table:
    table = figure_table("whole process", "seconds")
    for what, seconds in processes.items():
        table.add_row(what, _seconds(seconds))
    return table


def _notes(report: Mapping[str, Any], contests: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    machine = report["machine"]
    lines = [f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"]
    lines += [f"{NAMES[name]} {version}" for name, version in report["peers"].items()]
    lines += [f"missing: {what}" for what in report["missing"]]
    for case in report["cases"]:
        if case["bytes_per_flow"] is not None:
            lines.append(
                f"{case['name']}: {case['bytes_per_flow']:,.0f} bytes for each further flow, "
                f"{case['packets_in_flight']:,} packets in flight"
            )
    for name, contest in contests:
        for check in contest["checks"]:
            if not check["passed"]:
                lines.append(
                    f"{name}, {NAMES.get(contest['rival'], contest['rival'])}: {check['what']} differs by "
                    f"{check['difference']:+.1%}, allowed {check['allowed']:.1%} "
                    f"({check['ours']:,.0f} here, {check['theirs']:,.0f} there)"
                )
    return [*lines, *(f"failed: {failure}" for failure in report["failures"])]


def _median(values: Sequence[float]) -> float:
    from statistics import median

    return median(values)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds < 10 else f"{seconds:.1f} s"


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return "hidden"
    return f"{ratio:.1f}x" if ratio < 100 else f"{ratio:.0f}x"


def _mb(size: float | None) -> str:
    return "-" if size is None else f"{size:.1f} MB"
