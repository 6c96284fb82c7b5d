"""The cache: few segments however many were written, and limits that do not depend on what is kept."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import parshall
import parshall.engine.measure
from parshall import Cache, Dumbbell, Record, RunError, Schedule, run_many
from parshall.engine.compaction import FEW
from parshall.engine.segments import opened
from parshall.recording.tables import Block

RUNS = 40


@pytest.fixture
def blocks(bell: Dumbbell) -> list[Block]:
    """One run each."""
    ensemble = run_many({"v": bell}, RUNS, cache=None)
    alone = {key: block.only({key}) for block in ensemble._blocks for key in block.keys}
    return [alone[key] for key in sorted(alone)]


def segments(folder: Path) -> list[Path]:
    return sorted(place for place in folder.glob("v2/*/*") if place.is_dir())


def rows(ensemble: Any, table: str = "flows") -> str:
    return repr(ensemble.table(table).to_pylist())


# --- Segments that are joined -------------------------------------------------------------------------------


def test_many_small_segments_become_few(bell: Dumbbell, blocks: list[Block], tmp_path: Path) -> None:
    store = Cache(tmp_path)
    for block in blocks:
        store.add(block)
        assert len(segments(tmp_path)) < FEW
    held = [key for folder in segments(tmp_path) for key in opened(folder).keys]
    assert sorted(held) == sorted((bell.hash, seed) for seed in range(1, RUNS + 1)), "each run once"
    for cache in (store, Cache(tmp_path)):
        again = run_many({"v": bell}, RUNS, cache=cache)
        assert again.executed == 0
        assert rows(again) == rows(run_many({"v": bell}, RUNS, cache=None))


def test_segments_of_different_tables_are_joined(bell: Dumbbell, tmp_path: Path) -> None:
    """Also tables of one name with more columns in some runs."""
    packets = bell.with_(record=Record(packets=["bottleneck"]))
    variants = {
        "plain": bell,
        "packets": packets,
        "classes": packets.replace("flows[*].dscp", "EF"),
        "pcap": bell.with_(record=Record(pcap=["bottleneck"])),
    }
    names = ("flows", "packets", "pcap")
    fresh = run_many(variants, 6, cache=None, tables=names)
    for seed in range(1, 7):
        for variant in variants.values():
            run_many([variant], [seed], cache=Cache(tmp_path))
    assert len(segments(tmp_path)) < FEW
    again = run_many(variants, 6, cache=Cache(tmp_path), tables=names)
    assert again.executed == 0
    for name in names:
        assert rows(again, name) == rows(fresh, name)
    found = parshall.engine.measure.measure(
        variants,
        [1, 2],
        lambda _, run: sorted(run.columns("packets")) if "packets" in run.tables else None,
        tables=names,
        cache=Cache(tmp_path),
    )
    assert ["dscp" in (columns or ()) for columns in (found[name][0] for name in variants)] == [
        False,
        False,
        True,
        False,
    ]


def test_what_was_joined_meanwhile_is_found(bell: Dumbbell, blocks: list[Block], tmp_path: Path) -> None:
    """Another process joins segments while this one knows where they were."""
    reader, writer = Cache(tmp_path), Cache(tmp_path)
    for block in blocks[: FEW - 1]:
        writer.add(block)
    keys = [key for block in blocks[: FEW - 1] for key in block.keys]
    assert reader.find(keys) == set(keys)
    writer.add(blocks[FEW - 1])
    assert len(segments(tmp_path)) == 1
    read = [key for block in reader.read(keys, ("flows",)) for key in block.keys]
    assert sorted(read) == sorted(keys)


def test_threads_can_share_a_cache_while_it_is_joined(
    bell: Dumbbell, blocks: list[Block], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Cache(tmp_path)
    half = len(blocks) // 2
    for block in blocks[:half]:
        store.add(block)
    keys = [key for block in blocks[:half] for key in block.keys]
    missed: list[int] = []

    def read() -> None:
        own = Cache(tmp_path)
        for _ in range(30):
            found = own.read(own.find(keys), ("flows", "ports"))
            missed.append(len(keys) - sum(len(block.keys) for block in found))

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for block in blocks[half:]:
        store.add(block)
    for thread in threads:
        thread.join()
    assert set(missed) == {0}
    assert not caplog.records


def test_a_damaged_segment_is_left_out_when_others_are_joined(
    bell: Dumbbell, blocks: list[Block], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Cache(tmp_path)
    for block in blocks[: FEW - 1]:
        store.add(block)
    (segments(tmp_path)[3] / "ports.parquet").write_bytes(b"nothing")
    store.add(blocks[FEW - 1])
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert run_many({"v": bell}, FEW, cache=Cache(tmp_path)).executed == 1


def test_a_cache_of_before_is_not_believed_and_can_be_cleared(bell: Dumbbell, tmp_path: Path) -> None:
    run_many({"v": bell}, 1, cache=Cache(tmp_path))
    (tmp_path / "v2").rename(tmp_path / "v1")
    assert run_many({"v": bell}, 1, cache=Cache(tmp_path)).executed == 1
    Cache(tmp_path).clear()
    assert [place.name for place in tmp_path.iterdir()] == ["CACHEDIR.TAG"]


# --- A limit of events --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [(), (1,), (1, 2)])
def test_a_limit_of_events_does_not_depend_on_what_is_kept(bell: Dumbbell, kept: tuple[int, ...]) -> None:
    if kept:
        run_many([bell], kept)
    limited = run_many([bell], 2, max_events=500)
    fresh = run_many([bell], 2, max_events=500, cache=None)
    assert [str(each) for each in limited.failures] == [str(each) for each in fresh.failures]
    assert len(limited.failures) == 2
    assert run_many([bell], 2).executed == 2 - len(kept), "and what was kept stays"


def steps(scenario: Dumbbell) -> int:
    (block,) = run_many([scenario], 1, cache=None)._blocks
    return block.took[0].steps


def limits(most: int) -> Iterator[int]:
    yield from (1, most // 2, most - 1, most, most + 1, 2 * most)


@settings(max_examples=10)
@given(writes=st.lists(st.integers(1, 3), min_size=1, max_size=12), data=st.data())
def test_a_run_fails_exactly_when_it_takes_more(writes: list[int], data: st.DataObject) -> None:
    """Steps ahead of events included, wherever the run stands when it looks."""
    app = Schedule(writes=[(0.1 * place, count) for place, count in enumerate(writes)])
    scenario = Dumbbell(
        duration=data.draw(st.sampled_from(["1.3 s", "2 s", "10 s"])),
        rate="2 Mbit/s",
        delay="10 ms",
        access_rate="10 Mbit/s",
        access_delay="1 ms",
        flows=[
            parshall.FlowGroup(count=2, transport=parshall.Udp(), app=app),
            parshall.FlowGroup(name="cbr", transport=parshall.Udp(), app=parshall.Cbr(rate="4 Mbit/s")),
        ],
    )
    most = steps(scenario)
    for limit in limits(most):
        failed = False
        try:
            parshall.run(scenario, max_events=limit)
        except RunError:
            failed = True
        assert failed == (limit < most)
        assert len(run_many([scenario], 1, max_events=limit).failures) == failed


def test_events_of_many_runs_are_those_of_one(bell: Dumbbell) -> None:
    for _ in range(2):  # done now, then read
        found = parshall.engine.measure.measure({"v": bell}, [1, 2], lambda _, run: run.events)
        assert found["v"] == [parshall.run(bell, seed).events for seed in (1, 2)]
