"""Blocks put together: every run's rows, in the order of the question, however they lie in blocks."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from parshall import Bulk, Dumbbell, FlowGroup, Tcp
from parshall.recording import assemble
from parshall.recording.columns import named, numbers, table, texts
from parshall.recording.tables import Block, Took

SEEDS = 6


BELL = Dumbbell(
    duration=1,
    rate=1e6,
    delay=0.01,
    access_rate=1e7,
    access_delay=0.001,
    flows=[FlowGroup(name="tcp", count=2, transport=Tcp(), app=Bulk())],
)
VARIANTS = {"a": BELL.scenario(), "b": BELL.replace("rate", 2e6).scenario()}
HASHES = [scenario.hash for scenario in VARIANTS.values()]


def block(runs: list[tuple[str, int, int]]) -> Block:
    """Runs by scenario, seed and rows. A cell says where it belongs; flows are numbered from the last one."""
    rows = [(scenario, seed, row) for scenario, seed, count in runs for row in range(count)]
    columns = {
        "real": numbers(np.array([seed + row / 1000 for _, seed, row in rows], dtype=np.float64)),
        "flow": named(np.array([row % 2 for _, _, row in rows], dtype=np.int32), ["tcp2", "tcp1"]),
        "text": texts([f"{scenario} {seed} {row}" for scenario, seed, row in rows]),
    }
    keys = tuple((scenario, seed) for scenario, seed, _ in runs)
    return Block(
        keys, (Took(0, 0),) * len(keys), {"t": table(columns)}, {"t": [count for _, _, count in runs]}
    )


@pytest.mark.parametrize("long", [0, 10**9])
@given(data=st.data())
def test_every_run_is_where_it_was_asked_for(long: int, data: st.DataObject) -> None:
    hashes = [scenario.hash for scenario in VARIANTS.values()]
    run = st.tuples(st.sampled_from(hashes), st.integers(0, SEEDS - 1))
    rows = data.draw(st.dictionaries(run, st.integers(0, 4), min_size=1))
    order = data.draw(st.permutations(list(rows)))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(order)), max_size=3)))
    parts = [order[low:high] for low, high in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    blocks = [block([(*key, rows[key]) for key in part]) for part in parts]
    # A run that two blocks have counts once.
    blocks.append(block([(*order[0], rows[order[0]])]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assemble, "_LONG", long)
        whole = assemble.assembled(blocks, "t", VARIANTS, HASHES, range(SEEDS))
    assert whole is not None
    expected = [
        {"variant": name, "seed": seed, "real": seed + row / 1000, "flow": f"tcp{2 - row % 2}", "text": text}
        for name, scenario in VARIANTS.items()
        for seed in range(SEEDS)
        for row in range(rows.get((scenario.hash, seed), 0))
        for text in [f"{scenario.hash} {seed} {row}"]
    ]
    assert whole.to_pylist() == expected


def test_a_table_that_no_block_has() -> None:
    assert assemble.assembled([block([])], "u", VARIANTS, HASHES, range(SEEDS)) is None
