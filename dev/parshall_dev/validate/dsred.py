"""Ports with ns-2's dsRED queue, and their conditioners, as queues and conditioners of ours."""

from __future__ import annotations

from typing import Any, Literal

from parshall.scenario import (
    ClassQueue,
    Conditioner,
    DiffServ,
    Precedence,
    Priority,
    RoundRobin,
    Rule,
    SrtcmMeter,
    TokenBucketMeter,
    TrtcmMeter,
    Tsw2cmMeter,
    Tsw3cmMeter,
    Wirr,
    Wrr,
)
from parshall_dev.validate.fields import Fields

__all__ = ["class_queues", "conditioner"]

_DROPPERS: dict[str, Literal["drop-tail", "rio-c", "rio-d", "wred"]] = {
    "RIO-C": "rio-c",
    "RIO-D": "rio-d",
    "WRED": "wred",
    "DROP": "drop-tail",
}
_SCHEDULERS = ["RR", "WRR", "WIRR", "PRI"]
_POLICIES = ["Null", "TSW2CM", "TSW3CM", "TokenBucket", "srTCM", "trTCM"]
_PARAMETERS = ["cir_bps", "cbs_bytes", "ebs_bytes", "pir_bps", "pbs_bytes", "window_s"]


def class_queues(fields: Fields, limit: int) -> DiffServ:
    """The queues of a port; each physical queue has the whole limit."""
    count = fields.whole("num_precedences", 1)
    places = _places(fields.table("code_points"))
    queues, weights, rates = [], [], []
    for number, queue in enumerate(fields.tables("physical_queues")):
        dropper = _DROPPERS[queue.one_of("mred_mode", list(_DROPPERS))]
        precedences = [
            _precedence(each, dropper, places.get((number, index), []))
            for index, each in enumerate(queue.tables("precedences"))
        ]
        if len(precedences) != count:
            raise queue.error("precedences", f"{count} of them, as num_precedences says")
        queues.append(ClassQueue(precedences=precedences, limit_packets=limit, dropper=dropper))
        weights.append(_or(queue, "weight", 1))
        rates.append(_or(queue, "max_rate_bps", 0))
        queue.done()
    kind = fields.one_of("scheduler", _SCHEDULERS)
    size = fields.whole("mean_packet_bytes", 1)
    fields.done()
    return DiffServ(
        queues=queues,
        scheduler=_scheduler(kind, weights, rates),
        mean_packet_bytes=size,
        profile="ns2",
    )


def _or(fields: Fields, name: str, default: float) -> Any:
    value = fields.plain(name)
    return default if value is None else value


def _places(fields: Fields) -> dict[tuple[int, int], list[int]]:
    """The code points of each physical queue and precedence."""
    places: dict[tuple[int, int], list[int]] = {}
    for code_point in fields.left():
        place = fields.table(code_point)
        where = (place.whole("queue", 0), place.whole("precedence", 0))
        place.done()
        if not code_point.isdecimal():
            raise fields.error(code_point, "code points as names of fields")
        places.setdefault(where, []).append(int(code_point))
    return places


def _precedence(fields: Fields, dropper: str, code_points: list[int]) -> Precedence:
    low, high = fields.number("th_min_pkts", zero=True), fields.number("th_max_pkts", zero=True)
    probability, weight = fields.number("p_max"), fields.number("q_w")
    fields.done()
    if dropper == "drop-tail":
        return Precedence(dscp=code_points, min_threshold_packets=low)
    return Precedence(
        dscp=code_points,
        min_threshold_packets=low,
        max_threshold_packets=high,
        max_probability=probability,
        weight=weight,
    )


def _scheduler(kind: str, weights: list[int], rates: list[float]) -> Any:
    if kind == "WRR":
        return Wrr(weights=weights)
    if kind == "WIRR":
        return Wirr(weights=weights)
    if kind == "PRI":
        return Priority(max_rates=rates if any(rates) else [])
    return RoundRobin()


def conditioner(fields: Fields) -> Conditioner:
    """The policy table of an edge port."""
    rules = [_rule(policy) for policy in fields.tables("policies")]
    fields.done()
    return Conditioner(rules=rules, profile="ns2")


def _rule(fields: Fields) -> Rule:
    ends = {"sources": fields.word("source_host"), "destinations": fields.word("destination_host")}
    policy = fields.one_of("policy", _POLICIES)
    given = {name: fields.plain(name) for name in _PARAMETERS}
    code_points = fields.items("code_points")
    fields.done()
    colours = ["if_green", "if_red"] if len(code_points) == 2 else ["if_green", "if_yellow", "if_red"]
    parts: dict[str, Any] = {name: [host] for name, host in ends.items() if host != "any"}
    parts.update(zip(colours, code_points, strict=False))
    return Rule(**parts, meter=_meter(policy, given))


def _meter(policy: str, given: dict[str, Any]) -> Any:
    cir = given["cir_bps"]
    if policy == "TokenBucket":
        return TokenBucketMeter(cir=cir, cbs_bytes=given["cbs_bytes"])
    if policy == "srTCM":
        return SrtcmMeter(cir=cir, cbs_bytes=given["cbs_bytes"], ebs_bytes=given["ebs_bytes"])
    if policy == "trTCM":
        return TrtcmMeter(
            cir=cir, cbs_bytes=given["cbs_bytes"], pir=given["pir_bps"], pbs_bytes=given["pbs_bytes"]
        )
    if policy == "TSW2CM":
        return Tsw2cmMeter(cir=cir, window=given["window_s"] or 1.0)
    if policy == "TSW3CM":
        return Tsw3cmMeter(cir=cir, pir=given["pir_bps"])
    return None
