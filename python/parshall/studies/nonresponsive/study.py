"""The study itself: what is measured, and how tables, figures and findings are made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from parshall.report import Assumption, Document, Finding, Section
from parshall.studies.nonresponsive import cases
from parshall.studies.nonresponsive.document import ASSUMPTIONS, DOCUMENT

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.claims import Claim
    from parshall.scenario import Dumbbell, Scenario
    from parshall.studies.nonresponsive.cases import Case
    from parshall.studies.nonresponsive.contestants import Contestant, Settings
    from parshall.studies.nonresponsive.traces import Traces
    from parshall.study import Measures, Workbench

__all__ = ["NonresponsiveStudy"]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_AT_A_TIME = 4
"""Cases whose runs are in memory together."""
_SWEEP_SEEDS = 4
"""Seeds of the curves around Table III: seeds hardly matter there."""
_DRAWN = ("load/16", "load/22", "load/25", "pulses", "short", "rtt-range", "vbr", "hops")
"""Cases, or groups of cases, of which every interval is kept."""
_DITHER_DRAWN = ("hops/16",)
_START_CASES = ("load/16", "load/22", "load/25")
_TABLES = (
    "scores",
    "intervals",
    "starts",
    "links",
    "short_flows",
    "whole_numbers",
    "dither_costs",
    "dither_intervals",
)
"""What judging the cases gives."""
_BASELINE = "study1b.csv"


@dataclass(frozen=True)
class _Entry:
    """A contestant with the settings that it is judged with."""

    contestant: Contestant
    settings: Settings
    kind: str
    """Where they come from: ``printed``, ``tuned``, ``fitted`` (printed, with start values for one case), or
    ``none`` for a contestant that has no settings.
    """
    trained_on: str
    error: float
    """Over the training runs."""


class NonresponsiveStudy:
    """Zhao: the share of traffic at a router that does not respond to congestion, from queue and drops
    alone.
    """

    name = "nonresponsive"
    title = "How much of the load will not back off"
    document: Document = DOCUMENT
    seeds = 20
    assumptions: Sequence[Assumption] = ASSUMPTIONS

    def scenarios(self) -> Mapping[str, Dumbbell | Scenario]:
        """Every case in which estimators are judged."""
        return {case.name: case.network for case in cases.all_cases()}

    def measure(self, bench: Workbench) -> Measures:
        """Tunes on training runs, judges on the others, then the queues of Table III and the alarm."""
        import pyarrow as pa

        training = _training_traces(bench)
        entries = _entries(bench, training)
        fitted = _fitted(bench, training)
        parts = [_judge_group(bench, entries, fitted, group) for group in _groups(cases.all_cases())]
        tables = {name: pa.concat_tables([part[name] for part in parts if name in part]) for name in _TABLES}
        return {
            **tables,
            "tuning": _tuning_table([*entries, *fitted.values()]),
            "transfer": _transfer(bench, training),
            "shorter": _shorter(bench, entries),
            **_phase(bench),
            **_alarm(bench, entries),
        }

    def claims(self, measures: Measures) -> list[Claim]:
        """See :mod:`parshall.studies.nonresponsive.claims`."""
        from parshall.studies.nonresponsive.claims import all_claims

        return all_claims(measures)

    def sections(self, measures: Measures, claims: Sequence[Claim]) -> list[Section]:
        """See :mod:`parshall.studies.nonresponsive.pages`."""
        from parshall.studies.nonresponsive.pages import all_sections

        return all_sections(measures, claims)

    def findings(self, measures: Measures, claims: Sequence[Claim]) -> list[Finding]:
        """See :mod:`parshall.studies.nonresponsive.findings`."""
        from parshall.studies.nonresponsive.findings import all_findings

        return all_findings(measures, claims)


# --- Tuning -------------------------------------------------------------------------------------------------


def _training_traces(bench: Workbench) -> dict[Case, Traces]:
    from parshall.studies.nonresponsive.contestants import HOP_TRAINING, TRAINING
    from parshall.studies.nonresponsive.document import ERRORS
    from parshall.studies.nonresponsive.tuning import TRAINING_SEEDS

    printed = (error.case for error in ERRORS)
    names = dict.fromkeys((*TRAINING, *HOP_TRAINING, *cases.TRANSFER, *printed))
    return _traces(bench, "Runs for tuning", [cases.case(name) for name in names], list(TRAINING_SEEDS))


def _traces(bench: Workbench, what: str, chosen: Sequence[Case], seeds: Sequence[int]) -> dict[Case, Traces]:
    from parshall.studies.nonresponsive.traces import RECORDED, read_traces

    ensemble = bench.run(what, {case.name: case.network for case in chosen}, seeds=seeds, tables=RECORDED)
    return {case: read_traces(ensemble, case, seeds) for case in chosen}


def _entries(bench: Workbench, training: Mapping[Case, Traces]) -> list[_Entry]:
    """Every contestant with its printed settings, if it has some, and with tuned ones."""
    from parshall.studies.nonresponsive.contestants import CONTESTANTS

    def judged(contestant: Contestant) -> list[_Entry]:
        return _judged_with(contestant, _chosen(training, contestant.training))

    own = [contestant for contestant in CONTESTANTS if not contestant.settings_of]
    found = dict(zip((each.name for each in own), _in_threads(bench, "Tuning", judged, own), strict=True))
    return [
        replace(entry, contestant=contestant)
        for contestant in CONTESTANTS
        for entry in found[contestant.settings_of or contestant.name]
    ]


def _judged_with(contestant: Contestant, training: Mapping[Case, Traces]) -> list[_Entry]:
    from parshall.studies.nonresponsive.tuning import tune, tune_starts

    if not contestant.ranges:
        return [_Entry(contestant, {}, "none", "", float("nan"))]
    where = ", ".join(contestant.training)
    entries, start = [], None
    if contestant.of_document:
        printed = tune_starts(contestant, training)
        start = printed.settings
        entries.append(_Entry(contestant, start, "printed", where, printed.error))
    tuned = tune(contestant, training, start=start)
    return [*entries, _Entry(contestant, tuned.settings, "tuned", where, tuned.error)]


def _in_threads(
    bench: Workbench, what: str, work: Callable[[_Item], _Result], items: Sequence[_Item]
) -> list[_Result]:
    """The results in the order of the items; estimators run without the GIL."""
    from concurrent.futures import ThreadPoolExecutor

    from parshall.ensemble import available_cores

    with ThreadPoolExecutor(bench.jobs or available_cores()) as pool:
        waiting = [pool.submit(work, item) for item in items]
        return [each.result() for each in bench.track(what, waiting)]


def _fitted(bench: Workbench, training: Mapping[Case, Traces]) -> dict[str, _Entry]:
    """The modified algorithm with printed gains, for each case with a printed error: start values tuned on
    training runs of that very case. It is the reading that does most for the document.
    """
    from parshall.studies.nonresponsive.contestants import contestant
    from parshall.studies.nonresponsive.document import ERRORS
    from parshall.studies.nonresponsive.tuning import tune_starts

    modified = contestant("zero-drops")

    def fit(case: str) -> _Entry:
        found = tune_starts(modified, _chosen(training, (case,)))
        return _Entry(modified, found.settings, "fitted", case, found.error)

    entries = _in_threads(bench, "Tuning start values", fit, [error.case for error in ERRORS])
    return {entry.trained_on: entry for entry in entries}


def _chosen(training: Mapping[Case, Traces], names: Sequence[str]) -> dict[Case, Traces]:
    return {case: traces for case, traces in training.items() if case.name in names}


def _tuning_table(entries: Sequence[_Entry]) -> pa.Table:
    import pyarrow as pa

    rows = [
        {
            "estimator": entry.contestant.name,
            "settings": entry.kind,
            "trained_on": entry.trained_on,
            "setting": name,
            "value": float(value),
            "training_mse": entry.error,
        }
        for entry in entries
        for name, value in entry.settings.items()
    ]
    return pa.Table.from_pylist(rows)


def _transfer(bench: Workbench, training: Mapping[Case, Traces]) -> pa.Table:
    """The modified algorithm, tuned on one case and judged on every other, on the seeds of neither."""
    import pyarrow as pa

    from parshall.studies.nonresponsive.contestants import contestant
    from parshall.studies.nonresponsive.judging import scores
    from parshall.studies.nonresponsive.tuning import tune

    modified = contestant("zero-drops")
    chosen = [cases.case(name) for name in cases.TRANSFER]
    judged = _traces(bench, "Runs for carried settings", chosen, bench.seeds)

    def carried(home: Case) -> list[pa.Table]:
        found = tune(modified, _chosen(training, (home.name,)))
        return [
            scores(case, traces, modified, found.settings, "tuned", home.name)
            for case, traces in judged.items()
        ]

    parts = _in_threads(bench, "Carrying settings", carried, chosen)
    return pa.concat_tables([table for part in parts for table in part])


# --- Judging ------------------------------------------------------------------------------------------------


def _groups(chosen: Sequence[Case]) -> Iterator[list[Case]]:
    """Cases of one kind whose runs are done together: memory is taken for a few cases at a time."""
    for _, group in groupby(chosen, key=_group):
        members = list(group)
        for first in range(0, len(members), _AT_A_TIME):
            yield members[first : first + _AT_A_TIME]


def _group(case: Case) -> str:
    return case.name.partition("/")[0]


def _judge_group(
    bench: Workbench, entries: Sequence[_Entry], fitted: Mapping[str, _Entry], group: Sequence[Case]
) -> dict[str, pa.Table]:
    """Every contestant in a few cases: scores, and what is drawn of them."""
    import pyarrow as pa

    from parshall.studies.nonresponsive.judging import intervals, scores
    from parshall.studies.nonresponsive.traces import RECORDED, read_traces
    from parshall.studies.nonresponsive.whole_numbers import FIXED, deviations

    seeds = list(bench.seeds)
    kept = ("ports", *RECORDED, *(("flows",) if group[0].name == "short" else ()))
    ensemble = bench.run(
        f"Runs, {_group(group[0])}", {case.name: case.network for case in group}, tables=kept
    )
    traces = {case: read_traces(ensemble, case, seeds) for case in group}
    dithered, tables = _dithered(bench, traces, ensemble.table("ports"))
    tables |= {"scores": [], "intervals": [], "starts": [], "whole_numbers": []}
    for case, runs in traces.items():
        tables["scores"] += [
            scores(
                case,
                dithered[case] if entry.contestant.dithered else runs,
                entry.contestant,
                entry.settings,
                entry.kind,
                entry.trained_on,
            )
            for entry in (*entries, *([fitted[case.name]] if case.name in fitted else ()))
        ]
        tables["whole_numbers"] += [
            deviations(case, runs, entry.settings, entry.kind)
            for entry in entries
            if entry.contestant.name == FIXED
        ]
        if case.name in _DRAWN or _group(case) in _DRAWN:
            tables["intervals"].append(intervals(case, runs, _shown(entries, case), seeds))
        if case.name in _START_CASES:
            tables["starts"] += _starts(entries, case, runs)
    found = {name: pa.concat_tables(parts) for name, parts in tables.items() if parts}
    if group[0].several_hops:
        found["links"] = _links(ensemble.table("ports"))
    if group[0].name == "short":
        found["short_flows"] = _short_flows(ensemble.table("flows"))
    return found


def _dithered(
    bench: Workbench, plain: Mapping[Case, Traces], ports: pa.Table
) -> tuple[dict[Case, Traces], dict[str, list[pa.Table]]]:
    """The traces of the same cases with a dither at the port, and its cost against the ``plain`` ones."""
    from parshall.studies.nonresponsive import dither
    from parshall.studies.nonresponsive.traces import RECORDED, read_traces

    variants = {case.name: dither.with_dither(case).network for case in plain}
    what = f"Runs with a dither, {_group(next(iter(plain)))}"
    ensemble = bench.run(what, variants, tables=("ports", *RECORDED))
    traces = {case: read_traces(ensemble, case, list(bench.seeds)) for case in plain}
    both = (ports, ensemble.table("ports"))
    return traces, {
        "dither_costs": [dither.costs(case, both, (plain[case], traces[case])) for case in plain],
        "dither_intervals": [
            dither.panels(case, (plain[case], traces[case])) for case in plain if case.name in _DITHER_DRAWN
        ],
    }


def _shown(entries: Sequence[_Entry], case: Case) -> dict[str, tuple[Contestant, Settings]]:
    """What is drawn over time: the document's algorithm with both kinds of settings, and what needs none."""
    of_document = "several-hops" if case.several_hops else "zero-drops"
    shown = {
        entry.kind: (entry.contestant, entry.settings)
        for entry in entries
        if entry.contestant.name == of_document
    }
    others = {
        entry.contestant.name: (entry.contestant, entry.settings)
        for entry in entries
        if entry.kind == "none" and not entry.contestant.dithered
    }
    return {**shown, **others}


