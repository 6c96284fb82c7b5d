"""Zhao, "Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior", Chapters I
and II: re-run over many seeds.

``networks``, ``cases`` and ``mixes`` say what is run, ``document`` what is printed, ``contestants`` what is
compared, ``traces``, ``tuning``, ``tuned``, ``measures``, ``shorter``, ``windows``, ``phase``, ``rules``,
``alarm``, ``counting`` and ``treatments`` what is computed. ``claims``, ``settings`` and ``applied`` have
what is claimed, ``shown`` and ``report.md`` what a reader meets. ``quick`` is the short form.
"""

from __future__ import annotations

from parshall_studies.study import Content, Document, Quick, Study, page_of

__all__ = ["STUDY"]


def _content() -> Content:
    from parshall_studies.nonresponsive.claims import TOPICS
    from parshall_studies.nonresponsive.measures import measure
    from parshall_studies.nonresponsive.phase import DATA
    from parshall_studies.nonresponsive.quick import measure as measure_quickly
    from parshall_studies.nonresponsive.shown import NAMES, SHOWN

    quick = Quick(measure_quickly, page_of(__package__, "quick.md"))
    return Content(measure, TOPICS, page_of(__package__), SHOWN, NAMES, DATA, quick=quick)


STUDY = Study(
    name="nonresponsive",
    title="How much of the load will not back off",
    document=Document(
        title="Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior",
        authors="Zhili Zhao",
        source="PhD dissertation, Texas A&M University, 2004: Chapter II and Appendix A",
    ),
    seeds=20,
    minutes=40,
    content=_content,
)
