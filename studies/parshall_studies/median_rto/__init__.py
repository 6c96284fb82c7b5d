"""Chan and Leis, "Median Filtering Simulation of Bursty Traffic": re-run over many seeds.

``scenarios`` says what is run, ``document`` what is printed, ``measures`` and ``costs`` what is computed,
``claims`` what is claimed, ``shown`` and ``report.md`` what a reader meets.
"""

from __future__ import annotations

from parshall_studies.study import Content, Document, Quick, Study, page_of

__all__ = ["STUDY"]


def _content() -> Content:
    from parshall_studies.median_rto.claims import TOPICS
    from parshall_studies.median_rto.costs import DATA
    from parshall_studies.median_rto.measures import measure, quick
    from parshall_studies.median_rto.shown import NAMES, SHOWN

    page, short = page_of(__package__), Quick(quick, page_of(__package__, "quick.md"))
    optional = frozenset({"measured_shape"})
    return Content(measure, TOPICS, page, SHOWN, NAMES, DATA, optional, short)


STUDY = Study(
    name="median-rto",
    title="Median filters for TCP's retransmission timeout",
    document=Document(
        title="Median Filtering Simulation of Bursty Traffic",
        authors="Auc Fai Chan and John Leis",
        source="University of Southern Queensland",
    ),
    seeds=100,
    content=_content,
    minutes=1.0,
)
