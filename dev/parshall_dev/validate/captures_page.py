"""The page of ``parshall validate captures``: precision and recall by kind and point, beside other tools."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from parshall_dev.validate.captures import KINDS, Judged

__all__ = ["page"]

_HEAD = """# Captures of real Linux TCP

Written by `parshall validate captures`. {count} scenarios of Linux 6.18 over an emulated network whose
log says what happened to every packet, captured at the sender, in the middle and at the receiver. They
were split before the analysis was written: it was designed on one part and judged on the other, which is
of other kinds.

The first run on the other part, before anything was changed for it, had at sender and middle a recall of
retransmissions of 0.996 and 0.997 at a precision of 1; of needless ones 0.74 and 0.77 at a precision of
1; of tail probes 4 and 3 of 5. At the receiver precision was 0.97, because 10 late packets were called
retransmissions, and 0.93 of needless ones. Three kinds of faults were then mended: the order of packets
among several late ones, what is needless without SACK, and silence told by the clock of pure ACKs. The
numbers below are those of after that.

**precision** is the share of what `parshall capture` says that is true, **recall** the share of the
truth that it says. At the receiver a lost first copy was never seen, and nobody can tell a SYN sent
again from a first one.
"""

_TAIL = """What is left in the tail: while holes are open Linux takes samples from SACK blocks, too,
and a burst of ACKs within a millisecond, as behind an outage, changes its RTO faster than the two clocks
can be laid upon each other."""


def page(
    judged: Mapping[str, tuple[Sequence[str], Mapping[str, Judged]]], tools: Path | None
) -> Iterator[str]:
    """The page, line by line. ``judged`` has for each part its scenarios and what was found, by point."""
    yield _HEAD.format(count=sum(len(names) for names, _ in judged.values()))
    for part, (names, points) in judged.items():
        yield f"## {part}"
        yield ""
        yield f"{', '.join(names)}."
        yield ""
        yield from _kinds(points)
        yield from _rtts(points)
        if tools is not None:
            yield from _others(points, names, tools)


def _kinds(points: Mapping[str, Judged]) -> Iterator[str]:
    yield "| | " + " | ".join(f"{point}: truth | found | precision | recall" for point in points) + " |"
    yield "| --- |" + " ---: |" * 4 * len(points)
    for kind in KINDS:
        if not any(judged.truth[kind] or judged.found[kind] for judged in points.values()):
            continue
        cells = []
        for judged in points.values():
            cells += [str(judged.truth[kind]), str(judged.found[kind])]
            cells += [_share(judged.precision(kind)), _share(judged.recall(kind))]
        yield f"| {kind} | {' | '.join(cells)} |"
    yield ""


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.3f}"


def _rtts(points: Mapping[str, Judged]) -> Iterator[str]:
    yield "Round trips by data and ACK, of directions with 50 samples and 1 ms or more:"
    yield ""
    yield "| | directions | median within 5 % | p95 within 5 % | largest error of the median | of p95 |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for point, judged in points.items():
        if not judged.median_errors:
            continue
        median, high = np.array(judged.median_errors), np.array(judged.p95_errors)
        yield (
            f"| {point} | {len(median)} | {np.sum(median <= 0.05)} | {np.sum(high <= 0.05)} "
            f"| {100 * median.max():.1f} % | {100 * high.max():.1f} % |"
        )
    yield ""
    for judged in points.values():
        if errors := judged.rto_errors:
            yield (
                f"`LinuxRto` on the samples at the sender against the kernel's own RTO at each of "
                f"{len(errors):,} ACKs: off by {100 * np.median(errors):.1f} % in the median, by up to "
                f"{100 * np.quantile(errors, 0.9):.1f} % at 90 % of them, and "
                f"{100 * np.quantile(errors, 0.95):.1f} % at 95 %. {_TAIL}"
            )
            yield ""


def _with_version(tool: str, folder: Path) -> str:
    """A tool with the version that the folder's README names behind it, where it does."""
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    found = re.search(rf"\b{tool} (\d+(?:\.\d+)+)", text)
    return f"{tool} {found[1]}" if found else tool


def _others(points: Mapping[str, Judged], names: Sequence[str], file: Path) -> Iterator[str]:
    """Results of tshark, tcptrace and pping on the captures."""
    sums: dict[str, Counter[str]] = {point: Counter() for point in points}
    with file.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["name"] in names and row["point"] in sums:
                _count(row, sums[row["point"]])
    tshark, tcptrace, pping = (_with_version(name, file.parent) for name in ("tshark", "tcptrace", "pping"))
    yield f"{tshark}, {tcptrace} and {pping} on the same captures, flows of TCP alone:"
    yield ""
    yield (
        f"| | {tshark}: retransmissions, precision, recall | `fast` (truth) | `spurious` (needless) "
        f"| {tcptrace}: again, out of order | p95 off by over 5 %: {tshark}, {pping}, of |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for point, at in sums.items():
        precision = at["W_tp"] / max(1, at["W_tp"] + at["W_fp"])
        recall = at["W_tp"] / max(1, at["W_tp"] + at["W_fn"])
        yield (
            f"| {point} | {at['W_retx']}, {precision:.3f}, {recall:.3f} | {at['W_fast']} ({at['T_fast']}) "
            f"| {at['W_spurious']} ({at['T_needless']}) | {at['C_rexmt']}, {at['C_ooo']} "
            f"| {at['tshark off']}, {at['pping off']}, {at['flows']} |"
        )
    yield ""


def _count(row: Mapping[str, str], to: Counter[str]) -> None:
    columns = [
        "W_tp",
        "W_fp",
        "W_fn",
        "W_retx",
        "W_fast",
        "W_spurious",
        "T_fast",
        "T_needless",
        "C_rexmt",
        "C_ooo",
    ]
    to.update({name: int(float(row[name])) for name in columns if row[name]})
    if not row["T_rtt_p95"] or float(row["T_rtt_n"]) < 50 or float(row["T_rtt_p50"]) < 1000:
        return
    to["flows"] += 1
    for column, name in (("W_rtt_p95", "tshark off"), ("P_p95", "pping off")):
        if row[column] and abs(float(row[column]) / float(row["T_rtt_p95"]) - 1) > 0.05:
            to[name] += 1
