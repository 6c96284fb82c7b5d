"""The comparison as a page, docs/validation/controls.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from parshall_dev.bench.controls_ns3.linux import Delays
from parshall_dev.bench.controls_ns3.sides import OUTCOMES, Pair
from parshall_studies import study as st

__all__ = ["HEAD", "beside_linux", "section"]

HEAD = """\
# BBR and DCTCP beside two versions of ns-3

Made by `python -m parshall_dev.bench.controls_ns3.run --out docs/validation/controls.md`; [what it
means](../validation.md).
"""

_TITLES = {
    "bbr": "BBR, drop-tail.",
    "dctcp": "DCTCP, marked from K waiting packets on, from two packets in congestion avoidance.",
    "dctcp-slow-start": "DCTCP, the same from slow start.",
}
_SHOWN = {"bbr": ("dropped", "fairness"), "dctcp": ("dropped", "marked", "fairness")}
LIMITS = {"goodput": 5.0, "wait": 20.0}
"""Percent by which two means may differ before a difference is marked."""


def section(pairs: Sequence[Pair]) -> str:
    """For each peer how many settings agree, and a table for each control."""
    lines = [f"{len(pairs[0].ours)} seeds on either side."]
    for peer in dict.fromkeys(pair.peer for pair in pairs):
        lines += ["", f"## Beside {peer}"]
        for name, group in groupby(
            (pair for pair in pairs if pair.peer == peer), key=lambda pair: pair.setting.table
        ):
            rows = list(group)
            lines += ["", f"**{_TITLES[name]}** {_agreement(rows)}", ""]
            lines += _table(rows, _SHOWN[rows[0].setting.control])
    return "\n".join([*lines, ""])


def beside_linux(pairs: Sequence[Pair], linux: Delays) -> str:
    """BBR's delay where Linux was measured: ours, each peer's and each kernel's, and which peer is nearer."""
    rows, nearest = [], Counter[str]()
    for place, kernels in linux.items():
        measured = [pair for pair in pairs if pair.setting.title == f"{place}, 4 BDP, 1 flow"]
        measured = [pair for pair in measured if pair.setting.control == "bbr"]
        if not measured:
            continue
        theirs = {pair.peer: pair.means("wait")[1] for pair in measured}
        mean = float(np.mean(list(kernels.values())))
        nearest[min(theirs, key=lambda peer: abs(theirs[peer] - mean))] += 1
        delays = (measured[0].means("wait")[0], *theirs.values(), *kernels.values())
        rows.append((place, *(f"{delay:.2f}" for delay in delays)))
    if not rows:
        return ""
    heads = ["ours", *dict.fromkeys(pair.peer for pair in pairs)]
    heads += [f"Linux {version}" for version in next(iter(linux.values()))]
    counts = ", ".join(f"{peer} in {count}" for peer, count in nearest.items())
    said = f"The version of ns-3 whose delay is nearest to Linux's: {counts} of {len(rows)} settings."
    table = st.Table("linux", (st.Column("mean queueing delay, ms", "text"), *heads), rows)
    return "\n".join(["", "## BBR beside Linux", "", *st.markdown(table), "", said, ""])


def _agreement(pairs: Sequence[Pair]) -> str:
    """A sentence for a table: how often ours is near."""
    near = {key: sum(_near(pair, key) for pair in pairs) for key in LIMITS}
    return (
        f"Goodput is within {LIMITS['goodput']:g} % of {pairs[0].peer}'s in {near['goodput']} of "
        f"{len(pairs)} settings, the mean queueing delay within {LIMITS['wait']:g} % in {near['wait']}."
    )


def _table(pairs: Sequence[Pair], others: Sequence[str]) -> Iterator[str]:
    peer = pairs[0].peer
    titles = [title for key in LIMITS for title in (f"{OUTCOMES[key]}: ours / {peer}", "difference, %")]
    titles += [f"{OUTCOMES[key]}: ours / {peer}" for key in others]
    rows = []
    for pair in pairs:
        cells = [cell for key in LIMITS for cell in (_means(pair, key), _difference(pair, key))]
        cells += [_means(pair, key) for key in others]
        rows.append((pair.setting.title, *cells))
    yield from st.markdown(st.Table("controls", (st.Column("setting", "text"), *titles), rows))


def _means(pair: Pair, key: str) -> str:
    if key == "fairness" and pair.setting.flows == 1:
        return ""
    return " / ".join(f"{mean:.3f}" for mean in pair.means(key))


def _difference(pair: Pair, key: str) -> str:
    centre, half = pair.difference(key)
    return f"{centre:+.1f} ± {half:.1f}{'' if _near(pair, key) else ' °'}"


def _near(pair: Pair, key: str) -> bool:
    return abs(pair.difference(key)[0]) <= LIMITS[key]
