"""The comparison as a page, docs/validation/controls.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from parshall_dev.bench.controls_ns3.sides import OUTCOMES, Pair
from parshall_studies import study as st

__all__ = ["HEAD", "section"]

HEAD = """\
# BBR and DCTCP beside ns-3's

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
    """A table for each control: means of both sides, and the difference in percent."""
    lines = [f"{len(pairs[0].ours)} seeds on either side."]
    for name, group in groupby(pairs, key=lambda pair: pair.setting.table):
        rows = list(group)
        lines += ["", f"**{_TITLES[name]}**", "", *_table(rows, _SHOWN[rows[0].setting.control])]
    return "\n".join([*lines, ""])


def _table(pairs: Sequence[Pair], others: Sequence[str]) -> Iterator[str]:
    titles = [title for key in LIMITS for title in (f"{OUTCOMES[key]}: ours / ns-3", "difference, %")]
    titles += [f"{OUTCOMES[key]}: ours / ns-3" for key in others]
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
    mark = " °" if abs(centre) > LIMITS[key] else ""
    return f"{centre:+.1f} ± {half:.1f}{mark}"
