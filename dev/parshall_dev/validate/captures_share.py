"""The share that does not respond on captures of real traffic: what it rests on, and what is said of it,
against the emulator's log.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parshall.capture import Capture
from parshall.capture.share import Share, share

__all__ = ["SharedLink", "judge_shares", "lines"]

_HEAD = """## The share that does not respond

Captures in front of a queue that TCP and UDP at a constant rate share, by the emulator's log of that
queue. *Given* are the frames that it says were dropped, as by `--drops`, less ACKs; *inferred* is what the
capture shows."""

_TAIL = """What the share rests on is confirmed: the part of UDP, and the drops of TCP. The share itself is
not: of a few connections some dozens of packets were dropped within six seconds, and the estimator says that
this is too little, even with all drops given. That it is right where it says something is known of
[simulated captures](../guide/captures-in.md#who-does-not-respond-to-congestion) of minutes alone."""


@dataclass(frozen=True)
class SharedLink:
    """A capture in front of a queue."""

    name: str
    udp: float
    """Part of the packets that is UDP."""
    drops: int
    drops_tcp: int
    given: Share
    inferred: Share


def judge_shares(folder: Path) -> list[SharedLink]:
    """Every capture in the middle whose queue dropped packets of UDP, too."""
    found = []
    for file in sorted(folder.glob("*.truth.json")):
        truth = json.loads(file.read_text(encoding="utf-8"))
        link = truth["link_totals"].get("L2f", {})
        queued = link.get("fates", {}).get("Q", 0)
        if "mid" not in truth["captures"] or not queued or not link.get("udp_lost_pkts"):
            continue
        name = truth["name"]
        capture = Capture.read(folder / f"{name}.mid.pcap.gz", passed=True)
        with gzip.open(folder / f"{name}.labels.csv.gz", "rt", encoding="utf-8") as rows:
            dropped = [
                int(row["frame"])
                for row in csv.DictReader(rows)
                if row["point"] == "mid" and row["lost_later"] == "1"
            ]
        found.append(
            SharedLink(
                name=name,
                udp=link["udp_pkts"] / (link["udp_pkts"] + link["tcp_pkts"]),
                drops=queued,
                drops_tcp=link["tcp_lost_pkts"],
                given=share(capture, np.array(dropped, np.int64)),
                inferred=share(capture),
            )
        )
    return found


def lines(found: list[SharedLink]) -> Iterator[str]:
    """The section of the page, line by line."""
    yield _HEAD
    yield ""
    yield "| | UDP: truth | found | drops: truth | given | TCP: truth | inferred | said by given; inferred |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for link in found:
        yield (
            f"| {link.name} | {100 * link.udp:.1f} % | {100 * link.given.udp:.1f} % | {link.drops} "
            f"| {link.given.signals} | {link.drops_tcp} | {link.inferred.signals} "
            f"| {_said(link.given)}; {_said(link.inferred)} |"
        )
    yield ""
    yield _TAIL


def _said(found: Share) -> str:
    if found.share is None or found.low is None:
        return found.reason
    return f"{100 * found.share:.1f} % (bounds {100 * found.low:.1f} to {100 * found.high:.1f} %)"
