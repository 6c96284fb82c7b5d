"""Parking lots: bottlenecks in a row, flows that cross all of them, and flows that cross one each."""

from __future__ import annotations

from typing import Any

from parshall.errors import InputError, shown
from parshall.scenario.parts import Flow, Link, Record, Scenario

__all__ = ["parking_lot"]

_MOST_HOPS = 1000


def parking_lot(
    hops: int,
    *,
    duration: float | str,
    rate: float | str,
    delay: float | str,
    access_rate: float | str,
    access_delay: float | str,
    queue: Any = "droptail",
    transport: Any = "tcp",
    app: Any = "bulk",
    long: int = 1,
    cross: int = 1,
    cross_access_delay: float | str | None = None,
    start_spread: float | str = 0.0,
    warm_up: float | str = 0.0,
    record: Record | None = None,
    title: str = "",
) -> Scenario:
    """A network of ``hops`` bottlenecks ``r0->r1``, ``r1->r2`` and so on, named ``hop1``, ``hop2`` and so on.

    ``long`` flows, ``long1`` and so on, cross all of them; at each, ``cross`` flows cross it alone: those of
    the first are ``cross1_1``, ``cross1_2`` and so on. Each flow has a host of its own on either side, ``s_``
    and ``d_`` before its name. All have the same transport and application. ``cross_access_delay`` is that of
    the access links of cross flows; longer by ``delay (hops - 1) / 2`` it makes all round trips the same.
    Quantities are as in the fields of a dumbbell. Raises InputError for a number of hops or flows that
    is none, ScenarioError for what the fields do not take.
    """
    for name, count, least in (("hops", hops, 1), ("long", long, 0), ("cross", cross, 0)):
        if isinstance(count, bool) or not isinstance(count, int) or not least <= count <= _MOST_HOPS:
            raise InputError(name, shown(count), f"a whole number from {least} to {_MOST_HOPS}")
    routers = [f"r{number}" for number in range(hops + 1)]
    names = {f"long{number}": (0, hops) for number in range(1, long + 1)}
    for hop in range(1, hops + 1):
        names |= {f"cross{hop}_{number}": (hop - 1, hop) for number in range(1, cross + 1)}
    bottlenecks = [
        Link(between=(f"r{hop - 1}", f"r{hop}"), name=f"hop{hop}", rate=rate, delay=delay, queue=queue)
        for hop in range(1, hops + 1)
    ]
    cross_delay = access_delay if cross_access_delay is None else cross_access_delay
    access = [
        Link(
            between=between, rate=access_rate, delay=cross_delay if name.startswith("cross") else access_delay
        )
        for name, (first, last) in names.items()
        for between in ((f"s_{name}", f"r{first}"), (f"r{last}", f"d_{name}"))
    ]
    return Scenario(
        title=title,
        duration=duration,
        warm_up=warm_up,
        hosts=[f"{side}_{name}" for side in "sd" for name in names],
        routers=routers,
        links=[*bottlenecks, *access],
        flows=[_flow(name, transport, app, start_spread) for name in names],
        record=Record() if record is None else record,
    )


def _flow(name: str, transport: Any, app: Any, start_spread: float | str) -> Flow:
    return Flow(
        name=name,
        source=f"s_{name}",
        destination=f"d_{name}",
        transport=transport,
        app=app,
        start_spread=start_spread,
    )
