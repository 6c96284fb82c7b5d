"""The quick form: the modified algorithm and what stands beside it, in a few cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parshall_studies import study as st
from parshall_studies.nonresponsive import cases
from parshall_studies.nonresponsive.measures import scores
from parshall_studies.nonresponsive.traces import RECORDED, traces_of
from parshall_studies.nonresponsive.tuned import tuned_alone

if TYPE_CHECKING:
    from parshall.recording import Recording

CASES = ("load/8", "load/16", "load/25", "pulses/20", "rtt/40", "capacity/10")
"""A low, a usual and a high load, one that changes, and another round trip and capacity."""
_CONTESTANTS = ("zero-drops", "responsiveness", "constant")


def measure(bench: st.Workbench) -> st.Measures:
    """Tunes, and judges on the cases."""
    entries = tuned_alone(bench, _CONTESTANTS)

    def judged(name: str, run: Recording) -> st.Rows:
        case = cases.case(name)
        return {"scores": scores(case, traces_of(case, run), entries)}

    networks = {name: cases.case(name).network for name in CASES}
    return bench.measure("Runs", networks, judged, dims=("case",), tables=RECORDED)
