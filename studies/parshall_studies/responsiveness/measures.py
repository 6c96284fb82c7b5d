"""Measures: drawn scenarios by key and without, attacks, and samples of flows."""

from __future__ import annotations

from parshall_studies import study as st
from parshall_studies.responsiveness import attacks, drawn, held_out, sampled


def measure(bench: st.Workbench) -> st.Measures:
    """Runs the scenarios to judge on, and makes up the streams."""
    return {
        **held_out.measure(bench, drawn.judging_set()),
        **attacks.measure(bench),
        **sampled.measure(bench),
    }