def _starts(entries: Sequence[_Entry], case: Case, traces: Traces) -> list[pa.Table]:
    """The error of the basic algorithm over its start value, with printed and with tuned gains."""
    import pyarrow as pa

    from parshall.studies.nonresponsive.judging import scores

    parts = []
    for entry in entries:
        if entry.contestant.name != "basic":
            continue
        for start in (percent / 100 for percent in range(2, 99, 6)):
            settings = {**entry.settings, "start_share": start}
            found = scores(case, traces, entry.contestant, settings, entry.kind, entry.trained_on)
            parts.append(found.append_column("start_share", pa.array([start] * found.num_rows)))
    return parts


def _links(ports: pa.Table) -> pa.Table:
    """Drop rates in % at the three bottlenecks of Figure 11, over the whole run."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from parshall.columns import values

    parts = []
    for number, port in enumerate(("r1->r2", "r2->r3", "r2->r4"), start=1):
        rows = ports.filter(pc.field("port") == port)
        dropped, arrived = (
            values(rows[f"packets_{what}"]).astype(np.float64) for what in ("dropped", "arrived")
        )
        parts.append(
            pa.table(
                {
                    "case": rows["variant"].cast(pa.string()),
                    "seed": rows["seed"],
                    "link": [number] * rows.num_rows,
                    "drop_rate": 100 * dropped / arrived,
                }
            )
        )
    return pa.concat_tables(parts)


def _short_flows(flows: pa.Table) -> pa.Table:
    """Packets that short flows sent, by seed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = flows.filter(pc.starts_with(flows["flow"].cast(pa.string()), "s"))
    return rows.group_by("seed").aggregate([("packets_sent", "sum")]).sort_by("seed")


