"""Writes what the study tcp-tp found into docs/guide/long-memory.md: python -m
parshall_dev.guides.tcp_tp FOLDER.

FOLDER is what ``parshall reproduce tcp-tp`` has written.
"""

import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from parshall_dev.guides.long_memory import PAGE, put
from parshall_studies import study as st
from parshall_studies.tcp_tp import series
from parshall_studies.tcp_tp.beyond import SOME_NS
from parshall_studies.tcp_tp.senders import ABLATION, NEWRENO

SOURCE = "pareto-0.5"
"""Connections that do not fill the link: there the traffic has memory."""


def findings(results):
    """The section, line by line."""

    def mean(table, column, **where):
        return float(np.nanmean(results.values(table, column, **where).array))

    hurst = mean("traffic_memory", "hurst", source=SOURCE)
    full = mean("traffic_memory", "hurst", source="pareto-1")
    yield "## When a forecast of throughput helps"
    yield ""
    yield from paragraph(
        "The study `tcp-tp` (`parshall reproduce tcp-tp`) asks that of TCP. Sixty connections with Pareto "
        f"bursts over a link that they do not fill make traffic with H = {hurst:.2f}; over a link that they "
        f"fill, what arrives has H = {full:.2f}: the senders answer to the queue, and that is a short loop "
        "and no memory. The mean error of a forecast of the former, in per cent of the mean:"
    )
    yield ""
    labels = [f"{1e3 * series.SAMPLING * interval:g} ms" for interval in series.INTERVALS]
    yield f"| forecaster | {' | '.join(labels)} |"
    yield "|---|" + "---|" * len(labels)
    for name, (label, _) in series.PREDICTORS.items():
        cells = [
            f"{100 * mean('traffic', 'error', source=SOURCE, predictor=name, interval=interval):.1f}"
            for interval in series.INTERVALS
        ]
        yield f"| {label} | {' | '.join(cells)} |"
    yield ""
    yield from paragraph(
        "What to take from it: covariances need many more samples than coefficients, and with a window of "
        "some hundred samples any of the linear forecasters gets what there is to be had. In a sender, the "
        "forecast of the own throughput is of little use, however good: it tells what the connection has, "
        "not what it should have. Throughput and loss of TCP-TP with other forecasters in its place, over "
        "those of NewReno, which forecasts nothing:"
    )
    yield ""
    heads = [f"{what}, N = {n}" for what in ("Mbit/s", "loss, %") for n in SOME_NS]
    yield f"| in TCP-TP's rule | {' | '.join(heads)} |"
    yield "|---|" + "---|" * len(heads)
    for name, sender in ABLATION.items():
        cells = [
            f"{mean('ablation', metric, sender=name, n=n):.2f}"
            for metric in ("throughput", "loss")
            for n in SOME_NS
        ]
        yield f"| {sender.label}{' without the rule' if name == NEWRENO else ''} | {' | '.join(cells)} |"
    yield ""
    yield from paragraph(
        "A forecast helps where what is forecast is the same for all and can be acted upon, such as the "
        'queue that is to come: `control = { kind = "dual", backoff = "proportional", ... }` answers to '
        "one, and the report of the study has on which networks that pays and on which it does not."
    )


def paragraph(text):
    """Text in lines."""
    yield from textwrap.wrap(text, 130, break_on_hyphens=False)


def main(folder):
    """Writes the page."""
    tables = {file.stem: pq.read_table(file) for file in Path(folder).glob("*.parquet")}
    PAGE.write_text(put(PAGE.read_text(), "findings of the study", findings(st.Results(tables))))


if __name__ == "__main__":
    main(sys.argv[1])
