"""Timers of the profiles of Linux: SYNs, timeouts and probes, and those of kernels that lie beside the
checkout.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parshall import DropTail, Flow, Link, ListedLoss, Outage, Record, Reverse, Scenario, Schedule, Tcp, run

MEASURED = Path(__file__).parents[2] / "shared" / "reference" / "linux-7.3" / "timers" / "timers.csv"
PROFILES = {"linux-7.3": "7.3.4", "linux-6.12": "6.12.117", "linux-6.1": "6.1.176"}
NOMINAL = {
    "linux-7.3": [1, 2, 3, 4, 5, 7, 11, 19, 35],
    "linux-6.12": [1, 2, 3, 4, 5, 7, 11, 19, 35],
    "linux-6.1": [1, 3, 7, 15, 31],
}


def sent(writes: list[list[float]], duration: float, rate: float = 10e6, **given: Any) -> Any:
    """Numbers and times of the packets that set out, over a round trip of 20 ms."""
    tcp = {"payload_bytes": 1448, "header_bytes": 66, "ack_bytes": 66, "profile": "linux"}
    link_only = {name: given.pop(name) for name in ("events", "loss", "queue") if name in given}
    back = Reverse(rate=100e9, delay="20 ms", queue=DropTail())
    scenario = Scenario(
        duration=duration,
        hosts=["a", "b"],
        links=[Link(between=("a", "b"), rate=rate, delay=0, reverse=back, **link_only)],
        flows=[
            Flow(
                name="f",
                source="a",
                destination="b",
                transport=Tcp(**{**tcp, **given}),
                app=Schedule(writes=writes),
            )
        ],
        record=Record(packets="a->b"),
    )
    table = run(scenario, seed=1).table("packets").to_pandas()
    arrived = table[(~table.ack) & (table.event == 0)]
    return arrived.seq.to_numpy(), arrived.time.to_numpy()


def measured(kernel: str, scenario: str) -> list[float]:
    """Times at which a kernel sent; empty where nothing lies beside the checkout."""
    if not MEASURED.exists():
        return []
    with MEASURED.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kernel"] == kernel]
    return [float(row["t_s"]) for row in rows if row["scenario"] == scenario and row["event"] == "sent"]


@pytest.mark.parametrize("profile", PROFILES)
def test_syns_to_a_silent_peer(profile: str) -> None:
    dark = [Outage(start=0, end=40)]
    _, times = sent([[0, 1]], 36, events=dark, profile=profile)
    assert times[0] == 0
    assert times[1:] == pytest.approx(NOMINAL[profile], rel=0.03)
    linux = measured(PROFILES[profile], "syn")
    if linux:
        assert times[: len(linux)] == pytest.approx(linux, abs=0.05, rel=0.015)


@pytest.mark.parametrize(("lost", "window"), [(0, 10), (1, 10), (2, 1), (3, 1)])
def test_one_lost_syn_leaves_the_initial_window(lost: int, window: int) -> None:
    loss = ListedLoss(arrivals=list(range(1, lost + 1)))
    numbers, times = sent([[0, 100]], 6, loss=loss)
    first = times[numbers == 1][0]
    assert np.sum((numbers > 0) & (times < first + 0.015)) == window
    # Slow start goes on: nothing of the handshake has left a threshold.
    doubled = np.sum((numbers > 0) & (times < first + 0.035))
    assert doubled >= 3 * window


def test_a_slow_first_answer_leaves_the_initial_window() -> None:
    """Two SYNs leave before the answer to the first comes, which its time stamp tells."""
    back = Reverse(rate=100e9, delay="2.5 s", queue=DropTail())
    flow = Flow(
        name="f", source="a", destination="b", transport=Tcp(profile="linux"), app=Schedule(writes=[[0, 30]])
    )
    link = Link(between=("a", "b"), rate="10 Mbit/s", delay=0, reverse=back)
    scenario = Scenario(
        duration=4.0, hosts=["a", "b"], links=[link], flows=[flow], record=Record(packets="a->b")
    )
    table = run(scenario, seed=1).table("packets").to_pandas()
    data = table[(~table.ack) & (table.event == 0) & (table.seq > 0)]
    assert np.sum(data.time < data.time.min() + 0.1) == 10


def test_the_greatest_timeout_bounds_each() -> None:
    """`tcp_rto_max_ms` is 1000: timeouts a second apart, and 24 ms late in the wheel of timers."""
    _, times = sent([[0, 10_000]], 9, events=[Outage(start=0.05, end=40)], max_rto="1 s")
    gaps = np.diff(times[times > 0.2])
    assert gaps[:2] == pytest.approx([0.46, 0.93], rel=0.06)
    assert gaps[3:] == pytest.approx(1.024, abs=0.002)
    linux = measured("7.3.4", "rtomax")
    if linux:
        assert gaps[2:6] == pytest.approx(np.diff(linux)[-4:], abs=0.01)


def test_a_lone_packet_is_probed_before_its_timeout() -> None:
    loss = ListedLoss(arrivals=[3])
    numbers, times = sent([[0.5, 1], [1.0, 1]], 3, rate=1e6, loss=loss)
    again = times[numbers == 2]
    # Twice the smoothed round trip and the least timeout are more than the timeout.
    assert 0.2 < again[1] - again[0] < 0.3
    linux = measured("7.3.4", "tlp1")
    if linux:
        assert again[1] - again[0] == pytest.approx(linux[-1] - linux[-2], abs=0.02)


def test_rack_that_linux_no_longer_has_is_said() -> None:
    with pytest.warns(UserWarning, match="since 6.17"):
        Tcp(profile="linux", rack=False)
    with pytest.warns(UserWarning, match=r"linux-7\.3"):
        Tcp(profile="linux-7.3", rack=False)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("given", [{"profile": "linux-6.12", "rack": False}, {"rack": False}, {"rack": True}])
def test_rack_elsewhere_is_a_choice(given: dict[str, Any]) -> None:
    assert Tcp(**given).rack is given["rack"]
