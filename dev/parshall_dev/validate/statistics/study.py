"""A study as a whole: every scenario rebuilt, run over seeds on all cores, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from parshall.engine.measure import measure
from parshall.errors import InputError, RunError, ScenarioError, shown
from parshall.recording import Recording
from parshall.scenario import Scenario
from parshall_dev.validate.statistics import many_connections, mixed_traffic, on_off_sources
from parshall_dev.validate.statistics.compare import Comparison, compare
from parshall_dev.validate.statistics.outcomes import Outcome
from parshall_dev.validate.statistics.unsupported import UnsupportedError
from parshall_studies.baselines import Baseline, Settings, load_study
from parshall_studies.study.rules import Verdict

__all__ = ["STUDIES", "Agreement", "Kind", "Progress", "compare_study"]

Progress: TypeAlias = Callable[[int, int], object]
"""Called with the number of runs done and the number of all."""


@dataclass(frozen=True)
class Kind:
    """Rebuilding and measures of a study's scenarios."""

    title: str
    outcomes: tuple[Outcome, ...]
    rebuild: Callable[[Settings, int], Scenario]
    """From settings and a seed."""
    measure: Callable[[Settings, Recording], dict[str, float]]
    """From settings and a run."""
    seeds: int
    """Runs of each scenario: enough for an interval like ns-2's in a minute or less."""


def _of_study_1(name: str, outcomes: tuple[Outcome, ...], seeds: int) -> Kind:
    return Kind(mixed_traffic.TITLES[name], outcomes, mixed_traffic.rebuild, mixed_traffic.measure, seeds)


STUDIES: Mapping[str, Kind] = {
    "0": Kind(
        on_off_sources.TITLE, on_off_sources.OUTCOMES, on_off_sources.rebuild, on_off_sources.measure, 30
    ),
    "1a": _of_study_1("1a", mixed_traffic.OUTCOMES, 4),
    "1m": _of_study_1("1m", mixed_traffic.OUTCOMES_OF_LINKS, 3),
    "1b": _of_study_1("1b", mixed_traffic.OUTCOMES, 4),
    "3": Kind(
        many_connections.TITLE,
        many_connections.OUTCOMES,
        many_connections.rebuild,
        many_connections.measure,
        6,
    ),
}
"""The random scenarios that are compared, by the names of their tables."""


@dataclass(frozen=True)
class Agreement:
    """A study, compared."""

    study: str
    comparisons: tuple[Comparison, ...]
    not_rebuilt: Mapping[str, str]
    """Labels of scenarios that cannot be run, and what the engine lacks for them."""

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    def count(self, verdict: Verdict) -> int:
        """Comparisons with that verdict."""
        return sum(comparison.verdict is verdict for comparison in self.comparisons)


def compare_study(
    folder: Path | str,
    study: str,
    *,
    seeds: int | None = None,
    labels: Callable[[str], bool] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """Compares the scenarios of a study, all or those with a label that ``labels`` accepts.

    ``seeds`` is how many runs each gets, by default the study's own number. Raises InputError for a table
    that cannot be used, and RunError when a run fails.
    """
    if study not in STUDIES:
        raise InputError("study", shown(study), f"one of {', '.join(STUDIES)}")
    kind = STUDIES[study]
    baselines = [each for each in load_study(folder, study) if labels is None or labels(each.label)]
    if not baselines:
        raise InputError("labels", "none that matches", f"some of study {study}")
    scenarios, not_rebuilt = _rebuilt(kind, baselines, seeds or kind.seeds)
    samples = _measured(kind, baselines, scenarios, jobs, progress)
    pairs = [
        (baseline, outcome, sample)
        for baseline in baselines
        if (sample := samples.get(baseline.label))
        for outcome in kind.outcomes
        if outcome.key in sample[0] and outcome.key in baseline.outcomes
    ]
    comparisons = [
        compare(
            study,
            baseline.label,
            outcome,
            [values[outcome.key] for values in sample],
            baseline.outcomes[outcome.key],
            len(pairs),
        )
        for baseline, outcome, sample in pairs
    ]
    return Agreement(study, tuple(comparisons), not_rebuilt)


def _rebuilt(
    kind: Kind, baselines: Sequence[Baseline], seeds: int
) -> tuple[dict[tuple[str, int], Scenario], dict[str, str]]:
    """Scenarios by label and seed, and labels that cannot be run with the reason."""
    scenarios: dict[tuple[str, int], Scenario] = {}
    not_rebuilt: dict[str, str] = {}
    for baseline in baselines:
        try:
            for seed in range(1, seeds + 1):
                scenarios[baseline.label, seed] = _scenario(kind, baseline, seed)
        except UnsupportedError as missing:
            not_rebuilt[baseline.label] = str(missing)
    return scenarios, not_rebuilt


def _scenario(kind: Kind, baseline: Baseline, seed: int) -> Scenario:
    try:
        return kind.rebuild(baseline.settings, seed)
    except ScenarioError as fault:
        raise RunError(f"{baseline.settings.where}: no scenario: {fault}") from None


def _measured(
    kind: Kind,
    baselines: Sequence[Baseline],
    scenarios: Mapping[tuple[str, int], Scenario],
    threads: int | None,
    progress: Progress | None,
) -> dict[str, list[dict[str, float]]]:
    """Measured values, by label and in the order of seeds."""
    if not scenarios:
        return {}
    settings = {baseline.label: baseline.settings for baseline in baselines}
    found = measure(
        scenarios,
        {(label, seed): [seed] for label, seed in scenarios},
        lambda key, run: kind.measure(settings[key[0]], run),
        tables=("flows", "ports", "packets"),
        jobs=threads,
        cache=None,
        progress=progress,
    )
    samples: dict[str, list[dict[str, float]]] = {}
    for (label, _), values in found.items():
        samples.setdefault(label, []).extend(values)
    return samples
