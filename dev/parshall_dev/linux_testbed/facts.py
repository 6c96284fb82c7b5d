"""Numbers that the report's sentences are made with."""

from __future__ import annotations

from typing import Any

from parshall_dev.linux_testbed import settings
from parshall_dev.linux_testbed.claims import ours, port, seen
from parshall_dev.linux_testbed.machine import SERIES
from parshall_dev.linux_testbed.measures import CHAPTER_2, CONSTANT, MACHINE, MODULE
from parshall_dev.linux_testbed.settings import EXPERIMENTS, LOAD_NAMES, SUPER, Scale
from parshall_studies import study as st


def facts(results: st.Results, judged: st.Judgements) -> dict[str, Any]:
    """By the names under which the page knows them."""
    told = {name: float(results.values("scale", "value", what=name).array) for name in _SCALE}
    scale = Scale(told["rates"], told["times"], round(told["repetitions"]))
    beside = judged.where("beside.")
    return {
        "net": settings,
        "scale": scale,
        "series": SERIES,
        "tc": "\n".join(results.rows("tc")["text"].to_pylist()),
        "errors": {of: _errors(results, of) for of in (MODULE, CHAPTER_2, CONSTANT)},
        "there": [ours("mse", name).values(results).interval().mean for name in EXPERIMENTS],
        "beside": beside.counts[st.Verdict.HOLDS],
        "beside_all": len(beside),
        "carried": {sender: _carried(results, sender) for sender in results.labels("carry_over", "sender")},
        "super_drops": _machine(results, "drop_rate", SUPER),
        "single_drops": _machine(results, "drop_rate", "load/76"),
        "loads": [_machine(results, "share", name) for name in LOAD_NAMES],
    }


_SCALE = ("rates", "times", "repetitions")


def _errors(results: st.Results, gains: str) -> list[float]:
    """Mean square errors in the kernel, by experiment."""
    return [float(seen("mse", gains, name).values(results).array.mean()) for name in EXPERIMENTS]


def _machine(results: st.Results, measure: str, experiment: str) -> float:
    return float(port("machine_ports", measure, experiment).values(results).array.mean())


def _carried(results: st.Results, sender: Any) -> Any:
    where = {"scale": "as printed", "sender": sender, "gains": MACHINE}
    return results.values("carry_over", "mse", **where).interval()
