"""Statements in terms of measures and solutions; ``claims.md`` has their words."""

from __future__ import annotations

from functools import partial
from typing import Any

from parshall_studies import study as st
from parshall_studies.fluid.assumptions import MIXED
from parshall_studies.fluid.measures import ELSEWHERE, HOPS_CBR, LOADS, MOVING
from parshall_studies.fluid.setting import CHAPTER, LADDER

NAMES = {
    "document": "the document",
    "drops": "drops that never enter the queue",
    "periodic": "W = \N{SQUARE ROOT}(1.5/p)",
    "whole": "whole packets and pauses",
    "timeouts": "timeouts (Padhye)",
}
UNITS = {"share": "", "queue": "packets", "loss": "%", "window": "packets"}
"""Units of quantities at rest."""
_UNITS = {**UNITS, "growth": "1/s", "deviation": "packets"}
_FEW_FLOWS = [20, 30, 40]
_FACTOR, _LOSS_FACTOR = 1.25, 1.5
_SHARE = 0.1
"""Bound of the share: the one of an accurate estimate that the chapter names (II.C.5)."""
_SLOWLY = 0.5
_EXACTLY = 1e-9
_REASONABLY = 0.1
"""Distance from the linear course, over the deviation, up to which that course is reasonably accurate."""
_ADDED, _OFF = 1.05, 0.1
_LOST = st.Given(("elsewhere",), {loss: 100 * loss for loss in ELSEWHERE if loss})
"""Loss on the other hops, by its label, in %."""


def packets(measure: str) -> st.Expression:
    """Measure of packets, by load of the chapter's network."""
    return st.Quantity("packets", measure, UNITS.get(measure, "")).at(network="chapter", elsewhere=0.0)


def model(name: str, measure: str) -> st.Expression:
    """Measure of a model at rest, by load of the chapter's network."""
    whole = st.Quantity("models", measure, _UNITS.get(measure, ""))
    return whole.at(network="chapter", elsewhere=0.0, model=name, cbr=list(LOADS))


def share_error(name: str) -> st.Expression:
    """Error of a model's share, as a part of that of packets, at loads with flows that do not respond."""
    loads = [cbr for cbr in LOADS if cbr]
    measured = packets("share").at(cbr=loads)
    return (model(name, "share").at(cbr=loads) - measured) / measured.mean(st.SEED)


def _share(correction: str) -> st.Holds:
    return st.within(share_error(correction), -_SHARE, _SHARE)


def _alike(name: str, measure: str, factor: float) -> st.Holds:
    return st.alike(model(name, measure), packets(measure), factor)


def _hops(name: str, measure: str, factor: float) -> st.Holds:
    where = {"network": "calm", "cbr": 20}
    ours = st.Quantity("models", measure).at(model=name, **where)
    return st.alike(ours, st.Quantity("packets", measure).at(**where), factor)


def _swings(name: str, measure: str, **where: Any) -> tuple[st.Expression, st.Expression]:
    """Swings of a model and of packets."""
    unit = _UNITS.get(measure, "")
    ours = st.Quantity("swings_of_models", measure, unit).at(model=name, **where)
    return ours, st.Quantity("swings", measure, unit).at(**where)


def _less_far(moving: str) -> st.Relation:
    ours, theirs = _swings(moving, "deviation", flows=_FEW_FLOWS)
    return theirs < ours


def _cycle(moving: str) -> st.Holds:
    ours = st.Quantity("cycle_lengths_of_models", "length", "s").at(model=moving)
    return st.alike(ours, st.Quantity("cycle_lengths", "length", "s"), _FACTOR)


def _average(flows: int, measure: str) -> st.Holds:
    """Claim: flows that differ do as flows that are alike."""
    own = st.Quantity("mixed", measure, UNITS[measure]).at(flows=flows)
    return st.alike(
        own.at(kind="different"), own.at(kind="alike"), _LOSS_FACTOR if measure == "loss" else _FACTOR
    )


