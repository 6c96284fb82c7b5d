"""Queues of one's own do what those of the engine do, in every form, to the last bit."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.own_controls import assert_equal, bell, build, group
from tests.test_own_parts import EXAMPLES, example

import parshall
from parshall import Queue, SharedQueue
from parshall.errors import RunError, ScenarioError
from parshall.own import DROP, MARK, PASS, PUSH_OUT, QueuedPacket, header

EVERYTHING = parshall.Record(window="*", rtt="*", packets="*")


def short_flows(queue: Any) -> parshall.Dumbbell:
    tcp = parshall.Tcp(recovery="sack", control="cubic")
    app = parshall.Transfer(packets=60)
    flows = [parshall.FlowGroup(name="f", count=50, transport=tcp, app=app, start_spread="6 s")]
    return bell("cubic", queue=queue, flows=flows)


def udp(queue: Any) -> parshall.Dumbbell:
    pauses = parshall.OnOff(law="exponential", rate="3 Mbit/s", on="300 ms", off="200 ms")
    others = [
        parshall.FlowGroup(name=name, count=1, transport="udp", app=app)
        for name, app in (("steady", parshall.Cbr(rate="2 Mbit/s")), ("pauses", pauses))
    ]
    return bell("aimd", queue=queue, flows=[*group("aimd"), *others])


def bottlenecks(queue: Any) -> parshall.Scenario:
    tcp = parshall.Tcp(recovery="sack", control="cubic", ecn=True, profile="linux")
    times: dict[str, Any] = {
        "delay": "5 ms",
        "access_delay": "2 ms",
        "duration": "6 s",
        "start_spread": "1 s",
    }
    return parshall.parking_lot(
        3, rate="3 Mbit/s", access_rate="50 Mbit/s", queue=queue, transport=tcp, long=2, cross=2, **times
    )


NETWORKS: dict[str, Callable[[Any], Any]] = {
    "marks, delayed ACKs": lambda queue: bell(
        "aimd", queue=queue, flows=group("aimd", ecn=True, delayed_ack=True)
    ),
    "short flows": short_flows,
    "UDP beside TCP": udp,
    "three bottlenecks": bottlenecks,
}


def tables(scenario: Any, seed: int = 3) -> dict[str, dict[str, Any]]:
    """All that is recorded, packets of one instant in one order: a queue that decides at arrival knows a
    departure ahead of its time.
    """
    recording = parshall.run(scenario.replace("record", EVERYTHING), seed)
    found = {name: dict(recording.columns(name)) for name in recording.tables}
    packets = found["packets"]
    order = np.lexsort([packets[name] for name in sorted(packets.keys() - {"time"})] + [packets["time"]])
    found["packets"] = {name: values[order] for name, values in packets.items()}
    return found


STEP = parshall.Red(
    min_threshold_packets=12,
    max_threshold_packets=12,
    limit_packets=40,
    weight=1,
    gentle=False,
    ecn=True,
    hard_drop=False,
)
ENGINES: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "step_mark": (STEP, "StepMark", {"mark_from": 12, "limit": 40}),
    "codel": (parshall.CoDel(limit_packets=60, ecn=True), "CoDel", {"limit": 60, "ecn": True}),
    "pie": (parshall.Pie(limit_packets=60, ecn=True), "Pie", {"limit": 60, "ecn": True}),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("queues") / "step_mark.so"
    flags = ["-O2", "-fPIC", "-shared", "-ffp-contract=off", "-Wall", "-Werror", f"-I{header.INSTALLED}"]
    subprocess.run(["cc", *flags, str(EXAMPLES / "step_mark.c"), "-o", str(made)], check=True)
    return made


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("name", ENGINES)
def test_every_form_is_the_engines_own_to_the_last_bit(name: str, network: str, library: Path) -> None:
    engines, cls, parameters = ENGINES[name]
    theirs = tables(NETWORKS[network](engines))
    assert theirs["ports"]["packets_dropped"].sum() + theirs["ports"]["packets_marked"].sum() > 0
    module = example(name)
    forms = [getattr(module, form + cls)(**parameters) for form in ("", "Compiled")]
    if name == "step_mark":
        forms.append(SharedQueue(library, **parameters))
    for own in forms:
        ours = tables(NETWORKS[network](own))
        assert ours.keys() == theirs.keys()
        assert_equal(ours, theirs)


class LongestOut(Queue):
    """Two classes, by flow; the longer one gives way when all is full, and they take turns."""

    limit: int = 30
    held: list[int] = field(init=False, default_factory=lambda: [0, 0])
    turn: int = field(init=False, default=0)

    def on_arrival(self, packet: QueuedPacket) -> int:
        assert sum(self.held) == packet.packets
        if packet.packets >= self.limit:
            self.into = 0 if self.held[0] > self.held[1] else 1
            self.held[self.into] -= 1
            return PUSH_OUT
        self.into = packet.flow % 2
        self.held[self.into] += 1
        return PASS

    def next_class(self, moment: parshall.control.Moment) -> int:
        self.turn = 1 - self.turn
        return self.turn if self.held[self.turn] else -1

    def on_departure(self, packet: QueuedPacket) -> None:
        self.held[packet.class_id] -= 1


def test_classes_take_turns_and_packets_are_pushed_out() -> None:
    found = tables(bell("aimd", queue=LongestOut(), flows=group("aimd")))
    ports = found["ports"]
    assert ports["packets_dropped"].sum() > 0
    ends = [ports[f"packets_{end}"] for end in ("dropped", "lost", "departed", "queued")]
    np.testing.assert_array_equal(ports["packets_arrived"], sum(ends))
    assert max(ports["max_backlog_packets"]) == 31  # with that in transmission
    plain = tables(bell("aimd", queue=parshall.DropTail(limit_packets=31), flows=group("aimd")))
    assert list(found["flows"]["packets_delivered"]) != list(plain["flows"]["packets_delivered"])


class Seen(Queue):
    """Keeps what is told of the link."""

    def on_start(self) -> None:
        assert self.rate == 4e6

    def on_arrival(self, packet: QueuedPacket) -> None:
        assert packet.waited == packet.waited_ps == packet.class_id == 0
        assert (packet.packets > 0) <= (packet.on_link > 0)
        assert abs(packet.now - packet.now_ps * 1e-12) < 1e-9

    def on_departure(self, packet: QueuedPacket) -> None:
        assert packet.on_link == 0
        assert abs(packet.waited - packet.waited_ps * 1e-12) < 1e-9


def test_a_queue_sees_its_link_and_an_empty_one_is_drop_tail_without_a_limit() -> None:
    ours = tables(udp(Seen()))
    assert_equal(ours, tables(udp(parshall.DropTail())))


@pytest.mark.parametrize("name", ["step_mark", "codel"])
def test_a_later_start_shifts_all(name: str) -> None:
    own = getattr(example(name), ENGINES[name][1])(**ENGINES[name][2])
    early = udp(own)
    late = early.with_({"flows[*].start": "2 s", "duration": "10 s"})
    found = [tables(each) for each in (early, late)]
    for table in ("flows", "ports"):
        for column, values in found[0][table].items():
            if column not in ("completed_at", "mean_delay"):
                np.testing.assert_array_equal(found[1][table][column], values, err_msg=column)
    times = [each["packets"]["time"] for each in found]
    np.testing.assert_allclose(times[1] - times[0], 2.0, atol=1e-9)


class Uncopied(Queue):
    """Holds what nobody can copy, and itself."""

    lock: Any = field(init=False, default_factory=threading.Lock)
    me: Any = field(init=False, default=None)

    def on_start(self) -> None:
        self.me = self

    def on_departure(self, packet: QueuedPacket) -> int:
        assert self.me is self
        return MARK if self.me.random() < 0.0 else PASS


def test_a_queue_is_asked_to_its_end_without_a_copy() -> None:
    scenario = bell("aimd", queue=Uncopied(), flows=group("aimd"))
    ports = tables(scenario)["ports"]
    assert ports["packets_queued"].sum() > 0
    assert_equal(tables(scenario), tables(bell("aimd", queue=parshall.DropTail(), flows=group("aimd"))))


class Draws(Queue):
    def on_arrival(self, packet: QueuedPacket) -> int:
        return DROP if self.random() < 0.02 else PASS


@parshall.native
class CompiledDraws(Draws):
    pass


def test_random_numbers_are_those_of_the_run() -> None:
    drawn = [tables(udp(Draws()), seed)["packets"]["time"] for seed in (1, 1, 2)]
    assert list(drawn[0]) == list(drawn[1])
    assert list(drawn[0]) != list(drawn[2])
    assert_equal(tables(udp(CompiledDraws())), tables(udp(Draws())))


class Faulty(Queue):
    answer: str = ""

    def on_arrival(self, packet: QueuedPacket) -> Any:
        if packet.now < 1.0:
            return None
        if self.answer == "raises":
            raise ZeroDivisionError("nothing left")
        self.into = {"class": 1024, "negative": -1, "turn": 1}.get(self.answer, 0)
        wrong: dict[str, Any] = {"text": "no", "nan": float("nan"), "true": True, "mark": MARK, "nine": 9}
        return PUSH_OUT if self.answer == "empty" else wrong.get(self.answer)

    def next_class(self, moment: parshall.control.Moment) -> Any:
        return {"turn": 7}.get(self.answer, -1)

    def on_departure(self, packet: QueuedPacket) -> Any:
        return PUSH_OUT if self.answer == "late" else None

    def on_idle(self, moment: parshall.control.Moment) -> None:
        if self.answer == "idle":
            sys.exit(3)


ANSWERS = r"expected PASS, MARK, DROP or PUSH_OUT of parshall\.own; None is PASS"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("raises", r"on_arrival, .*: ZeroDivisionError: nothing left \(test_own_queues\.py, line \d+\)"),
        ("class", r"on_arrival, port r0->r1, 1\.\d+ s: class is 1024, expected 0 to 1023"),
        ("negative", r"on_arrival, port r0->r1, 1\.\d+ s: class is -1, expected 0 to 1023"),
        ("text", rf"on_arrival, port r0->r1, 1\.\d+ s: returned 'no', {ANSWERS}"),
        ("nan", rf"on_arrival, .*: returned nan, {ANSWERS}"),
        ("true", rf"on_arrival, .*: returned True, {ANSWERS}"),
        ("nine", rf"on_arrival, .*: returned 9, {ANSWERS}"),
        ("mark", r"on_arrival, .*: marks a packet that cannot be marked, expected a look at ecn_capable"),
        ("empty", r"on_arrival, .*: pushes a packet out of class 0, expected one in which packets wait"),
        ("turn", r"next_class, .*: names class 7, expected one in which packets wait, or -1 for the first"),
        ("late", r"on_departure, .*: pushes a packet out, expected that of arrivals alone"),
        ("idle", r"on_idle, port r0->r1, 0\.\d+ s: SystemExit: 3 \(test_own_queues\.py, line \d+\)"),
    ],
)
def test_what_is_no_answer_ends_a_run_in_one_line(answer: str, told: str) -> None:
    with pytest.raises(RunError, match=rf"seed 1: Faulty\.{told}$"):
        parshall.run(udp(Faulty(answer=answer)), seed=1)


def test_compiled_queues_fail_in_one_line(tmp_path: Path) -> None:
    @parshall.native
    class Raises(Queue):
        def on_departure(self, packet: QueuedPacket) -> int:
            return 1 // (packet.size - packet.size)

    with pytest.raises(RunError, match=r"Raises\.on_departure, port .*: raised an exception; without"):
        parshall.run(udp(Raises()), seed=1)

    @parshall.native
    class Real(Queue):
        def on_arrival(self, packet: QueuedPacket) -> Any:
            return 0.5

    with pytest.raises(ScenarioError, match=r"Real\.on_arrival: got what Numba cannot compile"):
        parshall.run(udp(Real()), seed=1)
    text = """#include "parshall_control.h"
