"""Chapter III of Zhao's dissertation (2004): the estimator as a queue discipline of Linux, on a testbed of
three hosts, which are namespaces of one emulated machine here; and the same in the simulator.

``settings`` says what the chapter says, ``script`` what a machine is told, ``machine`` runs it and
``reading`` takes in its answer; ``network`` is the same in the simulator. ``samples`` is what both give, and
the estimates that follow; ``tuning`` finds gains. ``measures`` runs all; ``claims``, ``shown`` and
``report.md`` are what a reader meets.
"""

from __future__ import annotations

from parshall_studies.study import Content, Document, Quick, Study, page_of

__all__ = ["STUDY"]


def _content() -> Content:
    from parshall_dev.linux_testbed.claims import TOPICS
    from parshall_dev.linux_testbed.measures import measure, quick
    from parshall_dev.linux_testbed.shown import NAMES, SHOWN

    page, short = page_of(__package__), Quick(quick, page_of(__package__, "quick.md"))
    # With --full everything is at the chapter's rate.
    once = frozenset({"machine_at_rate", "at_rate"})
    return Content(measure, TOPICS, page, SHOWN, NAMES, optional=once, quick=short)


STUDY = Study(
    name="linux-testbed",
    title="The estimator in the kernel of Linux",
    document=Document(
        title="Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior",
        authors="Zhili Zhao",
        source="PhD dissertation, Texas A&M University, 2004, chapter III",
    ),
    seeds=20,
    content=_content,
    full="the chapter's rates and times, three runs of each experiment",
    minutes=20.0,
)
