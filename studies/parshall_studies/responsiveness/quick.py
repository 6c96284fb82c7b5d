"""The quick form: every sixth of the scenarios to judge on, without a dither."""

from __future__ import annotations

from parshall_studies import study as st
from parshall_studies.responsiveness import drawn, held_out

EVERY = 6
"""One scenario of so many, in the order in which they were drawn."""


def measure(bench: st.Workbench) -> st.Measures:
    """The table ``drawn`` of these scenarios."""
    return held_out.without_dither(bench, drawn.judging_set()[::EVERY])
