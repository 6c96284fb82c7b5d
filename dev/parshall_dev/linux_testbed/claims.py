"""Statements in terms of measures; ``claims.md`` has their words."""

from __future__ import annotations

import math
from typing import Any

from parshall_dev.linux_testbed import settings
from parshall_dev.linux_testbed.measures import CHAPTER_2, CONSTANT, MACHINE, MODULE, SIMULATOR
from parshall_dev.linux_testbed.settings import (
    CHANGES,
    DYNAMIC,
    ESTMRED,
    EXPERIMENTS,
    FORMS,
    LABELS,
    LOAD_NAMES,
    MIX,
    OFF,
    QUEUES,
    SUPER,
    TUNED,
)
from parshall_studies import study as st

ESTM = 14259
"""Figure 19's."""
SMALL_ERROR = 0.04**2
"""Mean square error of 'an error of less than 4 %' (III.D)."""
SENDERS = {"cubic": "CUBIC, as Linux has it", "sack": "Reno with SACK, as ns-2 has it"}
_UNITS = {"drop_rate": "%", "backlog": "kB", "share": ""}
_SCALE = 2.0**14
_HALF, _TWICE, _TENTH = 0.5, 2.0, 0.1
_CLOSE, _NEAR = 0.03, 0.01
_NO_LOSS = 0.1
"""Percent of packets: what counters that are read one after the other may differ by."""


def port(table: str, measure: str, experiment: str) -> st.Expression:
    """Measure of the bottleneck, of machines (``machine_ports``) or the simulator (``ports``)."""
    return st.Quantity(table, measure, _UNITS[measure]).at(experiment=experiment)


def seen(column: str, gains: str, experiment: Any) -> st.Expression:
    """Measure of estimates in machines, one number a run."""
    return st.Quantity("machine_errors", column).at(gains=gains, experiment=experiment)


def ours(column: str, experiment: Any, gains: str = SIMULATOR) -> st.Expression:
    """Measure of estimates in the simulator, with gains tuned there unless others are given."""
    return st.Quantity("errors", column).at(gains=gains, experiment=experiment)


def queue(column: str, queues: Any) -> st.Expression:
    """Measure of a queue discipline of the kernel, one number a run."""
    return st.Quantity("queues", column, "%").at(queue=queues)


def _by_flows(load: str) -> st.Expression:
    """Measure of the estimator that looks at flows, on the machine's packets."""
    return st.Quantity("flows", "mse").at(experiment=load)


def _follows(experiment: str) -> st.Relation:
    return seen("estimated_moved", MODULE, experiment) > _HALF * seen("measured_moved", MODULE, experiment)


def _follows_there(experiment: str) -> st.Relation:
    return ours("estimated_moved", experiment) > _HALF * ours("measured_moved", experiment)


def _carried(sender: str) -> st.Expression:
    return st.Quantity("carry_over", "mse").at(scale="as printed", sender=sender, gains=MACHINE)


def _beside(measure: str, experiment: str) -> st.OneOfRuns:
    least = None if measure == "share" else 0.0
    return st.OneOfRuns(port("machine_ports", measure, experiment), port("ports", measure, experiment), least)


def _at_rate(measure: str) -> st.OneOfRuns:
    """Machine and simulator at the chapter's rate."""
    unit, least = _UNITS[measure], None if measure == "share" else 0.0
    there = st.Quantity("at_rate", measure, unit).at(experiment=settings.RATE_LOAD.name)
    return st.OneOfRuns(st.Quantity("machine_at_rate", measure, unit), there, least)


def hop(column: str, form: Any) -> st.Expression:
    """Measure of a form of the module at the first of two bottlenecks, one number a run."""
    return st.Quantity("hops", column).at(form=form)


def _shown(column: str, experiments: list[str]) -> st.Expression:
    """Count in machines beside the estimates, one number a run."""
    return st.Quantity("shown", column).at(experiment=experiments)


def _retuned(change: str, gains: str) -> st.Expression:
    """Mean square error over the loads after a change, with gains that were tuned before or after it."""
    return st.Quantity("retuned", "mse").at(change=change, gains=gains).mean("experiment")


def _better(than: str, experiment: str, gains: str = SIMULATOR) -> st.Observed:
    return st.Observed(seen("mse", gains, experiment) < seen("mse", than, experiment))


_SHARED = [each for each in QUEUES if each != "fq_codel"]
_LOADS = list(LOAD_NAMES)
_FORMS = list(FORMS)
_FORGOTTEN = st.Given(("intervals",), {200: settings.ALPHA**200}, label="weight")
_SPAN = st.Given(("intervals",), {200: 200 * settings.ESTIMATION * settings.SAMPLING}, "s", label="time")

