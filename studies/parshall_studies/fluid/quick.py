"""The quick form: packets and models at rest, at a few loads of the chapter's network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parshall_studies.fluid.measures import at_rest
from parshall_studies.fluid.setting import CHAPTER

if TYPE_CHECKING:
    from parshall_studies import study as st

LOADS = (8, 16, 22, 25)
"""CBR flows of 1 Mbit/s."""
_DURATION, _WARM_UP = 60.0, 20.0


def measure(bench: st.Workbench) -> st.Measures:
    """The part that decides the report's answer."""
    settings = {("chapter", cbr, 0.0): CHAPTER.with_(cbr=cbr) for cbr in LOADS}
    return at_rest(bench, settings, _DURATION, _WARM_UP)
