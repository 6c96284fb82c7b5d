"""Every contestant with the settings that it is judged with: printed, tuned, or none to set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from parshall_studies import study as st
from parshall_studies.nonresponsive import cases
from parshall_studies.nonresponsive.contestants import (
    CONTESTANTS,
    HOP_TRAINING,
    TRAINING,
    Contestant,
    Settings,
    contestant,
)
from parshall_studies.nonresponsive.document import ERRORS
from parshall_studies.nonresponsive.traces import RECORDED, Traces, stacked, traces_of
from parshall_studies.nonresponsive.tuning import TRAINING_SEEDS, tune, tune_starts

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall_studies.nonresponsive.cases import Case

    Training = Mapping[Case, Traces]


@dataclass(frozen=True)
class Entry:
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

    @property
    def name(self) -> str:
        """As it stands in the tables: ``zero-drops/tuned``."""
        return f"{self.contestant.name}/{self.kind}"


@dataclass(frozen=True)
class Tuned:
    """Result of tuning."""

    entries: Sequence[Entry]
    fitted: Mapping[str, Sequence[Entry]]
    """With printed gains, by the case on whose own training runs the start values were tuned: the modified
    algorithm where an error is printed, the basic one in Figure 3. It is the reading that does most for the
    document."""
    homes: Mapping[str, Settings]
    """The modified algorithm's settings, by the case that they were tuned on."""

    def table(self) -> pa.Table:
        """Every setting with the error on the training runs."""
        rows = [
            (entry, name, float(value))
            for entry in (*self.entries, *(each for fitted in self.fitted.values() for each in fitted))
            for name, value in entry.settings.items()
        ]
        columns: dict[str, Any] = {
            "entry": [entry.name for entry, _, _ in rows],
            "trained_on": [entry.trained_on for entry, _, _ in rows],
            "setting": [name for _, name, _ in rows],
            "value": [value for _, _, value in rows],
            "training_mse": [entry.error for entry, _, _ in rows],
        }
        return st.tidy(columns, ("entry", "trained_on", "setting"))


def tuned(bench: st.Workbench) -> Tuned:
    """Tunes everything on training runs, with seeds that nothing is judged on."""
    homes_and_printed = (*cases.TRANSFER, *(error.case for error in ERRORS))
    training = _training(bench, (*TRAINING, *HOP_TRAINING, *homes_and_printed))
    own = [each for each in CONTESTANTS if not each.settings_of]
    found = dict(
        zip(
            (each.name for each in own),
            bench.work("Tuning", own, lambda each: _judged_with(each, _only(training, each.training))),
            strict=True,
        )
    )
    entries = [
        replace(entry, contestant=each)
        for each in CONTESTANTS
        for entry in found[each.settings_of or each.name]
    ]
    modified = contestant("zero-drops")

    def fit(key: tuple[str, str]) -> Entry:
        name, case = key
        start = tune_starts(contestant(name), _only(training, (case,)))
        return Entry(contestant(name), start.settings, "fitted", case, start.error)

    wanted = [("zero-drops", error.case) for error in ERRORS] + [("basic", case) for case in TRAINING]
    fitted = bench.work("Tuning start values", wanted, fit)
    homes = bench.work(
        "Tuning elsewhere", cases.TRANSFER, lambda home: tune(modified, _only(training, (home,))).settings
    )
    by_case = {case: [entry for entry in fitted if entry.trained_on == case] for _, case in wanted}
    return Tuned(entries, by_case, dict(zip(cases.TRANSFER, homes, strict=True)))


def tuned_alone(bench: st.Workbench, names: Sequence[str]) -> list[Entry]:
    """Some contestants, tuned on their own training cases."""
    chosen = [contestant(name) for name in names]
    training = _training(bench, [case for each in chosen for case in each.training])
    return [entry for each in chosen for entry in _judged_with(each, _only(training, each.training))]


def _training(bench: st.Workbench, wanted: Sequence[str]) -> Training:
    names = dict.fromkeys(wanted)
    chosen = {cases.case(name): cases.case(name).network for name in names}
    found = bench.each("Runs for tuning", chosen, traces_of, seeds=list(TRAINING_SEEDS), tables=RECORDED)
    return {case: stacked(runs) for case, runs in found.items()}


def _only(training: Training, names: Sequence[str]) -> Training:
    return {case: traces for case, traces in training.items() if case.name in names}


def _judged_with(contestant: Contestant, training: Training) -> list[Entry]:
    """With its printed settings, if it has some, and with tuned ones."""
    if not contestant.ranges:
        return [Entry(contestant, {}, "none", "", float("nan"))]
    where = ", ".join(contestant.training)
    entries, start = [], None
    if contestant.of_document:
        printed = tune_starts(contestant, training)
        start = printed.settings
        entries.append(Entry(contestant, start, "printed", where, printed.error))
    found = tune(contestant, training, start=start)
    return [*entries, Entry(contestant, found.settings, "tuned", where, found.error)]
