"""Windows of TCP flows beside each other: the aggregate takes them to be alike (II.E)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parshall.scenario import Series
from parshall_studies import study as st
from parshall_studies.nonresponsive import cases
from parshall_studies.nonresponsive.excitation import FLOWS

if TYPE_CHECKING:
    from parshall.recording import Recording

LOADS = (2, 16, 22, 25)
"""CBR flows: hardly any, and the loads of Figure 3."""
_INTERVAL = 1.0
"""Seconds between samples."""


def measure(bench: st.Workbench) -> st.Measures:
    """Mean window of TCP flows and its standard deviation over flows, in the table ``windows``."""
    names = [f"t{place}" for place in range(1, FLOWS + 1)]
    asked = {
        "record.port_series": None,
        "record.responsiveness": None,
        "record.flow_series": Series(of=names, interval=_INTERVAL),
    }
    return bench.measure(
        "Runs, windows",
        {count: cases.case(f"load/{count}").network.with_(asked) for count in LOADS},
        _of_run,
        table="windows",
        dims=("cbr",),
        tables=("flow_series",),
    )


def _of_run(count: int, run: Recording) -> dict[str, float]:
    series = run.columns("flow_series")
    late = series["time"] >= cases.case(f"load/{count}").start
    windows = series["cwnd"][late].reshape(-1, FLOWS)
    return {"mean": float(windows.mean()), "spread": float(np.std(windows, axis=1).mean())}
