"""The share's estimator that needs no tuning: on scenarios that nothing was designed on, and among attacks.

``drawn`` has scenarios, ``response`` the truth in them, ``held_out`` and ``aggregate`` what is made of them;
``senders``, ``attacks`` and ``sampled`` do without a simulator. ``measures`` is all of it, ``claims`` has
what is asked, ``shown`` and ``report.md`` what a reader meets. ``quick`` is the short form.
"""

from __future__ import annotations

from parshall_studies.study import Content, Document, Quick, Study, page_of

__all__ = ["STUDY"]


def _content() -> Content:
    from parshall_studies.responsiveness.claims import TOPICS
    from parshall_studies.responsiveness.measures import measure
    from parshall_studies.responsiveness.quick import measure as measure_quickly
    from parshall_studies.responsiveness.shown import NAMES, SHOWN

    quick = Quick(measure_quickly, page_of(__package__, "quick.md"))
    return Content(measure, TOPICS, page_of(__package__), SHOWN, NAMES, quick=quick)


STUDY = Study(
    name="responsiveness",
    title="An estimator without tuning, on what it was not designed on",
    document=Document(
        title="Who responds to congestion",
        authors="Parshall",
        source="docs/guide/responsiveness.md",
    ),
    seeds=10,
    minutes=12,
    content=_content,
)
