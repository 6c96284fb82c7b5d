"""Estimator of the share on random scenarios: without a dither and with two of them, against
the truth by response and the truth by protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.estimators.responsiveness import share_or_middle
from parshall.scenario import DitherLoss
from parshall.stats import mean
from parshall_studies import study as st
from parshall_studies.responsiveness import aggregate, response
from parshall_studies.responsiveness.drawn import INTERVAL, JUDGED_FROM, Drawn

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.scenario import Dumbbell
    from parshall_studies.study.values import Reals

DITHERS: Mapping[str, DitherLoss | None] = {
    "none": None,
    "part": DitherLoss(floor=0.0, part=0.05, of="data"),
    "floor": DitherLoss(floor=0.001, part=1.0, of="data"),
}
"""No dither; one that goes with what the queue drops; and one that also asks where it drops nothing."""
LABELS = {
    "none": "no dither",
    "part": "a twentieth of the queue's signals",
    "floor": "as many as the queue's, one in 1000 at least",
}
"""The dithers, for a reader."""
_FULL = 0.95
"""Part of the link's rate from which it counts as congested."""
_FEW = 20
"""Packets of an interval that say too little of a share."""
WRONG = 0.1
"""An error that an operator would call wrong."""
CLOSE = 0.02
"""Bounds that miss the truth by no more hold it."""


def measure(bench: st.Workbench, scenarios: Sequence[Drawn]) -> st.Measures:
    """One row of the table ``drawn`` for each scenario and dither, of the first seed: here scenarios are the
    sample. And the table ``aggregate``, of what sees no keys.
    """
    by_name = {each.name: each for each in scenarios}
    deaf = deaf_flows(bench, by_name)
    return {**_by_key(bench, by_name, deaf), **aggregate.measure(bench, scenarios, deaf)}


def without_dither(bench: st.Workbench, scenarios: Sequence[Drawn]) -> st.Measures:
    """The table ``drawn`` without any dither: the same runs, for whoever wants no more."""
    by_name = {each.name: each for each in scenarios}
    return _by_key(bench, by_name, deaf_flows(bench, by_name), ("none",))


def _by_key(
    bench: st.Workbench,
    by_name: Mapping[str, Drawn],
    deaf: Mapping[str, tuple[str, ...]],
    dithers: Iterable[str] = tuple(DITHERS),
) -> st.Measures:
    variants = {
        (name, dither): watched(by_name[name], dither, deaf[name]) for name in by_name for dither in dithers
    }
    return bench.measure(
        "Runs, drawn scenarios",
        variants,
        lambda key, run: scored(by_name[key[0]], run),
        table="drawn",
        dims=("case", "dither"),
        seeds=bench.seeds[:1],
        tables=("flows", "ports", "port_series", "responsiveness"),
    )


def watched(scenario: Drawn, dither: str, deaf: Sequence[str]) -> Dumbbell:
    """The network with one of :data:`DITHERS`, and the names of the flows that do not respond."""
    changes: dict[str, Any] = {"record.responsiveness.deaf": list(deaf)}
    if DITHERS[dither] is not None:
        changes |= {"loss": DITHERS[dither], "record.responsiveness.signals": "both"}
    return scenario.network().with_(changes)


def scored(scenario: Drawn, run: Recording) -> Mapping[str, float]:
    """Scores of the estimates of a run, over the intervals in which the link was full."""
    seen, counted = run.columns("responsiveness"), run.columns("port_series")
    full = at_full_link(scenario, seen, counted)
    packets = seen["packets"][full].astype(float)
    by_response, by_protocol = (seen[name][full] / packets for name in ("packets_deaf", "packets_udp"))
    share, lower, upper = (seen[name][full] for name in ("share", "share_lower", "share_upper"))
    departed = counted["bytes_departed"].astype(float)
    clear = np.isfinite(share)
    error = share_or_middle(share, lower, upper) - by_response
    covered = (by_response >= lower - CLOSE) & (by_response <= upper + CLOSE)
    return {
        "intervals": float(len(share)),
        "clear": float(clear.sum()),
        "mse": mean(error[clear] ** 2),
        "mse_of_all": mean(error**2),
        "mse_by_protocol": mean((share - by_protocol)[clear] ** 2),
        "wrong": float((np.abs(error[clear]) > WRONG).sum()),
        "covered": float(covered[clear].sum()),
        "bounded": float(covered.sum()),
        "width": mean(upper - lower),
        "share_by_response": mean(by_response),
        "share_by_protocol": mean(by_protocol),
        "estimate": mean(error + by_response),
        "bytes_departed": float(departed[-1] - np.interp(JUDGED_FROM, counted["time"], departed)),
    }


def deaf_flows(bench: st.Workbench, scenarios: Mapping[str, Drawn]) -> Mapping[str, tuple[str, ...]]:
    """Names of the flows that do not respond, by twins of the first seed."""
    networks = {
        name: each.network().with_({"record.port_series": None, "record.responsiveness": None})
        for name, each in scenarios.items()
    }
    first = bench.seeds[:1]
    plain = bench.each(
        "Twins, as they are",
        networks,
        lambda _, run: (response.loss_at(run), response.sent(run)),
        seeds=first,
    )
    given = {name: response.treatment(networks[name], found[0][0]) for name, found in plain.items()}
    twins = {name: response.twin(networks[name], given[name]) for name in networks}
    treated = bench.each("Twins, with more loss", twins, lambda _, run: response.sent(run), seeds=first)
    flows = {}
    for name, network in networks.items():
        found = response.elasticities(given[name], [(plain[name][0][1], treated[name][0])])
        members = response.groups(network)
        flows[name] = tuple(flow for group in response.deaf(found) for flow in members[group])
    return flows


def at_full_link(scenario: Drawn, seen: Mapping[str, Reals], counted: Mapping[str, Reals]) -> np.ndarray:
    """Intervals in which the link sent what it could. Where its rate changes, a drop or mark says so."""
    times = seen["time"]
    departed = np.interp(times, counted["time"], counted["bytes_departed"]) - np.interp(
        times - INTERVAL, counted["time"], counted["bytes_departed"]
    )
    busy = 8 * departed / INTERVAL > _FULL * scenario.rate
    if scenario.shape == "capacity":
        busy |= seen["signals"] > 0
    return np.asarray((times > JUDGED_FROM) & busy & (seen["packets"] > _FEW))
