"""Zhao, "Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior", Chapter IV:
queue management over capacity, buffer and mix of traffic, re-run over many seeds, and what is asked today.

``grid`` says what is varied, ``networks`` what is run, ``document`` what is printed, ``measures`` what is
computed of a run, ``claims`` what is claimed of it, ``shown`` and ``report.md`` what a reader
meets.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from parshall_studies.study import Content, Document, Quick, Study, page_of

if TYPE_CHECKING:
    from parshall_studies.aqm.grid import Part

__all__ = ["STUDY", "study_of"]


def _content(parts: Sequence[Part] | None = None) -> Content:
    from parshall_studies.aqm.claims import TOPICS
    from parshall_studies.aqm.grid import PARTS
    from parshall_studies.aqm.measures import DATA, measure_parts
    from parshall_studies.aqm.quick import measure as measure_quickly
    from parshall_studies.aqm.shown import NAMES, SHOWN

    chosen = PARTS if parts is None else parts
    left_out = frozenset(part.name for part in PARTS) - {part.name for part in chosen}
    measure = partial(measure_parts, parts=chosen)
    quick = Quick(measure_quickly, page_of(__package__, "quick.md"))
    return Content(measure, TOPICS, page_of(__package__), SHOWN, NAMES, DATA, left_out, quick)


def study_of(parts: Sequence[Part] | None = None) -> Study:
    """The study, or some of its parts."""
    return Study(
        name="aqm",
        title="Queue management under heterogeneous traffic",
        document=Document(
            title="Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior",
            authors="Zhili Zhao",
            source="PhD dissertation, Texas A&M University, 2004: Chapter IV",
        ),
        seeds=10,
        content=partial(_content, parts),
        minutes=15,
    )


STUDY = study_of()
