"""How sweeps run: nothing done twice, nothing lost, on any executor, no more than is needed."""

from __future__ import annotations

import logging
import multiprocessing
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.test_ensemble import Batches, batches, bits
from tests.test_sweep import LIMIT, sweep

from parshall import Cache, Dumbbell, InputError, RunError, Scenario
from parshall.engine.dispatch import dispatch
from parshall.engine.work import Chunk, Outcome, Task, execute
from parshall.recording.tables import Key
from parshall.stats import mean_interval
from parshall.sweep import EngineExecutor, Parameter, StopRule, Sweep
from parshall.sweep.stopping import StopRule as Rule

__all__ = ["batches", "sweep"]

# --- Done once, nothing lost ----------------------------------------------------------------------------


def test_a_second_call_only_does_what_is_missing(sweep: Sweep, bell: Dumbbell) -> None:
    first = sweep.run()
    assert (first.executed, sweep.run().executed) == (12, 0)
    more_seeds = replace(sweep, seeds=5)
    assert more_seeds.run().executed == 8
    limits = Parameter(path=LIMIT, values=[5, 20, 40])
    grown = replace(sweep, parameters={"rate": ["1 Mbit/s", 2e6, 3e6], "limit": limits})
    assert grown.run().executed == 5 * 3
    again = replace(sweep, parameters={"limit": limits, "rate": ["1 Mbit/s"], "delay": ["10 ms"]})
    assert again.run().executed == 0, "names and order of parameters do not matter"
    assert bits(sweep.run().table("ports")) == bits(first.table("ports"))


@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(after=st.integers(1, 11), jobs=st.integers(1, 2))
def test_an_interrupted_sweep_ends_like_one_that_was_not(
    sweep: Sweep, tmp_path_factory: pytest.TempPathFactory, after: int, jobs: int
) -> None:
    """However many runs were done when Ctrl-C came, the second call does the rest; the tables are equal."""
    store = Cache(tmp_path_factory.mktemp("interrupted"))
    done_then = 0

    def interrupt(done: int, asked: int) -> None:
        nonlocal done_then
        done_then = max(done, done_then)
        if done >= after:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sweep.run(cache=store, jobs=jobs, progress=interrupt)
    kept = len(Cache(store.folder).find(sweep.first_runs))
    assert kept >= min(after, done_then)
    rest = sweep.run(cache=store)
    assert rest.executed == 12 - kept
    whole = sweep.run(cache=None)
    for table in ("runs", "flows", "ports"):
        assert bits(rest.table(table)) == bits(whole.table(table))


def test_a_failing_run_is_named_and_does_not_stop_the_rest(
    sweep: Sweep, batches: Batches, caplog: pytest.LogCaptureFixture
) -> None:
    batches.spoiled = {2}
    with caplog.at_level(logging.ERROR, logger="parshall"):
        result = sweep.run()
    assert [(failure.variant, failure.seed) for failure in result.failures] == [
        (f"rate={rate}, limit={limit}", 2) for rate in ("1000000", "2000000") for limit in (5, 20)
    ]
    scenario = sweep.points[0].scenario.hash
    line = f"variant rate=1000000, limit=5 (scenario {scenario[:12]}), seed 2: the engine failed in two lines"
    assert str(result.failures[0]) == line
    assert f"run failed: {line}" in caplog.messages
    assert set(result.table()["seed"].to_pylist()) == {1, 3}
    assert result.table("flows").num_rows == 8 * 3
    with pytest.raises(RunError, match=r"^variant rate=1000000, limit=5 .* \(and 3 more\)$"):
        result.raise_for_failures()
    batches.spoiled = set()
    assert sweep.run().executed == 4, "a failure is not kept"


