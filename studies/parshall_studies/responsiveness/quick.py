"""The quick form: the scenarios to judge on that carry the least traffic, without a dither."""

from __future__ import annotations

from parshall_studies import study as st
from parshall_studies.responsiveness import drawn, held_out

SMALLEST = 60
"""Number of scenarios, by their links' rate and duration."""


def measure(bench: st.Workbench) -> st.Measures:
    """The table ``drawn`` of these scenarios."""
    by_size = sorted(drawn.judging_set(), key=lambda each: each.rate * each.duration)
    return held_out.without_dither(bench, by_size[:SMALLEST])
