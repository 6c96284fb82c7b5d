"""The comparison as a page, docs/validation/queues.md."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from parshall.stats import Interval
from parshall_dev.bench.queues import responsive
from parshall_dev.bench.queues.compare import OUTCOMES, Row
from parshall_dev.bench.queues.loads import DISCIPLINES, LOADS
from parshall_dev.bench.queues.responsive import Meeting
from parshall_studies import study as st

__all__ = ["HEAD", "meetings_section", "section"]

HEAD = """\
# Queue disciplines beside ns-3's

Made by `python -m parshall_dev.bench.queues.run --out docs/validation/queues.md`; [what it
means](../validation.md).
"""


def section(rows: Sequence[Row], seconds: float, peer: str) -> str:
    """A table for each load: ours above those of `peer`, such as ns-3.37, and the paired difference below."""
    lines = [f"{seconds:g} s a run, {len(rows[0].seeds)} seeds, beside {peer}.", ""]
    for load in dict.fromkeys(row.load for row in rows):
        lines += [f"**{load.capitalize()}**: {LOADS[load].title}.", ""]
        lines += _table([row for row in rows if row.load == load], peer)
    return "\n".join(lines)


def meetings_section(meetings: Sequence[Meeting], seconds: float, warm_up: float, peer: str) -> str:
    """A table: means of ours and of `peer`, and the difference in percent."""
    seeds = len(meetings[0].ours["wait"])
    titles = responsive.OUTCOMES.values()
    rows = []
    for meeting in meetings:
        cells = []
        for key in responsive.OUTCOMES:
            mine, theirs = np.mean(meeting.ours[key]), np.mean(meeting.theirs[key])
            centre, low, high = meeting.difference(key)
            mark = "" if low <= 0 <= high else " °"
            cells += [f"{mine:.3f} / {theirs:.3f}", f"{centre:+.1f} ± {(high - low) / 2:.1f}{mark}"]
        rows.append((responsive.COMPARED[meeting.name].title, *cells))
    heads = (head for title in titles for head in (f"{title}: ours / {peer}", "difference, %"))
    table = st.Table("meetings", (st.Column("discipline", "text"), *heads), rows)
    said = f"{seconds:g} s a run, counted from {warm_up:g} s on, {seeds} seeds, beside {peer}."
    return "\n".join([said, "", *st.markdown(table), ""])


def _table(rows: Sequence[Row], peer: str) -> Iterator[str]:
    shown = [key for key in OUTCOMES if any(np.isfinite(row.mean("ours", key)) for row in rows)]
    found = []
    for row in rows:
        title = DISCIPLINES[row.discipline].title
        for name, side in (("ours", "ours"), (peer, "theirs")):
            cells = [f"{row.mean(side, key):.3f}" for key in shown]
            found.append((title if side == "ours" else "", name, *cells, "", ""))
        cells = [_difference(row.difference(key)) for key in shown]
        agreement = row.same_fate_as_approximate
        explained = "" if agreement is None else f"{100 * agreement:.2f}"
        found.append(("", "difference", *cells, f"{100 * row.same_fate:.2f}", explained))
    titles = (*(OUTCOMES[key] for key in shown), "same fate, %", f"with {peer}'s arithmetic, %")
    names = (st.Column("discipline", "text"), st.Column("", "text"))
    yield from st.markdown(st.Table("disciplines", (*names, *titles), found))
    yield ""


def _difference(interval: Interval) -> str:
    half = interval.half_width
    if not math.isfinite(half):
        return f"{interval.mean:+.3f}"
    digits = 3 if half >= 1e-3 or half == 0 else min(6, 1 - math.floor(math.log10(half)))
    mark = "" if interval.contains(0.0) else " °"
    return f"{interval.mean:+.{digits}f} ± {half:.{digits}f}{mark}"
