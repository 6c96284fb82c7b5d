"""Links whose delay and losses change at given times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import BernoulliLoss, Cbr, DelayChange, Link, LossChange, Record, Scenario, ScenarioError, Tcp
from parshall.cli.main import main


def call(events: list[Any], **link: Any) -> Scenario:
    """A packet of 125 bytes each 10 ms over a link of 1 Mbit/s and 20 ms: 1 ms in transmission."""
    flow = parshall.Flow(
        name="f",
        source="a",
        destination="b",
        transport=parshall.Udp(payload_bytes=125, header_bytes=0),
        app=Cbr(interval="10 ms"),
    )
    ends = Link(between=("a", "b"), rate="1 Mbit/s", delay="20 ms", events=events, **link)
    record = Record(deliveries="f", packets="a->b")
    return Scenario(duration="10 s", hosts=["a", "b"], links=[ends], flows=[flow], record=record)


def download(events: list[Any], **link: Any) -> Scenario:
    bell = parshall.Dumbbell(
        duration="8 s",
        rate="4 Mbit/s",
        delay="10 ms",
        queue=parshall.DropTail(limit_packets=20),
        access_rate="50 Mbit/s",
        access_delay="1 ms",
        flows=[parshall.FlowGroup(count=2, transport=Tcp(recovery="sack"), app="bulk")],
        record=Record(rtt="*", packets="bottleneck"),
        events=events,
        **link,
    )
    return bell.scenario()


def delays(scenario: Scenario) -> tuple[Any, Any]:
    """Numbers of packets that came, in the order in which they came, and how long each was under way."""
    came = parshall.run(scenario).flow("f").deliveries
    return came.seq, came.time - 0.01 * came.seq


def test_a_packet_has_the_delay_of_the_end_of_its_transmission() -> None:
    events = [DelayChange(at="2 s", delay="70 ms"), DelayChange(at="4.0005 s", delay="30 ms")]
    seq, found = delays(call(events))
    assert np.array_equal(seq, np.arange(len(seq)))  # in order
    # Number 199 leaves at 1.991 s, number 400 at 4.001 s. It and the next three wait for number 399.
    assert found[:200] == pytest.approx(0.021, abs=1e-9)
    assert found[200:400] == pytest.approx(0.071, abs=1e-9)
    assert found[400:404] == pytest.approx([0.061, 0.051, 0.041, 0.031], abs=1e-9)
    assert found[404:] == pytest.approx(0.031, abs=1e-9)


def test_losses_begin_and_end_at_their_times() -> None:
    events = [LossChange(at="2 s", probability=0.5), LossChange(at="6 s", probability=0)]
    seq, _ = delays(call(events))
    lost = np.setdiff1d(np.arange(990), seq)
    assert lost.min() >= 200
    assert lost.max() < 600
    assert abs(len(lost) - 200) < 4 * 10  # standard deviation: sqrt(400 / 4)
    everything = [LossChange(at="1 s", probability=1)]
    assert parshall.run(call(everything)).port("a->b").packets_lost == 900


@pytest.mark.parametrize("make", [call, download])
def test_what_holds_from_the_start_is_what_the_link_has(make: Any) -> None:
    delay = "20 ms" if make is call else "10 ms"
    pairs = [
        (
            make([LossChange(at=0, probability=0.05, of="data")]),
            make([], loss=BernoulliLoss(probability=0.05, of="data")),
        ),
        (make([DelayChange(at=0, delay=delay)]), make([])),
    ]
    for changed, fixed in pairs:
        ours, theirs = (parshall.run(each) for each in (changed, fixed))
        assert ours.tables == theirs.tables
        for table in ours.tables:
            assert ours.to_pandas(table).equals(theirs.to_pandas(table)), table


def test_another_delay_from_the_start_is_that_of_the_link_where_paths_do_not_depend_on_it() -> None:
    changed = download([DelayChange(at=0, delay="35 ms")])
    fixed = (
        download([])
        .replace("links[bottleneck].delay", "35 ms")
        .replace("links[bottleneck].reverse.delay", "10 ms")
    )
    ours, theirs = (parshall.run(each).table("rtt") for each in (changed, fixed))
    assert ours.equals(theirs)


def test_changes_that_come_later_come_later_by_as_much() -> None:
    """A call is the same at all times, so that what happens to it is shifted with the changes."""
    found = []
    for shift in (0, 3):
        events = [DelayChange(at=1 + shift, delay="50 ms"), DelayChange(at=2 + shift, delay="10 ms")]
        _, under_way = delays(call(events))
        found.append(under_way[100 * shift : 100 * shift + 600])
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_the_order_among_kinds_does_not_matter() -> None:
    several = [LossChange(at="1 s", probability=0.1), DelayChange(at="2 s", delay="30 ms"),
               LossChange(at="3 s", probability=0.01)]  # fmt: skip
    turned = [several[1], several[0], several[2]]
    ours, theirs = (parshall.run(download(events)).table("packets") for events in (several, turned))
    assert ours.equals(theirs)


def test_a_change_after_the_end_changes_nothing() -> None:
    events = [DelayChange(at="9 s", delay="1 s"), LossChange(at="9 s", probability=1)]
    ours, theirs = (parshall.run(download(given)).table("packets") for given in (events, []))
    assert ours.equals(theirs)


@pytest.mark.parametrize("queue", ["codel", "fq-codel", "pie"])
def test_every_kind_of_queue_has_such_links(queue: str) -> None:
    events = [DelayChange(at="2 s", delay="60 ms"), LossChange(at="6 s", probability=0.2)]
    recording = parshall.run(download(events).replace("links[bottleneck].queue", queue))
    samples = recording.to_pandas("rtt")
    assert samples.rtt[samples.time.between(3, 8)].min() >= 0.074
    assert samples.rtt[samples.time < 2].min() < 0.03
    packets = recording.table("packets").to_pandas()
    assert packets[packets.event == 3].time.min() >= 6


def test_jitter_and_reordering_come_on_top() -> None:
    events = [DelayChange(at="2 s", delay="70 ms"), parshall.Reordering(delay="30 ms", every=10)]
    seq, found = delays(call(events, jitter=parshall.Jitter(most="5 ms")))
    late = seq % 10 == 9
    before, after = seq < 200, seq >= 200
    for late_by, chosen in ((0, ~late), (0.03, late)):
        for delay, when in ((0.021, before), (0.071, after)):
            own = found[chosen & when] - delay - late_by
            assert own.min() >= -1e-9
            assert own.max() <= 0.005 + 1e-9


@pytest.mark.parametrize(
    ("events", "value"),
    [
        ([DelayChange(at=2, delay=1), DelayChange(at=2, delay=2)], "2 s"),
        ([LossChange(at=2, probability=1), LossChange(at=1, probability=0)], "1 s"),
    ],
)
def test_changes_of_a_kind_come_in_order(events: list[Any], value: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        call(events).check()
    expected = "later than the change before, 2 s"
    assert str(caught.value) == f"links[0].events[1].at: got {value}, expected {expected}"


def test_a_file_and_set_change_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = call([DelayChange(at="2 s", delay="70 ms"), LossChange(at="3 s", probability=0.5)])
    file = tmp_path / "call.toml"
    file.write_text(scenario.to_toml())
    assert parshall.load(file).hash == scenario.hash
    changes = ["links[0].events[1].probability=0", 'links[0].events[0].delay="80 ms"']
    assert main(["run", str(file), "--format", "json", *(f"--set={change}" for change in changes)]) == 0
    capsys.readouterr()
    assert main(["check", str(file), "--set", "links[0].events[1].probability=2"]) == 1
    assert "probability: got 2, expected a number from 0 to 1" in capsys.readouterr().err


def test_a_picture_says_what_to_record_where_the_rate_changes(tmp_path: Path) -> None:
    file = Path(__file__).parents[1] / "examples/changing_link.toml"
    scenario = parshall.load(file).with_(duration="1 s")
    svg = tmp_path / "plot.svg"
    parshall.run(scenario).plot().savefig(svg)
    assert 'packets = ["bottleneck"] shows it' in svg.read_text().replace("&quot;", '"')
