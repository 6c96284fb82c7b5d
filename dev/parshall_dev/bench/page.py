"""``python -m parshall_dev.bench.page`` writes what was measured into docs/performance.md, below its mark.

It reads out/bench/bench.json (``make bench``), and growth.json and instructions.json beside it, which
``parshall_dev.bench.growth`` and ``parshall_dev.bench.instructions`` write.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click

from parshall_dev.bench.instructions import FUNCTIONS
from parshall_dev.bench.peers import NAMES
from parshall_studies import study as st

MARK = "<!-- what follows is made by dev/parshall_dev/bench/page.py -->\n"


def page(report: Mapping[str, Any], growth: Mapping[str, Any], profiles: Sequence[Mapping[str, Any]]) -> str:
    """The measured part of the page, in Markdown."""
    machine = report["machine"]
    peers = ", ".join(f"{NAMES[name]} {version}" for name, version in report["peers"].items())
    names = "|".join(profile["case"] for profile in profiles)
    lines = [
        "## Where the instructions go",
        "",
        "Counted by callgrind, for each event:",
        "",
        *_table(f"|{names}", _counts(profiles)),
        "",
        "and the share of functions that are not inlined, each with what it calls, so that they nest. "
        "The rest is the loop over events, with the calendar and the crossing of ports:",
        "",
        *_table(f"function|what it does|{names}", _shares(profiles)),
        "",
        "## Measured",
        "",
        f"On {machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}, "
        f"engine {machine['engine']}, beside {peers or 'nobody'}. Medians of {report['runs']} runs in turns.",
        "",
        *_table(
            "case|what|seconds|packets/s|events/packet|ns/event|ns/packet|memory", _costs(report["cases"])
        ),
        "",
        "Memory is what the process grows by, Python and libraries not included.",
        "",
        *_table(
            "case|beside|simulated|ours|theirs|ratio|with its start|its memory", _contests(report["cases"])
        ),
        "",
        "A peer's time is its whole process less one of the same script for zero simulated seconds; the next "
        "column leaves nothing out. *Hidden*: its start varies by more than the rest takes.",
        "",
        *_notes(report),
        *many_flows(report, growth["cases"]),
        "",
        "## How cost grows",
        "",
        "![Cost of a packet and of an event against flows, hops and rate](figures/performance-growth.svg)",
        "",
        *_table("what grows|to|ns/packet|ns/event|events/packet", _growth(growth["points"])),
    ]
    return "\n".join(lines) + "\n"


def _counts(profiles: Sequence[Mapping[str, Any]]) -> Iterable[Sequence[str]]:
    rows = {
        "instructions": "instructions",
        "mispredictions": "mispredicted branches",
        "first_level_misses": "misses of the first-level data cache",
        "last_level_misses": "misses of the last-level data cache",
    }
    for key, text in rows.items():
        yield text, *(f"{profile[key]:.3g}" for profile in profiles)


def _shares(profiles: Sequence[Mapping[str, Any]]) -> Iterable[Sequence[str]]:
    for function, text in FUNCTIONS.items():
        yield f"`{function}`", text, *(f"{profile['shares'][function]:.0%}" for profile in profiles)


def _costs(cases: Sequence[Mapping[str, Any]]) -> Iterable[Sequence[str]]:
    for case in cases:
        cost = case["ours"]
        yield (
            case["name"],
            case["title"],
            f"{cost['seconds']:.3f}",
            f"{cost['packets_per_second'] / 1e6:.2f} M",
            f"{cost['events_per_packet']:.2f}",
            f"{cost['ns_per_event']:.0f}",
            f"{cost['ns_per_packet']:.0f}",
            "" if cost["growth_mb"] is None else f"{cost['growth_mb']:.1f} MB",
        )


def _contests(cases: Sequence[Mapping[str, Any]]) -> Iterable[Sequence[str]]:
    for case in cases:
        for contest in case["contests"]:
            whole = contest.get("ratio_whole_process")
            yield (
                case["name"],
                NAMES.get(contest["rival"], contest["rival"]),
                f"{contest['simulated_seconds']:g} s",
                f"{median(contest['ours']):.3f} s",
                f"{contest['seconds']:.2f} s",
                _ratio(contest["ratio"]),
                "" if whole is None else _ratio(whole),
                "" if contest["peak_mb"] is None else f"{contest['peak_mb']:.0f} MB",
            )


def _notes(report: Mapping[str, Any]) -> Iterable[str]:
    sweep = report["sweep"]
    if sweep is not None:
        yield (
            f"- P7: {sweep['runs']:,} runs take {sweep['one_thread_s']:.3f} s on one thread and "
            f"{sweep['two_threads_s']:.3f} s on two, {sweep['of_linear']:.1%} of linear; "
            f"{sweep['outside_the_engine']:.1%} of the time is spent outside the engine's threads. "
            f"The engine alone, which throws its results away, takes {sweep['engine_one_thread_s']:.3f} s "
            f"and {sweep['engine_two_threads_s']:.3f} s."
        )
    controls = report["controls"]
    if controls is not None:
        more, rates = controls["ns_a_callback_more"], controls["runs_a_second"]
        forms = "; ".join(f"{form} {more[form]:.0f} ns, {rates[form]:,.0f} runs/s" for form in more)
        yield f"- P8: AIMD in each form, a callback more than the engine's own, and a sweep: {forms}."
    for case in report["cases"]:
        if case["bytes_per_flow"] is not None:
            yield (
                f"- {case['name']}: the whole process takes {case['bytes_per_flow']:,.0f} bytes for a "
                "further flow: its scenario, its names, its recording, and its state in the engine, of which "
                "`crates/sim/tests/memory.rs` holds that it is less than a kibibyte."
            )
    for what, seconds in report["processes"].items():
        yield f"- `{what}` as a whole process: {seconds:.3f} s."
    failed = [*report["failures"], *(contest for contest in _apart(report["cases"]))]
    yield (
        "- All sides simulated the same thing, within the tolerances of `dev/parshall_dev/bench/cases.py`."
        if not failed
        else (f"- Not all went well: {'; '.join(failed)}.")
    )


def many_flows(report: Mapping[str, Any], engine: Mapping[str, Any]) -> Iterable[str]:
    """Cost of a packet of P4 beside one of P2: with everything, and in the engine alone."""
    whole = {case["name"]: case["ours"]["ns_per_packet"] for case in report["cases"]}
    alone = {name: point["ns_per_packet"] for name, point in engine.items()}
    if {"P2", "P4"} <= whole.keys() & alone.keys():
        yield (
            f"- A packet of P4 costs {whole['P4'] / whole['P2']:.2f} times one of P2 from the scenario to "
            f"the recording, and {alone['P4'] / alone['P2']:.2f} times in the engine alone "
            f"({alone['P4']:.0f} and {alone['P2']:.0f} ns, least of three runs): the rest is to read and "
            "check 100,000 flows, and memory that a fresh process touches for the first time."
        )


def _apart(cases: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    for case in cases:
        for contest in case["contests"]:
            if not contest["passed"]:
                yield f"{case['name']} and {contest['rival']} differ"


def _growth(points: Sequence[Mapping[str, Any]]) -> Iterable[Sequence[str]]:
    for point in points:
        value = f"{point['value'] / 1e9:g} Gbit/s" if point["along"] == "rate" else f"{point['value']:,.0f}"
        yield (
            point["along"],
            value,
            f"{point['ns_per_packet']:.0f}",
            f"{point['ns_per_event']:.0f}",
            f"{point['events_per_packet']:.2f}",
        )


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return "hidden"
    return f"{ratio:.1f}x" if ratio < 100 else f"{ratio:.0f}x"


def _table(headers: str, rows: Iterable[Sequence[str]]) -> Iterable[str]:
    heads = [st.Column(name, "text") for name in headers.split("|")]
    return st.markdown(st.Table("", heads, [tuple(row) for row in rows]))


@click.command()
@click.option("--bench", "bench_path", default="out/bench/bench.json", show_default=True, metavar="FILE")
@click.option("--growth", "growth_path", default="out/bench/growth.json", show_default=True, metavar="FILE")
@click.option(
    "--profile", "profile_path", default="out/bench/instructions.json", show_default=True, metavar="FILE"
)
@click.option("--page", "page_path", default="docs/performance.md", show_default=True, metavar="FILE")
def write(bench_path: str, growth_path: str, profile_path: str, page_path: str) -> None:
    """Write the measured part of the page on performance."""
    report = json.loads(Path(bench_path).read_text(encoding="utf-8"))
    growth = json.loads(Path(growth_path).read_text(encoding="utf-8"))
    profiles = json.loads(Path(profile_path).read_text(encoding="utf-8"))
    path = Path(page_path)
    kept, mark, _ = path.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise click.ClickException(f"{page_path}: no line {MARK.strip()!r}")
    path.write_text(kept + mark + "\n" + page(report, growth, profiles), encoding="utf-8")


if __name__ == "__main__":
    write()
