"""Results of ns-2.35 for stock Vegas in the same network, where its table of runs is at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.arima_vegas.document import KS, SIZE_RATIO
from parshall_studies.arima_vegas.networks import DURATION, ERROR_RATE, LIMIT, START_SPREAD
from parshall_studies.arima_vegas.senders import WINDOW
from parshall_studies.baselines import NS2_RUNS

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall_studies.baselines import Settings

DATA = st.Data(
    "results/study2.csv",
    "a415f6737ad6c74d4331e553e92f3637769fdfde170d87a4578cede60ad87bc2",
    "Comparison with ns-2",
    NS2_RUNS,
)
OUTCOMES = {"throughput": "vegas_kbps", "retransmitted": "vegas_rexmit", "timeouts": "vegas_timeouts"}
"""Our metrics, and what its script calls them."""
_OURS = {
    "window": WINDOW,
    "backwin": WINDOW,
    "buf": LIMIT,
    "time": DURATION,
    "jitter": START_SPREAD,
    "owd": 0.05,
    "nback": 2,
    "alpha": 1,
    "beta": 3,
    "minrto": 0.2,
    "fstart": 0,
    "bstep": 0,
}
"""Settings of its script that are those of our network."""


def ns2_cells(file: Path, cf: float) -> pa.Table:
    """Means over ns-2's runs with ``cf`` Mbit/s downstream, one row for each K and place of errors."""
    from parshall_studies.baselines import load_study

    columns: dict[str, list[Any]] = {name: [] for name in ("errors", "k", *OUTCOMES)}
    for baseline in load_study(file.parent.parent, "2"):
        place = _place(baseline.settings, cf)
        if place is None or place in zip(columns["errors"], columns["k"], strict=True):
            continue
        for name, value in zip(("errors", "k"), place, strict=True):
            columns[name].append(value)
        for metric, name in OUTCOMES.items():
            columns[metric].append(float(np.mean(baseline.outcomes[name])))
    return st.tidy(columns, ("errors", "k"))


def _place(settings: Settings, cf: float) -> tuple[str, int] | None:
    """The errors and K of a scenario; none for a network that is not ours."""
    if settings.word("back") != "Reno" or any(settings.number(each) != ours for each, ours in _OURS.items()):
        return None
    k = settings.number("cf") / settings.number("cr") / SIZE_RATIO
    if settings.number("cf") != 1e6 * cf or k not in KS:
        return None
    rate = settings.number("per")
    if rate == 0:
        return "none", int(k)
    return (settings.one_of("errlink", ["up", "down", "both"]), int(k)) if rate == ERROR_RATE else None
