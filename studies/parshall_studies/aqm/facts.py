"""Numbers that the report's sentences are made with."""

from __future__ import annotations

from typing import Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.aqm import networks
from parshall_studies.aqm.claims import of
from parshall_studies.aqm.grid import BUFFERS, CAPACITIES, LOADS, MODERN, QUEUES
from parshall_studies.aqm.shown import beside_ns2


def facts(results: st.Results, judged: st.Judgements) -> dict[str, Any]:
    """By the names under which the page knows them."""

    def mean(expression: st.Expression) -> float:
        return float(np.mean(expression.values(results).array))

    def by_capacity(queue: str, other: str, load: int, part: str = "grid") -> list[float]:
        """Points of the capacity that long TCP flows get more with one queue than with another, at 1 BWDP."""
        gap = of("ltrf", queue, part, buffer="1", load=load) - of("ltrf", other, buffer="1", load=load)
        return [100 * mean(gap.at(capacity=capacity)) for capacity in CAPACITIES]

    def ratios(metric: str, above: tuple[str, str], below: tuple[str, str], **where: Any) -> list[float]:
        """Of means, over capacities and buffers with 30 % short flows; each is a queue and a part."""
        cells: list[dict[str, Any]] = [
            {"capacity": c, "buffer": b, "load": 30, **where} for c in CAPACITIES for b in BUFFERS
        ]
        return [mean(of(metric, *above, **cell)) / mean(of(metric, *below, **cell)) for cell in cells]

    found: dict[str, Any] = {
        "net": networks,
        "queues": QUEUES,
        "modern": MODERN,
        "capacities": CAPACITIES,
        "gaps": {load: by_capacity("droptail", "red", load) for load in (LOADS[0], LOADS[-1])},
        "long_term": _by_verdict(judged),
        "delays": ratios("delay", ("droptail", "grid"), ("red", "grid")),
        "jitter": {
            part: ratios("delay_sd", ("red", part), ("droptail", part))
            for part in ("grid", "on_off")
            if part in results
        },
    }
    if "thresholds" in results:
        found["low_delays"] = ratios("delay", ("droptail", "grid"), ("red-low", "thresholds"))
    if "spread" in results:
        at: dict[str, Any] = {"capacity": 100, "buffer": "1"}
        found["phase"] = {
            load: [100 * mean(of("ltrf", queue, part, load=load, **at)) for queue, part in _PHASES]
            for load in LOADS
        }
    if {"tuned", "tuned_spread"} <= results.measures.keys():
        found["gains"] = {
            part: {load: by_capacity("red-tuned", "red", load, part) for load in (LOADS[0], LOADS[-1])}
            for part in ("tuned", "tuned_spread")
        }
        found["tuned_delay"] = [
            mean(of("delay", "red-tuned", "tuned", capacity=c, buffer="1", load=0))
            / mean(of("delay", "red", capacity=c, buffer="1", load=0))
            for c in CAPACITIES
        ]
        found["estimates"] = {
            load: [
                mean(of("estimated_share", "red-tuned", "tuned", capacity=c, buffer="1", load=load))
                for c in CAPACITIES
            ]
            for load in (LOADS[0], LOADS[-1])
        }
    if MODERN.name in results:
        found["today"] = {
            QUEUES[queue]: [
                mean(of(metric, queue, MODERN.name, capacity=35, buffer="1", load=30))
                for metric in ("delay", "ltrf", "response_mean")
            ]
            for queue in MODERN.queues
        }
        found["cubic"] = {QUEUES[queue]: _cubic_changes(results, queue) for queue in MODERN.queues}
    if "ns2" in results:
        found["ns2"] = _ns2(results)
    return found


_PHASES = (("droptail", "grid"), ("droptail", "spread"), ("red", "grid"))


def _by_verdict(judged: st.Judgements) -> dict[st.Verdict, list[int]]:
    """Capacities by what became of the chapter's conclusion there."""
    places: dict[st.Verdict, list[int]] = {}
    for capacity in CAPACITIES:
        places.setdefault(judged[f"discussion.long-term-only.{capacity}"].verdict, []).append(capacity)
    return places


def _cubic_changes(results: st.Results, queue: str) -> list[float]:
    """Points of the capacity that long TCP flows get more, cell by cell."""
    gap = of("ltrf", queue, MODERN.name, senders="cubic") - of("ltrf", queue, MODERN.name)
    changes: list[float] = (100 * gap.values(results).mean("seed").array).ravel().tolist()
    return changes


def _ns2(results: st.Results) -> dict[str, Any]:
    """The median and the largest distance of the means, in points or percent."""
    points = {
        metric: 100 * np.abs(np.subtract(*beside_ns2(results, metric).T))
        for metric in ("ltrf", "ltnrf", "ltnrf_drop")
    }
    delay = beside_ns2(results, "delay")
    off = {**points, "delay": 100 * np.abs(delay[:, 1] / delay[:, 0] - 1)}
    return {
        "cells": len(delay),
        "off": {metric: (float(np.median(each)), float(np.max(each))) for metric, each in off.items()},
    }
