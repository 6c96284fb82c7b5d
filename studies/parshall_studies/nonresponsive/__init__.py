"""Zhao, "Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior", Chapter II:
re-run over many seeds.

``networks`` and ``cases`` say what is run, ``document`` what is printed, ``contestants`` what is compared,
``traces``, ``tuning``, ``tuned``, ``measures``, ``shorter``, ``phase``, ``rules`` and ``alarm`` what is
computed. ``claims`` has what is claimed, ``shown`` and ``report.md`` what a reader meets.
"""

from __future__ import annotations

from parshall_studies.study import Content, Document, Study, page_of

__all__ = ["STUDY"]


def _content() -> Content:
    from parshall_studies.nonresponsive.claims import TOPICS
    from parshall_studies.nonresponsive.measures import measure
    from parshall_studies.nonresponsive.phase import DATA
    from parshall_studies.nonresponsive.shown import NAMES, SHOWN

    return Content(measure, TOPICS, page_of(__package__), SHOWN, NAMES, DATA)


STUDY = Study(
    name="nonresponsive",
    title="How much of the load will not back off",
    document=Document(
        title="Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior",
        authors="Zhili Zhao",
        source="PhD dissertation, Texas A&M University, 2004: Chapter II and Appendix A",
    ),
    seeds=20,
    content=_content,
)