def test_a_chunk_that_fails_is_sent_again_run_by_run(sweep: Sweep) -> None:
    """As when a run takes its worker with it: the others of its chunk are not to blame."""
    scenario = sweep.points[1].scenario.hash

    class Deadly(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            def work() -> Any:
                if (scenario, 3) in chunk.runs:
                    raise MemoryError("no\nroom")
                return fn(chunk)

            return super().submit(work)

    with Deadly(2) as executor:
        result = sweep.run(executor=executor)
    assert [(failure.scenario, failure.seed, failure.reason) for failure in result.failures] == [
        (scenario, 3, "MemoryError: no room")
    ]
    assert result.executed == 11


def test_when_the_executor_breaks_finished_runs_are_kept(sweep: Sweep) -> None:
    class Broken(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            def work() -> Any:
                if any(seed == 3 for _, seed in chunk.runs):
                    raise BrokenProcessPool("a worker died")
                return fn(chunk)

            return super().submit(work)

    with Broken(1) as executor, pytest.raises(RunError, match=r"^the executor cannot go on: a worker died; "):
        sweep.run(executor=executor)
    rest = sweep.run()
    assert 0 < rest.executed < 12


# --- Executors ------------------------------------------------------------------------------------------


def test_every_executor_gives_the_same_tables(sweep: Sweep) -> None:
    expected = sweep.run(jobs=1, cache=None)
    spawned = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    pools: list[Executor] = [EngineExecutor(2), ThreadPoolExecutor(3), spawned]
    for pool in pools:
        with pool:
            result = sweep.run(executor=pool, cache=None)
        assert result.executed == 12
        for table in ("runs", "flows", "ports"):
            assert bits(result.table(table)) == bits(expected.table(table)), pool


def test_an_executor_that_was_given_stays_open(sweep: Sweep) -> None:
    with EngineExecutor(1) as executor:
        sweep.run(executor=executor, cache=None)
        assert executor.submit(lambda: 3).result() == 3


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"executor": "mpi"}, r"^executor: got \"mpi\", expected local, dask, or the address"),
        ({"jobs": 0}, r"^jobs: got 0, expected a whole number from 1 to 1024$"),
        ({"jobs": 2, "executor": "dask"}, r"^jobs: got 2, expected none: the executor knows"),
    ],
)
def test_an_unknown_executor_is_one_line(sweep: Sweep, arguments: Any, line: str) -> None:
    with pytest.raises(InputError, match=line):
        sweep.run(**arguments)


def test_a_worker_with_another_engine_is_refused(bell: Dumbbell) -> None:
    network: Scenario = bell.scenario()
    task = Task(engine_version="0-other")
    chunk = Chunk(task, ((network.hash, 1),), {network.hash: network.to_json()})
    with pytest.raises(RunError, match=r"^a worker has engine .*, expected 0-other: install the same"):
        execute(chunk)


def dispatched(executor: Executor, runs: list[Key], network: Scenario) -> list[tuple[Key, ...]]:
    """The runs of each chunk that came back."""
    done: list[tuple[Key, ...]] = []

    def take(outcome: Outcome | None) -> None:
        if outcome is not None and outcome.block is not None:
            done.append(outcome.block.keys)

    dispatch(executor, runs, {network.hash: network.to_json()}, Task(("flows",)), take, lambda: False)
    return done


