"""Every registered study in a few seconds: short runs, and one of them in place of many."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parshall_studies import study as st
from parshall_studies.study.bench import Workbench
from parshall_studies.study.results import dimensions_of

SEEDS = 10
"""So many that rules decide and pages have findings."""
_NOISE = 1e-3


class OneRun(Workbench):
    """A workbench that runs the first seed, and takes what it gave, with a little noise, for the others."""

    def each(
        self,
        what: str,
        variants: Mapping[Any, Any],
        function: Any,
        *,
        seeds: Any = None,
        tables: Any = ("flows", "ports"),
    ) -> dict[Any, list[Any]]:
        chosen = self._seeds(seeds)
        found = super().each(what, variants, function, seeds=chosen[:1], tables=tables)
        return {key: row * len(chosen) for key, row in found.items()}

    def measure(
        self, what: str, variants: Mapping[Any, Any], function: Any, **options: Any
    ) -> dict[str, Any]:
        found = super().measure(what, variants, function, **options)
        return {name: _scattered(table) for name, table in found.items()}


def _scattered(table: Any) -> Any:
    """The numbers of a table, each moved a little."""
    rng = np.random.default_rng(1)
    dims = dimensions_of(table)
    columns = {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
    for name in (each for each in columns if each not in dims):
        columns[name] = columns[name] * (1 + _NOISE * rng.standard_normal(len(table)))
    return st.tidy(columns, dims)


def _set(patch: pytest.MonkeyPatch, module: Any, **values: Any) -> None:
    for name, value in values.items():
        patch.setattr(module, name, value)


# --- What makes each short ----------------------------------------------------------------------------------


def _aqm(patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    from parshall_studies.aqm import crossing, grid, networks, shown, study_of

    fewer = {c: {load: n // 40 for load, n in counts.items()} for c, counts in networks.SHORT_FLOWS.items()}
    _set(patch, networks, SHORT_FLOWS=fewer)
    few = tuple(view for view in shown._VIEWS if view.metric in ("ltrf", "response_mean"))
    less = tuple(replace(each, views=few) if isinstance(each, st.GridMaps) else each for each in shown.SHOWN)
    _set(patch, shown, SHOWN=less)
    networks._with_any_queue.cache_clear()
    _set(patch, crossing, SETTLING=0.2)
    brief = {"duration": 3.0, "warm_up": 0.5, "probe_spacing": 0.3}
    surging = {**brief, "surge": (1.0, 2.0)}
    return study_of([replace(part, **(surging if part.surge else brief)) for part in grid.PARTS])


def _arima_vegas(patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    from parshall_studies.arima_vegas import STUDY, networks

    _set(patch, networks, DURATION=12.0, MEETING_DURATION=22.0)
    return with_rtts(STUDY, folder)


def _fluid(patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    from parshall_studies.fluid import STUDY, assumptions, measures

    _set(patch, measures, critical=lambda *_: 40.0, _DURATION=6.0, _WARM_UP=2.0, RATES=(30e6,))
    _set(patch, assumptions, DURATION=4.0, WARM_UP=1.0, _ROUND_TRIPS=2)
    _set(patch, measures, SWING_SPAN=(5.0, 12.0), STEP=(8.0, 10.0, 12.0), CYCLE=(3.0, 9.0))
    _set(patch, measures, GRID_FLOWS=np.geomspace(5, 300, 5), GRID_DELAYS=np.geomspace(0.01, 0.4, 5))
    return STUDY


def _linux_testbed(patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    """Machines say what was made up, and gains are the printed ones."""
    from tests.machine_answers import ELSEWHERE, packet_records, said

    from parshall_dev.linux_testbed import STUDY, measures
    from parshall_dev.linux_testbed.reading import Seen
    from parshall_dev.linux_testbed.samples import PRINTED
    from parshall_dev.linux_testbed.settings import CHANGES, Scale

    class Machines:
        def run(self, experiment: Any, *_: Any, **__: Any) -> Seen:
            return seen[experiment.packets, experiment.second is not None]

    tiny = Scale(1 / 7, 0.05, 1)
    records = {False: "", True: packet_records()[0]}
    seen = {
        (packets, second): Seen.read(said(text, ELSEWHERE if second else ""))
        for packets, text in records.items()
        for second in (False, True)
    }
    _set(patch, measures.Bench, open=staticmethod(Machines))
    _set(patch, measures, SMALL=tiny, AT_RATE=tiny, Scale=lambda *_: tiny, TRAINING_SEEDS=range(1001, 1002))
    changes = {name: (words, replace(tiny, delays=of.delays)) for name, (words, of) in CHANGES.items()}
    _set(patch, measures, CHANGES=changes)
    _set(patch, measures.tuning, tune=lambda training, alpha: PRINTED)
    return STUDY


def _median_rto(patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    from parshall_studies.median_rto import STUDY

    return with_rtts(STUDY, folder)


def with_rtts(study: st.Study, folder: Path) -> st.Study:
    """The study, which takes made-up round-trip times in the folder for measured ones, and misses others."""
    from parshall_studies.median_rto import costs

    there, *others = costs.DATA
    rtts = "\n".join(f"{rtt:.3f}" for rtt in np.random.default_rng(2).gamma(3.0, 10.0, 400))
    content = gzip.compress(f"rtt_ms\n{rtts}\n".encode(), mtime=0)
    (folder / there.path).parent.mkdir()
    (folder / there.path).write_bytes(content)
    declared = (replace(there, sha256=hashlib.sha256(content).hexdigest()), *others)
    return replace(study, content=replace(study.loaded, data=declared))


def brief_case(case: Any) -> Any:
    """A case of nonresponsive, over after 6 s and judged from 1 s on. What starts later is left out."""
    begun = [flow for flow in case.network.flows if flow.start <= 6.0]
    network = case.network.with_({"flows": begun}).with_({"duration": 6.0})
    return replace(case, network=network, start=1.0)


def _nonresponsive(patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    from parshall_studies.nonresponsive import (
        STUDY,
        cases,
        counting,
        measures,
        mixes,
        phase,
        shorter,
        traces,
        treatments,
        tuned,
        tuning,
    )
    from parshall_studies.study import tuner

    def few(mix: Any) -> Any:
        return replace(mix, flows=tuple(each.with_({"count": min(each.count, 40)}) for each in mix.flows))

    def brief_point(point: Any) -> Any:
        return replace(point, network=point.network.with_({"duration": 2.0, "warm_up": 1.0}))

    def times(seen: Any) -> Any:
        """Those of a brief run as far apart as claims about parts of a whole run need them."""
        count = seen.arrivals.shape[1] // traces.ESTIMATION
        return 100 + 220 * np.arange(1, count + 1) / count if count < 20 else as_they_are(seen)

    as_they_are: Any = traces.Traces.times.fget
    every = {case.name: brief_case(case) for case in cases.all_cases()}
    table, curves = phase.table_points(), [each for each in phase.sweep_points() if each.x in (100, 0, 8)]
    of_length = shorter.interval_case
    _set(patch, traces.Traces, times=property(times))
    _set(patch, cases, all_cases=lambda: tuple(every.values()), case=every.__getitem__)
    _set(patch, measures, case=every.__getitem__, judging_set=_congested)
    _set(patch, tuner, POPULATION=5)
    _set(patch, tuned, tune=partial(tuning.tune, trials=4), tune_starts=partial(tuning.tune_starts, trials=4))
    _set(patch, shorter, interval_case=lambda *key: brief_case(of_length(*key)))
    _set(patch, phase, table_points=lambda: list(map(brief_point, table)))
    _set(patch, phase, sweep_points=lambda: map(brief_point, curves))
    _set(patch, mixes, DURATION=6.0)
    _set(patch, counting, START=1.0, MIXES={name: few(mix) for name, mix in mixes.MIXES.items()})
    _set(patch, treatments, DURATION=6.0, WARM_UP=1.0, _LABELLED_AFTER=4)
    return STUDY


def _congested() -> Any:
    """Two drawn scenarios whose links are full soon."""
    from parshall_studies.responsiveness import drawn

    return tuple(each for each in drawn.design_set() if each.name in ("drawn/90", "drawn/228"))


def _responsiveness(patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    from parshall_studies.responsiveness import STUDY, attacks, drawn, sampled, senders

    _set(patch, drawn, judging_set=_congested)
    _set(patch, senders, DURATION=4.0)
    for module in (attacks, sampled):
        _set(patch, module, _JUDGED_FROM=2.0)
    return STUDY


def _rtt_rto_conditioner(patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    from parshall_studies.rtt_rto_conditioner import STUDY, networks, timeouts, traffic

    _set(patch, timeouts, WATCHED=8)
    whole = networks.network

    def short(title: str, edge: Any, setting: Any, links: Any, paths: Any, record: Any) -> Any:
        brief = replace(setting, duration=8.0, warm_up=min(setting.warm_up, 3.0))
        few = [replace(path, count=min(path.count, 8)) for path in paths]
        return whole(title, edge, brief, links, few, record)

    for module in (networks, traffic):
        _set(patch, module, network=short)
    return STUDY


def _tcp_tp(patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    from parshall_studies.tcp_tp import STUDY, beyond, judging, measures, networks, series

    for module in (networks, measures, series):
        _set(patch, module, WARM_UP=4.0)
    _set(patch, networks, DURATION=14.0, SHORTER=8.0, JOINED=4.0, LEFT=8.0, ENDED=12.0)
    _set(patch, networks, ARRIVAL=4.0, ARRIVAL_END=12.0, TRANSFER_START=1.0, _SLOWEST=4e6)
    _set(patch, judging, DURATION=6.0, WARM_UP=2.0)
    _set(patch, beyond, _LAST=4.0)
    return STUDY


BRIEF: Mapping[str, Callable[[pytest.MonkeyPatch, Path], st.Study]] = {
    "aqm": _aqm,
    "arima-vegas": _arima_vegas,
    "fluid": _fluid,
    "linux-testbed": _linux_testbed,
    "median-rto": _median_rto,
    "nonresponsive": _nonresponsive,
    "responsiveness": _responsiveness,
    "rtt-rto-conditioner": _rtt_rto_conditioner,
    "tcp-tp": _tcp_tp,
}
"""By the study's name: what patches it, and the study then."""


def brief(name: str, patch: pytest.MonkeyPatch, folder: Path) -> st.Study:
    """The study as it is run here; ``folder`` has the data for it."""
    _ = st.find_study(name).loaded  # what modules make when they are imported is made of the whole study
    return BRIEF[name](patch, folder)
