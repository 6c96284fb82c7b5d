"""The fluid model of chapter II of Zhao's dissertation (2004), beside packets.

``setting`` says what is put side by side, ``measures`` what is run and solved, ``claims`` what is claimed,
``shown`` and ``report.md`` what a reader meets. The model itself is :mod:`parshall.fluid`.
"""

from __future__ import annotations

from parshall_studies.study import Content, Document, Quick, Study, page_of

__all__ = ["STUDY"]


def _content() -> Content:
    from parshall_studies.fluid.claims import TOPICS
    from parshall_studies.fluid.measures import measure
    from parshall_studies.fluid.quick import measure as measure_quickly
    from parshall_studies.fluid.shown import NAMES, SHOWN

    quick = Quick(measure_quickly, page_of(__package__, "quick.md"))
    return Content(measure, TOPICS, page_of(__package__), SHOWN, NAMES, quick=quick)


STUDY = Study(
    name="fluid",
    title="A fluid model of flows that back off and flows that do not",
    document=Document(
        title="Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior",
        authors="Zhili Zhao",
        source="PhD dissertation, Texas A&M University, 2004, chapter II, sections A and B",
    ),
    seeds=20,
    content=_content,
    minutes=6,
)
