"""Habib, Bhargava, Fahmy, "A Round Trip Time and Time-out Aware Traffic Conditioner for Differentiated
Services Networks": an edge that colours packets so that neither long nor short round trips starve, re-run
over many seeds, with why it does what it does, what follows from its own derivation, and an edge that has
nothing to tune.

``document`` says what is printed, ``conditioners`` what the edges do and ``networks`` where. ``measures``
runs the document, with ``timeouts`` and ``traffic``; ``beyond`` and ``judging`` run what it does not ask;
``quantities`` has what is counted. ``claims`` has what is claimed, ``shown``, ``report.md`` and ``quick.md``
what a reader meets.
"""

from __future__ import annotations

from parshall_studies.study import Content, Document, Quick, Study, page_of

__all__ = ["STUDY"]


def _content() -> Content:
    from parshall_studies.rtt_rto_conditioner.claims import TOPICS
    from parshall_studies.rtt_rto_conditioner.measures import measure, quick
    from parshall_studies.rtt_rto_conditioner.shown import NAMES, SHOWN

    short = Quick(quick, page_of(__package__, "quick.md"))
    return Content(measure, TOPICS, page_of(__package__), SHOWN, NAMES, quick=short)


STUDY = Study(
    name="rtt-rto-conditioner",
    title="Conditioners that know round trip and timeout",
    document=Document(
        title="A Round Trip Time and Time-out Aware Traffic Conditioner for Differentiated Services Networks",
        authors="A. Habib, B. Bhargava, S. Fahmy",
        source="Purdue University, CERIAS and Department of Computer Sciences, about 2002",
    ),
    seeds=20,
    minutes=15,
    content=_content,
)
