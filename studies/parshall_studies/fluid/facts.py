"""Numbers that the report's sentences are made with."""

from __future__ import annotations

import math
from typing import Any

from parshall.fluid import equilibria, stability, whole_packets
from parshall_studies import study as st
from parshall_studies.fluid import measures, setting
from parshall_studies.fluid.claims import model, packets
from parshall_studies.fluid.measures import (
    CYCLE_CBR,
    HOPS_CBR,
    LOADS,
    MOVING,
    STEP_CBR,
    fixed_loss,
)
from parshall_studies.fluid.setting import CALM
from parshall_studies.fluid.shown import TABLES, errors


def facts(results: st.Results, judged: st.Judgements) -> dict[str, Any]:
    """By the names under which the page knows them."""
    del judged
    timeouts = results.values("packets", "timeouts", network="chapter", elsewhere=0.0).mean("seed").array
    unstable = {name: _unstable(results, name) for name in MOVING}
    return {
        "net": setting,
        "loads": LOADS,
        "tables": [f"rest-{network}-{cbr}" for network, cbr in TABLES],
        "loss": {name: _ratios(results, name) for name in ("document", "whole")},
        "share": {name: float(errors(results, name)["share"].max()) for name in ("document", "whole")},
        "queue": {name: _mean_error(results, name, "queue") for name in ("document", "whole")},
        "drops": {name: 100 * _mean_error(results, name, "loss") for name in ("document", "whole")},
        "chance": _chance(results),
        "pause": whole_packets().pause,
        "timeouts": timeouts,
        "rtt_deviation": results.values("packets", "rtt_deviation", network="chapter", elsewhere=0.0)
        .mean("seed")
        .array,
        "unstable": unstable,
        "step": measures.STEP,
        "step_cbr": STEP_CBR,
        "peaks": _peaks(results),
        "cycle_cbr": CYCLE_CBR,
        "cycles": _cycles(results),
        "borders": {name: float(results.values("borders", "flows", model=name).array) for name in MOVING},
        "swing_flows": results.labels("swings", "flows"),
        "frequency": _frequencies(results),
        "gentle": (1 - CALM.most) / CALM.high / (CALM.most / (CALM.high - CALM.low)),
        "hops_cbr": HOPS_CBR,
        "fixed": _fixed_loss(),
    }


def _ratios(results: st.Results, name: str) -> list[float]:
    """The model's drop rate as a multiple of that of packets, at each load."""
    measured = packets("loss").values(results).mean("seed").array
    return [float(each) for each in model(name, "loss").values(results).array / measured]


def _mean_error(results: st.Results, name: str, measure: str) -> float:
    """Over the loads; of the drop rate as a share of that of packets."""
    return float(errors(results, name)[measure].mean())


def _chance(results: st.Results) -> list[float]:
    """How far the queue of packets swings where the model with a pause is at rest."""
    growth = results.values("swings_of_models", "growth", model="whole").array
    deviation = results.values("swings", "deviation").mean("seed").array
    return [float(each) for each in deviation[growth < 0]]


def _unstable(results: st.Results, name: str) -> list[int]:
    """Loads of the chapter's network at which the model does not stay at rest."""
    growth = model(name, "growth").values(results).array
    return [cbr for cbr, each in zip(LOADS, growth, strict=True) if each > 0]


def _peaks(results: st.Results) -> dict[str, float]:
    """The longest queue after the load has come; of packets that of the mean over runs."""
    begin, stop, _ = measures.STEP
    span = st.Span(begin, stop)
    runs = results.values("step", "queue", time=span).mean("seed").array
    models = {
        name: float(results.values("step_models", "queue", model=name, time=span).array.max())
        for name in MOVING
    }
    return {"packets": float(runs.max()), **models}


def _cycles(results: st.Results) -> dict[str, Any]:
    """How long a cycle is, in seconds."""
    models = {
        name: float(results.values("cycle_lengths_of_models", "length", model=name).array) for name in MOVING
    }
    return {"packets": results.values("cycle_lengths", "length").interval(), **models}


def _frequencies(results: st.Results) -> list[float]:
    """The frequency of packets as a multiple of that of the model with a pause, at each number of flows."""
    measured = results.values("swings", "frequency").mean("seed").array
    solved = results.values("swings_of_models", "frequency", model="whole").array
    return [float(each) for each in measured / solved]


def _fixed_loss() -> dict[str, Any]:
    """The rightmost roots at a fixed loss, found and in closed form (Lambert's W)."""
    from scipy.special import lambertw

    loss, cbr = 0.005, 10
    fixed = fixed_loss(loss, cbr, setting.CHAPTER.round_trip)
    rest = equilibria(fixed).found[0]
    a = 1 / rest.window
    windows = (float(lambertw(-a * math.exp(a)).real) - a) / rest.round_trip
    queue = -(1 - rest.share) / rest.round_trip
    return {
        "loss": loss,
        "cbr": cbr,
        "found": [float(root.real) for root in stability(fixed, rest, 2).roots],
        "law": sorted((windows, queue), reverse=True),
    }
