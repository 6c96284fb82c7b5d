"""Service differentiation and push-back by the estimate (I.D.1, II.E): what responsive flows get where a
router, or the edge, treats those worse that do not respond.

Each seed is run first at plain RED, where Responsiveness watches the port. Flows that it then takes for ones
that do not respond are treated in another run of the same seed. A treatment without labels is told nothing,
the share alone, or what headers say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from parshall.scenario import (
    ClassQueue,
    Conditioner,
    DiffServ,
    FqCodel,
    Precedence,
    Record,
    Rule,
    ShareSeries,
    TokenBucketMeter,
)
from parshall_studies import study as st
from parshall_studies.nonresponsive import networks as net
from parshall_studies.nonresponsive.mixes import MIXES, Mix, cbr_mix
from parshall_studies.study.bench import tables_of

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.scenario import Dumbbell, Link, Scenario

TREATED: Mapping[str, Mix] = {
    "cbr/22": cbr_mix(22),
    "cbr/40": cbr_mix(40),
    "both": MIXES["both"],
}
"""The load of Table III, one that alone is more than the link can carry, and one in which headers mislead."""
DURATION, WARM_UP = 120.0, 20.0
_INTERVAL = 0.66
"""Seconds between estimates."""
_LABELLED_AFTER = round(DURATION / _INTERVAL / 2)
"""Estimates after which flows are labelled: half a run."""
_DEAF = 0.95
"""Probability from which Responsiveness labels a flow as one that does not respond."""
_TUNE_ABOVE, _TUNE_BAND = 0.3, 0.1
"""Shares of tuned RED, those of the study aqm."""
_BURST = 10 * (net.PACKET_BYTES + 40)
"""Bytes that a flow may send at once within its profile."""
IN, OUT, LAST = "AF11", "AF12", "AF13"
"""Precedences: within the profile, beyond it, and what is dropped first."""


@dataclass(frozen=True)
class Treatment:
    """A queue, and what the edge does with each flow's packets beyond its fair part of the link."""

    label: str
    queue: Callable[[], Any]
    beyond: str = ""
    """Treatment of packets beyond the profile; none leaves all packets as they are."""
    labelled: str = ""
    """Treatment of such packets of flows that are taken for ones that do not respond."""
    by_header: bool = False
    """True if headers that say UDP are taken for that."""


def _rio() -> DiffServ:
    """RIO with the thresholds of RED for what is beyond the profile, a third of these for what goes last, and
    higher ones for what is within the profile.
    """
    thresholds = ((IN, 30, 55, 0.02), (OUT, 15, 45, 0.1), (LAST, 5, 15, 0.5))
    return DiffServ(
        queues=[
            ClassQueue(
                limit_packets=net.BUFFER,
                dropper="rio-c",
                precedences=[
                    Precedence(
                        dscp=dscp, min_threshold_packets=low, max_threshold_packets=high, max_probability=most
                    )
                    for dscp, low, high, most in thresholds
                ],
            )
        ]
    )


def _tuned(by: str) -> Any:
    told = {"tune_rtt": net.RTT} if by == "nonresponsive" else {}
    return net.red().model_copy(
        update={"tune_by": by, "tune_above": _TUNE_ABOVE, "tune_band": _TUNE_BAND, **told}
    )


TREATMENTS: Mapping[str, Treatment] = {
    "red": Treatment("RED", net.red),
    "tuned-document": Treatment("RED tuned by the dissertation's share", lambda: _tuned("nonresponsive")),
    "tuned-responsiveness": Treatment(
        "RED tuned by Responsiveness's share", lambda: _tuned("responsiveness")
    ),
    "marked": Treatment("DiffServ, the same profile for all", _rio, beyond=OUT),
    "demoted": Treatment("DiffServ, labelled flows last", _rio, beyond=OUT, labelled=LAST),
    "by-header": Treatment("DiffServ, UDP last", _rio, beyond=OUT, labelled=LAST, by_header=True),
    "pushed-back": Treatment("labelled flows cut to their fair part at the edge", net.red, labelled="drop"),
    "fq-codel": Treatment("FQ-CoDel", FqCodel),
}
"""By name. FQ-CoDel is what a router would run today, without any estimate."""


OF_LABELS = tuple(name for name, each in TREATMENTS.items() if each.labelled and not each.by_header)


