"""Jeyasekar, Kasmir Raja, Annie Uthra, "ARIMA Model-Based RTT Estimation for Congestion Avoidance Mechanism
in Asymmetric Networks": Vegas that decides on a forecast of its round trip, re-run over many seeds, with what
else could stand in the forecast's place.

``document`` says what is printed, ``senders`` what sends, and ``networks``, ``queues`` and ``controls``
what is run. ``measures``, ``runs``, ``forecasts``, ``backlog`` and ``decisions`` compute numbers of a run,
``printed`` and ``claims`` have what is claimed of it, ``shown`` and ``report.md`` what a reader meets;
``quick`` is a short form, and ``ns2`` what ns-2 gave.
"""

from __future__ import annotations

from parshall_studies.study import Content, Document, Quick, Study, page_of

__all__ = ["STUDY"]


def _content() -> Content:
    from parshall_studies.arima_vegas.claims import TOPICS
    from parshall_studies.arima_vegas.measures import DATA, OPTIONAL, measure
    from parshall_studies.arima_vegas.quick import quick
    from parshall_studies.arima_vegas.shown import NAMES, SHOWN

    short = Quick(quick, page_of(__package__, "quick.md"))
    return Content(measure, TOPICS, page_of(__package__), SHOWN, NAMES, DATA, OPTIONAL, short)


STUDY = Study(
    name="arima-vegas",
    title="ARIMA forecasts of the round trip in TCP Vegas",
    document=Document(
        title="ARIMA Model-Based RTT Estimation for Congestion Avoidance Mechanism in Asymmetric Networks",
        authors="A. Jeyasekar, S. V. Kasmir Raja, R. Annie Uthra",
        source="Journal of Theoretical and Applied Information Technology 66(1), 2014",
    ),
    seeds=50,
    minutes=3,
    content=_content,
)
