"""Results without runs: errors of prediction in theory (Figure 2a), the model of wrong predictions
(Figure 8), and where the rule leads a connection by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from parshall.theory import prediction_error
from parshall.theory.wrong_predictions import SharedLink, law
from parshall_studies import study as st
from parshall_studies.tcp_tp import printed_model
from parshall_studies.tcp_tp.networks import RATE
from parshall_studies.tcp_tp.printed_figure import PUBLISHED, shortfall_fairness, with_spare

PREDICTORS = {"lmmse": "LMMSE", "fbm": "FBM", "farima": "FARIMA"}
PROCESSES = {"fgn": "fractional Gaussian noise", "farima": "FARIMA(0, d, 0)"}
HS = tuple(round(0.5 + 0.025 * step, 3) for step in range(1, 20))
ORDER = 20
"""Past samples (III.A)."""
GAMMAS = tuple(round(0.05 * step, 2) for step in range(21))
UNDIVIDED = 8 * PUBLISHED.buffer_bytes
"""l in bit/s where L, in bits, is not divided by the round trip."""
CONSTANTS: dict[str, tuple[str, float]] = {
    "printed": ("as printed: l = 16 Mbit/s", PUBLISHED.spare),
    "undivided": ("L not divided by RTT: l = 0.32 Mbit/s", UNDIVIDED),
    "none": ("no buffer: l = 0", 0.0),
}
"""Readings of the constants under Figure 8: what a reader calls them, and l in bit/s."""

SUB_CASES = {1: UNDIVIDED, 2: 9.2e6}
"""l in bit/s of a link of Figure 8 in each sub-case of the model that has losses."""


def throughput(sub_case: int) -> float:
    """T in Mbit/s where predictions err by up to 100 %, in a sub-case."""
    return law(_link(SUB_CASES[sub_case], 1.0)).throughput / 1e6


def printed_throughput(sub_case: int) -> float:
    """T there by the formula as it is printed, (20) or (24)."""
    return printed_model.model(_link(SUB_CASES[sub_case], 1.0))[1] / 1e6


def tables() -> st.Measures:
    """Everything that is computed and not run."""
    curves = _tidy(("process", "predictor", "h", "error"), theory(), 3)
    return {"theory": curves, "figure_8": _figure_8(), "jump": _jump()}


@cache
def theory() -> list[tuple[str, str, float, float]]:
    """Mean square error of each predictor over the variance, by process, predictor and H."""
    return [
        (process, predictor, h, prediction_error(h, ORDER, predictor=predictor, process=process))  # type: ignore[arg-type]
        for process in PROCESSES
        for predictor in PREDICTORS
        for h in HS
    ]


def _figure_8() -> Any:
    rows = []
    for name, (_, spare) in CONSTANTS.items():
        for gamma in GAMMAS:
            found = law(_link(spare, gamma))
            fairness = shortfall_fairness(found.throughput, PUBLISHED.share)
            rows.append((name, gamma, found.throughput / 1e6, fairness, found.fairness))
    return _tidy(("constants", "gamma", "throughput", "shortfall_fairness", "fairness"), rows, 2)


def _link(spare: float, gamma: float) -> SharedLink:
    return with_spare(spare, gamma)


def _jump() -> Any:
    """Where equations 10 and 11 lead a connection with an exact forecast: its rate over the capacity before
    and after.
    """
    shares = np.round(np.arange(0.005, 1.0001, 0.005), 3)
    rows = [(float(share), float(share), after(share * RATE, RATE) / RATE) for share in shares]
    return _tidy(("share", "before", "after"), rows, 1)


def after(rate: float, capacity: float) -> float:
    """The rate W / RTT that equations 10 and 11 give a connection that is known to get ``rate``."""
    return capacity / math.ceil(capacity / rate - 1e-9)


def _tidy(names: tuple[str, ...], rows: Sequence[tuple[Any, ...]], dims: int) -> Any:
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return st.tidy(columns, names[:dims])
