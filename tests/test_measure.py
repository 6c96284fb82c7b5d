"""A function of each of many runs: what is held, what is kept, what is done once, and what goes wrong."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.test_ensemble import Batches, batches

from parshall import Cache, Dumbbell, Record, run
from parshall.engine.measure import measure
from parshall.errors import InputError, ParshallError, RunError, ScenarioError
from parshall.recording import Recording

__all__ = ["batches"]

SEEDS = (3, 1, 8)


def delivered(variant: Any, recording: Recording) -> int:
    del variant
    return int(recording.columns("flows")["packets_delivered"].sum())


@pytest.fixture
def bells(bell: Dumbbell) -> dict[str, Dumbbell]:
    return {"slow": bell.replace("rate", "1 Mbit/s"), "fast": bell.replace("rate", "3 Mbit/s")}


# --- What comes out -----------------------------------------------------------------------------------------


def test_each_variant_has_a_value_for_each_seed_in_their_order(bells: dict[str, Dumbbell]) -> None:
    found = measure(bells, SEEDS, delivered)
    assert list(found) == ["slow", "fast"]
    for name, values in found.items():
        assert values == [delivered(name, run(bells[name], seed)) for seed in SEEDS]
    assert len(set(found["fast"])) > 1


def test_the_number_of_threads_and_the_cache_change_nothing(bells: dict[str, Dumbbell]) -> None:
    expected = measure(bells, SEEDS, delivered, cache=None, jobs=1)
    for jobs in (1, 3):
        for _ in range(2):
            assert measure(bells, SEEDS, delivered, jobs=jobs) == expected


def test_variants_may_have_their_own_seeds(bells: dict[str, Dumbbell]) -> None:
    found = measure(bells, {"slow": [1], "fast": [2, 3]}, delivered)
    assert found["slow"] == [delivered("slow", run(bells["slow"], 1))]
    assert found["fast"] == [delivered("fast", run(bells["fast"], seed)) for seed in (2, 3)]


def test_the_function_sees_the_tables_that_were_asked_for(bell: Dumbbell) -> None:
    recorded = bell.replace("record", Record(rtt="*", packets=["bottleneck"]))
    for _ in range(2):  # the first time from the engine, the second from the cache
        found = measure(
            {"b": recorded}, [1], lambda _, recording: set(recording.tables), tables=("flows", "rtt")
        )
        assert {"flows", "rtt"} <= found["b"][0]
    (whole,) = measure(
        {"b": recorded}, [1], lambda _, recording: recording.table("packets"), tables=("packets",)
    )["b"]
    assert whole.equals(run(recorded, 1).table("packets"))


def test_a_recording_knows_its_scenario_and_seed(bell: Dumbbell) -> None:
    found = measure({"b": bell}, [5], lambda _, each: (each.scenario.hash, each.seed, each.counted_seconds))
    assert found["b"] == [(bell.hash, 5, 3.0)]


# --- What is done, and when ---------------------------------------------------------------------------------


def test_two_variants_of_one_scenario_are_run_once(bell: Dumbbell) -> None:
    told: list[tuple[int, int]] = []
    found = measure(
        {"a": bell, "b": bell.replace("title", bell.title)},
        SEEDS,
        lambda variant, recording: (variant, recording.seed),
        progress=lambda done, total: told.append((done, total)),
    )
    assert found == {name: [(name, seed) for seed in SEEDS] for name in ("a", "b")}
    assert told[-1] == (6, 6)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_scenarios_are_made_when_their_turn_comes(
    bells: dict[str, Dumbbell], monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    def maker(name: str) -> Any:
        def make() -> Dumbbell:
            events.append(f"made {name}")
            return bells[name]

        return make

    def function(variant: str, recording: Recording) -> None:
        events.append(f"ran {variant}")

    monkeypatch.setattr("parshall.engine.measure._PORTION_BYTES", 1)
    measure({name: maker(name) for name in bells}, [1], function, cache=None)
    assert events == ["made slow", "ran slow", "made fast", "ran fast"]


def test_only_what_the_function_returns_is_held(bell: Dumbbell) -> None:
    alive: list[weakref.ref[Recording]] = []
    most = 0
    lock = threading.Lock()

    def function(_: str, recording: Recording) -> int:
        nonlocal most
        with lock:
            alive.append(weakref.ref(recording))
            most = max(most, sum(each() is not None for each in alive))
        return recording.seed

    seeds = range(1, 201)
    measure({"b": bell.replace("duration", "2 s")}, seeds, function, jobs=2, cache=None)
    gc.collect()
    assert most < 20
    assert not [each for each in alive if each() is not None]


def test_runs_are_kept_and_not_done_again(bells: dict[str, Dumbbell], batches: Batches) -> None:
    first = measure(bells, SEEDS[:2], delivered)
    assert len(batches.runs) == 4
    again = measure(bells, SEEDS, delivered)
    assert len(batches.runs) == 6
    assert {name: values[:2] for name, values in again.items()} == first


def test_without_a_cache_nothing_is_kept(bell: Dumbbell, own_cache: Path) -> None:
    measure({"b": bell}, SEEDS, delivered, cache=None)
    assert not list(own_cache.rglob("*.arrow"))
    measure({"b": bell}, SEEDS, delivered, cache=Cache(own_cache))
    assert list(own_cache.rglob("index.json"))


# --- What goes wrong ----------------------------------------------------------------------------------------


def test_an_error_of_the_function_names_the_run(bells: dict[str, Dumbbell]) -> None:
    def function(variant: str, recording: Recording) -> float:
        if (variant, recording.seed) == ("fast", 8):
            raise ZeroDivisionError("no packets")
        return 1.0

    for cache in (None, "default", "default"):
        with pytest.raises(ParshallError) as caught:
            measure(bells, SEEDS, function, cache=cache)  # type: ignore[arg-type]
        assert str(caught.value) == "measuring fast, seed 8: ZeroDivisionError: no packets"


def test_an_error_of_the_function_is_told_though_work_that_waits_is_given_up(bell: Dumbbell) -> None:
    def function(variant: str, recording: Recording) -> float:
        raise ZeroDivisionError("no packets")

    bells = {name: bell.replace("duration", f"{40 + name} s") for name in range(20)}
    for jobs in (1, 2):
        with pytest.raises(ParshallError, match=r"measuring \d+, seed \d: ZeroDivisionError: no packets"):
            measure(bells, SEEDS, function, jobs=jobs, cache=None)  # type: ignore[arg-type]


def test_what_was_done_before_an_error_is_kept(bells: dict[str, Dumbbell]) -> None:
    def function(variant: str, recording: Recording) -> float:
        raise ValueError("never")

    with pytest.raises(ParshallError):
        measure({"slow": bells["slow"]}, SEEDS, function, jobs=1)
    assert len(Cache().find((bells["slow"].hash, seed) for seed in SEEDS)) >= 1


def test_a_run_that_fails_is_named_and_the_others_are_kept(bell: Dumbbell, batches: Batches) -> None:
    batches.spoiled = {2}
    with pytest.raises(RunError) as caught:
        measure({"b": bell}, [1, 2], delivered, jobs=1)
    assert str(caught.value) == (
        f"variant b (scenario {bell.hash[:12]}), seed 2: the engine failed in two lines"
    )
    assert Cache().find([(bell.hash, 1), (bell.hash, 2)]) == {(bell.hash, 1)}


@pytest.mark.parametrize(
    ("variants", "seeds"), [({}, [1]), ({"b": None}, []), ({"b": None}, [1, 1]), ({"b": None}, [-1])]
)
def test_there_must_be_something_to_do(bell: Dumbbell, variants: dict[str, Any], seeds: list[int]) -> None:
    with pytest.raises(InputError, match=r"(variants|seeds|seeds\[[01]\]): got .*, expected"):
        measure(dict.fromkeys(variants, bell), seeds, delivered)


def test_a_scenario_that_cannot_be_run_is_refused_before_anything_runs(bell: Dumbbell) -> None:
    broken = bell.replace("flows", ())
    with pytest.raises(ScenarioError):
        measure({"ok": bell, "broken": broken}, [1], lambda *_: pytest.fail("it ran"), cache=None)


def test_control_c_keeps_what_is_done(bell: Dumbbell) -> None:
    import _thread

    long = bell.replace("duration", "30 s")

    def interrupting(_: str, recording: Recording) -> float:
        _thread.interrupt_main()
        return float(np.sum(recording.columns("flows")["packets_sent"]))

    with pytest.raises(KeyboardInterrupt):
        measure({"b": long}, range(2000), interrupting, jobs=1)
    kept = len(Cache().find((long.hash, seed) for seed in range(2000)))
    assert 0 < kept < 2000