def test_chunks_grow_with_short_runs_and_share_what_is_left(
    bell: Dumbbell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parshall.engine.dispatch._CHUNK_S", 60.0)  # runs are short on any machine
    network = bell.replace("duration", "1100 ms").scenario()
    sizes: list[int] = []

    class Counting(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            sizes.append(len(chunk.runs))
            return super().submit(fn, chunk)

    runs = [(network.hash, seed) for seed in range(400)]
    with Counting(2) as executor:
        done = dispatched(executor, runs, network)
    assert sorted(key for keys in done for key in keys) == runs
    assert sizes[:4] == [1] * 4, "nothing is known yet"
    assert max(sizes) > 90, "a quarter of what is left, for two workers with two chunks each"
    assert sizes[-1] == 1, "the last ones are short, so that all workers end together"


def test_chunks_of_long_runs_are_single_runs(bell: Dumbbell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parshall.engine.dispatch._CHUNK_S", 1e-9)
    network = bell.scenario()
    runs = [(network.hash, seed) for seed in range(12)]
    with EngineExecutor(1) as executor:
        done = dispatched(executor, runs, network)
    assert sorted(done) == [(run,) for run in runs]


def test_what_takes_longer_than_was_thought_is_shared_again(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no worker is left with it alone, and what is done is kept soon."""
    monkeypatch.setattr("parshall.engine.dispatch._CHUNK_S", 60.0)
    monkeypatch.setattr("parshall.engine.work._LONGEST_S", 0.0)
    long = replace(sweep, scenario=sweep.scenario.replace("duration", "600 s"), seeds=4)  # type: ignore[union-attr]
    sent: list[tuple[Key, ...]] = []

    class Watching(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            sent.append(chunk.runs)
            return super().submit(fn, chunk)

    with Watching(1) as executor:
        result = long.run(executor=executor)
    assert result.executed == 16
    again = [key for keys in sent for key in keys]
    assert len(again) > len(set(again)) == 16, "some did not have their turn at first"


def test_points_take_turns_when_runs_are_long(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that early results, and the time left, speak for all points."""
    monkeypatch.setattr("parshall.engine.dispatch._CHUNK_S", 1e-9)
    order: list[tuple[str, int]] = []

    class Watching(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            order.extend(chunk.runs)
            return super().submit(fn, chunk)

    with Watching(1) as executor:
        sweep.run(executor=executor)
    assert order == [(point.scenario.hash, seed) for seed in (1, 2, 3) for point in sweep.points]


def test_progress_counts_every_run_once(sweep: Sweep) -> None:
    seen: list[tuple[int, int]] = []
    sweep.run(progress=lambda done, asked: seen.append((done, asked)))
    assert seen[-1] == (12, 12)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    again: list[tuple[int, int]] = []
    replace(sweep, seeds=4).run(progress=lambda done, asked: again.append((done, asked)))
    assert again[0] == (12, 16), "what is there already is counted at once"
    assert again[-1] == (16, 16)


# --- Stopping -------------------------------------------------------------------------------------------


def test_a_point_stops_when_its_interval_is_narrow_enough(bell: Dumbbell) -> None:
    rule = StopRule(metric="goodput", relative=0.02, min_seeds=4, max_seeds=60)
    sweep = Sweep(bell, {LIMIT: [3, 10, 40]}, stop=rule)
    result = sweep.run()
    counts = [len(seeds) for seeds in result.seeds]
    assert counts[0] > counts[2] >= 4, "a noisy point has more seeds than a calm one"
    for point, seeds in zip(result.points, result.seeds, strict=True):
        interval = result.interval("goodput", point)
        assert interval.n == len(seeds)
        assert seeds == tuple(range(1, len(seeds) + 1)), "common random numbers"
        assert interval.half_width <= 0.02 * interval.mean or len(seeds) == 60
    assert result.table().num_rows == sum(counts)
    assert result.table("flows").num_rows == 3 * sum(counts)
    alone = Sweep(bell, {LIMIT: [3]}, stop=rule).run()
    assert alone.seeds == result.seeds[:1], "a point's seeds do not depend on the other points"
    assert alone.executed == 0


def test_a_stopped_sweep_ignores_further_runs_in_the_cache(bell: Dumbbell) -> None:
    rule = StopRule(metric="goodput", relative=0.5, min_seeds=3)
    sweep = Sweep(bell, {"rate": [1e6]}, stop=rule)
    expected = sweep.run(cache=None)
    Sweep(bell, {"rate": [1e6]}, seeds=9).run()
    result = sweep.run()
    assert result.executed == 0
    assert [len(seeds) for seeds in result.seeds] == [3]
    assert bits(result.table("flows")) == bits(expected.table("flows"))


def test_points_that_share_a_scenario_have_their_own_seeds(bell: Dumbbell) -> None:
    """A function may ignore a parameter; the tables have each point's rows all the same."""
    sweep = Sweep(lambda label: bell, {"label": ["a", "b"]}, seeds=2)
    result = sweep.run()
    assert result.executed == 2
    assert result.table()["label"].to_pylist() == ["a", "a", "b", "b"]
    assert result.table("flows").num_rows == 4 * 3


def test_no_point_has_more_seeds_than_the_rule_allows(bell: Dumbbell) -> None:
    rule = StopRule(metric="goodput", half_width=1, min_seeds=2, max_seeds=5)
    result = Sweep(bell, {"rate": [1e6]}, stop=rule).run()
    assert [len(seeds) for seeds in result.seeds] == [5]
    listed = Sweep(bell, {"rate": [1e6]}, seeds=[7, 3, 9], stop=rule).run()
    assert listed.seeds == ((7, 3, 9),)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50),
    st.floats(1e-3, 1e3),
    st.integers(2, 20),
    st.integers(20, 100),
)
def test_a_round_adds_seeds_until_the_bound_holds(
    values: list[float], bound: float, least: int, most: int
) -> None:
    rule = Rule(metric="m", half_width=bound, min_seeds=least, max_seeds=most)
    count = rule.next_count(values)
    interval = mean_interval(values)
    if len(values) < least:
        assert count == least
    elif interval.half_width <= bound:
        assert count == len(values)
    else:
        assert count == most or len(values) < count <= 2 * len(values)
    assert count <= max(most, len(values))
