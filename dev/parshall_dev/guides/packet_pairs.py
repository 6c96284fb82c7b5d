"""Measures how often packet pairs find the rate of a bottleneck, and writes the tables of
docs/guide/packet-pairs.md.

A flow and its cross traffic share a dumbbell; what the sender would have told its estimator is taken from the
recorded packets. Tables go between the marks that stand in the page.
"""

import re

import numpy as np

from parshall import Bulk, DropTail, Dumbbell, FlowGroup, OnOff, Record, Reverse, Tcp, Udp
from parshall.engine.measure import measure
from parshall.estimators import CapacityQuality, PacketPair
from parshall.units import parse_rate
from parshall_dev.checkout import ROOT

PAGE = ROOT / "docs/guide/packet-pairs.md"
SEEDS = range(1, 21)
RATE, PACKET = 10e6, 1040
CAPACITY = RATE / 8 / PACKET
RIGHT = 0.1
SOURCES = 20
LOADS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
WAYS = {"1 packet": False, "2 packets": True}
ESTIMATORS = {
    "density": {},
    "histogram": {"filter": "histogram"},
    "density, stretch 1": {"stretch": 1.0},
}


def bell(*, load=0.0, cross="udp", delayed=False, back=None):
    """One flow, and cross traffic that offers a part of the bottleneck's rate, headers included."""
    app = {"kind": "on-off", "law": {"kind": "pareto", "shape": 1.5}, "on": "0.2 s", "off": "0.4 s"}
    transport = Udp(payload_bytes=1012) if cross == "udp" else Tcp(recovery="sack")
    payload = 1012 if cross == "udp" else 1000
    # A source is on for a third of the time.
    offered = OnOff(**app, rate=max(1.0, 3 * load * RATE * payload / PACKET / SOURCES))
    others = [FlowGroup(name="x", count=SOURCES, transport=transport, app=offered)] if load > 0 else []
    flow = FlowGroup(
        name="f", count=1, transport=Tcp(recovery="sack", delayed_ack=delayed), app=Bulk(), start="1 s"
    )
    return Dumbbell(
        duration="21 s",
        rate=RATE,
        delay="18 ms",
        queue=DropTail(limit_packets=100),
        reverse=Reverse() if back is None else Reverse(rate=back, queue=DropTail(limit_packets=10_000)),
        access_rate="100 Mbit/s",
        access_delay="1 ms",
        flows=[flow, *others],
        record=Record(packets=("s1->r0",), deliveries=("f1",)),
    ).scenario()


def acknowledged(recording):
    """Arrivals of ACKs, when the newest packet that each acknowledges was sent, and how many it does."""
    packets = recording.columns("packets")
    mine = packets["flow"] == recording.flow("f1")._index
    data = mine & (packets["port"] >= 0) & (packets["event"] == 0) & ~packets["ack"]
    seqs, times = packets["seq"][data], packets["time"][data]
    sent = np.full(seqs.max() + 1, np.nan)
    sent[seqs] = times
    sent[np.bincount(seqs, minlength=len(sent)) > 1] = np.nan
    acks = mine & packets["ack"] & (packets["event"] == 4)
    highest = np.maximum.accumulate(packets["seq"][acks])
    return packets["time"][acks], sent[highest], np.diff(highest, prepend=-1)


def estimates(_, recording):
    """Final estimate of each estimator: relative to the truth, and its flags."""
    times, sent, packets = acknowledged(recording)
    found = {}
    for name, settings in ESTIMATORS.items():
        pairs = PacketPair(**settings)
        pairs.run(times, sent, packets)
        capacity = pairs.capacity()
        found[name] = (
            (np.nan, CapacityQuality(0)) if capacity is None else (capacity[0] / CAPACITY, capacity[2])
        )
    return found


def cells(found, name):
    """Share of right estimates, the median, and the share of wrong ones that were flagged."""
    ratios = np.array([run[name][0] for run in found])
    telling = ~CapacityQuality.REVERSE_PATH_UNKNOWN
    flagged = np.array([bool(run[name][1] & telling) for run in found])
    right = np.abs(ratios - 1) <= RIGHT
    wrong = f"{(flagged & ~right).sum()} of {(~right).sum()}" if not right.all() else ""
    known = ratios[~np.isnan(ratios)]
    median = f"{np.median(known):.2f}" if len(known) else "none"
    return f"{100 * right.mean():.0f} % | {median} | {wrong}"


def thin_table(rows):
    """Effect of a thin way back on the estimate, and its flags."""
    columns = (
        "way back, an ACK acknowledges",
        "its ACKs a second over the rate",
        "median",
        "thin",
        "unknown",
    )
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for (back, way), found in rows:
        runs = [run["density"] for run in found]
        says = [
            sum(bool(quality & flag) for _, quality in runs)
            for flag in (CapacityQuality.THIN_REVERSE_PATH, CapacityQuality.REVERSE_PATH_UNKNOWN)
        ]
        most = parse_rate(back) / 8 / 40 / CAPACITY
        median = np.nanmedian([ratio for ratio, _ in runs])
        said = " | ".join(f"{count} of {len(runs)}" for count in says)
        yield f"| {back}, {way} | {most:.2f} | {median:.2f} | {said} |"


def table(title, rows):
    """One row a cell, with three columns for each estimator."""
    yield f"| {title} |" + "".join(f" {name}: right | median | wrong, flagged |" for name in ESTIMATORS)
    yield "|---|" + "---|" * (3 * len(ESTIMATORS))
    for label, found in rows:
        yield f"| {label} | " + " | ".join(cells(found, name) for name in ESTIMATORS) + " |"


def put(page, mark, lines):
    """The page with other lines between two marks."""
    body = f"<!-- {mark} -->\n\n" + "\n".join(lines) + f"\n\n<!-- end of {mark} -->"
    return re.sub(rf"<!-- {mark} -->.*?<!-- end of {mark} -->", lambda _: body, page, flags=re.DOTALL)


def main():
    """Writes the page's tables."""
    crossed = {
        (cross, load, way): bell(load=load, cross=cross, delayed=delayed)
        for cross in ("udp", "tcp")
        for load in LOADS
        for way, delayed in WAYS.items()
    }
    thin = {
        (back, way): bell(back=back, delayed=delayed)
        for back in ("1 Mbit/s", "200 kbit/s", "100 kbit/s")
        for way, delayed in WAYS.items()
    }
    found = measure({**crossed, **thin}, list(SEEDS), estimates, tables=("flows", "packets"), cache=None)
    page = PAGE.read_text()
    for cross in ("udp", "tcp"):
        rows = [(f"{key[1]:.1f}, {key[2]}", found[key]) for key in crossed if key[0] == cross]
        page = put(page, cross, table("load, an ACK acknowledges", rows))
    PAGE.write_text(put(page, "thin", thin_table([(key, found[key]) for key in thin])))


if __name__ == "__main__":
    main()