# --- Shorter estimation intervals ---------------------------------------------------------------------------


def _shorter(bench: Workbench, entries: Sequence[_Entry]) -> pa.Table:
    """The document's algorithm and what needs no settings, in estimation intervals of several lengths."""
    from parshall.studies.nonresponsive import shorter
    from parshall.studies.nonresponsive.traces import RECORDED, read_traces

    chosen = {
        (entry.contestant.name, entry.kind): (entry.contestant, entry.settings)
        for entry in entries
        if entry.contestant.name in ("zero-drops", "responsiveness")
    }
    asked = shorter.interval_cases()
    variants = {case.name: case.network for case in asked.values()}
    ensemble = bench.run("Runs, shorter intervals", variants, tables=RECORDED)
    runs = {key: read_traces(ensemble, case, list(bench.seeds)) for key, case in asked.items()}
    return shorter.error_by_samples(runs, chosen)


# --- Table III and the alarm --------------------------------------------------------------------------------


def _phase(bench: Workbench) -> dict[str, pa.Table]:
    from parshall.studies.nonresponsive import phase

    tables = {}
    for name, what, points, seeds in (
        ("table_3", "Runs, Table III", phase.table_points(), list(bench.seeds)),
        ("phase", "Runs, phase effect", list(phase.sweep_points()), list(bench.seeds)[:_SWEEP_SEEDS]),
    ):
        ensemble = bench.run(what, {point.name: point.network for point in points}, seeds=seeds)
        tables[name] = phase.measure_points(points, ensemble.table("flows"), ensemble.table("ports"))
    file = bench.data / ".." / "reference" / "baselines" / "results" / _BASELINE if bench.data else None
    if file is not None and file.is_file():
        tables["phase_ns2"] = phase.ns2_points(file)
    else:
        bench.skipped.append(
            f"Points of ns-2 in the curves around Table III: no {_BASELINE} beside the data."
        )
    return tables


def _alarm(bench: Workbench, entries: Sequence[_Entry]) -> dict[str, pa.Table]:
    import pyarrow as pa

    from parshall.studies.nonresponsive import alarm
    from parshall.studies.nonresponsive.rules import RULES

    traces = _traces(bench, "Runs, alarm", alarm.alarm_cases(), bench.seeds)
    judged = [
        entry for entry in entries if entry.kind != "printed" and entry.contestant.name not in alarm.LEFT_OUT
    ]
    pairs = [(entry, rule) for entry in judged for rule in RULES]
    measured = {"roc": alarm.roc, "detection": alarm.detection, "areas": alarm.areas}
    return {
        name: pa.concat_tables([measure(traces, e.contestant, e.settings, rule) for e, rule in pairs])
        for name, measure in measured.items()
    }