_SAYS: dict[str, Any] = {
    "figure-19.share": st.Exactly(st.Printed("0.87"), ESTM / _SCALE),
    "figure-19.estm": st.Observed(
        abs(st.Quantity("shown", "estm") - _SCALE * st.Quantity("shown", "average")) < 1.0
    ),
    "text.forgetting": st.Computed(_FORGOTTEN.at(intervals=200) < 0.01),
    "figure-19.average": st.Observed(
        abs(st.Quantity("shown", "average") - st.Quantity("shown", "filtered")) < _NEAR
    ),
    "text.converges": st.Computed(_SPAN.at(intervals=200) > 100.0),
    "text.ticks": st.Exactly(st.Printed("40", "ms"), 10.0 * math.ceil(1e3 * settings.SAMPLING / 10)),
    "text.error": st.Exactly(st.Printed("4", "%"), 100 * math.sqrt(float(settings.CARRY_OVER_MSE))),
    "figure-22.order.kernel": st.Observed(st.falls(seen("mse", MODULE, _LOADS), "experiment")),
    "figure-22.order.simulator": st.falls(ours("mse", _LOADS), "experiment"),
    "figure-22.error.{load}": lambda load: st.Observed(seen("mse", MODULE, load) < SMALL_ERROR),
    "figure-23.up": st.Observed(seen("estimated_moved", MODULE, DYNAMIC) > 0.0),
    "figure-23.follows": st.Observed(_follows(DYNAMIC)),
    "figure-23.alarm": st.Observed(seen("above_calm", MODULE, DYNAMIC) > 0.0),
    "figure-23.simulator": _follows_there(DYNAMIC),
    "figure-24.up": st.Observed(seen("estimated_moved", MODULE, MIX) > 0.0),
    "figure-24.follows": st.Observed(_follows(MIX)),
    "figure-24.simulator": _follows_there(MIX),
    "carry-over.printed.{sender}": lambda sender: st.PrintedNumber(
        st.Printed(settings.CARRY_OVER_MSE), _carried(sender), least=0
    ),
    "carry-over.small.{sender}": lambda sender: _carried(sender) < SMALL_ERROR,
    "beside.drops.{experiment}": lambda experiment: _beside("drop_rate", experiment),
    "beside.backlog.{experiment}": lambda experiment: _beside("backlog", experiment),
    "beside.share.{experiment}": lambda experiment: _beside("share", experiment),
    "beside.error.{experiment}": lambda experiment: st.OneOfRuns(
        seen("mse", MODULE, experiment), ours("mse", experiment), 0.0
    ),
    "rate.drops": _at_rate("drop_rate"),
    "rate.backlog": _at_rate("backlog"),
    "rate.share": _at_rate("share"),
    "rate.error": st.Observed(st.Quantity("machine_at_rate", "mse") < SMALL_ERROR),
    "hops.drops.first": st.Observed(hop("drop_rate", _FORMS) > 1.0),
    "hops.drops.second": st.Observed(hop("elsewhere", _FORMS) > 1.0),
    "hops.better": st.Observed(hop("mse", "multi-hop") < hop("mse", "one-hop")),
    "hops.small.{form}": lambda form: st.Observed(hop("mse", form) < SMALL_ERROR),
    "gains.untuned.{experiment}": lambda experiment: st.Observed(
        seen("mse", CHAPTER_2, experiment) > SMALL_ERROR
    ),
    "gains.printed.{experiment}": lambda experiment: _better(CHAPTER_2, experiment),
    "gains.carried.{experiment}": lambda experiment: (
        ours("mse", experiment, MACHINE) < _TWICE * ours("mse", experiment)
    ),
    "retuning.{change}": lambda change: _retuned(change, "before") > _TWICE * _retuned(change, "after"),
    "gains.constant.{experiment}": lambda experiment: _better(CONSTANT, experiment, MODULE),
    "gains.machine.{experiment}": lambda experiment: st.Observed(
        seen("mse", SIMULATOR, experiment) < _TWICE * seen("mse", MACHINE, experiment)
    ),
    "module.arithmetic.{experiment}": lambda experiment: st.Observed(
        abs(seen("bias", MODULE, experiment) - seen("bias", SIMULATOR, experiment)) < _CLOSE
    ),
    "flows.better.{load}": lambda load: st.Observed(_by_flows(load) < seen("mse", MODULE, load)),
    "flows.small.{load}": lambda load: st.Observed(_by_flows(load) < SMALL_ERROR),
    "queues.tuned": st.Observed(queue("tcp", TUNED) > queue("tcp", ESTMRED)),
    "queues.fair": st.Observed(queue("tcp", "fq_codel") > queue("tcp", _SHARED)),
    "module.red": st.Observed(abs(queue("tcp", ESTMRED) - queue("tcp", "red")) < 2.0),
    "module.off": st.Observed(abs(queue("tcp", OFF) - queue("tcp", "red")) < 2.0),
    "module.drops": st.Observed(abs(_shown("lost_elsewhere", list(EXPERIMENTS))) < _NO_LOSS),
    "module.bytes": st.Observed(_shown("saturated_in_bytes", list(EXPERIMENTS)) > 0.0),
    "module.overflow": st.Observed(_shown("saturated", list(EXPERIMENTS)) < 1.0),
    "module.silent": st.Observed(st.Quantity("shown", "complaints") < 1.0),
    "super-packets.drops": st.Observed(
        abs(port("machine_ports", "drop_rate", SUPER) / port("machine_ports", "drop_rate", "load/76") - 1.0)
        > _TENTH
    ),
}

TOPICS: tuple[st.Topic, ...] = st.topics_of(
    st.page_of(__package__, "claims.md"),
    _SAYS,
    {
        "load": {name: LABELS[name] for name in LOAD_NAMES},
        "experiment": {name: LABELS[name] for name in EXPERIMENTS},
        "sender": SENDERS,
        "form": FORMS,
        "change": {name: words for name, (words, _) in CHANGES.items()},
    },
)
