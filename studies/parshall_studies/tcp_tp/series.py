"""Series of throughput and what forecasts them: the traffic at the bottleneck (Figure 2b), and what a sender
attains (Figure 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall import forecast, long_memory
from parshall.estimators import ThroughputSampler
from parshall.forecast.models import HE_2002
from parshall.scenario.parts import (
    Farima,
    Fbm,
    LastValue,
    Lmmse,
    Mixture,
    Nlms,
    Rls,
)
from parshall_studies.tcp_tp import model
from parshall_studies.tcp_tp.networks import WARM_UP
from parshall_studies.tcp_tp.senders import LMS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording
    from parshall.scenario.parts import ForecasterConfig

    Reals = NDArray[np.float64]

SAMPLING = 0.05
"""Seconds between samples at the bottleneck: a round trip without queues."""
INTERVALS = (1, 2, 4, 10)
"""Measurement intervals in samples."""
FEWEST = 100
"""Samples that H is estimated from, at least."""
SKIPPED = 100
"""Samples at the beginning that no error is counted of, in which forecasters learn."""
PREDICTORS: Mapping[str, tuple[str, ForecasterConfig]] = {
    "lmmse": ("LMMSE(20) of 21", HE_2002),
    "lmmse-500": ("LMMSE(20) of 500", Lmmse(order=20, window=500, every=1)),
    "fbm": ("FBM, H estimated", Fbm(order=20)),
    "farima": ("FARIMA, H estimated", Farima(order=20)),
    "lms": ("LMS(20) as printed", LMS),
    "nlms": ("normalised LMS(20)", Nlms(order=20)),
    "rls": ("RLS(20)", Rls(order=20)),
    "last-value": ("last value", LastValue()),
    "mixture": ("mixture", Mixture()),
    "lmmse-40": ("LMMSE(40) of 41", Lmmse(order=40, window=41, every=1)),
    "lmmse-80": ("LMMSE(80) of 81", Lmmse(order=80, window=81, every=1)),
}
"""The document's three, the first as it has it, and others."""
OWN_INTERVAL = 0.1
"""Measurement interval of a sender, in seconds: a round trip with a queue, or two without."""
GAINS = (0.1, 0.5, 1.0)
"""Weights of the newest interval in the sampled throughput; the document prints none."""
OWN_PREDICTORS = ("lmmse", "last-value")
FLOW = "f1"
"""The connection that is looked at."""
_RECEIVED = 4


def traffic(run: Recording) -> Reals:
    """Packets that arrive at the bottleneck in each interval, after the warm-up."""
    series = run.columns("port_series")
    arrived = np.diff(series["packets_arrived"].astype(np.float64))
    later: Reals = arrived[series["time"][1:] > WARM_UP + SAMPLING]
    return later


def errors(series: Reals, predictor: str) -> dict[str, float]:
    """The mean size of the error over the mean (``error``), and the root of the mean square error over the
    standard deviation (``rmse``). NaN where there are too few samples.
    """
    found = forecast.Forecaster(PREDICTORS[predictor][1]).run(series)
    wrong, actual = (found[:-1] - series[1:])[SKIPPED:], series[1:][SKIPPED:]
    if actual.size < 2 or not actual.std():
        return {"error": float("nan"), "rmse": float("nan")}
    return {
        "error": float(np.abs(wrong).mean() / actual.mean()),
        "rmse": float(np.sqrt((wrong**2).mean()) / actual.std()),
    }


def memory(series: Reals) -> dict[str, float]:
    """H by local Whittle with its standard error, and whether the series has shifts of its level that can be
    taken for long memory. NaN where there are too few samples.
    """
    if series.size < FEWEST or not series.std():
        return dict.fromkeys(("hurst", "se", "shifts"), float("nan"))
    found = long_memory.hurst(series, method="local-whittle")
    return {"hurst": found.h, "se": found.standard_error, "shifts": float("level-shift" in found.flags)}


def of_traffic(run: Recording) -> dict[str, Any]:
    """H of the traffic, and the errors of each predictor for each interval."""
    from parshall_studies import study as st

    series = traffic(run)
    found = memory(series)
    dims: dict[str, list[Any]] = {"interval": [], "predictor": []}
    numbers: dict[str, list[float]] = {}
    for interval in INTERVALS:
        sums = long_memory.aggregate(series, interval)
        for predictor in PREDICTORS:
            dims["interval"].append(interval)
            dims["predictor"].append(predictor)
            wrong = errors(sums, predictor)
            excess = wrong["rmse"] - _promised(predictor, found["hurst"])
            for name, value in {**wrong, "excess": excess}.items():
                numbers.setdefault(name, []).append(value)
    return {"traffic": st.RunSeries(dims, numbers), "traffic_memory": found}


def _promised(predictor: str, hurst: float) -> float:
    """Root of the mean square error over the deviation that a predictor has where its model is right: its own
    part of the error in (9). NaN for one that has no model.
    """
    if predictor not in model.PREDICTORS:
        return float("nan")
    process = "farima" if predictor == "farima" else "fgn"
    rows = [row for row in model.theory() if row[:2] == (process, predictor)]
    return float(np.sqrt(np.interp(hurst, [row[2] for row in rows], [row[3] for row in rows])))


def attained(run: Recording, gain: float) -> tuple[Reals, Reals]:
    """Times and samples of the throughput that one sender attains, in packets a second, after the warm-up."""
    packets: Any = run.columns("packets")
    acks = (packets["flow"] == run.flows.index(FLOW)) & packets["ack"] & (packets["event"] == _RECEIVED)
    time, seq = packets["time"][acks], packets["seq"][acks].astype(np.float64)
    highest = np.maximum.accumulate(seq)
    fresh = np.diff(highest, prepend=highest[0] if highest.size else 0.0)
    new = (fresh > 0) & (time > WARM_UP)
    sampled = ThroughputSampler(gain=gain, interval=OWN_INTERVAL).run(time[new], fresh[new])
    return sampled.time, sampled.throughput


def of_sender(run: Recording) -> dict[str, Any]:
    """Errors of forecasts of what a sender attains, and H of it."""
    from parshall_studies import study as st

    dims: dict[str, list[Any]] = {"gain": [], "predictor": []}
    numbers: dict[str, list[float]] = {}
    for gain in GAINS:
        series = attained(run, gain)[1]
        for predictor in OWN_PREDICTORS:
            dims["gain"].append(gain)
            dims["predictor"].append(predictor)
            for name, value in errors(series, predictor).items():
                numbers.setdefault(name, []).append(value)
    return {"own": st.RunSeries(dims, numbers), "own_memory": memory(attained(run, 1.0)[1])}


def curves(run: Recording, gain: float) -> Any:
    """Figure 3a: what a sender attains and what was forecast of it, by time."""
    from parshall_studies import study as st

    time, series = attained(run, gain)
    estimate = forecast.Forecaster(HE_2002).run(series)
    return st.RunSeries({"time": time[1:]}, {"actual": series[1:], "estimate": estimate[:-1]})