def _closer_when_many(quantity: str) -> st.Relation:
    """Claim: in a larger network flows that differ do more as flows that are alike."""
    own = st.Quantity("mixed", quantity, UNITS[quantity])

    def off(flows: int) -> st.Expression:
        alike = own.at(flows=flows, kind="alike")
        return abs(own.at(flows=flows, kind="different") - alike) / alike.mean(st.SEED)

    few, many = sorted(MIXED)
    return off(few) > off(many)


def _loss_error(name: str) -> st.Expression:
    """How far a model's drop rate is from that of packets."""
    return abs(packets("loss") - model(name, "loss"))


def _added() -> st.Holds:
    """Loss along the path beside the sum of the losses of its hops."""
    where = {"network": "calm", "cbr": HOPS_CBR, "elsewhere": list(_LOST.numbers)}
    here, whole = (st.Quantity("packets", each, "%").at(**where) for each in ("loss", "path_loss"))
    return st.alike(whole, here + _LOST, _ADDED)


_SAYS: dict[str, Any] = {
    "fixed-loss.stable": st.Computed(st.Quantity("fixed_loss", "growth", "1/s") < 0.0),
    "figure-1.small-deviation": (
        st.Quantity("packets", "rtt_deviation", "%").at(network="chapter", elsewhere=0.0) < 10.0
    ),
    "document.changes-slowly.queue": packets("queue_change") < _SLOWLY,
    "document.changes-slowly.drops": packets("drop_change") < _SLOWLY,
    "document.changes-slowly.windows": st.Quantity("windows", "window_change") < _SLOWLY,
    **{f"average.{each}.{{flows}}": partial(_average, measure=each) for each in ("queue", "loss", "share")},
    "average.closer-when-many.{quantity}": _closer_when_many,
    "small-signal.close": st.Computed(st.Quantity("small_signals", "error") < _REASONABLY),
    "hops.add-up": _added(),
    "hops.linear": st.within(packets("queue"), CHAPTER.low, CHAPTER.high, "packets"),
    "document.errs": _loss_error("document") / packets("loss").mean(st.SEED) > _OFF,
    "document.errs-less-with-timeouts": _loss_error("document") > _loss_error("timeouts"),
    "document.small-drop-rate": packets("loss") < 100 * CHAPTER.most,
    "document.noisy-drop-rate": packets("drop_change") > 1.0,
    "document.share": _share("document"),
    "rest.share-tests-nothing": st.Computed(st.Quantity("any_model", "off") < _EXACTLY),
    "rest.share.{correction}": _share,
    "rest.queue.{model}": lambda model: _alike(model, "queue", _FACTOR),
    "rest.loss.{model}": lambda model: _alike(model, "loss", _LOSS_FACTOR),
    "hops.less-here": st.falls(st.Quantity("packets", "loss", "%").at(network="calm", cbr=20), "elsewhere"),
    "hops.queue.{moving}": lambda moving: _hops(moving, "queue", _FACTOR),
    "hops.loss.{moving}": lambda moving: _hops(moving, "loss", _LOSS_FACTOR),
    "red.stable.{moving}": lambda moving: st.Computed(model(moving, "growth") < 0.0),
    "swings.less-far.{moving}": _less_far,
    "swings.frequency.{moving}": lambda moving: st.alike(*_swings(moving, "frequency"), _FACTOR),
    "cycle.length.{moving}": _cycle,
}


TOPICS: tuple[st.Topic, ...] = st.topics_of(
    st.page_of(__package__, "claims.md"),
    _SAYS,
    {
        "model": NAMES,
        "correction": {name: NAMES[name] for name in LADDER if name != "document"},
        "moving": {name: NAMES[name] for name in MOVING},
        "flows": {flows: str(flows) for flows in MIXED},
        "quantity": {"queue": "mean queue", "loss": "drop rate", "share": "share of non-responsive traffic"},
    },
)