#include "parshall_queue.h"
static int32_t all(void *s, const parshall_queued_packet *p) { (void)s; (void)p; return 17; }
static const parshall_queue_table table = {.version = PARSHALL_QUEUE_VERSION, .name = "odd",
    .state_size = sizeof(parshall_port), .on_arrival = all};
const parshall_queue_table *parshall_queue(void) { return &table; }
"""
    with pytest.raises(RunError, match=rf"odd\.on_arrival, port r0->r1, .*: returned 17, {ANSWERS}"):
        parshall.run(udp(SharedQueue(build(tmp_path, "odd", text))), seed=1)


def test_a_queue_that_does_not_return_is_given_up() -> None:
    class Endless(Queue):
        time_limit = 0.3
        where: str = ""

        def on_start(self) -> None:
            while self.where == "start":
                pass

        def on_arrival(self, packet: QueuedPacket) -> None:
            while packet.now > 1.0:
                pass

    with pytest.raises(RunError, match=r"Endless\.on_arrival, port r0->r1, 1\.\d+ s: DoesNotReturn"):
        parshall.run(udp(Endless()), seed=1)
    with pytest.raises(RunError, match=r"Endless\.on_start, port r0->r1, 0 s: DoesNotReturn"):
        parshall.run(udp(Endless(where="start")), seed=1)


def test_a_queue_is_known_by_its_code_and_cached(tmp_path: Path) -> None:
    def made(limit: int) -> type[Queue]:
        class Limited(Queue):
            extra: int = 0

            def on_arrival(self, packet: QueuedPacket) -> int:
                return DROP if packet.packets >= limit + self.extra else PASS

        return Limited

    same = {udp(each).hash for each in (made(9)(), made(9)(), made(9)(extra=0))}
    others = {udp(each).hash for each in (made(8)(), made(9)(extra=1), parshall.DropTail())}
    assert (len(same), len(same | others)) == (1, 4)
    store = parshall.Cache(tmp_path)
    runs = [parshall.run_many({"a": udp(made(9)())}, [1, 2], cache=store) for _ in range(2)]
    first, again = (run.to_pandas("ports") for run in runs)
    assert first.equals(again)
    assert len(list(tmp_path.rglob("*.parquet"))) > 0


def test_the_example_draws_its_figure(tmp_path: Path) -> None:
    target = tmp_path / "own.svg"
    subprocess.run([sys.executable, str(EXAMPLES.parent / "own_queue.py"), str(target)], check=True)
    shown = Path(__file__).parents[1] / "docs" / "figures" / "own-queue.svg"
    assert target.read_text().count("<path") == shown.read_text().count("<path")


def test_state_in_a_class_is_found_out_before_a_second_run() -> None:
    class Shares(Queue):
        seen = {}  # noqa: RUF012

        def on_arrival(self, packet: QueuedPacket) -> int:
            self.seen[packet.flow] = self.seen.get(packet.flow, 0) + 1
            return DROP if self.seen[packet.flow] > 200 else PASS

    scenario = udp(Shares())
    parshall.run(scenario, seed=1)
    with pytest.raises(ScenarioError, match=r"has become .*; what a run changes belongs in fields"):
        parshall.run(scenario, seed=1)
