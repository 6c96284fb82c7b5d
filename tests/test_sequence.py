"""The time-sequence picture: what it shows, what it asks for, and the gallery made from it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from matplotlib.layout_engine import ConstrainedLayoutEngine

import parshall
from parshall import Bulk, Cbr, DropTail, Dumbbell, FlowGroup, InputError, ParshallError, Record, Tcp, Udp
from parshall.recording.sequence import sequence_of


def bell(record: Record, *, transport: Tcp | Udp | None = None) -> Dumbbell:
    app = Cbr(rate="3 Mbit/s") if isinstance(transport, Udp) else Bulk()
    return Dumbbell(
        duration="3 s",
        rate="2 Mbit/s",
        delay="10 ms",
        queue=DropTail(limit_packets=10),
        access_rate="10 Mbit/s",
        access_delay="1 ms",
        flows=[FlowGroup(count=2, transport=transport or Tcp(), app=app)],
        record=record,
    )


def gallery(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("gallery", repository / "examples" / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_counts_are_those_of_the_flow() -> None:
    recording = parshall.run(bell(Record(packets="s1->r0", window="*")))
    flow, sequence = recording.flow("f1"), sequence_of(recording, "f1")
    assert sequence.port == "s1->r0"
    assert len(sequence.sent) + len(sequence.resent) == flow.packets_sent
    assert len(sequence.resent) == flow.packets_retransmitted > 0
    assert np.all(np.diff(sequence.acked.seq) > 0)
    assert sequence.acked.seq[-1] == flow.window.high_ack[-1]
    assert np.all(np.searchsorted(sequence.sent.time, sequence.acked.time) > 0)


def test_drops_are_those_of_every_recorded_port() -> None:
    recording = parshall.run(bell(Record(packets=["s1->r0", "bottleneck"], window="*")))
    sequence = sequence_of(recording, "f1")
    assert sequence.port == "s1->r0"
    assert len(sequence.dropped) == recording.flow("f1").packets_dropped > 0
    # Every drop but those of the last round trip is sent again.
    early = sequence.dropped.seq[sequence.dropped.time < 2]
    assert set(early) <= set(sequence.resent.seq)


def test_the_ack_line_is_the_same_from_window_and_from_deliveries() -> None:
    # With SACK an ACK in a recovery may change nothing else that is recorded.
    tcp = Tcp(recovery="newreno")
    by_window = sequence_of(
        parshall.run(bell(Record(packets="bottleneck", window="f1"), transport=tcp)), "f1"
    )
    by_host = sequence_of(
        parshall.run(bell(Record(packets="bottleneck", deliveries="f1"), transport=tcp)), "f1"
    )
    assert np.array_equal(by_window.acked.seq, by_host.acked.seq)
    # An ACK that changes no more than what is acknowledged shows with the next change of the window.
    late = by_window.acked.time - by_host.acked.time
    assert late.min() == 0 <= late.max() < 0.04
    assert np.mean(late == 0) > 0.8


def test_udp_has_no_ack_line() -> None:
    recording = parshall.run(bell(Record(packets="bottleneck"), transport=Udp()))
    sequence = sequence_of(recording, "f2")
    assert len(sequence.acked) == len(sequence.resent) == 0
    assert len(sequence.dropped) == recording.flow("f2").packets_dropped > 0


def test_the_picture_has_axes_units_and_a_legend() -> None:
    recording = parshall.run(bell(Record(packets="bottleneck", window="f1")))
    canvas = recording.flow("f1").plot_sequence()
    (axis,) = canvas.axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("time, s", "packet number")
    (legend,) = canvas.legends
    assert {text.get_text() for text in legend.get_texts()} == {
        "acknowledged",
        "sent",
        "retransmitted",
        "dropped",
    }


def test_it_draws_onto_axes_of_the_caller() -> None:
    from matplotlib.figure import Figure

    recording = parshall.run(bell(Record(packets="bottleneck", window="f1")))
    figure = Figure()
    axis = figure.subplots()
    assert recording.flow("f1").plot_sequence(axis) is figure
    assert axis.get_legend() is not None


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (Record(), 'no packet recorded at a port, expected record.packets to name a port .* "s1->r0"'),
        (Record(packets="s2->r0", window="*"), 'expected record.packets .* "s1->r0"'),
        (Record(deliveries="f1"), 'expected record.packets .* "s1->r0"'),
        (Record(packets="bottleneck"), "expected record.deliveries or record.window to name it"),
        (Record(packets="bottleneck", window="f2"), "expected record.deliveries or record.window to name it"),
    ],
)
def test_what_is_missing_is_said_in_one_line(record: Record, said: str) -> None:
    flow = parshall.run(bell(record)).flow("f1")
    with pytest.raises(ParshallError, match=f"^f1: .*{said}") as error:
        flow.plot_sequence()
    assert "\n" not in str(error.value)


def test_an_unknown_flow_is_named() -> None:
    with pytest.raises(InputError, match='flow: got "f9"'):
        sequence_of(parshall.run(bell(Record())), "f9")


def test_the_gallery_is_what_the_example_makes(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # To find room for labels takes half of the time, and drawings are not compared.
    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda *_: None)
    gallery(repository).main(tmp_path)
    made = sorted(file.relative_to(tmp_path) for file in tmp_path.rglob("*") if file.is_file())
    assert len(made) == 5
    for file in made:
        if file.suffix == ".md":
            assert (tmp_path / file).read_text() == (repository / "docs" / file).read_text()
        else:
            assert (repository / "docs" / file).is_file()


def test_what_the_gallery_says_of_the_recoveries(repository: Path) -> None:
    module = gallery(repository)
    runs = {
        (name, drops): parshall.run(module.scenario(name, drops))
        for name in module.RECOVERIES
        for drops in module.COUNTS
    }
    timeouts = {key: run.flow("f").timeouts for key, run in runs.items()}
    took = {key: module.repaired(run, key[1]) for key, run in runs.items()}
    for (_, drops), run in runs.items():
        assert len(sequence_of(run, "f").dropped) == drops
    assert [timeouts["reno", drops] for drops in (1, 2, 3, 4)] == [0, 1, 1, 1]
    assert [timeouts["newreno", drops] for drops in (1, 2, 3, 4)] == [0, 0, 0, 1]
    assert not any(timeouts[name, drops] for name in ("tahoe", "sack") for drops in (1, 2, 3, 4))
    assert took["tahoe", 3] < took["reno", 3]
    assert took["sack", 3] < took["newreno", 3]


@pytest.mark.parametrize(
    ("recovery", "drops", "option", "value", "timeouts", "retransmits"),
    [
        ("reno", 2, "fast_retransmit_guard", "none", 0, 2),
        ("newreno", 4, "partial_ack_timer", "every", 0, 1),
    ],
)
def test_what_the_gallery_says_of_options(
    repository: Path, recovery: str, drops: int, option: str, value: str, timeouts: int, retransmits: int
) -> None:
    network = gallery(repository).scenario(recovery, drops)
    flow = network.flows[0]
    changed = flow.replace("transport", flow.transport.replace(option, value))
    found = parshall.run(network.replace("flows", [changed])).flow("f")
    assert (found.timeouts, found.fast_retransmits) == (timeouts, retransmits)
