"""Many runs: the same on any number of threads, each done once, nothing lost."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from parshall import Cache, Dumbbell, InputError, RunError, Scenario, ScenarioError, _core, run_many
from parshall.engine.cache import default_folder
from parshall.support.stages import stage

SEEDS = range(1, 6)


@pytest.fixture
def variants(bell: Dumbbell, everything: Scenario) -> dict[str, Scenario | Dumbbell]:
    return {
        "plain": bell,
        "slow": bell.replace("rate", "1 Mbit/s"),
        "same as plain": bell.scenario(),
        "everything": everything,
    }


def bits(table: pa.Table) -> bytes:
    """A table's bytes; unlike equality, this holds NaN equal to itself and 0 different from -0."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


class Batches:
    """Stands in for the engine's JoiningBatch: counts the runs asked for, and can spoil some of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.runs: list[tuple[str, int]] = []
        self.started = self.finished = 0
        self.spoiled: set[int] = set()
        self._real = _core.JoiningBatch
        monkeypatch.setattr(_core, "JoiningBatch", self.start)

    def start(self, jobs: list[tuple[str, int]], threads: int, max_events: int | None = None) -> Any:
        spoiled = [index for index, (_, seed) in enumerate(jobs) if seed in self.spoiled]
        left = [index for index in range(len(jobs)) if index not in spoiled]
        batch = self._real([jobs[index] for index in left], threads, max_events)
        self.runs += jobs
        self.started += 1
        return self.Spoiling(batch, left, spoiled, self.count)

    def count(self, runs: int) -> None:
        self.finished += runs

    class Spoiling:
        def __init__(
            self, batch: Any, left: list[int], spoiled: list[int], count: Callable[[int], None]
        ) -> None:
            self.batch, self.left, self.spoiled, self.count = batch, left, spoiled, count

        def next(self, timeout: float) -> Any:
            if self.spoiled:
                broken = RuntimeError("the engine failed\nin two lines")
                return [([self.spoiled.pop()], broken)]
            done = self.batch.next(timeout)
            # Runs that are stopped under way come back as errors.
            ended = [indices for indices, result in done or () if not isinstance(result, Exception)]
            self.count(sum(map(len, ended)))
            return done and [([self.left[index] for index in indices], result) for indices, result in done]

        def stop(self) -> None:
            self.batch.stop()

        def cancel(self) -> None:
            self.batch.cancel()


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> Batches:
    return Batches(monkeypatch)


# --- Tables ---------------------------------------------------------------------------------------------


def test_tables_put_variant_and_seed_in_front(variants: dict[str, Any]) -> None:
    ensemble = run_many(variants, [3, 1, 2])
    flows = ensemble.table("flows")
    assert flows.column_names[:3] == ["variant", "seed", "flow"]
    rows = zip(*(flows[name].to_pylist() for name in ("variant", "seed", "flow")), strict=True)
    expected = [(v, s, f) for v in variants for s in (3, 1, 2) for f in ("tcp1", "tcp2", "call1")]
    assert list(rows) == expected
    assert ensemble.table("ports").num_rows == len(variants) * 3 * 14


def test_an_ensemble_holds_what_single_runs_give(everything: Scenario) -> None:
    import parshall

    names = ("flows", "ports", "rtt", "window", "flow_series", "port_series", "packets")
    ensemble = run_many({"v": everything}, [4, 9], tables=names)
    for name in names:
        one = [parshall.run(everything, seed).table(name) for seed in (4, 9)]
        table = ensemble.table(name)
        assert table.num_rows == sum(single.num_rows for single in one)
        for column in one[0].column_names:
            single = pa.chunked_array([chunk for part in one for chunk in part[column].chunks]).to_pylist()
            assert repr(table[column].to_pylist()) == repr(single), (name, column)


def test_captures_are_kept_too(everything: Scenario) -> None:
    import parshall

    for _ in range(2):
        table = run_many({"v": everything}, [1, 2], tables=("pcap",)).table("pcap")
        assert table["port"].to_pylist() == ["bottleneck", "bottleneck"]
        captures = [parshall.run(everything, seed).pcap["bottleneck"] for seed in (1, 2)]
        assert table["data"].to_pylist() == captures


def test_any_number_of_jobs_and_the_cache_give_the_same_bits(
    variants: dict[str, Any], tmp_path: Path
) -> None:
    names = ("flows", "ports", "rtt", "packets")
    one, two, none = (
        run_many(variants, SEEDS, jobs=jobs, cache=cache, tables=names)
        for jobs, cache in ((1, Cache(tmp_path / "a")), (2, Cache(tmp_path / "b")), (3, None))
    )
    assert one.executed == two.executed == none.executed == 3 * len(SEEDS), "equal variants are run once"
    read = run_many(variants, SEEDS, cache=Cache(tmp_path / "a"), tables=names)
    assert read.executed == 0
    for name in names:
        assert (
            bits(one.table(name)) == bits(two.table(name)) == bits(none.table(name)) == bits(read.table(name))
        )


def test_tables_that_some_variants_record(variants: dict[str, Any]) -> None:
    ensemble = run_many(variants, SEEDS, tables=("rtt",))
    assert set(ensemble.table("rtt")["variant"].to_pylist()) == {"everything"}
    with pytest.raises(
        InputError, match='table: got "flows", expected one of rtt, as asked for with tables='
    ):
        ensemble.table("flows")
    with pytest.raises(
        InputError, match='got "window", expected a table that a scenario of the ensemble records'
    ):
        run_many({"v": variants["plain"]}, SEEDS, tables=("window",)).table("window")


def test_data_frames(bell: Dumbbell) -> None:
    ensemble = run_many({"v": bell}, [1])
    assert ensemble.to_pandas()["packets_sent"].sum() == ensemble.to_polars()["packets_sent"].sum() > 0


# --- What is done, and what is not done again -----------------------------------------------------------


def test_only_what_is_missing_is_run(bell: Dumbbell, batches: Batches) -> None:
    slow = bell.replace("rate", "1 Mbit/s")
    assert run_many({"v": bell}, [1, 2]).executed == 2
    ensemble = run_many({"v": bell, "w": slow}, [1, 2, 3])
    assert ensemble.executed == 4
    asked = [(text, seed) for text, seed in batches.runs[2:]]
    assert sorted(asked) == sorted([(bell.to_json(), 3), *((slow.to_json(), seed) for seed in (1, 2, 3))])
    assert run_many({"other name": slow}, [3]).executed == 0
    assert len(batches.runs) == 6
    assert (
        ensemble.table("flows")["seed"].to_pylist()
        == [1] * 3 + [2] * 3 + [3] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    )


def test_a_part_of_what_is_stored_can_be_read(everything: Scenario) -> None:
    names = ("flows", "rtt", "packets", "pcap")
    whole = run_many({"v": everything}, range(8), tables=names)
    part = run_many({"v": everything}, [6, 1, 3], tables=names)
    fresh = run_many({"v": everything}, [6, 1, 3], tables=names, cache=None)
    assert (whole.executed, part.executed) == (8, 0)
    for name in names:
        assert bits(part.table(name)) == bits(fresh.table(name))


def test_the_engine_gets_many_scenarios_in_chunks(bell: Dumbbell, batches: Batches) -> None:
    """However many there are, few of them are compiled at a time."""
    variants: dict[str, Any] = {f"v{number}": bell.replace("duration", 2 + number) for number in range(6)}
    variants["bad"] = bell.scenario().replace("flows[0].source", "nobody")
    ensemble = run_many(variants, range(2), jobs=1)
    assert (ensemble.executed, len(ensemble.failures), len(batches.runs)) == (12, 2, 12)
    assert batches.started > 2
    seeds = ensemble.table("flows")["seed"].to_pylist()
    assert seeds == [seed for _ in range(6) for seed in range(2) for _ in range(3)]


def test_another_engine_version_sees_nothing(bell: Dumbbell, tmp_path: Path) -> None:
    run_many({"v": bell}, [1], cache=Cache(tmp_path))
    assert run_many({"v": bell}, [1], cache=Cache(tmp_path, engine_version="other/1")).executed == 1
    assert run_many({"v": bell}, [1], cache=Cache(tmp_path, engine_version="other/1")).executed == 0


def test_without_a_cache_nothing_is_kept(bell: Dumbbell, own_cache: Path) -> None:
    assert [run_many({"v": bell}, [1], cache=None).executed for _ in range(2)] == [1, 1]
    assert not own_cache.exists()


def test_clearing_the_cache(bell: Dumbbell) -> None:
    cache = Cache()
    run_many({"v": bell}, [1], cache=cache)
    cache.clear()
    assert run_many({"v": bell}, [1], cache=cache).executed == 1


def test_the_cache_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARSHALL_CACHE", str(tmp_path / "here"))
    assert default_folder() == tmp_path / "here"
    monkeypatch.delenv("PARSHALL_CACHE")
    assert default_folder().name == "parshall"


def test_many_runs_share_few_files(bell: Dumbbell, own_cache: Path) -> None:
    run_many({"v": bell.replace("duration", "1100 ms")}, range(300))
    segments = [folder for folder in own_cache.glob("v2/*/*") if folder.is_dir()]
    assert 1 <= len(segments) <= 30


def test_progress_counts_every_run_once(variants: dict[str, Any]) -> None:
    run_many({"plain": variants["plain"]}, [1, 2])
    seen: list[tuple[int, int]] = []
    run_many(variants, SEEDS, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1] == (20, 20)
    assert seen[0][0] == 4, "two runs of two equal variants were in the cache"


# --- Interrupts -----------------------------------------------------------------------------------------

CHILD = """
import sys
from parshall import load, run_many
print("ready", flush=True)
scenario = load(sys.argv[1])
seeds = range(int(sys.argv[2]))
run_many({"v": scenario}, seeds, jobs=2, progress=lambda done, total: print(done, flush=True))
"""


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("interrupt", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_call_goes_on_where_it_was(
    interrupt: int, bell: Dumbbell, tmp_path: Path, own_cache: Path
) -> None:
    file = tmp_path / "bell.toml"
    file.write_text(bell.replace("duration", "60 s").to_toml())
    scenario = Scenario.from_json(bell.replace("duration", "60 s").to_json())
    process = child(CHILD, file, 2000)
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line.strip())
        # A killed process keeps what was stored up to then: wait for the first segment.
        stored = any(own_cache.glob("v2/*/*-*/index.json"))
        if len(lines) > 8 and (interrupt == signal.SIGINT or stored):
            process.send_signal(interrupt)
            break
    rest, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    finished = int([line for line in [*lines, *rest.split()] if line.isdigit()][-1])
    found = Cache().find((scenario.hash, seed) for seed in range(2000))
    if interrupt == signal.SIGINT:
        assert "KeyboardInterrupt" in errors
        assert len(found) == finished, "whatever had finished is kept"
    assert 0 < len(found) < 2000
    known = len(found)
    ensemble = run_many({"v": scenario}, range(known + 3))
    assert ensemble.executed == len(set(range(known + 3)) - {seed for _, seed in found})
    leftovers = [path for path in own_cache.rglob("*") if ".parshall-" in path.name]
    assert interrupt == signal.SIGKILL or not leftovers


def test_an_error_on_the_way_loses_nothing(bell: Dumbbell, batches: Batches) -> None:
    done: list[int] = []

    def failing(count: int, _total: int) -> None:
        done.append(count)
        if count >= 3:
            raise ValueError("the caller's own")

    with pytest.raises(ValueError, match="the caller's own"):
        run_many({"v": bell}, range(1000), jobs=1, progress=failing)
    kept = len(Cache().find((bell.hash, seed) for seed in range(1000)))
    assert 3 <= kept < 1000
    assert kept == batches.finished, "results that came together with the one that failed are kept as well"
    assert run_many({"v": bell}, range(1000)).executed == 1000 - kept


def test_the_handler_of_interrupts_is_given_back(bell: Dumbbell) -> None:
    before = signal.getsignal(signal.SIGINT)
    run_many({"v": bell}, [1])
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_can_run_ensembles(bell: Dumbbell) -> None:
    results: list[int] = []
    thread = threading.Thread(target=lambda: results.append(run_many({"v": bell}, [1, 2]).executed))
    thread.start()
    thread.join()
    assert results == [2]


def test_processes_can_share_a_cache(bell: Dumbbell, tmp_path: Path) -> None:
    file = tmp_path / "bell.toml"
    file.write_text(bell.to_toml())
    children = [child(CHILD, file, 60) for _ in range(3)]
    for process in children:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    ensemble = run_many({"v": bell}, range(60))
    assert ensemble.executed == 0
    assert bits(ensemble.table("flows")) == bits(run_many({"v": bell}, range(60), cache=None).table("flows"))


# --- Damage ---------------------------------------------------------------------------------------------


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x10
    file.write_bytes(content)


HARM: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a flipped bit": ("flows.parquet", flip),
    "a flipped bit in the index": ("index.json", flip),
    "half a file": ("flows.parquet", lambda file: os.truncate(file, file.stat().st_size // 2)),
    "half an index": ("index.json", lambda file: os.truncate(file, file.stat().st_size // 2)),
    "an empty file": ("flows.parquet", lambda file: os.truncate(file, 0)),
    "an empty index": ("index.json", lambda file: os.truncate(file, 0)),
    "a missing file": ("flows.parquet", Path.unlink),
    "a missing index": ("index.json", Path.unlink),
}


@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_segment_is_reported_and_done_again(
    harm: str, bell: Dumbbell, own_cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected = bits(run_many({"v": bell}, [1, 2]).table("flows"))
    run_many({"v": bell}, [3])
    name, do = HARM[harm]
    (file, *_) = sorted(own_cache.glob(f"v2/*/*/{name}"))
    do(file)
    again = run_many({"v": bell}, [1, 2, 3])
    assert again.executed == 2, "what is in the other segment is not done again"
    assert bits(run_many({"v": bell}, [1, 2]).table("flows")) == expected
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert str(file.parent) in record.getMessage()
    assert len(record.getMessage().splitlines()) == 1
    assert run_many({"v": bell}, [1, 2, 3]).executed == 0


def test_tables_that_nobody_asks_for_may_be_damaged(everything: Scenario, own_cache: Path) -> None:
    run_many({"v": everything}, [1])
    (file,) = own_cache.glob("v2/*/*/rtt.parquet")
    flip(file)
    assert run_many({"v": everything}, [1]).executed == 0
    assert run_many({"v": everything}, [1], tables=("rtt",)).executed == 1


def test_what_a_killed_process_left_is_swept_up(bell: Dumbbell, own_cache: Path) -> None:
    run_many({"v": bell}, [1])
    (home,) = own_cache.glob("v2/*")
    (home / ".parshall-abcd1234").mkdir()
    with stage(home) as written:
        run_many({"v": bell}, [2])
        assert [path for path in home.iterdir() if path.name.startswith(".parshall-")] == [written]


def test_other_files_in_the_cache_are_left_alone(bell: Dumbbell, own_cache: Path) -> None:
    run_many({"v": bell}, [1])
    (home,) = own_cache.glob("v2/*")
    (home / ".DS_Store").write_text("x")
    assert run_many({"v": bell}, [1]).executed == 0
    assert (home / ".DS_Store").exists()


def test_a_segment_says_what_it_holds(bell: Dumbbell, own_cache: Path) -> None:
    """Other programs can read a cache."""
    from pyarrow import parquet

    run_many({"v": bell}, [5])
    (file,) = own_cache.glob("v2/*/*/flows.parquet")
    table = parquet.read_table(file)
    assert set(table["scenario"].to_pylist()) == {bell.hash}
    assert set(table["seed"].to_pylist()) == {5}
    index = json.loads((file.parent / "index.json").read_bytes().splitlines()[0])
    assert index["scenarios"] == [bell.hash]


def test_a_cache_that_cannot_be_written_does_not_stop_the_runs(
    bell: Dumbbell, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    ensemble = run_many({"v": bell}, [1, 2], cache=Cache(tmp_path / "file"))
    assert ensemble.executed == 2
    assert ensemble.table("flows").num_rows == 6
    (record,) = caplog.records
    assert str(tmp_path / "file") in record.getMessage()


# --- Failures -------------------------------------------------------------------------------------------


def test_a_failing_run_is_named_and_does_not_stop_the_rest(
    bell: Dumbbell, batches: Batches, caplog: pytest.LogCaptureFixture
) -> None:
    batches.spoiled = {2}
    ensemble = run_many({"v": bell, "w": bell.replace("rate", "1 Mbit/s")}, [1, 2, 3])
    assert [(failure.variant, failure.seed) for failure in ensemble.failures] == [("v", 2), ("w", 2)]
    assert ensemble.failures[0].scenario == bell.hash
    assert ensemble.executed == 4
    assert set(ensemble.table("flows")["seed"].to_pylist()) == {1, 3}
    messages = sorted(record.getMessage() for record in caplog.records)
    line = f"run failed: variant v (scenario {bell.hash[:12]}), seed 2: the engine failed in two lines"
    assert messages[0] == line
    with pytest.raises(
        RunError, match=r"^variant v .* seed 2: the engine failed in two lines \(and 1 more\)$"
    ):
        ensemble.raise_for_failures()
    batches.spoiled = set()
    assert run_many({"v": bell}, [1, 2, 3]).executed == 1, "a failure is not kept"


def test_a_scenario_that_cannot_be_run_does_not_stop_the_others(
    bell: Dumbbell, caplog: pytest.LogCaptureFixture
) -> None:
    bad = bell.scenario().replace("flows[0].source", "nobody")
    ensemble = run_many({"bad": bad, "good": bell}, [1, 2])
    assert [(failure.variant, failure.seed) for failure in ensemble.failures] == [("bad", 1), ("bad", 2)]
    assert set(ensemble.table("flows")["variant"].to_pylist()) == {"good"}
    (record,) = caplog.records
    assert 'flows[0].source: got "nobody"' in record.getMessage()


def test_when_nothing_can_be_run_the_reason_is_raised(bell: Dumbbell) -> None:
    bad = bell.scenario().replace("flows[0].source", "nobody")
    with pytest.raises(
        ScenarioError, match=r'^flows\[0\].source: got "nobody", expected the name of a host$'
    ):
        run_many({"bad": bad}, [1, 2])
    run_many({"good": bell}, [1, 2])
    ensemble = run_many({"bad": bad, "good": bell}, [1, 2])
    assert (ensemble.executed, len(ensemble.failures)) == (0, 2), "what is in the cache can be had"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"jobs": 0}, "jobs: got 0, expected a whole number from 1 to 1024"),
        ({"jobs": 1.5}, "jobs: got 1.5, expected a whole number from 1 to 1024"),
        ({"seeds": []}, "seeds: got none, expected at least one seed"),
        ({"seeds": [1, -1]}, r"seeds\[1\]: got -1, expected a whole number from 0 to 2\^63 - 1"),
        ({"seeds": [1, 2, 1]}, r"seeds\[2\]: got 1 twice, expected seeds that differ"),
        ({"variants": {}}, "variants: got none, expected at least one scenario"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str, bell: Dumbbell) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        run_many(**{"variants": {"v": bell}, "seeds": [1], **arguments})
