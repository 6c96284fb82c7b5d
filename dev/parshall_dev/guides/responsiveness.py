"""Writes what the study responsiveness found into docs/guide/responsiveness.md, and draws where the share's
estimator fails: python -m parshall_dev.guides.responsiveness FOLDER.

FOLDER is what ``parshall reproduce responsiveness`` has written. What is drawn are scenarios to design on:
those to judge on are not looked at one by one.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import parshall
from parshall.estimators import Responsiveness
from parshall.plot import GRID, INK, SERIES, drawing, legend_of, standalone, to_svg
from parshall_dev.checkout import ROOT
from parshall_dev.guides.long_memory import put
from parshall_studies import study as st
from parshall_studies.responsiveness import attacks, drawn, held_out
from parshall_studies.responsiveness.shown import SHOWN

PAGE = ROOT / "docs/guide/responsiveness.md"
FIGURE = ROOT / "docs/figures/responsiveness-failures.svg"
MARKS = {
    "drawn": "scenarios to judge on",
    "drawn-responsive": "the same by what responds",
    "drawn-aggregate": "without keys",
    "sampled": "samples of flows",
    "attacks": "attacks",
}
FAILURES = {
    "BBR behind PIE": 204,
    "On and off behind FQ-CoDel": 72,
    "Rate control over UDP (IIAD)": 104,
    "IIAD and SQRT, RTT of 0.24 s": 99,
    "On and off behind drop-tail": 95,
}
"""Titles, and numbers of scenarios."""
BENCH = st.Workbench(seeds=(1,))


def lines(table):
    """A table of the report as one of the page."""
    yield f"| {' | '.join(head.label for head in table.heads)} |"
    yield "|---" * len(table.heads) + "|"
    for row in table.rows:
        yield f"| {' | '.join('' if cell is None else str(cell) for cell in row)} |"


def runs(title):
    """A scenario, and its runs without and with a dither."""
    scenario = next(each for each in drawn.design_set() if each.number == FAILURES[title])
    deaf = held_out.deaf_flows(BENCH, {scenario.name: scenario})[scenario.name]
    return scenario, [
        parshall.run(held_out.watched(scenario, dither, deaf), 1) for dither in ("none", "part")
    ]


def failures(found):
    """Table of the estimates, without and with a dither."""
    heads = ("true share", "read", "unknown, %", "wrong though told, %")
    yield f"| | {' | '.join([*heads, *(f'with a dither: {head}' for head in heads)])} |"
    yield "|---" * (2 * len(heads) + 1) + "|"
    for title, (scenario, both) in found.items():
        cells = []
        for run in both:
            read = held_out.scored(scenario, run)
            part = 100 / read["intervals"]
            cells += [f"{read['share_by_response']:.2f}", f"{read['estimate']:.2f}"]
            cells += [f"{100 - part * read['clear']:.0f}", f"{part * read['wrong']:.0f}"]
        yield f"| {title} | {' | '.join(cells)} |"


def course(run):
    """Estimates over time, and the shares that do not respond."""
    seen = run.columns("responsiveness")
    truth = seen["packets_deaf"] / np.maximum(seen["packets"], 1)
    return seen["time"], seen["share"], seen["share_lower"], seen["share_upper"], truth


def imitator():
    """Estimates of a sender that catches up after a pause of 50 ms."""
    times, keys, dropped, hostile = attacks.stream(attacks.ATTACKS["short-pause"], 1)
    found = Responsiveness().run(time=times, flow=keys, signalled=dropped)
    ends = np.append(0.0, found.time)
    truth = np.histogram(times[hostile], ends)[0] / np.histogram(times, ends)[0]
    return found.time, found.share, found.share_lower, found.share_upper, truth


def draw(found):
    """A panel for each failure."""
    shown = {title: course(plain) for title, (_, (plain, _)) in found.items()}
    shown["Pauses 50 ms, then catches up"] = imitator()
    with drawing(6.6, rows=3, columns=2, width=7.4, sharey=True) as (canvas, axes):
        for axis, (title, seen) in zip(axes, shown.items(), strict=True):
            panel(axis, title, *seen)
        for axis in axes[::2]:
            axis.set_ylabel("share")
        for axis in axes[-2:]:
            axis.set_xlabel("time (s)")
        legend_of(canvas, axes[:1], columns=4)
        title = "Where the estimate fails"
        description = (
            "Share of the packets that does not respond over time: the truth by response, the estimate with "
            "its bounds, and intervals in which it is unknown."
        )
        FIGURE.write_text(standalone(to_svg(canvas, "failures", title, description)))


def panel(axis, title, time, share, lower, upper, truth):
    """One of them."""
    step = np.median(np.diff(time))
    for place, at in enumerate(time[np.isnan(share)]):
        axis.axvspan(at - step, at, color=GRID, linewidth=0, label="unknown" if place == 0 else None)
    axis.plot(time, truth, color=INK, label="truth")
    axis.plot(time, share, color=SERIES[0], label="estimate")
    axis.fill_between(time, lower, upper, color=SERIES[0], alpha=0.25, linewidth=0, label="its bounds")
    axis.set(title=title, ylim=(-0.03, 1.03), xlim=(0, time[-1]))


def main(folder):
    """Writes page and figure."""
    results = st.Results({file.stem: pq.read_table(file) for file in Path(folder).glob("*.parquet")})
    for table in (shown.made(results, None) for shown in SHOWN):
        if table.id in MARKS:
            PAGE.write_text(put(PAGE.read_text(), MARKS[table.id], lines(table)))
    found = {title: runs(title) for title in FAILURES}
    shown_there = [f"![Where the estimate fails](../figures/{FIGURE.name})", "", *failures(found)]
    PAGE.write_text(put(PAGE.read_text(), "failures", shown_there))
    draw(found)


if __name__ == "__main__":
    main(sys.argv[1])
