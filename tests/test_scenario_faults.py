"""Whatever is wrong with a scenario is one line that names it."""

from __future__ import annotations

import copy
import functools
import re
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import pytest
from hypothesis import given, strategies as st
from tests.scenarios_drawn import unhurried
from tests.scenarios_written import BELL, FAULTS, NETWORK, places, red, written_out

import parshall
from parshall import (
    ArimaRtoConfig,
    ArimaVegas,
    BernoulliLoss,
    Binomial,
    Capacity,
    Cbr,
    CoDel,
    Copa,
    Cubic,
    Dctcp,
    DelayChange,
    DitherLoss,
    DropTail,
    Dual,
    Flow,
    FqCodel,
    GilbertElliottLoss,
    JacobsonRtoConfig,
    Jitter,
    Link,
    ListedLoss,
    LossChange,
    MedianRtoConfig,
    OnOff,
    Outage,
    ParetoPeriods,
    Pie,
    QuantileRtoConfig,
    RateChange,
    Reordering,
    Reverse,
    ScenarioError,
    Schedule,
    Series,
    Stall,
    Tcp,
    TcpTp,
    Udp,
    Vbr,
    VegasControl,
    Veno,
    WeightedMedianRtoConfig,
    loads,
)
from parshall.scenario.toml import model_of


@pytest.mark.parametrize("right", FAULTS)
def test_a_fault_in_a_file_is_one_line_that_names_it(right: str, tmp_path: Path) -> None:
    wrong, path, value, expected = FAULTS[right]
    assert BELL.count(right) >= 1
    file = tmp_path / "bell.toml"
    text = BELL.replace(right, wrong, 1)
    file.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        parshall.load(file)
    error = next(each for each in caught.value.all() if each.path == path)
    assert error.value == value
    assert expected in error.expected
    assert error.line is not None
    if wrong:
        key = wrong.split("=")[0].strip("[] ")
        assert key in text.splitlines()[error.line - 1]
    assert str(error) == f"{file}:{error.line}: {path}: got {value}, expected {error.expected}"
    assert "\n" not in str(error)


def test_a_missing_key_says_what_it_is_for(tmp_path: Path) -> None:
    file = tmp_path / "bell.toml"
    file.write_text(BELL.replace('delay = "50 ms"\n', "", 1))
    with pytest.raises(
        ScenarioError, match=r"dumbbell.delay: got nothing, expected a value: Propagation delay"
    ):
        parshall.load(file)


def test_a_key_like_one_at_the_top_is_looked_for_in_its_table() -> None:
    with pytest.raises(ScenarioError, match=r"^dumbbell.records: got an unknown key, .*"):
        loads(BELL.replace('rate = "1 Mbit/s"', 'rate = "1 Mbit/s"\nrecords = 1', 1))


def test_marks_and_line_ends_of_other_systems_are_read(tmp_path: Path) -> None:
    file = tmp_path / "bell.toml"
    file.write_bytes(b"\xef\xbb\xbf" + BELL.replace("\n", "\r\n").encode())
    assert parshall.load(file) == loads(BELL)
    file.write_bytes(BELL.replace('"50 ms"', "-1").replace("\n", "\r\n").encode())
    with pytest.raises(ScenarioError, match=rf"^{re.escape(str(file))}:5: dumbbell.delay: got -1, .*"):
        parshall.load(file)


def test_json_that_the_engine_does_not_read() -> None:
    with pytest.raises(
        ScenarioError, match=r"^got what the engine does not read \(.*\), expected a scenario$"
    ):
        parshall.scenario.checking.check_json('{"duration": 1}')


def test_every_fault_of_a_file_is_found_at_once() -> None:
    text = BELL.replace('"50 ms"', '"fifty"').replace("count = 2", "count = 2.5").replace('"bulk"', '"x"')
    with pytest.raises(ScenarioError) as caught:
        loads(text)
    paths = [error.path for error in caught.value.all()]
    assert paths == ["dumbbell.delay", "dumbbell.flows[0].count", "dumbbell.flows[0].app"]


NETWORK_FAULTS = {
    "a host that no link reaches": (
        'hosts = ["s1", "s2", "d1", "d2"]',
        'hosts = ["s1", "s2", "d1", "d2", "x"]',
        'destination = "d2"',
        'destination = "x"',
        r"flows\[1\]\.destination",
    ),
    "an unknown host": ('source = "s1"', 'source = "s9"', "", "", r"flows\[0\]\.source"),
    "two hosts of one name": ('"d1", "d2"]', '"d1", "d1"]', "", "", r"hosts\[3\]"),
    "two flows of one name": ('name = "f2"', 'name = "f1"', "", "", r"flows\[1\]\.name"),
    "two links between the same nodes": ('["r1", "d1"]', '["r0", "s1"]', "", "", r"links\[2\]\.between"),
    "a flow that is not there": ('rtt = ["*"]', 'rtt = ["f3"]', "", "", r"record\.rtt\[0\]"),
}


