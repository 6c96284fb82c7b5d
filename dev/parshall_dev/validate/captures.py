"""Captures of real Linux TCP whose truth is known frame by frame: what ``parshall capture`` says, against it.

The scenarios were split before the analysis was written: it was designed on some and judged on the others,
which are of other kinds.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from parshall.capture import Capture
from parshall.capture.replay import path_rtts
from parshall.errors import InputError
from parshall.estimators import LinuxRto

__all__ = ["DESIGN", "JUDGE", "KINDS", "POINTS", "Judged", "judge", "scenarios"]

DESIGN = (
    "reno_clean",
    "cubic_droptail",
    "cubic_nots",
    "rto_blackout",
    "spurious_rto",
    "dup",
    "tlp",
    "zero_window",
    "short_flows",
    "ipv6_loss",
    "udp_mix",
    "ack_loss",
    "any_router",
    "quic_spin",
    "bidir",
)
JUDGE = (
    "bbr_smallbuf",
    "reno_nosack",
    "reno_neither",
    "reorder",
    "keepalive",
    "ecn_cubic",
    "tso_sender",
    "rr_jitter",
    "app_limited",
    "fragments",
    "old_stack",
    "iperf3",
    "share_10",
    "share_50",
)
POINTS = {"snd": "A", "mid": "M", "rcv": "B"}
KINDS = ("retransmission", "fast", "rto", "rto_next", "tlp", "syn", "synack", "needless", "copy", "late")

_LEAST_SAMPLES = 50
_LEAST_RTT_US = 1000
"""Round trips of less are a host's own time to answer, which capturing changes."""


@dataclass
class Judged:
    """Counts at one point, over scenarios."""

    truth: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    both: Counter[str] = field(default_factory=Counter)
    median_errors: list[float] = field(default_factory=list)
    p95_errors: list[float] = field(default_factory=list)
    rto_errors: list[float] = field(default_factory=list)

    def precision(self, kind: str) -> float | None:
        """Share of what was found that is true."""
        return self.both[kind] / self.found[kind] if self.found[kind] else None

    def recall(self, kind: str) -> float | None:
        """Share of what is true that was found."""
        return self.both[kind] / self.truth[kind] if self.truth[kind] else None


def scenarios(folder: Path) -> list[str]:
    """Names of the scenarios in a folder. Raises InputError if there are none."""
    found = sorted(file.name.removesuffix(".truth.json") for file in folder.glob("*.truth.json"))
    if not found:
        raise InputError("DIR", str(folder), "a folder with NAME.truth.json and NAME.snd.pcap.gz")
    return found


def judge(folder: Path, names: list[str]) -> dict[str, Judged]:
    """Judges scenarios, by point."""
    result: dict[str, Judged] = defaultdict(Judged)
    for name in names:
        truth = json.loads((folder / f"{name}.truth.json").read_text(encoding="utf-8"))
        labels = _labels(folder / f"{name}.labels.csv.gz")
        for point in truth["captures"]:
            capture = Capture.read(folder / f"{name}.{point}.pcap.gz")
            _judge_frames(capture, labels[point], result[point])
            _judge_rtts(capture, truth, POINTS[point], result[point])
            if point == "snd":
                _judge_rto(capture, truth, folder / f"{name}.kernel.csv.gz", result[point])
    return dict(result)


def _labels(file: Path) -> dict[str, dict[int, dict[str, str]]]:
    result: dict[str, dict[int, dict[str, str]]] = defaultdict(dict)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            result[row["point"]][int(row["frame"])] = row
    return result


def _judge_frames(capture: Capture, labels: Mapping[int, Mapping[str, str]], to: Judged) -> None:
    found = {row["frame"]: row for row in capture.events.to_pylist()}
    for frame in {*found, *labels}:
        true, said = _true(labels.get(frame, {})), _said(found.get(frame, {}))
        to.truth.update(true)
        to.found.update(said)
        to.both.update(true & said)


def _true(label: Mapping[str, str]) -> set[str]:
    kind = label.get("retx", "")
    names = {"retransmission", kind} if kind else set()
    if kind and label["needless"] not in ("", "0"):
        names.add("needless")
    if label.get("copy", "") not in ("", "0"):
        names.add("copy")
    if "late" in label.get("flags", ""):
        names.add("late")
    return names


def _said(event: Mapping[str, Any]) -> set[str]:
    names = {"retransmission", event["kind"]} if event.get("kind") else set()
    return names | {
        name
        for key, name in (("needless", "needless"), ("network_copy", "copy"), ("late", "late"))
        if event.get(key)
    }


def _matched(capture: Capture, truth: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Connections of a capture, each with its truth: by ports, in the order of their beginning."""
    waiting = defaultdict(list)
    for each in truth["tcp"]:
        waiting[each["aport"], each["bport"]].append(each)
    for row in capture.connections.to_pylist():
        if known := waiting[row["aport"], row["bport"]]:
            yield row, known.pop(0)


def _judge_rtts(capture: Capture, truth: Mapping[str, Any], point: str, to: Judged) -> None:
    samples = capture.samples
    owner, side = np.asarray(samples["connection"]), np.asarray(samples["direction"])
    by_ack = np.asarray(samples["method"]) == "seq"
    for row, known in _matched(capture, truth):
        for way in ("f", "b"):
            figures = known["dir"].get(way, {}).get("rtt_truth_us", {}).get(point, {}).get("in_order")
            if not figures or figures["n"] < _LEAST_SAMPLES or figures["p50"] < _LEAST_RTT_US:
                continue
            own = (owner == row["connection"]) & (side == way) & by_ack
            rtts = np.sort(1e6 * np.asarray(samples["rtt"])[own])
            if len(rtts) == 0:
                to.median_errors.append(1.0)
                to.p95_errors.append(1.0)
                continue
            to.median_errors.append(abs(rtts[len(rtts) // 2] / figures["p50"] - 1))
            to.p95_errors.append(abs(rtts[int(0.95 * len(rtts))] / figures["p95"] - 1))


def _judge_rto(capture: Capture, truth: Mapping[str, Any], file: Path, to: Judged) -> None:
    """The replayed RTO against the kernel's, whenever an ACK came and no backoff was in force."""
    kernel = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for each in csv.DictReader(lines):
            if each["backoff"] == "0":
                kernel[int(each["conn"]), each["dir"]].append(
                    (float(each["t_s"]), float(each["rto_ms"]) / 1e3)
                )
    for row, known in _matched(capture, truth):
        # The client's kernel alone is at the point.
        path = path_rtts(capture, row, "f")
        if len(path.rtt) < _LEAST_SAMPLES:
            continue
        rtos = np.asarray(LinuxRto(min_rto=0.2).run_rounds(path.rtt, path.amid_round))
        times = path.time - truth["t0_ns"] / 1e9
        for time, rto in kernel[known["conn"], "f"]:
            # The state before the ACK that came then is taken in.
            at = np.searchsorted(times, time - 1e-3) - 1
            if at >= 0:
                to.rto_errors.append(abs(rtos[at] / rto - 1))
