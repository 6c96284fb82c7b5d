"""The classic four-drop comparison: how Tahoe, Reno, NewReno and SACK recover from 1 to 4 drops in a window.

    python examples/gallery.py docs

writes ``gallery.md`` and its figures into a folder; after Fall and Floyd, "Simulation-based Comparisons of
Tahoe, Reno, and SACK TCP" (CCR 26(3), 1996).
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Literal

import numpy as np

import parshall
from parshall import Bulk, Flow, Link, ListedLoss, Record, Recording, Scenario, Tcp
from parshall.plot import drawing, legend_of, standalone, to_svg
from parshall.recording.sequence import draw_sequence, sequence_of

Recovery = Literal["tahoe", "reno", "newreno", "sack"]

RECOVERIES: dict[Recovery, str] = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "NewReno", "sack": "SACK"}
DROPPED = (14, 24, 26, 28)
"""Packets of one window, numbered from 0; the first is always among those that are lost."""
COUNTS = {1: "One drop", 2: "Two drops", 3: "Three drops", 4: "Four drops"}
DURATION = 6.0

SHOWN = (0.5, 2.7)
"""Seconds that the pictures show: the repair."""
HIGHEST = 70
"""Packet numbers that they show."""

INTRODUCTION = f"""# Gallery: one to four drops in a window

One bulk flow crosses a link of 800 kbit/s with a round-trip time near 0.2 s and a receiver's window of 28
packets of 1000 bytes. Packets are removed from one window by number, the first time they come by, and nothing
else is lost. What differs is the recovery alone; everything else is as in ns-2 (`profile="ns2"`). The
comparison is that of Fall and Floyd ("Simulation-based Comparisons of Tahoe, Reno, and SACK TCP", CCR 26(3),
1996).

The page is made by `python examples/gallery.py docs`. A picture is one call:

    recording.flow("f").plot_sequence()

How to read it: dots are packets as they reach the bottleneck, stairs are what the sender knows to be
acknowledged, a cross is a drop, a ring a retransmission. The height between the stairs and the dots is what
is in flight; a stretch with neither dots nor steps is a wait for the timer. The pictures show {SHOWN[0]} s to
{SHOWN[1]} s, the tables all of {DURATION:g} s.
"""

EXPLAINED = {
    1: "All four notice the drop by three duplicate ACKs. Tahoe goes back to a window of one packet and "
    "slow start. The others halve the window and keep going.",
    2: "Reno leaves recovery at the first ACK of new data, and ns-2 allows one fast retransmit a window: the "
    'second drop waits for the timer. (With `fast_retransmit_guard="none"` Reno repairs it by a second fast '
    "retransmit and halves twice.) NewReno stays in recovery until everything sent before is "
    "acknowledged, one repair a round trip.",
    3: "Tahoe, which gave everything up at once, is ahead of Reno, which waits for its timer; slow start "
    "sends again packets that had arrived. SACK repairs sooner than NewReno.",
    4: "NewReno's timer restarts at the first partial ACK only (RFC 6582, section 4): with a round trip for "
    'each drop it expires before the last is repaired. (With `partial_ack_timer="every"` it does not.) SACK '
    "knows which packets are missing and does not wait.",
}


def scenario(recovery: Recovery, drops: int) -> Scenario:
    """The setting, with the first ``drops`` packets of the list removed."""
    first, *others = DROPPED
    lost = [first, *others[len(others) - drops + 1 :]]
    return Scenario(
        title=f"{COUNTS[drops]}, {RECOVERIES[recovery]}",
        duration=DURATION,
        hosts=["sender", "receiver"],
        routers=["left", "right"],
        links=[
            Link(between=("sender", "left"), rate="10 Mbit/s", delay="0.71 ms"),
            Link(
                between=("left", "right"),
                name="bottleneck",
                rate="800 kbit/s",
                delay="96.43 ms",
                loss=ListedLoss(arrivals=[number + 1 for number in lost]),
            ),
            Link(between=("right", "receiver"), rate="8 Mbit/s", delay="0.97 ms"),
        ],
        flows=[
            Flow(
                name="f",
                source="sender",
                destination="receiver",
                transport=Tcp(
                    profile="ns2",
                    recovery=recovery,
                    payload_bytes=960,
                    max_window_packets=28,
                    delayed_ack=False,
                    handshake=False,
                    initial_window_packets=1,
                    clock_tick="100 ms",
                ),
                app=Bulk(),
                start="100 ms",
            )
        ],
        record=Record(packets="bottleneck", deliveries="f"),
    )


def repaired(recording: Recording, drops: int) -> float:
    """Seconds from the first drop until the last dropped packet is acknowledged."""
    sequence = sequence_of(recording, "f")
    last = sequence.dropped.seq[drops - 1]
    return float(sequence.acked.time[np.argmax(sequence.acked.seq >= last)] - sequence.dropped.time[0])


def figure(runs: dict[Recovery, Recording], drops: int) -> str:
    with drawing(6.0, rows=2, columns=2, width=8.4, sharex=True, sharey=True) as (canvas, axes):
        for axis, (recovery, recording) in zip(axes, runs.items(), strict=True):
            draw_sequence(sequence_of(recording, "f"), axis)
            axis.set_title(RECOVERIES[recovery])
            axis.set_xlim(*SHOWN)
            axis.set_ylim(0, HIGHEST)
            axis.label_outer()
        legend_of(canvas, [axes[0]], columns=4)
        title = f"{COUNTS[drops]} in a window"
        described = "Tahoe, Reno, NewReno and SACK: packets, ACK line, drops, retransmissions over time."
        return standalone(to_svg(canvas, f"gallery-drops-{drops}", title, described))


def table(runs: dict[Recovery, Recording], drops: int) -> str:
    lines = [
        "| recovery | timeouts | fast retransmits | packets sent again | first drop to repair, s "
        f"| delivered in {DURATION:g} s |",
        "|---|---|---|---|---|---|",
    ]
    for recovery, recording in runs.items():
        flow = recording.flow("f")
        lines.append(
            f"| {RECOVERIES[recovery]} | {flow.timeouts} | {flow.fast_retransmits} "
            f"| {flow.packets_retransmitted} | {repaired(recording, drops):.2f} | {flow.packets_delivered} |"
        )
    return "\n".join(lines)


def main(folder: Path) -> None:
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    sections = [INTRODUCTION]
    for drops, title in COUNTS.items():
        runs = {recovery: parshall.run(scenario(recovery, drops)) for recovery in RECOVERIES}
        name = f"gallery-drops-{drops}.svg"
        (folder / "figures" / name).write_text(figure(runs, drops), encoding="utf-8")
        numbers = ", ".join(str(number) for number in sequence_of(runs["sack"], "f").dropped.seq)
        what = f"Lost: {'packet' if drops == 1 else 'packets'} {numbers}. {EXPLAINED[drops]}"
        told = textwrap.fill(what, 110)
        sections.append(f"## {title}\n\n{told}\n\n![{title}](figures/{name})\n\n{table(runs, drops)}\n")
    page = folder / "gallery.md"
    page.write_text("\n".join(sections), encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/gallery"))
