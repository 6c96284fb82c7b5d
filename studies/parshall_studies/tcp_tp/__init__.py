"""He, Gao, Hou, Park, "A Case for Exploiting Self-Similarity of Network Traffic in TCP Congestion Control": a
window that jumps to the fair share which a forecast of its own throughput implies, re-run over many seeds,
with what the rule does to shares, what else could forecast, and a rule that uses a forecast better.

``document`` says what is printed, ``senders`` what sends and ``networks`` where. ``series`` has the forecasts
of series, ``model`` what no run is needed for. ``measures`` and ``line`` run the document; ``beyond`` and
``judging`` run what it does not ask. ``claims`` has what is claimed, ``shown`` and ``report.md`` what a
reader meets.
"""

from __future__ import annotations

from parshall_studies.study import Content, Document, Quick, Study, page_of

__all__ = ["STUDY"]


def _content() -> Content:
    from parshall_studies.tcp_tp.claims import TOPICS
    from parshall_studies.tcp_tp.measures import measure, quick
    from parshall_studies.tcp_tp.shown import NAMES, SHOWN

    brief = Quick(quick, page_of(__package__, "quick.md"))
    return Content(measure, TOPICS, page_of(__package__), SHOWN, NAMES, quick=brief)


STUDY = Study(
    name="tcp-tp",
    title="Forecasts of throughput in TCP",
    document=Document(
        title="A Case for Exploiting Self-Similarity of Network Traffic in TCP Congestion Control",
        authors="G. He, Y. Gao, J. C. Hou, K. Park",
        source="Proc. IEEE International Conference on Network Protocols (ICNP), 2002",
    ),
    seeds=30,
    minutes=5,
    content=_content,
)
