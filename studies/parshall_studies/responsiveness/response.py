"""True responses, whatever the protocol: the elasticity of a group's packets to its losses, by twin
runs.

The twins have common random numbers: every start, size, pause and draw of the one is that of the other. In
the second one a tenth of the flows of each group meets a little more loss on its way to the bottleneck. A
group whose packets stay as many does not respond.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall.scenario import BernoulliLoss

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.scenario import Dumbbell, Scenario

DEAF_BELOW = 0.1
"""Elasticity below which a group counts as one that does not respond. The square-root law of TCP has 1/2."""
TREATED = 0.1
"""Part of a group's flows that meets more loss, at least one flow."""
_TIMES = 2.0
"""Factor of the loss that the treated flows meet."""
_LEAST_LOSS = 0.005
"""Loss that a link without any is taken to have."""
_MOST_MORE = 0.3
"""No more loss than this is added."""


@dataclass(frozen=True)
class Treatment:
    """The flows of each group that meet more loss."""

    treated: Mapping[str, tuple[str, ...]]
    """Names of flows by group."""
    more: float
    """Probability of a loss that is added."""
    ratio: float
    """Losses with it over losses without."""


def groups(network: Dumbbell) -> Mapping[str, tuple[str, ...]]:
    """Names of the flows through the bottleneck, by the name of their group."""
    counts: dict[str, int] = {}
    for group in network.flows:
        if group.direction == "forward":
            counts[group.name] = counts.get(group.name, 0) + group.count
    return {name: tuple(f"{name}{i + 1}" for i in range(count)) for name, count in counts.items()}


def treatment(network: Dumbbell, loss: float) -> Treatment:
    """Whom more loss is given, and how much, where the bottleneck drops and marks this part of packets."""
    known = max(loss, _LEAST_LOSS)
    more = min((_TIMES - 1) * known, _MOST_MORE)
    treated = {name: _some(flows) for name, flows in groups(network).items()}
    return Treatment(treated, more, (known + more) / known)


def twin(network: Dumbbell, given: Treatment) -> Scenario:
    """The second of the twins."""
    scenario = network.scenario()
    treated = {flow for flows in given.treated.values() for flow in flows}
    sources = {flow.source for flow in scenario.flows if flow.name in treated}
    loss = BernoulliLoss(probability=given.more, of="data")
    links = [
        link.model_copy(update={"loss": loss}) if link.between[0] in sources else link
        for link in scenario.links
    ]
    return scenario.with_({"links": links})


def elasticities(
    given: Treatment, twins: Iterable[tuple[Mapping[str, float], Mapping[str, float]]]
) -> Mapping[str, float]:
    """``-d ln(packets) / d ln(losses)`` of each group. ``twins`` has what flows sent (:func:`sent`) without
    and with more loss, for each pair.
    """
    found = {}
    pairs = list(twins)
    for name, flows in given.treated.items():
        before = sum(one[flow] for one, _ in pairs for flow in flows)
        after = sum(other[flow] for _, other in pairs for flow in flows)
        found[name] = -math.log(max(after, 1.0) / max(before, 1.0)) / math.log(given.ratio)
    return found


def deaf(found: Mapping[str, float]) -> tuple[str, ...]:
    """Groups that do not respond."""
    return tuple(name for name, elasticity in found.items() if elasticity < DEAF_BELOW)


def loss_at(run: Recording, port: str = "bottleneck") -> float:
    """The part of a port's packets that was dropped or marked."""
    seen = run.port(port)
    return (seen.packets_dropped + seen.packets_marked) / max(seen.packets_arrived, 1)


def _some(flows: tuple[str, ...]) -> tuple[str, ...]:
    """Evenly spread over the group, so that round trips of all lengths are among them."""
    count = max(1, round(TREATED * len(flows)))
    places = np.linspace(0, len(flows) - 1, 2 * count + 1)[1::2]
    return tuple(flows[round(place)] for place in places)


def sent(run: Recording) -> Mapping[str, float]:
    """Packets that each flow sent."""
    return dict(zip(run.flows, run.columns("flows")["packets_sent"].astype(float).tolist(), strict=True))
