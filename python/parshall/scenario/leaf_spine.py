"""Leaf-spine networks: each leaf is linked to each spine, and a hash chooses a flow's spine (ECMP)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parshall.errors import InputError, shown
from parshall.scenario.parts import Ecmp, Flow, Link, Record, Scenario

__all__ = ["leaf_spine"]

_MOST = 10_000


def leaf_spine(
    leaves: int,
    spines: int,
    hosts: int,
    *,
    duration: float | str,
    flows: Iterable[Flow],
    rate: float | str,
    delay: float | str,
    host_rate: float | str,
    host_delay: float | str,
    queue: Any = "droptail",
    hash_seed: int = 0,
    warm_up: float | str = 0.0,
    record: Record | None = None,
    title: str = "",
) -> Scenario:
    """A network of leaves, ``leaf1`` and so on, each with ``hosts`` hosts, ``h1_1`` and so on, and of
    spines ``spine1`` and so on.

    ``flows`` are between these hosts. One that goes from leaf to leaf passes the spine that :class:`Ecmp`
    with ``hash_seed`` chooses, and its ACKs the one that it chooses for them; one that names routers
    (``via``) keeps its way. ``routes`` of the network tells all ways. ``rate``, ``delay`` and ``queue`` are
    those of links between leaves and spines, ``host_rate`` and ``host_delay`` those of links of hosts, whose
    queue is the same. Raises InputError for numbers that are none, ScenarioError for what the fields do not
    take.
    """
    for name, count in (("leaves", leaves), ("spines", spines), ("hosts", hosts)):
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MOST:
            raise InputError(name, shown(count), f"a whole number from 1 to {_MOST}")
    leaf_of = {f"h{leaf}_{n}": leaf for leaf in range(1, leaves + 1) for n in range(1, hosts + 1)}
    fabric = [
        Link(between=(f"leaf{leaf}", f"spine{spine}"), rate=rate, delay=delay, queue=queue)
        for leaf in range(1, leaves + 1)
        for spine in range(1, spines + 1)
    ]
    access = [
        Link(between=(host, f"leaf{leaf}"), rate=host_rate, delay=host_delay, queue=queue)
        for host, leaf in leaf_of.items()
    ]
    return Scenario(
        title=title,
        duration=duration,
        warm_up=warm_up,
        hosts=list(leaf_of),
        routers=[
            f"{kind}{n + 1}" for kind, count in (("leaf", leaves), ("spine", spines)) for n in range(count)
        ],
        routing=Ecmp(hash_seed=hash_seed),
        links=[*fabric, *access],
        flows=_listed(flows),
        record=Record() if record is None else record,
    )


def _listed(flows: Iterable[Flow]) -> list[Flow]:
    if isinstance(flows, str) or not isinstance(flows, Iterable):
        raise InputError("flows", shown(flows), "a list of flows")
    listed = list(flows)
    for flow in listed:
        if not isinstance(flow, Flow):
            raise InputError("flows", shown(flow), "flows")
    return listed
