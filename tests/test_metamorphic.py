"""Changes that must not matter to a run: of its beginning, of names and order, of what touches no packet.

Every control, with recoveries, profiles, timeouts and queues drawn, in runs of up to 40 s, or 120 s with
`make test-all`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from tests.conftest import EXHAUSTIVE
from tests.regimes_drawn import CONTROLS, PROFILES, RECOVERIES, TICK, Drawn, Sender, is_one, runs, stack

from parshall import Recording, Schedule

TRIES = settings(max_examples=150 if EXHAUSTIVE else 5)
SECONDS = 120.0 if EXHAUSTIVE else 40.0
controls = pytest.mark.parametrize("control", CONTROLS)

PICOSECONDS = 1e12
DRAWING = tuple(CONTROLS[name] for name in CONTROLS if name.startswith("bbr"))
"""Controls that draw random numbers."""
ROUND_TRIPS = 8
INSTANTS = ("window.time", "flows.completed_at")
ROUNDED = 100_000
"""Picoseconds by which instants may differ."""


def seen(recording: Recording, senders: int, later: float = 0.0, scale: int = 1) -> dict[str, Any]:
    """Windows of flows at each change, with instants in picoseconds, and the counters of flows."""
    window = recording.columns("window")
    instants = np.rint(window["time"] * PICOSECONDS).astype(np.int64) - round(later * PICOSECONDS)
    # Each connection has a row of the run's beginning.
    kept = instants > 0
    flows = recording.columns("flows")
    found: dict[str, Any] = {f"window.{name}": values[kept] for name, values in window.items()}
    found["window.time"] = instants[kept]
    found |= {f"flows.{name}": values[:senders] for name, values in flows.items()}
    completed = flows["completed_at"][:senders]
    found["flows.completed_at"] = np.rint(completed * PICOSECONDS) - round(later * PICOSECONDS)
    for name in ("bytes_sent", "bytes_delivered"):
        found[f"flows.{name}"] = flows[name][:senders] // scale
    return found


def hold_equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for name, values in one.items():
        if name in INSTANTS:
            # Rates that are scaled round to other picoseconds.
            np.testing.assert_allclose(values, other[name], rtol=0, atol=ROUNDED, err_msg=name)
        else:
            np.testing.assert_array_equal(values, other[name], err_msg=name)


def compare(drawn: Drawn, **changes: Any) -> None:
    count = len(drawn.senders)
    here = seen(drawn.run(), count)
    there = drawn.run(**changes)
    hold_equal(here, seen(there, count, changes.get("later", 0.0), changes.get("scale", 1)))


def without(drawn: Drawn, **fixed: Any) -> Drawn:
    """The run with these options for its senders of the profile linux."""
    senders = tuple(
        replace(each, options=each.options | fixed) if each.options["profile"] == "linux" else each
        for each in drawn.senders
    )
    return replace(drawn, senders=senders)


@controls
@TRIES
@given(data=st.data())
def test_a_later_start_changes_nothing(control: str, data: st.DataObject) -> None:
    # The buckets of Linux's wheel of timers stand at fixed instants.
    drawn = without(data.draw(runs(control, SECONDS)), timer_wheel=False)
    compare(drawn, later=TICK * data.draw(st.sampled_from([1, 7, 105, 1234, 36_000])))


@controls
@TRIES
@given(data=st.data())
def test_names_order_and_what_touches_no_packet_change_nothing(control: str, data: st.DataObject) -> None:
    drawn = data.draw(runs(control, SECONDS))
    drawing = any(options.get("control") in DRAWING for options in (each.options for each in drawn.senders))
    compare(
        drawn,
        # A flow's random numbers are named after it.
        names=drawn.names if drawing else ("z", "a", "m"),
        reordered=True,
        more=frozenset({"idle", "elsewhere", "none"}),
    )


@controls
@TRIES
@given(data=st.data())
def test_rates_and_sizes_that_grow_together_scale_the_result(control: str, data: st.DataObject) -> None:
    # What a packet takes of Linux's receive buffer does not grow with it.
    drawn = without(data.draw(runs(control, SECONDS)), quick_acks=16)
    # A SACK block has eight bytes whatever else grows.
    assume(all(each.options["recovery"] != "sack" for each in drawn.senders))
    compare(drawn, scale=data.draw(st.sampled_from([2, 5])))


@pytest.mark.parametrize("control", [name for name in CONTROLS if not name.startswith("copa")])
@TRIES
@given(data=st.data())
def test_a_silence_opens_no_window(control: str, data: st.DataObject) -> None:
    """After a long one a sender may send as much as after a short one, or less: in each round trip at most
    twice the window that the latter has one later. Copa forgets the least round trip in a long silence,
    and by that its speed.
    """
    parts = (data.draw(st.sampled_from(RECOVERIES)), data.draw(st.sampled_from(PROFILES)), "default")
    chosen = stack(control, *parts, max_window_packets=1000)
    options = chosen if is_one(chosen) else stack(control, "sack", "rfc", "default", max_window_packets=1000)
    first = data.draw(st.integers(2, 2000))
    lost = data.draw(st.lists(st.integers(1, first), max_size=3))
    delay = data.draw(st.sampled_from([0.005, 0.05]))

    def after(pause: float | None) -> tuple[float, Any, Any]:
        """When the first packets have been acknowledged; and windows since the end of a pause."""
        writes = [(0.0, first)] + ([] if pause is None else [(pause, 100_000)])
        sender = Sender(options, Schedule(writes=writes), 0.0)
        seconds = 60.0 if pause is None else pause + ROUND_TRIPS * 2.5 * delay
        drawn = Drawn((sender,), 200e6, delay, "droptail", 5000, seconds, tuple(sorted(set(lost))))
        window = drawn.run().columns("window")
        late = window["time"] >= (pause or 0.0)
        # The window in force at the end of the pause has been there since its last change.
        late[max(np.flatnonzero(~late), default=0)] = True
        since = np.maximum(window["time"][late] - (pause or 0.0), 0.0)
        return float(window["time"][-1]), since, window["cwnd"][late]

    done = after(None)[0]
    _, short_times, short = after(done + 0.001)
    _, times, cwnd = after(done + data.draw(st.floats(1, 100)))
    for trips in range(1, ROUND_TRIPS - 1):
        until = 2 * (delay + 0.001) * trips
        may = short[short_times <= until + 2 * (delay + 0.001)].max(initial=2.0)
        assert cwnd[times <= until].max(initial=0.0) <= 2.0 * may + 2.0, f"after {trips} round trips"