@pytest.mark.parametrize("what", NETWORK_FAULTS)
def test_a_fault_of_the_network_is_one_line_too(what: str, tmp_path: Path) -> None:
    right, wrong, other_right, other_wrong, path = NETWORK_FAULTS[what]
    file = tmp_path / "net.toml"
    file.write_text(NETWORK.replace(right, wrong, 1).replace(other_right, other_wrong, 1))
    with pytest.raises(ScenarioError) as caught:
        parshall.load(file)
    assert re.fullmatch(rf"{re.escape(str(file))}:\d+: {path}: got .+, expected .+", str(caught.value))


@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda: Link(between=("a", "b"), rate="50 ms", delay=0), "rate"),
        (lambda: Link(between="ab", rate=1, delay=0), "between"),
        (lambda: Link(between=("a",), rate=1, delay=0), "between"),
        (lambda: Link(between=("a", ""), rate=1, delay=0), "between[1]"),
        (lambda: Link(between=("a", "b"), rate=1, delay=0, dely=1), "dely"),
        (lambda: DropTail(limit_packets=1.5), "limit_packets"),
        (lambda: DropTail(limit_packets=True), "limit_packets"),
        (lambda: DropTail(limit_packets="40"), "limit_packets"),
        (lambda: DropTail(limit_packets=2**32), "limit_packets"),
        (lambda: Tcp(payload_bytes=65536), "payload_bytes"),
        (lambda: Tcp(header_bytes=0), "header_bytes"),
        (lambda: Udp(header_bytes=-1), "header_bytes"),
        (lambda: BernoulliLoss(probability=1.1), "probability"),
        (lambda: ListedLoss(arrivals=[3, 0]), "arrivals[1]"),
        (lambda: ParetoPeriods(shape=1), "shape"),
        (lambda: BernoulliLoss(probability=0, of="syns"), "of"),
        (lambda: DitherLoss(floor=-0.1), "floor"),
        (lambda: GilbertElliottLoss(good_to_bad=2, bad_to_good=1), "good_to_bad"),
        (lambda: GilbertElliottLoss(good_to_bad=0, bad_to_good=-1), "bad_to_good"),
        (lambda: GilbertElliottLoss(good_to_bad=0, bad_to_good=1, loss_good=1.1), "loss_good"),
        (lambda: GilbertElliottLoss(good_to_bad=0, bad_to_good=1, loss_bad="1"), "loss_bad"),
        (lambda: GilbertElliottLoss(good_to_bad=0), "bad_to_good"),
        (lambda: red(min_threshold_packets=0), "min_threshold_packets"),
        (lambda: red(max_threshold_packets=4.9), "max_threshold_packets"),
        (lambda: red(limit_packets=0), "limit_packets"),
        (lambda: red(max_probability=0), "max_probability"),
        (lambda: red(weight=0), "weight"),
        (lambda: red(weight=1.5), "weight"),
        (lambda: red(weight=True), "weight"),
        (lambda: red(weight="from_rate"), "weight"),
        (lambda: red(weight={"kind": "fixed", "value": 2}), "weight.value"),
        (lambda: red(unit="kB"), "unit"),
        (lambda: red(mean_packet_bytes=0), "mean_packet_bytes"),
        (lambda: red(gentle=1), "gentle"),
        (lambda: red(wait="no"), "wait"),
        (lambda: red(ecn=None), "ecn"),
        (lambda: red(adaptive=0.5), "adaptive"),
        (lambda: red(tune_by="udp"), "tune_by"),
        (lambda: red(tune_above=1.5), "tune_above"),
        (lambda: red(tune_band=-0.1), "tune_band"),
        (lambda: red(tune_interval=0), "tune_interval"),
        (lambda: CoDel(target=0), "target"),
        (lambda: CoDel(interval="0 ms"), "interval"),
        (lambda: CoDel(limit_packets=0), "limit_packets"),
        (lambda: CoDel(limit_bytes=0), "limit_bytes"),
        (lambda: CoDel(mtu_bytes=0), "mtu_bytes"),
        (lambda: CoDel(ce_threshold=-1), "ce_threshold"),
        (lambda: Pie(target=0), "target"),
        (lambda: Pie(update=0), "update"),
        (lambda: Pie(alpha=0), "alpha"),
        (lambda: Pie(beta=-1), "beta"),
        (lambda: Pie(max_burst=-1), "max_burst"),
        (lambda: Pie(mark_below=1.1), "mark_below"),
        (lambda: Pie(delay="little"), "delay"),
        (lambda: Pie(mean_packet_bytes=0), "mean_packet_bytes"),
        (lambda: FqCodel(queues=0), "queues"),
        (lambda: FqCodel(queues=65537), "queues"),
        (lambda: FqCodel(quantum_bytes=0), "quantum_bytes"),
        (lambda: FqCodel(limit_packets=None), "limit_packets"),
        (lambda: FqCodel(drop_batch=0), "drop_batch"),
        (lambda: FqCodel(ecn="on"), "ecn"),
        (lambda: Jitter(most=0), "most"),
        (lambda: Jitter(most=1, reorder="yes"), "reorder"),
        (lambda: RateChange(at=-1, rate=1), "at"),
        (lambda: RateChange(at=0, rate=-1), "rate"),
        (lambda: DelayChange(at=0, delay="5 Mbit/s"), "delay"),
        (lambda: LossChange(at=0, probability=1.1), "probability"),
        (lambda: Outage(start=1, end=1), "end"),
        (lambda: Outage(start=1, end=2, of="none"), "of"),
        (lambda: Stall(start="2 s", end="1 s"), "end"),
        (lambda: Reordering(delay=1), "every"),
        (lambda: Reordering(delay=1, every=2, probability=0.1), "every"),
        (lambda: Reordering(delay=1, every=0), "every"),
        (lambda: Reordering(delay=0, every=2), "delay"),
        (lambda: Reordering(delay=1, packets=[0]), "packets[0]"),
        (lambda: Reordering(delay=1, probability=1.1), "probability"),
        (lambda: Reordering(start=2, end=1, delay=1, every=2), "end"),
        (lambda: Capacity(times=[], period=1), "times"),
        (lambda: Capacity(times=[0.1, -0.2], period=1), "times[1]"),
        (lambda: Capacity(times=[0.2, 0.1], period=1), "times[1]"),
        (lambda: Capacity(times=[float("nan")], period=1), "times[0]"),
        (lambda: Capacity(times=[0], period=0), "period"),
        (lambda: Capacity(times=["1 s"], period="999 ms"), "period"),
        (lambda: Capacity(times=[1], period=1, bytes=0), "bytes"),
        (lambda: Capacity(times=[1], period=1, bytes=2**32), "bytes"),
        (lambda: Reverse(capacity=5), "capacity"),
        (lambda: Reverse(capacity={"mahimahi": 5}), "capacity.mahimahi"),
        (lambda: Reverse(capacity={"mahimahi": "a\0b"}), "capacity.mahimahi"),
        (lambda: Reverse(capacity={"mahimahi": "x", "period": 5}), "capacity"),
        (Cbr, "rate"),
        (lambda: Cbr(rate=0), "rate"),
        (lambda: Cbr(interval=0), "interval"),
        (lambda: Cbr(rate=1, interval=1), "interval"),
        (lambda: Tcp(control="newton"), "control"),
        (lambda: Tcp(control="binomial"), "control.k"),
        (lambda: Tcp(control={"kind": "vegas", "beta": 0.5}), "control.beta"),
        (lambda: Tcp(control={"kind": "cubic", "c": 0}), "control.c"),
        (lambda: Tcp(control={"kind": "arima-vegas", "beta": 0.5}), "control.beta"),
        (
            lambda: Tcp(control={"kind": "arima-vegas", "forecaster": {"kind": "arima", "ar": [1.2]}}),
            "control.forecaster.ar",
        ),
        (lambda: ArimaVegas(forecaster="ewma"), "forecaster.gain"),
        (lambda: ArimaVegas(decide="packet"), "decide"),
        (lambda: Tcp(ecn="on"), "ecn"),
        (lambda: Tcp(pacing=1), "pacing"),
        (lambda: Binomial(k=-1, l=0), "k"),
        (lambda: Binomial(k=0, l=float("inf")), "l"),
        (lambda: Binomial.iiad(alpha=0), "alpha"),
        (lambda: Binomial.sqrt(beta=0), "beta"),
        (lambda: Cubic(beta=1), "beta"),
        (lambda: Cubic(fast_convergence=1), "fast_convergence"),
        (lambda: VegasControl(alpha=-1), "alpha"),
        (lambda: VegasControl(gamma=-1), "gamma"),
        (lambda: Copa(delta=0), "delta"),
        (lambda: Copa(competitive="no"), "competitive"),
        (lambda: Dctcp(gain=0), "gain"),
        (lambda: Veno(beta=0), "beta"),
        (lambda: Dual(threshold=1), "threshold"),
        (lambda: Tcp(control=TcpTp(capacity=0)), "capacity"),
        (lambda: TcpTp(gain=0), "gain"),
        (lambda: TcpTp(forecaster={"kind": "lmmse", "order": 20, "window": 20}), "forecaster.window"),
        (lambda: Vbr(rates=["2 Mbit/s", "1 Mbit/s"], intervals=[1, 2]), "rates"),
        (lambda: Schedule(writes=[(1, 1), (0, 1)]), "writes[1][0]"),
        (lambda: Schedule(writes=[(0, 0)]), "writes[0][1]"),
        (lambda: OnOff(law="pareto", rate=1, on=1, off=1), "law.shape"),
        (lambda: Tcp(delayed_ack="yes"), "delayed_ack"),
        (lambda: Tcp(recovery="bic"), "recovery"),
        (lambda: Tcp(rto=MedianRtoConfig), "rto"),
        (lambda: MedianRtoConfig(window=-5), "window"),
        (lambda: WeightedMedianRtoConfig(window=64), "window"),
        (lambda: QuantileRtoConfig(risk=0.5), "risk"),
        (lambda: JacobsonRtoConfig(gain=0), "gain"),
        (lambda: ArimaRtoConfig(deviation_gain=0), "deviation_gain"),
        (lambda: Tcp(rto={"kind": "arima", "forecaster": "median"}), "rto.forecaster.window"),
        (lambda: Series(of=["a"], interval=0), "interval"),
        (lambda: Flow(name="a\nb", source="a", destination="b", transport="tcp", app="bulk"), "name"),
        (
            lambda: Flow(name="a", source="a", destination="b", transport=Cbr(rate=1), app="bulk"),
            "transport.kind",
        ),
    ],
)
def test_python_objects_refuse_the_same(make: Any, path: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        make()
    assert caught.value.path == path
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", r": byte 1 is not UTF-8, expected a scenario file"),
        (b"duration = ", r":\d+: got text that is not TOML: .+, expected a scenario file"),
        (b"duration = " + 9999 * b"9", r":\d+: got text that is not TOML: .*"),
        (b"duration = " + 9999 * b"[", r":\d+: got text that is not TOML: .*"),
        (b"duration = 1\nduration = 2", r":\d+: got text that is not TOML: .*"),
        (b"", r": duration: got nothing, expected a value: .*"),
    ],
)
def test_a_file_that_is_no_scenario(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_bytes(content)
    with pytest.raises(parshall.ParshallError, match=f"^{re.escape(str(file))}{message}$"):
        parshall.load(file)


ODDITIES: list[Any] = [
    *[None, True, 0, -1, 1.5, 2**70, 10**400, 10**5000, float("nan"), float("inf")],
    *["", "x", "*", "\n", "50 ms", "1 Mbit/s", "tcp", "bulk", b"x"],
    *[[], [1], ["a"], [[]], [{}], {}, {"kind": "tcp"}, {"kind": 5}, {"kind": None}, {"a": {"b": 1}}],
]


@unhurried
@given(st.data())
def test_no_input_is_answered_by_more_than_lines(data: st.DataObject) -> None:
    """Whatever stands in the place of whatever, the answer is a scenario or errors of one line each."""
    tables = tomllib.loads(data.draw(st.sampled_from([BELL, NETWORK])))
    *steps, last = data.draw(st.sampled_from(list(places(tables))))
    place = functools.reduce(lambda inner, step: inner[step], steps, tables)
    place[last] = copy.deepcopy(data.draw(st.sampled_from(ODDITIES)))
    try:
        model_of(tables).scenario().check()
    except ScenarioError as caught:
        for error in caught.all():
            assert re.fullmatch(r".*got .+, expected .+", str(error))
            assert len(str(error).splitlines()) == 1


@pytest.mark.parametrize("text", ['"a\\nb" = 1\n', '"a\\u2028b" = 1\n'])
def test_odd_keys_do_not_break_the_line(text: str) -> None:
    for file in (text + BELL, text + NETWORK):
        with pytest.raises(ScenarioError) as caught:
            loads(file)
        assert all(len(str(error).splitlines()) == 1 for error in caught.value.all())


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "absent.toml"):
        with pytest.raises(
            parshall.ParshallError, match=f"^{re.escape(str(file))}: .*expected a scenario file$"
        ):
            parshall.load(file)


def test_json_is_read_as_well(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(written_out().to_json())
    assert parshall.load(file) == written_out()
    file.write_text("{")
    with pytest.raises(ScenarioError, match="not JSON"):
        parshall.load(file)