def measure(bench: st.Workbench) -> st.Measures:
    """Goodput by treatment, in the table ``treated``, and the part of each kind of flows that is labelled, in
    the table ``labelled``.
    """
    watching = {name: _watched(mix) for name, mix in TREATED.items()}
    labels = bench.each("Runs, labels", watching, lambda _, run: _taken_for_deaf(run), tables=("evidence",))
    parts = {
        name: [{"labelled": _parts(TREATED[name], each)} for each in runs] for name, runs in labels.items()
    }
    without = {
        (name, treatment): network(mix, treatment, mix.names(mix.udp))
        for name, mix in TREATED.items()
        for treatment in TREATMENTS
        if treatment not in OF_LABELS
    }
    runs = [_treated(bench, without, bench.seeds)]
    for place, seed in enumerate(bench.seeds):
        with_labels = {
            (name, treatment): network(mix, treatment, labels[name][place])
            for name, mix in TREATED.items()
            for treatment in OF_LABELS
        }
        runs.append(_treated(bench, with_labels, [seed]))
    return {"treated": pa.concat_tables(runs), **tables_of(parts, ("mix",), bench.seeds)}


def _treated(
    bench: st.Workbench, variants: Mapping[tuple[str, str], Scenario], seeds: Sequence[int]
) -> pa.Table:
    found = bench.measure(
        "Runs, treatments",
        variants,
        lambda key, run: _goodputs(TREATED[key[0]], run),
        table="treated",
        dims=("mix", "treatment"),
        seeds=seeds,
        tables=("flows",),
    )
    return found["treated"]


# --- Labels -------------------------------------------------------------------------------------------------


def _watched(mix: Mix) -> Dumbbell:
    series = ShareSeries(of="bottleneck", interval=_INTERVAL, evidence_every=_LABELLED_AFTER)
    return plain(mix).with_({"record": Record(responsiveness=series)})


def _taken_for_deaf(run: Recording) -> list[str]:
    """Flows that Responsiveness labels as ones that do not respond."""
    rows = run.columns("evidence")
    last = rows["time"] == rows["time"].max()
    return [run.flows[flow] for flow in rows["flow"][last & (rows["deaf"] >= _DEAF)].tolist()]


def _parts(mix: Mix, labelled: Sequence[str]) -> dict[str, float]:
    """Parts, in %, of the flows that do not respond and of those that do, that are labelled."""
    groups = {"deaf": mix.names(mix.deaf), "responsive": mix.names(mix.responsive)}
    return {kind: 100 * len(set(names) & set(labelled)) / len(names) for kind, names in groups.items()}


# --- Networks and runs --------------------------------------------------------------------------------------


def plain(mix: Mix) -> Dumbbell:
    """At RED, without any treatment."""
    return net.single(mix.flows, duration=DURATION, warm_up=WARM_UP, sampling=None)


def network(mix: Mix, treatment: str, labelled: Sequence[str]) -> Scenario:
    """A treatment's queue at the bottleneck, and its conditioner where each flow enters."""
    how = TREATMENTS[treatment]
    scenario = plain(mix).with_({"queue": how.queue()}).scenario()
    source = {flow.name: flow.source for flow in scenario.flows}
    deaf = {source[name] for name in labelled}
    meter = TokenBucketMeter(cir=net.RATE / len(scenario.flows), cbs_bytes=_BURST)
    sources = set(source.values())

    def conditioned(link: Link) -> Link:
        enters = link.between[0]
        beyond = how.labelled if enters in deaf and how.labelled else how.beyond
        if enters not in sources or not beyond:
            return link
        green = None if beyond == "drop" else IN
        rule = Rule(of="data", meter=meter, if_green=green, if_red=beyond)
        return link.model_copy(update={"conditioner": Conditioner(rules=[rule])})

    return scenario.with_({"links": [conditioned(link) for link in scenario.links]})


def _goodputs(mix: Mix, run: Recording) -> dict[str, float]:
    """Delivered Mbit/s of flows that respond and of those that do not."""
    delivered = run.columns("flows")["packets_delivered"].astype(float)
    rates = 8e-6 * net.PACKET_BYTES * delivered / (DURATION - WARM_UP)
    groups = {"responsive": mix.responsive, "deaf": mix.deaf}
    kinds = {kind: set(mix.names(own)) for kind, own in groups.items()}
    return {kind: float(rates[[name in names for name in run.flows]].sum()) for kind, names in kinds.items()}
