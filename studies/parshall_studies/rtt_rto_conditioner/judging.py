"""Feedback at the edge: designed on some networks, and on those of Figure 6, and judged on others that differ
from them in kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from parshall.scenario import Red
from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner.conditioners import EDGES, FAIR, RTT_RTO, STANDARD, Profile
from parshall_studies.rtt_rto_conditioner.networks import Setting, precedences, shared
from parshall_studies.rtt_rto_conditioner.quantities import counts

SEEDS = 10
DESIGN_FARS = (4, 50, 100, 200)
DESIGN_FLOWS = ((2, 2), (4, 4), (40, 40), (200, 200), (4, 200), (200, 4))
"""Connections of F1 and F2 in the networks that it was designed on."""
JUDGED = (STANDARD, RTT_RTO, FAIR)


@dataclass(frozen=True)
class Kind:
    """A network that feedback was not designed on."""

    label: str
    setting: Setting


KINDS: Mapping[str, Kind] = {
    "fast": Kind("100 Mbit/s, targets of 20 Mbit/s", Setting(rate=100e6, profile=Profile(20e6, 30e6))),
    "slow": Kind(
        "2 Mbit/s, targets of 0.5 Mbit/s, 20 connections each",
        Setting(rate=2e6, flows=(20, 20), profile=Profile(0.5e6, 0.75e6)),
    ),
    "longer": Kind("round trips of 50 and 400 ms", Setting(near=0.05, far=0.4, flows=(50, 50))),
    "cubic": Kind("CUBIC with SACK and delayed ACKs", Setting(transport="linux")),
    "cubic-few": Kind("CUBIC, 4 connections each", Setting(transport="linux", flows=(4, 4))),
    "rto-1s": Kind("least RTO of 1 s", Setting(min_rto=1.0)),
    "small-targets": Kind("targets of 0.2 Mbit/s", Setting(profile=Profile(0.2e6, 0.3e6))),
    "large-targets": Kind("targets of 4.5 Mbit/s", Setting(profile=Profile(4.5e6, 5e6))),
    "under": Kind("targets of 8 Mbit/s, more than there is", Setting(profile=Profile(8e6, 9e6))),
    "wred": Kind("WRED", Setting(dropper="wred")),
    "red": Kind(
        "a core that knows no classes: RED(15, 45)",
        Setting(core=Red(min_threshold_packets=15, max_threshold_packets=45, limit_packets=100)),
    ),
    "deep": Kind("thresholds and buffer four times as large", Setting(core=precedences(400, scale=4))),
    "unequal": Kind("300 and 10 connections", Setting(flows=(300, 10))),
}
"""Chosen before it was run on any."""


def measure(bench: st.Workbench) -> st.Measures:
    """The networks of the design, and those that it is judged on."""
    seeds = bench.seeds[:SEEDS]
    design = {
        (FAIR, far, f"{one} and {other}"): partial(
            shared, EDGES[FAIR], Setting(far=far / 1000, flows=(one, other))
        )
        for far in DESIGN_FARS
        for one, other in DESIGN_FLOWS
    }
    judged = {
        (name, kind): partial(shared, EDGES[name], each.setting)
        for name in JUDGED
        for kind, each in KINDS.items()
    }
    tables = ("flows", "ports", "aggregates", "classes")
    found = dict(
        bench.measure(
            "Design",
            design,
            lambda _, run: counts(run),
            table="design",
            dims=("edge", "far", "flows"),
            seeds=seeds,
            tables=tables,
        )
    )
    return found | bench.measure(
        "Judging",
        judged,
        lambda _, run: counts(run),
        table="judging",
        dims=("edge", "kind"),
        seeds=seeds,
        tables=tables,
    )
