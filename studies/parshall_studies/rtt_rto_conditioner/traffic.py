"""Telnet and the Web over several domains (V.D): which networks they meet, and what is counted of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import ExponentialLaw, Record, Scenario, Telnet, UniformLaw, Web
from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner.conditioners import (
    EDGES,
    FAIR,
    RTT,
    RTT_RTO,
    RTT_SW,
    STANDARD,
    Edge,
    Profile,
)
from parshall_studies.rtt_rto_conditioner.networks import (
    DOMAIN_PATHS,
    DOMAINS,
    LONG,
    Path,
    Setting,
    network,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.recording import Recording

RATE = 1e6
"""Rate of all links, bit/s (V.D)."""
IDLE_RATE = 10e6
"""Rate of all links where they are not congested."""
PROFILES = {"printed": Profile(), "scaled": Profile(0.2e6, 0.3e6)}
"""The document's targets, which no aggregate can exceed at 1 Mbit/s, and a tenth of them."""
TELNET_SESSIONS = 100
TELNET = Telnet(packets=UniformLaw(low=5, high=35), interval=ExponentialLaw(mean=2.5), sessions=1)
"""'Less than 10 to more than 30 TCP packets'; intervals, which are not printed, so that the load is a little
more than the links have.
"""
OBJECTS = 4.5
"""Objects a page on average: with these the standard conditioner takes about the printed 2.25 s."""
LOADS = (3.0, 4.5, 6.0, 8.0)


def web_law(objects: float) -> Web:
    """'A request for 5 pages with a variable number of objects'; all else are ns-2's laws."""
    return Web(pages=5, objects=ExponentialLaw(mean=objects))


WEB_SESSIONS = (50, 100)
IDLE_EDGES = (STANDARD, RTT, RTT_RTO, RTT_SW)
TRAFFIC_EDGES = (*IDLE_EDGES, FAIR)
_TELNET_END, _WEB_END = 300.0, 600.0
_START_SPREAD = 30.0
_BACK = tuple((b, a) for a, b in reversed(DOMAINS))
"""The domains as the servers' data cross them."""
_ALL_BACK = tuple(router for domain in _BACK for router in domain)
_SERVERS = (
    Path("F1", "n7", "n1", _ALL_BACK, 0.1, 1),
    Path("F2", "n8", "n2", _ALL_BACK, 0.1, 1),
    Path("F3", "n4", "n3", _ALL_BACK[-2:], 0.01, 1),
)
"""Servers at n4, n7 and n8, clients at n1, n2 and n3."""


def telnet(edge: Edge, profile: Profile, rate: float = RATE) -> Scenario:
    """A hundred sessions on each of the five paths."""
    setting = Setting(
        rate=rate,
        other_rate=rate,
        profile=profile,
        app=TELNET,
        start_spread=_START_SPREAD,
        duration=_TELNET_END,
        warm_up=0.0,
    )
    paths = [replace(path, count=TELNET_SESSIONS) for path in DOMAIN_PATHS]
    return network(f"{edge.label}, Telnet", edge, setting, DOMAINS, paths, Record(transfers="*"))


def web(
    edge: Edge, profile: Profile, sessions: int, objects: float = OBJECTS, rate: float = RATE
) -> Scenario:
    """So many sessions, as evenly as can be on three paths; Reno, as the document's model has it."""
    setting = Setting(
        rate=rate,
        other_rate=rate,
        profile=profile,
        app=web_law(objects),
        start_spread=_START_SPREAD,
        duration=_WEB_END,
        warm_up=0.0,
        recovery="reno",
    )
    counts = [len(range(place, sessions, len(_SERVERS))) for place in range(len(_SERVERS))]
    paths = [replace(path, count=count) for path, count in zip(_SERVERS, counts, strict=True)]
    return network(f"{edge.label}, the Web", edge, setting, _BACK, paths, Record(transfers="*"))


def measure(bench: st.Workbench) -> st.Measures:
    """Tables I and II."""
    telnets: Any = {
        (name, profile): partial(telnet, EDGES[name], PROFILES[profile])
        for name in TRAFFIC_EDGES
        for profile in PROFILES
    }
    webs: Any = {
        (name, profile, sessions): partial(web, EDGES[name], PROFILES[profile], sessions)
        for name in TRAFFIC_EDGES
        for profile in PROFILES
        for sessions in WEB_SESSIONS
    }
    tables = ("flows", "ports", "transfers")
    found = dict(
        bench.measure(
            "Telnet",
            telnets,
            lambda _, run: of_telnet(run),
            table="telnet",
            dims=("edge", "profile"),
            tables=tables,
        )
    )
    loads = {
        (objects,): partial(web, EDGES[STANDARD], PROFILES["printed"], WEB_SESSIONS[0], objects)
        for objects in LOADS
    }
    found |= bench.measure(
        "The Web's load", loads, lambda _, run: of_web(run), table="loads", dims=("objects",), tables=tables
    )
    found |= bench.measure(
        "The Web",
        webs,
        lambda _, run: of_web(run),
        table="web",
        dims=("edge", "profile", "sessions"),
        tables=tables,
    )
    return {**found, **_idle(bench)}


def _idle(bench: st.Workbench) -> st.Measures:
    """Both kinds of traffic over links that are not congested."""
    profile, tables = PROFILES["printed"], ("flows", "ports", "transfers")
    telnets = {(name,): partial(telnet, EDGES[name], profile, IDLE_RATE) for name in IDLE_EDGES}
    webs = {
        (name,): partial(web, EDGES[name], profile, WEB_SESSIONS[0], rate=IDLE_RATE) for name in IDLE_EDGES
    }
    return {
        **bench.measure(
            "Telnet, idle links",
            telnets,
            lambda _, run: of_telnet(run),
            table="telnet_idle",
            dims=("edge",),
            tables=tables,
        ),
        **bench.measure(
            "The Web, idle links",
            webs,
            lambda _, run: of_web(run),
            table="web_idle",
            dims=("edge",),
            tables=tables,
        ),
    }


def of_telnet(run: Recording) -> dict[str, float]:
    """Mean delays of packets in seconds, by the groups of Table I, and of sessions from the first packet to
    the last; the part of packets, in per cent, that the run cut short and that count nowhere.
    """
    table = run.columns("transfers")
    delay = table["end"] - table["start"]
    long = _belongs(run, table["flow"], LONG)
    ended = np.isfinite(delay)
    sessions = []
    for flow in np.unique(table["flow"]):
        own = table["flow"] == flow
        sessions.append(float(np.max(table["end"][own]) - np.min(table["start"][own])))
    return {
        "long": float(delay[long & ended].mean()),
        "short": float(delay[~long & ended].mean()),
        "all": float(delay[ended].mean()),
        "session": float(np.nanmean(sessions)),
        "cut": 100 * float(np.mean(~ended)),
    }


def of_web(run: Recording) -> dict[str, float]:
    """Mean and standard deviation of the seconds to an object's first packet and to its last; the part of
    objects, in per cent, that the run cut short.
    """
    table = run.columns("transfers")
    first, last = table["first_byte"] - table["start"], table["end"] - table["start"]
    ended = np.isfinite(last)
    return {
        "first": float(np.nanmean(first)),
        "first_sd": float(np.nanstd(first)),
        "last": float(last[ended].mean()),
        "last_sd": float(last[ended].std()),
        "cut": 100 * float(np.mean(~ended)),
    }


def _belongs(run: Recording, flows: Any, names: Sequence[str]) -> Any:
    own = np.array([flow.split("-")[0] in names for flow in run.flows])
    return own[flows]
