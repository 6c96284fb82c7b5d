"""Tuning in the study nonresponsive: on which runs, from which settings on, and what the searches find; and
the contestants that are tuned.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.nonresponsive_traces import made_traces

from parshall_studies.nonresponsive import STUDY, cases, tuned, tuning
from parshall_studies.nonresponsive.cases import Case
from parshall_studies.nonresponsive.contestants import CONTESTANTS, TRAINING, Contestant, contestant
from parshall_studies.nonresponsive.document import ERRORS
from parshall_studies.nonresponsive.traces import Traces, mean_square_error, relative_error
from parshall_studies.study.tuner import Range


def _entries() -> list[str]:
    """Contestants with the kinds of settings that they have in all cases."""
    found = []
    for entry in CONTESTANTS:
        found += [f"{entry.name}/printed"] if entry.of_document else []
        found += [f"{entry.name}/{'tuned' if entry.ranges else 'none'}"]
    return found


class _Desk:
    """A workbench that runs nothing: every case has the same made-up traces."""

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def each(self, what: str, variants: Any, function: Any, *, seeds: Any, tables: Any) -> dict[Case, Any]:
        self.seeds += seeds
        return {case: [made_traces(runs=1)] for case in variants}

    def work(self, what: str, items: Iterable[Any], function: Callable[[Any], Any]) -> list[Any]:
        return [function(item) for item in items]


def test_everything_is_tuned_on_its_own_training_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search over all settings begins with the printed ones and the start values that suit them best."""
    asked: list[tuple[str, str, tuple[str, ...], Any]] = []

    def tune(contestant: Contestant, training: Any, *, start: Any = None) -> tuning.Tuned:
        asked.append(("all", contestant.name, tuple(case.name for case in training), start))
        return tuning.Tuned(dict.fromkeys(contestant.ranges, 0.25), 0.01)

    def tune_starts(contestant: Contestant, training: Any) -> tuning.Tuned:
        asked.append(("starts", contestant.name, tuple(case.name for case in training), None))
        return tuning.Tuned({**contestant.printed, **dict.fromkeys(contestant.silent, 0.75)}, 0.02)

    monkeypatch.setattr(tuned, "tune", tune)
    monkeypatch.setattr(tuned, "tune_starts", tune_starts)
    desk = _Desk()
    found = tuned.tuned(desk)
    expected: list[tuple[str, str, tuple[str, ...], Any]] = []
    for each in CONTESTANTS:
        if each.ranges and each.name != "fixed-point":
            start = {**each.printed, **dict.fromkeys(each.silent, 0.75)} if each.of_document else None
            expected += [("starts", each.name, each.training, None)] if each.of_document else []
            expected.append(("all", each.name, each.training, start))
    expected += [("starts", "zero-drops", (error.case,), None) for error in ERRORS]
    expected += [("starts", "basic", (case,), None) for case in TRAINING]
    expected += [("all", "zero-drops", (home,), None) for home in cases.TRANSFER]
    assert asked == expected
    assert desk.seeds == list(tuning.TRAINING_SEEDS)
    assert min(desk.seeds) > STUDY.seeds  # nothing is judged on them
    assert [entry.name for entry in found.entries] == _entries()
    fitted = [entry for entries in found.fitted.values() for entry in entries]
    assert {entry.trained_on for entry in fitted} == {*(error.case for error in ERRORS), *TRAINING}
    assert {entry.settings["start_share"] for entry in fitted} == {0.75}
    assert tuple(found.homes) == cases.TRANSFER


# --- Errors, tuning, contestants ----------------------------------------------------------------------------


def test_errors_are_the_documents() -> None:
    truth = np.array([[0.5, 0.7], [0.2, 0.4]])
    estimates = np.array([[0.6, 0.6], [0.2, 0.7]])
    assert mean_square_error(estimates, truth) == pytest.approx([0.01, 0.045])
    assert relative_error(estimates, truth) == pytest.approx([0.0, 0.5])


def test_an_absent_estimate_is_wrong_by_everything() -> None:
    truth = np.array([[0.5, 0.7]])
    assert mean_square_error(np.array([[np.nan, 0.7]]), truth) == pytest.approx([0.5])
    assert relative_error(np.array([[np.nan, 0.7]]), truth) == pytest.approx([0.0])


def _offset_contestant() -> Contestant:
    """Estimates that are right when x is 3 and y is 0.02."""

    def estimate(case: Case, seen: Traces, settings: Any) -> np.ndarray:
        error = abs(settings["x"] - 3) / 10 + abs(np.log(settings["y"] / 0.02)) / 10
        return seen.true_share + error

    ranges = {"x": Range(0, 10), "y": Range(1e-4, 1.0, log=True)}
    return Contestant(
        "offset", "Offset", estimate, printed={"x": 9.0, "y": 0.5}, ranges=ranges, silent=("y",)
    )


def test_tuning_finds_what_there_is_to_find() -> None:
    training = {cases.case("load/22"): made_traces()}
    found = tuning.tune(_offset_contestant(), training, trials=200)
    assert found.settings["x"] == pytest.approx(3, abs=0.2)
    assert found.settings["y"] == pytest.approx(0.02, rel=0.25)
    assert found == tuning.tune(_offset_contestant(), training, trials=200)
    estimates = _offset_contestant().run(cases.case("load/22"), made_traces(), found.settings)
    assert found.error == pytest.approx(np.mean(mean_square_error(estimates, made_traces().true_share)))


def test_printed_settings_stay_as_printed() -> None:
    training = {cases.case("load/22"): made_traces()}
    found = tuning.tune_starts(_offset_contestant(), training, trials=60)
    assert found.settings["x"] == 9.0
    assert found.settings["y"] == pytest.approx(0.02, rel=0.3)


def test_a_search_is_never_worse_than_its_start() -> None:
    training = {cases.case("load/22"): made_traces()}
    exact = {"x": 3.0, "y": 0.02}
    assert tuning.tune(_offset_contestant(), training, start=exact, trials=20).error == 0.0


def test_tuning_makes_no_noise() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tuning.tune(_offset_contestant(), {cases.case("load/22"): made_traces(runs=1)}, trials=12)


@pytest.mark.parametrize("name", [each.name for each in CONTESTANTS])
def test_a_contestant_gives_a_share_for_each_interval(name: str) -> None:
    entry = contestant(name)
    middle = {
        key: (r.low * r.high) ** 0.5 if r.log else (r.low + r.high) / 2 for key, r in entry.ranges.items()
    }
    seen = made_traces()
    shares = entry.run(cases.case("load/22"), seen, {**middle, **entry.printed})
    assert shares.shape == (3, 10)
    assert np.all((shares >= 0) & (shares <= 1))
    # A run does not depend on those before it.
    recorded = {source: found[2:] for source, found in seen.recorded.items()}
    fields = ("backlog", "arrivals", "drops", "udp", "bytes")
    alone = replace(seen, **{name: getattr(seen, name)[2:] for name in fields}, recorded=recorded)
    assert entry.run(cases.case("load/22"), alone, {**middle, **entry.printed})[0] == pytest.approx(
        shares[2], nan_ok=True
    )


def test_only_what_is_printed_is_printed() -> None:
    for entry in CONTESTANTS:
        assert set(entry.silent) <= set(entry.ranges)
        if entry.of_document:
            assert set(entry.printed) == set(entry.ranges)
            assert entry.printed["gamma1"] == 5.0
            assert entry.printed["gamma2"] == (0.25 if entry.name == "several-hops" else 0.45)
            for key, value in entry.printed.items():
                assert entry.ranges[key].low <= value <= entry.ranges[key].high
