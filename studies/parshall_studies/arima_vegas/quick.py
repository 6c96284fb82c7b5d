"""The quick form: queues of two sizes, some upstream rates, and the queue that mends the cause."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from parshall_studies.arima_vegas.document import KS
from parshall_studies.arima_vegas.measures import CF
from parshall_studies.arima_vegas.networks import LIMIT, Path, network
from parshall_studies.arima_vegas.queues import COMPARED, PATHS, SHORT, over_queues
from parshall_studies.arima_vegas.runs import TABLES, of_run
from parshall_studies.arima_vegas.senders import ARTT, TODAY

if TYPE_CHECKING:
    from parshall_studies import study as st

FAIR = "vegas-fq"


def quick(bench: st.Workbench) -> st.Measures:
    """The tables that decide the answer, with every second upstream rate."""
    rates = sorted(PATHS)[1::2]
    compared = bench.measure(
        "Sizes of queues",
        over_queues(COMPARED, ("none",), (LIMIT, SHORT), rates),
        lambda _, run: of_run(run),
        table="queues",
        dims=("sender", "errors", "queue", "cr"),
        tables=TABLES,
    )
    today = bench.measure(
        "A fair queue upstream",
        {(name, "none", k): partial(network, TODAY[name], Path(CF, k)) for name in (ARTT, FAIR) for k in KS},
        lambda _, run: of_run(run),
        table="today",
        dims=("sender", "errors", "k"),
        tables=TABLES,
    )
    return {**compared, **today}
