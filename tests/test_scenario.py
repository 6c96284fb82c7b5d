"""Scenarios as values: one meaning, one hash, one line for each fault."""

from __future__ import annotations

import ast
import copy
import functools
import gzip
import json
import math
import pickle
import re
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import jsonschema
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import Field

import parshall
from parshall import (
    Aimd,
    ArimaRtoConfig,
    ArimaVegas,
    Bbr,
    BernoulliLoss,
    Binomial,
    Bulk,
    Capacity,
    Cbr,
    CoDel,
    Copa,
    Cubic,
    Dctcp,
    Dual,
    DitherLoss,
    DropTail,
    Dumbbell,
    Exponential,
    FixedPointMethod,
    FixedWeight,
    Flow,
    FlowGroup,
    FqCodel,
    GilbertElliottLoss,
    InputError,
    JacobsonRtoConfig,
    JacobsonTicksRtoConfig,
    Jitter,
    KaczmarzMethod,
    KalmanMethod,
    Link,
    ListedLoss,
    MedianRtoConfig,
    OnOff,
    Pareto,
    Pie,
    QuantileRtoConfig,
    QueueShareSeries,
    Record,
    Red,
    Reverse,
    RlsMethod,
    Scenario,
    ScenarioError,
    Schedule,
    SelfSimilar,
    Series,
    ShareSeries,
    Tcp,
    TcpTp,
    Transfer,
    Udp,
    Vbr,
    VegasControl,
    Veno,
    WeightedMedianRtoConfig,
    WeightFromRate,
    _core,
    loads,
)
from parshall.scenario import forecaster, reference
from parshall.scenario.base import Model
from parshall.scenario.canonical import as_given, canonical_json
from parshall.scenario.forecaster import Arima
from parshall.scenario.lines import lines_of
from parshall.scenario.paths import PathError
from parshall.scenario.schema import json_schema, tables
from parshall.scenario.toml import model_of
from parshall.units import ms, parse_duration

BELL = """
duration = "10 s"
[dumbbell]
rate = "1 Mbit/s"
delay = "50 ms"
queue = { kind = "droptail", limit_packets = 40 }
access_rate = "10 Mbit/s"
access_delay = "10 ms"
[[dumbbell.flows]]
count = 2
transport = { kind = "tcp", rto = { kind = "median", window = 5 } }
app = "bulk"
[record]
rtt = "*"
"""


def written_out() -> Scenario:
    """The same network, node by node."""
    droptail = DropTail(limit_packets=40)
    access = [(f"s{i}", "r0", "r1", f"d{i}") for i in (1, 2)]
    return Scenario(
        duration=10,
        hosts=["s1", "s2", "d1", "d2"],
        routers=["r0", "r1"],
        links=[
            Link(between=("r0", "r1"), name="bottleneck", rate=1e6, delay=50 * ms, queue=droptail),
            *(
                Link(between=between, rate="10 Mbit/s", delay=0.01)
                for s, r0, r1, d in access
                for between in ((s, r0), (r1, d))
            ),
        ],
        flows=[
            Flow(
                name=f"f{i}",
                source=f"s{i}",
                destination=f"d{i}",
                transport=Tcp(rto=MedianRtoConfig()),
                app=Bulk(),
            )
            for i in (1, 2)
        ],
        record=Record(rtt=["*"]),
    )


# --- One value, however it is written -------------------------------------------------------------------


def test_a_preset_a_file_and_a_network_by_hand_hash_alike() -> None:
    from_file = loads(BELL)
    by_hand = written_out()
    preset = Dumbbell(
        title="leaves no trace",
        duration="10 s",
        rate="1 Mbit/s",
        delay="50 ms",
        queue={"kind": "droptail", "limit_packets": 40},
        access_rate="10 Mbit/s",
        access_delay="10 ms",
        flows=[FlowGroup(count=2, transport=Tcp(rto="median"), app="bulk")],
        record=Record(rtt="*"),
    )
    assert from_file.hash == by_hand.hash == preset.hash == preset.scenario().hash
    assert from_file == by_hand
    assert loads(preset.to_toml()).hash == loads(by_hand.to_toml()).hash == by_hand.hash
    assert Scenario.from_json(by_hand.to_json()) == by_hand


def test_hashes_do_not_drift() -> None:
    """Results are kept under this hash: if it changes for a scenario that means the same, they are all lost.

    It may change only together with the meaning of what is written out in ``written_out``.
    """
    assert written_out().hash == "2ee661330794b4b34bb0f47839fa72d77b414da94c11af2f7ea944faf52216ed"


def test_what_is_at_its_default_leaves_no_trace() -> None:
    explicit = written_out().with_(
        {
            "flows[*].transport.rto": MedianRtoConfig(window=5, deviation="ewma", deviation_gain=0.25),
            "flows[*].transport.payload_bytes": 1000,
            "links[*].reverse": Reverse(),
        },
        warm_up=0,
        title="a title",
    )
    assert explicit.hash == written_out().hash


def test_what_differs_changes_the_hash() -> None:
    scenario = written_out()
    changes = {
        "duration": 11,
        "links[bottleneck].queue.limit_packets": 41,
        "flows[f1].transport.rto.window": 7,
        "flows[f1].name": "g",
        "record.rtt": (),
    }
    hashes = {scenario.hash, *(scenario.replace(path, value).hash for path, value in changes.items())}
    assert len(hashes) == 1 + len(changes)


@pytest.mark.parametrize("value", ["23.71 ms", 23.71 * ms, 0.02371, "0.02371 s", "23710 us"])
def test_a_quantity_hashes_alike_in_any_unit(value: str | float) -> None:
    expected = written_out().replace("links[bottleneck].delay", 0.02371).hash
    assert written_out().replace("links[bottleneck].delay", value).hash == expected


names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=6)
rates = st.one_of(
    st.integers(1, 10**12).map(float),
    st.floats(1, 1e12),
    st.integers(1, 10**6).map(lambda n: f"{n} kbit/s"),
    st.decimals("0.001", "1e6", places=3).map(lambda d: f"{d} Mbit/s"),
)
periods = st.one_of(
    st.integers(1, 10**12).map(lambda n: n * 1e-12), st.integers(1, 9999).map(lambda n: f"{n} us")
)
durations = st.one_of(st.just(0), periods)
counts = st.integers(1, 2**32 - 1)
shares = st.floats(1e-9, 1)
queues = st.one_of(
    st.builds(DropTail, limit_packets=st.none() | counts, limit_bytes=st.none() | counts),
    st.builds(
        Red,
        min_threshold_packets=st.floats(0.1, 9),
        max_threshold_packets=st.floats(9, 99),
        limit_packets=counts,
        max_probability=shares,
        weight=st.just("from-rate") | shares,
        unit=st.sampled_from(["packets", "bytes"]),
        mean_packet_bytes=st.integers(1, 9000),
        gentle=st.booleans(),
        wait=st.booleans(),
        ecn=st.booleans(),
        adaptive=st.booleans(),
        tune_by=st.sampled_from([None, "responsiveness"]),
        tune_above=st.floats(0, 1),
        tune_band=st.floats(0, 1),
        tune_interval=periods,
    ),
    st.builds(
        CoDel,
        target=periods,
        interval=periods,
        limit_packets=st.none() | counts,
        limit_bytes=st.none() | counts,
        mtu_bytes=counts,
        ecn=st.booleans(),
        ce_threshold=st.none() | durations,
    ),
    st.builds(
        Pie,
        target=periods,
        update=periods,
        alpha=st.floats(0.01, 99),
        beta=st.floats(0.01, 99),
        max_burst=durations,
        limit_packets=st.none() | counts,
        limit_bytes=st.none() | counts,
        mean_packet_bytes=st.integers(1, 9000),
        delay=st.sampled_from(["timestamps", "departure-rate"]),
        ecn=st.booleans(),
        mark_below=st.floats(0, 1),
        derandomize=st.booleans(),
        cap_increase=st.booleans(),
    ),
    st.builds(
        FqCodel,
        target=periods,
        interval=periods,
        queues=st.integers(1, 65536),
        quantum_bytes=counts,
        limit_packets=counts,
        limit_bytes=st.none() | counts,
        drop_batch=counts,
        mtu_bytes=counts,
        ecn=st.booleans(),
        ce_threshold=st.none() | durations,
    ),
)
lost = st.sampled_from(["all", "data", "acks"])
losses = st.one_of(
    st.none(),
    st.builds(ListedLoss, arrivals=st.lists(st.integers(1, 2**63), max_size=3), of=lost),
    st.builds(BernoulliLoss, probability=st.floats(0, 1), of=lost),
    st.builds(DitherLoss, floor=st.floats(0, 1), of=lost),
    st.builds(
        GilbertElliottLoss,
        good_to_bad=st.floats(0, 1),
        bad_to_good=st.floats(0, 1),
        loss_good=st.floats(0, 1),
        loss_bad=st.floats(0, 1),
        of=lost,
    ),
)
capacities = st.none() | st.builds(
    Capacity,
    times=st.lists(durations, min_size=1, max_size=4).map(lambda times: sorted(map(parse_duration, times))),
    period=st.just("1 h"),
    bytes=counts,
)
jitters = st.none() | st.builds(Jitter, most=periods, reorder=st.booleans())
some = st.floats(0.01, 99)
forecasters = st.one_of(
    st.sampled_from(["last-value", "arima", Arima.jeyasekar_2014()]),
    st.builds(forecaster.Constant, value=st.floats(-9, 9)),
    st.builds(forecaster.Ewma, gain=shares),
    st.builds(forecaster.Holt, gain=shares, trend_gain=shares),
    st.builds(forecaster.Median, window=st.integers(1, 99)),
    st.builds(Arima, ar=st.lists(st.floats(-0.4, 0.4), max_size=2), d=st.integers(0, 2)),
    st.builds(Arima, ma=st.lists(st.floats(-0.4, 0.4), max_size=2), mean=st.floats(0, 9)),
)
controls = st.one_of(
    st.sampled_from(["aimd", "bbr", "copa", "cubic", "vegas", "veno", Binomial.iiad(), Binomial.sqrt()]),
    st.builds(Binomial, k=some, l=some, alpha=some, beta=some),
    st.builds(Copa, delta=some, competitive=st.booleans()),
    st.builds(
        Cubic,
        c=some,
        beta=st.floats(0.01, 0.99),
        fast_convergence=st.booleans(),
        hystart=st.sampled_from(["none", "classic", "plus-plus"]),
        variant=st.sampled_from(["rfc", "linux"]),
    ),
    st.builds(VegasControl, alpha=st.floats(0, 2), beta=st.floats(2, 9), gamma=some),
    st.builds(
        ArimaVegas,
        alpha=st.floats(0, 2),
        beta=st.floats(2, 9),
        gamma=some,
        forecaster=forecasters,
        decide=st.sampled_from(["round", "ack"]),
    ),
    st.builds(
        Dual,
        threshold=st.floats(0.01, 0.99),
        beta=st.floats(0.01, 0.99),
        rounds=st.integers(1, 9),
        forecaster=forecasters,
    ),
    st.builds(
        TcpTp,
        capacity=st.one_of(st.none(), st.floats(1e3, 1e9)),
        interval=st.floats(0.1, 10),
        gain=st.floats(0.01, 1),
        samples=st.integers(1, 50),
        forecaster=forecasters,
        rtt=st.sampled_from(["smoothed", "least"]),
        decide=st.sampled_from(["interval", "ack"]),
        slow_start_again=st.booleans(),
    ),
    st.builds(Veno, beta=some),
)
rtos = st.one_of(
    st.none(),
    st.builds(JacobsonRtoConfig, gain=st.floats(0.01, 1), multiplier=st.floats(0, 20)),
    st.builds(JacobsonTicksRtoConfig, tick=periods),
    st.builds(MedianRtoConfig, window=st.integers(1, 99), deviation=st.sampled_from(["ewma", "mad"])),
    st.builds(QuantileRtoConfig, risk=st.floats(1e-6, 0.2)),
    st.builds(WeightedMedianRtoConfig, window=st.integers(1, 63), memory=st.none() | st.integers(1, 99)),
    st.builds(ArimaRtoConfig, forecaster=forecasters, multiplier=st.floats(0, 20)),
)
transports = st.one_of(
    st.builds(Udp, payload_bytes=st.integers(1, 9000)),
    st.builds(
        Tcp,
        profile=st.sampled_from(["rfc", "ns2"]),
        recovery=st.sampled_from(["tahoe", "reno", "newreno", "sack", "vegas"]),
        control=controls,
        ecn=st.booleans(),
        pacing=st.booleans(),
        rto=rtos,
        delayed_ack=st.none() | st.booleans(),
        min_rto=st.none() | periods,
        clock_phase=st.none() | durations,
        initial_window_packets=st.none() | st.floats(1, 100),
        rtt_sampling=st.sampled_from([None, "one-packet", "timestamps"]),
    ),
)
laws = st.one_of(st.builds(Exponential), st.builds(Pareto, shape=st.floats(1.01, 9)))
apps = st.one_of(
    st.builds(Bulk),
    st.builds(Transfer, packets=counts),
    st.builds(Cbr, rate=rates),
    st.builds(Cbr, interval=periods),
    st.builds(Vbr, rates=st.just(["1 kbit/s", 2e6]), intervals=st.just([0.1, "1 s"])),
    st.builds(OnOff, law=laws, rate=rates, on=periods, off=periods),
    st.builds(SelfSimilar, rate=rates, h=st.floats(0.01, 0.99), sd=rates, interval=periods),
    st.builds(Schedule, writes=st.just([(0, 1), ("1 s", 2)])),
)
reverses = st.builds(
    Reverse,
    rate=st.none() | rates,
    delay=st.none() | durations,
    queue=st.none() | queues,
    capacity=capacities,
    jitter=jitters,
    loss=losses,
)
links = st.builds(
    Link,
    between=st.tuples(names, names),
    name=st.none() | names,
    rate=rates,
    delay=durations,
    queue=queues,
    capacity=capacities,
    jitter=jitters,
    loss=losses,
    reverse=reverses,
)
flows = st.builds(
    Flow,
    name=names,
    source=names,
    destination=names,
    transport=transports,
    app=apps,
    start=durations,
    stop=st.none() | periods,
)
name_lists = st.lists(names, max_size=3)
series = st.none() | st.builds(Series, of=name_lists, interval=periods)
methods = st.one_of(
    st.sampled_from(["kaczmarz", "rls", "kalman", "fixed-point"]),
    st.builds(KaczmarzMethod, gamma1=some, gamma2=some),
    st.builds(RlsMethod, forgetting=shares, initial=some),
    st.builds(KalmanMethod, initial=some, drift=some, noise=st.none() | some),
    st.builds(FixedPointMethod, gamma1=some, gamma2=some, tick=periods),
)
queue_shares = st.none() | st.builds(
    QueueShareSeries,
    of=name_lists,
    sampling=periods,
    propagation=durations,
    mean_packet_bytes=st.integers(1, 9000),
    method=methods,
    form=st.sampled_from(["basic", "multi-hop", "cbr"]),
    rtt=st.none() | periods,
    count_drops=st.booleans(),
    zero_drops_after=st.none() | counts,
    estimation_samples=counts,
    backlog_alpha=st.floats(0, 0.99),
    start_n_s=st.none() | some,
    start_elsewhere=st.floats(0, 1),
    start_cbr=st.none() | some,
)
estimates = st.none() | st.builds(
    ShareSeries, of=name_lists, interval=periods, signals=st.sampled_from(["queue", "losses"])
)
records = st.builds(
    Record,
    rtt=name_lists,
    pcap=name_lists,
    flow_series=series,
    port_series=series,
    responsiveness=estimates,
    nonresponsive=queue_shares,
)
scenarios = st.builds(
    Scenario,
    title=names,
    duration=periods,
    warm_up=durations,
    hosts=name_lists,
    routers=name_lists,
    links=st.lists(links, max_size=3),
    flows=st.lists(flows, max_size=3),
    record=records,
)
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@functools.cache
def schema_validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json_schema())


@unhurried
@given(scenarios)
def test_any_scenario_survives_its_file(scenario: Scenario) -> None:
    text = scenario.to_toml()
    again = Scenario.from_dict(tomllib.loads(text))
    assert again == scenario
    assert again.hash == scenario.hash
    assert Scenario.from_json(scenario.to_json()).hash == scenario.hash
    schema_validator().validate(tomllib.loads(text))


@unhurried
@given(scenarios)
def test_the_canonical_form_is_sorted_and_without_defaults(scenario: Scenario) -> None:
    """Tables made by hand and written by ``json.dumps``, as caches have known it from the start."""
    plain = json.dumps(
        plain_tables(scenario), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    assert scenario.to_json() == plain
    assert scenario.canonical() == json.loads(plain)


def plain_tables(value: Any) -> Any:
    if isinstance(value, tuple):
        return [plain_tables(item) for item in value]
    if not isinstance(value, Model):
        return value
    return {
        name: plain_tables(getattr(value, name))
        for name, field in type(value).model_fields.items()
        if not field.exclude
        and (name == "kind" or field.is_required() or getattr(value, name) != field.default)
    }


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=0.0, exclude_min=True)
    | st.floats(min_value=1e-5, max_value=1e17)
    | st.integers(1, 10**18).map(lambda whole: whole / 10**9)
)
@example(1e-4)
@example(math.nextafter(1e-4, 0))
@example(1e16)
@example(math.nextafter(1e16, 0))
def test_numbers_are_written_as_python_writes_them(number: float) -> None:
    assert canonical_json(Binomial(k=number, l=0)) == f'{{"k":{number!r},"kind":"binomial","l":0.0}}'


def test_names_are_written_as_json_writes_them() -> None:
    name = 'a"b\\c/é~\U0001f600'
    assert json.dumps(name, ensure_ascii=False) in canonical_json(Record(rtt=name))


def test_what_json_cannot_write_is_refused() -> None:
    for number in (math.inf, math.nan):
        with pytest.raises(ValueError, match="JSON"):
            canonical_json(Binomial.known(k=number, l=0.0))


@given(scenarios)
def test_the_engine_reads_what_is_written(scenario: Scenario) -> None:
    """The engine's own reading, with every default filled in, is ours."""
    read = _core.normalize(scenario.to_json())
    assert _tidy(json.loads(read)) == _tidy(_filled(scenario))
    assert _core.normalize(as_given(scenario)) == read


def test_the_engine_reads_many_flows_whatever_they_share() -> None:
    """More text than is kept at a time, made of the same objects as before, of equal and of other ones."""
    transports = [Tcp(max_window_packets=window, payload_bytes=1460) for window in range(1, 8)]
    apps = [Cbr(rate=1e6), Transfer(packets=5)]
    flows = [
        Flow(
            name=f"f{i}",
            source="a",
            destination="b",
            transport=transports[i % 7] if i % 3 else Tcp(max_window_packets=i + 1),
            app=apps[i % 2] if i % 5 else Transfer(packets=i + 1),
            start=i / 7,
        )
        for i in range(1000)
    ]
    links = [Link(between=("a", "b"), rate="1 Mbit/s", delay="1 ms", queue=DropTail(limit_packets=5))]
    scenario = Scenario(duration="1 s", hosts=["a", "b"], links=links, flows=flows)
    assert _core.normalize(as_given(scenario)) == _core.normalize(scenario.to_json())


@unhurried
@given(st.lists(links, min_size=2, max_size=2), st.lists(flows, min_size=2, max_size=2))
def test_neighbours_are_read_one_by_one_whatever_tells_them_apart(two_links: Any, two_flows: Any) -> None:
    """The engine copies what a link or flow has in common with the one before it."""

    def mixed(one: Model, other: Model) -> list[Model]:
        changes = [{name: getattr(other, name)} for name in type(one).model_fields]
        return [one, one.model_copy(), *(one.model_copy(update=change) for change in changes), other, one]

    scenario = bare_scenario(links=tuple(mixed(*two_links)), flows=tuple(mixed(*two_flows)))
    assert _core.normalize(as_given(scenario)) == _core.normalize(scenario.to_json())


class Narrow(Link):
    """What a user may derive; not all of it is part of a scenario."""

    note: str = Field(default="", exclude=True)
    rate: float = 1e9


class Late(Flow):
    """The engine does not know of another default, nor see what is left out."""

    start: float = Field(default=5.0, exclude=True)


def test_neighbours_of_derived_classes_are_read_as_their_json_is() -> None:
    plain, narrow = (kind(between=("a", "b"), rate=1e6, delay=0.0) for kind in (Link, Narrow))
    changes: list[dict[str, Any]] = [{"note": "left out"}, {"delay": 0.5}, {"rate": 2e6}]
    links = (plain, narrow, *(narrow.model_copy(update=change) for change in changes), plain)
    late = Late(name="f", source="a", destination="b", transport=Tcp(), app=Bulk(), start=6.0)
    flows = (late, late.model_copy(update={"start": 7.0}), late.model_copy(update={"name": "g"}))
    given = bare_scenario(links=links, flows=flows)
    read = json.loads(_core.normalize(as_given(given)))
    assert [link["delay"] for link in read["links"]] == [0, 0, 0, 0.5, 0, 0]
    assert [flow["start"] for flow in read["flows"]] == [0, 0, 0]
    assert _core.normalize(as_given(given)) == _core.normalize(given.to_json())
    no_rate = bare_scenario(links=(narrow, narrow.model_copy(update={"rate": 1e9})))
    with pytest.raises(ValueError, match="missing field `rate`"):
        _core.normalize(as_given(no_rate))


def test_tables_in_the_place_of_models_are_read_one_by_one() -> None:
    """Such as an unchecked copy may hold. They have no fields to compare."""
    links = [OrderedDict(between=["a", "b"], rate=rate, delay=0) for rate in (1e6, 2e6)]
    given = bare_scenario(links=tuple(links))
    read = json.loads(_core.normalize(as_given(given)))
    assert [link["rate"] for link in read["links"]] == [1e6, 2e6]


def test_numbers_are_read_to_the_last_bit_wherever_they_stand() -> None:
    odd = 1e8 / 7
    link = Link(between=("a", "b"), rate=1e6, delay=0.0)
    unlike = [link.queue, DropTail(limit_packets=7)]
    links = (link, *(link.model_copy(update={"rate": odd, "queue": queue}) for queue in unlike))
    given = bare_scenario(links=(*links, links[1].model_copy(update={"name": "odd"})))
    for text in (_core.normalize(as_given(given)), _core.normalize(given.to_json())):
        assert [link["rate"] for link in json.loads(text)["links"]] == [1e6, odd, odd, odd]


def bare_scenario(**lists: Any) -> Scenario:
    """One that nobody has checked."""
    return Scenario.known(duration=1.0, hosts=(), links=(), flows=()).model_copy(update=lists)


def test_a_model_is_refused_as_its_json_is() -> None:
    """Not only the words are the same, the place in the text is too."""
    bell = loads(BELL).scenario()
    flow = bell.flows[1].model_copy(update={"start": -1.0})
    link = bell.links[0].model_copy(update={"between": ("a",)})
    changes = [
        {"duration": -1.0},
        {"flows": (bell.flows[0], flow)},
        {"flows": (flow, flow)},
        {"links": (bell.links[0], link)},
        {"hosts": (7,)},
        {"links": None},
    ]
    for change in changes:
        wrong = bell.model_copy(update=change)
        with pytest.raises(ValueError, match=r"^not a scenario: .* at line 1 column \d+$") as of_text:
            _core.simulate(wrong.to_json(), 1)
        with pytest.raises(ValueError, match=rf"^{re.escape(str(of_text.value))}$"):
            _core.simulate(as_given(wrong), 1)
        with pytest.raises(ScenarioError, match=r"^got what the engine does not read"):
            parshall.run(wrong)
    late = bell.flows[1].model_copy(update={"start": math.nan})
    for change in [{"duration": math.nan}, {"flows": (bell.flows[1], late)}]:
        with pytest.raises(ValueError, match="JSON"):
            _core.simulate(as_given(bell.model_copy(update=change)), 1)


def _filled(value: Any) -> Any:
    """A model with its defaults, but for what Python alone knows."""
    if isinstance(value, parshall.scenario.base.Model):
        fields = type(value).model_fields.items()
        return {name: _filled(getattr(value, name)) for name, field in fields if not field.exclude}
    return [_filled(item) for item in value] if isinstance(value, tuple) else value


def _tidy(value: Any) -> Any:
    """Without what is absent; floats to the precision of the engine's time."""
    if isinstance(value, dict):
        return {key: _tidy(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    return pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value


def test_scenarios_can_be_pickled(bell: Dumbbell) -> None:
    assert pickle.loads(pickle.dumps(bell.scenario())).hash == bell.hash


# --- The engine's schema is the same --------------------------------------------------------------------


def rust_structs(source: str) -> dict[str, dict[str, str]]:
    """Fields and types of the public structs of a Rust file, and of the variants of its enums."""
    structs = {}
    for match in re.finditer(r"pub struct (\w+) \{(.*?)\n\}", source, re.DOTALL):
        structs[match[1]] = dict(re.findall(r"^    pub (\w+): (.+),$", match[2], re.MULTILINE))
    return structs


def rust_enum(source: str, name: str) -> list[str]:
    """Names of an enum's variants as they stand in a file."""
    body = re.search(rf"pub enum {name} \{{(.*?)\n\}}", source, re.DOTALL)
    assert body, name
    variants = re.findall(r"^    (\w+)(?:\(.*\)| \{.*|,)", body[1], re.MULTILINE)
    return [re.sub(r"(?<=[a-z])(?=[A-Z])", "-", variant).lower() for variant in variants]


MIRRORED = [Scenario, Link, Reverse, Capacity, Jitter, DropTail, Red, ListedLoss, BernoulliLoss]
MIRRORED += [
    GilbertElliottLoss,
    DitherLoss,
    Flow,
    Tcp,
    Udp,
    Transfer,
    Cbr,
    Vbr,
]
MIRRORED += [OnOff, SelfSimilar, Schedule, Record, Series, ShareSeries, QueueShareSeries]
MIRRORED += [KaczmarzMethod, RlsMethod, KalmanMethod, FixedPointMethod]
MIRRORED += [CoDel, Pie, FqCodel]


FORECASTERS = list(get_args(forecaster.ForecasterConfig))

CONTROLS = [Aimd, ArimaVegas, Bbr, Binomial, Copa, Cubic, Dctcp, Dual, TcpTp, VegasControl, Veno]


@pytest.mark.parametrize("model", MIRRORED, ids=lambda model: model.__name__)
def test_fields_are_those_of_the_engine(model: type, repository: Path) -> None:
    source = (repository / "crates/sim/src/scenario.rs").read_text()
    fields = rust_structs(source)[model.__name__]
    ours = {name: field for name, field in model.model_fields.items() if name != "kind" and not field.exclude}
    assert list(ours) == list(fields)
    optional = {name for name, kind in fields.items() if kind.startswith("Option<")}
    assert optional == {name for name, field in ours.items() if field.default is None}


def test_every_struct_of_the_engine_is_mirrored(repository: Path) -> None:
    source = (repository / "crates/sim/src/scenario.rs").read_text()
    assert set(rust_structs(source)) == {model.__name__ for model in MIRRORED}


@pytest.mark.parametrize("model", CONTROLS, ids=lambda model: model.__name__)
def test_parameters_of_a_control_are_those_of_its_file(model: type, repository: Path) -> None:
    kind = model.model_fields["kind"].default
    source = (repository / f"crates/sim/src/control/{kind.replace('-', '_')}.rs").read_text()
    fields = rust_structs(source).get("Config", {})
    assert list(fields) == [name for name in model.model_fields if name != "kind"]


def test_every_control_of_the_engine_has_its_class(repository: Path) -> None:
    source = (repository / "crates/sim/src/control/registry.rs").read_text()
    registered = re.findall(r"^    (\w+)::\w+,$", source, re.MULTILINE)
    assert registered == [model.model_fields["kind"].default.replace("-", "_") for model in CONTROLS]


@pytest.mark.parametrize("model", FORECASTERS, ids=lambda model: model.__name__)
def test_parameters_of_a_forecaster_are_those_of_the_engine(model: type, repository: Path) -> None:
    source = (repository / "crates/estimators/src/forecast/config.rs").read_text()
    enum = re.search(r"pub enum ForecasterConfig \{(.*?)\n\}", source, re.DOTALL)[1]
    if named := re.search(rf"^    {model.__name__}\((\w+)\),", enum, re.MULTILINE):
        sources = (file.read_text() for file in (repository / "crates/estimators/src").rglob("*.rs"))
        fields = next(filter(None, (rust_structs(source).get(named[1]) for source in sources)))
    else:
        body = re.search(rf"^    {model.__name__} \{{(\}}|.*?^    \}}),", enum, re.DOTALL | re.MULTILINE)[1]
        fields = re.findall(r"^        (\w+): ", body, re.MULTILINE)
    assert list(fields) == [name for name in model.model_fields if name != "kind"]


@pytest.mark.parametrize(
    ("config", "refusal"),
    [
        (lambda: Arima(ar=[1.2, 0.1]), "ar: got 1.2, 0.1, expected coefficients of a stationary model"),
        (lambda: Arima(d=1, ma=[-1]), "ma: got -1, expected coefficients of an invertible model"),
        (lambda: Arima(ar=6 * [0.0]), "ar: got 0, 0, 0, 0, 0, 0, expected at most 5 coefficients"),
        (lambda: Arima(ar=[0.1, "x"]), 'ar[1]: got "x", expected a finite number'),
        (lambda: Arima(d=3), "d: got 3, expected a whole number from 0 to 2"),
        (lambda: Arima(d=1, mean=2), "mean: got 2, expected a finite number, and 0 where d is above 0"),
        (lambda: forecaster.Constant(value=math.inf), "value: got inf, expected a finite number"),
        (lambda: forecaster.Ewma(gain=0), "gain: got 0, expected a number above 0, at most 1"),
        (lambda: forecaster.Holt(gain=0.1, trend_gain=2), "trend_gain: got 2, expected a number .*"),
        (lambda: forecaster.Median(window=0), "window: got 0, expected a whole number from 1 .*"),
    ],
)
def test_a_forecaster_that_cannot_be_is_one_line(config: Any, refusal: str) -> None:
    with pytest.raises(InputError, match=f"^{refusal.replace('[', chr(92) + '[')}$"):
        config()


def test_a_constant_takes_any_number_or_a_duration() -> None:
    assert forecaster.Constant(value="120 ms") == forecaster.Constant(value=0.12)
    assert forecaster.Constant(value=-3).value == -3.0


def test_the_documents_model_is_a_named_one() -> None:
    made = Arima(ar=[-0.36251, 0.17573], d=1, ma=[-0.95108])
    assert Arima.jeyasekar_2014() == made
    assert made.canonical() == {"kind": "arima", "ar": [-0.36251, 0.17573], "d": 1, "ma": [-0.95108]}


@pytest.mark.parametrize(
    ("enum", "file", "members"),
    [
        ("Queue", "sim/src/scenario.rs", [DropTail, Red, CoDel, Pie, FqCodel]),
        ("RedWeight", "sim/src/scenario.rs", [FixedWeight, WeightFromRate]),
        ("Loss", "sim/src/scenario.rs", [ListedLoss, BernoulliLoss, GilbertElliottLoss, DitherLoss]),
        ("Transport", "sim/src/scenario.rs", [Tcp, Udp]),
        ("App", "sim/src/scenario.rs", [Bulk, Transfer, Cbr, Vbr, OnOff, SelfSimilar, Schedule]),
        ("Law", "sim/src/scenario.rs", [Exponential, Pareto]),
        (
            "ShareMethod",
            "sim/src/scenario.rs",
            [KaczmarzMethod, RlsMethod, KalmanMethod, FixedPointMethod],
        ),
        ("RtoConfig", "estimators/src/rto/config.rs", list(get_args(parshall.scenario.RtoConfig))),
        ("ForecasterConfig", "estimators/src/forecast/config.rs", FORECASTERS),
    ],
)
def test_kinds_are_those_of_the_engine(enum: str, file: str, members: list[type], repository: Path) -> None:
    source = (repository / "crates" / file).read_text()
    assert [member.model_fields["kind"].default for member in members] == rust_enum(source, enum)


@pytest.mark.parametrize(
    ("enum", "file", "model", "field"),
    [
        ("ProfileName", "sim/src/scenario.rs", Tcp, "profile"),
        ("RecoveryName", "sim/src/scenario.rs", Tcp, "recovery"),
        ("QueueUnit", "sim/src/scenario.rs", Red, "unit"),
        ("TuneBy", "sim/src/scenario.rs", Red, "tune_by"),
        ("PieDelay", "sim/src/scenario.rs", Pie, "delay"),
        ("LossOf", "sim/src/scenario.rs", ListedLoss, "of"),
        ("LossOf", "sim/src/scenario.rs", BernoulliLoss, "of"),
        ("LossOf", "sim/src/scenario.rs", GilbertElliottLoss, "of"),
        ("LossOf", "sim/src/scenario.rs", DitherLoss, "of"),
        ("ReduceFrom", "sim/src/scenario.rs", Tcp, "reduce_from"),
        ("RttSampling", "sim/src/scenario.rs", Tcp, "rtt_sampling"),
        ("BackoffReset", "sim/src/scenario.rs", Tcp, "backoff_reset"),
        ("IdleRestart", "sim/src/scenario.rs", Tcp, "idle_restart"),
        ("FastRetransmitGuard", "sim/src/scenario.rs", Tcp, "fast_retransmit_guard"),
        ("PartialAckTimer", "sim/src/scenario.rs", Tcp, "partial_ack_timer"),
        ("HyStartRule", "sim/src/control/hystart.rs", Cubic, "hystart"),
        ("Variant", "sim/src/control/cubic.rs", Cubic, "variant"),
        ("Decide", "sim/src/control/arima_vegas.rs", ArimaVegas, "decide"),
        ("Decide", "sim/src/control/tcp_tp.rs", TcpTp, "decide"),
        ("RoundTrip", "sim/src/control/tcp_tp.rs", TcpTp, "rtt"),
        ("Deviation", "estimators/src/rto/config.rs", MedianRtoConfig, "deviation"),
        ("Signals", "sim/src/scenario.rs", ShareSeries, "signals"),
        ("Form", "estimators/src/nonresponsive/settings.rs", QueueShareSeries, "form"),
    ],
)
def test_choices_are_those_of_the_engine(
    enum: str, file: str, model: type, field: str, repository: Path
) -> None:
    annotation = model.model_fields[field].annotation
    options = [annotation] if get_origin(annotation) is Literal else get_args(annotation)
    choices = [choice for option in options if get_origin(option) is Literal for choice in get_args(option)]
    assert choices == rust_enum((repository / "crates" / file).read_text(), enum)


def test_kinds_and_fields_share_no_name() -> None:
    """Errors tell a union's tag from a field by its name."""
    fields = {name for model in tables() for name in model.model_fields}
    kinds = {model.model_fields["kind"].default for model in tables() if "kind" in model.model_fields}
    assert not fields & kinds


# --- Short forms and constructors -----------------------------------------------------------------------


def test_a_bare_number_is_a_weight() -> None:
    assert red(weight=0.25).weight == red(weight={"kind": "fixed", "value": 0.25}).weight
    assert red(weight="from-rate").weight == WeightFromRate()
    assert red().weight == FixedWeight(value=0.002)
    assert red(weight=0.002).canonical() == red().canonical()


def test_named_binomials_are_those_of_the_paper() -> None:
    assert (Binomial.iiad().k, Binomial.iiad().l) == (1, 0)
    assert (Binomial.sqrt().k, Binomial.sqrt().l) == (0.5, 0.5)
    assert (Binomial.sqrt(alpha=2, beta=0.25).alpha, Binomial.sqrt(alpha=2, beta=0.25).beta) == (2, 0.25)


def test_a_rate_and_its_interval_send_alike(bell: Dumbbell) -> None:
    by_rate = bell.replace("flows[call].app", Cbr(rate="64 kbit/s"))  # payloads of 160 bytes: 20 ms
    by_interval = bell.replace("flows[call].app", Cbr(interval="20 ms"))
    sent = [parshall.run(each).flow("call1").packets_sent for each in (by_rate, by_interval)]
    assert sent == [150, 150]


def test_options_of_links_reach_the_bottleneck(bell: Dumbbell) -> None:
    capacity, jitter = Capacity(times=[0.5], period=1), Jitter(most="1 ms")
    changed = bell.with_(capacity=capacity, jitter=jitter, reverse=Reverse(jitter=jitter)).scenario()
    link = changed.links[0]
    assert (link.capacity, link.jitter, link.reverse.jitter) == (capacity, jitter, jitter)
    assert changed.links[1].capacity is None


# --- Recorded capacities --------------------------------------------------------------------------------


def recorded(folder: Path, content: bytes = b"0\n2\n2\n5\n", name: str = "up.trace") -> Path:
    file = folder / name
    file.write_bytes(content)
    return file


def test_a_recording_is_read_plain_or_compressed(tmp_path: Path) -> None:
    expected = Capacity(times=["0 s", "2 ms", "2 ms", "5 ms"], period="5 ms", bytes=1500)
    assert Capacity.from_mahimahi(recorded(tmp_path)) == expected
    assert Capacity.from_mahimahi(str(recorded(tmp_path, b"0\r\n2\r\n2\r\n5"))) == expected
    assert Capacity.from_mahimahi(recorded(tmp_path, gzip.compress(b"0\n2\n2\n5\n"))) == expected
    assert repr(expected) == "Capacity(period=0.005, bytes=1500)", "times may be very many"


def test_a_file_names_a_recording_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "links").mkdir()
    recorded(tmp_path / "links")
    file = tmp_path / "bell.toml"
    named = 'reverse = { capacity = { mahimahi = "links/up.trace" } }\naccess_rate'
    file.write_text(BELL.replace("access_rate", named, 1))
    scenario = parshall.load(file)
    capacity = scenario.links[0].reverse.capacity
    assert capacity == Capacity.from_mahimahi(tmp_path / "links/up.trace")
    assert json.loads(scenario.to_json())["links"][0]["reverse"]["capacity"] == {
        "period": 0.005,
        "times": [0.0, 0.002, 0.002, 0.005],
    }
    monkeypatch.chdir(tmp_path)
    assert loads(file.read_text()) == loads(scenario.to_toml()) == scenario
    jsonschema.validate(tomllib.loads(file.read_text()), json_schema())


@pytest.mark.parametrize(
    ("content", "line", "value", "expected"),
    [
        (b"1\nx\n3\n", 2, '"x"', "a whole number of milliseconds"),
        (b"1\n\n3\n", 2, '""', "a whole number of milliseconds"),
        (b"-1\n", 1, '"-1"', "a whole number of milliseconds"),
        (b"1\n1.5\n", 2, '"1.5"', "a whole number of milliseconds"),
        (b"1\n10000000001\n", 2, '"10000000001"', "at most 1e10"),
        (b"9" * 5000, 1, '"9999', "at most 1e10"),
        (b"1\n\xff\xfe\n", 2, '"', "a whole number of milliseconds"),
        (b"3\n2\n", 2, "2", "times in ascending order, at least 3"),
        (b"0\n0\n", 2, "0", "a last time above 0"),
        (b"\n \n", None, "an empty file", "at least one time"),
    ],
)
def test_a_bad_recording_is_one_line(
    content: bytes, line: int | None, value: str, expected: str, tmp_path: Path
) -> None:
    file = recorded(tmp_path, content)
    with pytest.raises(ScenarioError) as caught:
        Capacity.from_mahimahi(file)
    error = caught.value
    assert (error.file, error.line) == (str(file), line)
    assert error.value.startswith(value)
    assert expected in error.expected
    assert len(str(error).splitlines()) == 1
    place = str(file) if line is None else f"{file}:{line}"
    assert str(error) == f"{place}: got {error.value}, expected {error.expected}"

    bell = tmp_path / "bell.toml"
    bell.write_text(BELL.replace("access_rate", 'capacity = { mahimahi = "up.trace" }\naccess_rate', 1))
    with pytest.raises(
        ScenarioError, match=rf"^{re.escape(str(bell))}:7: dumbbell\.capacity\.mahimahi: got "
    ) as also:
        parshall.load(bell)
    assert also.value.value == f'{error.value} in "up.trace"{f", line {line}" if line else ""}'
    assert also.value.expected == error.expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory"),
        (gzip.compress(b"1\n2\n")[:-9], "damaged"),
        (b"\x1f\x8b no", "damaged"),
        (gzip.compress(b"1\n2\n")[:-8] + bytes(8), "damaged"),
    ],
)
def test_a_recording_that_cannot_be_read(content: bytes | None, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "up.trace"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(
        parshall.ParshallError, match=rf"^{re.escape(str(file))}: {reason}.*, expected a recorded capacity$"
    ):
        Capacity.from_mahimahi(file)
    with pytest.raises(ScenarioError) as caught:
        loads(
            BELL.replace("access_rate", 'capacity = { mahimahi = "up.trace" }\naccess_rate', 1),
            folder=tmp_path,
        )
    assert caught.value.path == "dumbbell.capacity.mahimahi"
    assert caught.value.value.startswith(f'"up.trace" ({reason}')
    assert caught.value.expected == "a recorded capacity"


def test_recordings_of_real_links_are_read(repository: Path) -> None:
    files = sorted((repository / "../shared/data/links").glob("*.gz"))
    if not files:
        pytest.skip("no recorded links beside the repository")
    for file in files:
        capacity = Capacity.from_mahimahi(file)
        lines = gzip.decompress(file.read_bytes()).split()
        assert len(capacity.times) == len(lines)
        assert capacity.period == capacity.times[-1] == int(lines[-1]) / 1000
        assert capacity.times[1000] == float(f"{int(lines[1000])}e-3")


@unhurried
@given(st.lists(st.integers(0, 20), min_size=1, max_size=9), st.integers(0, 99), st.integers(1, 99))
def test_a_mean_rate_counts_what_may_leave(times: list[int], start: int, length: int) -> None:
    for end in (max(times) + 1, max(times) or 1):  # also one that repeats at its last time
        capacity = Capacity(times=sorted(times), period=end, bytes=125)
        instants = [time + n * end for n in range(200) for time in times]
        expected = sum(start <= instant < start + length for instant in instants)
        assert capacity.mean_rate(start, start + length) == pytest.approx(1000 * expected / length)


def test_times_are_rounded_as_any_duration() -> None:
    given_times = [1e-13 * 7, 0.1 + 0.2, 1 / 3, 4, "5 s", 1e6 / 7]
    capacity = Capacity(times=given_times, period="1000 h")
    assert capacity.times == tuple(map(parse_duration, given_times))


# --- The dumbbell ---------------------------------------------------------------------------------------


def test_a_dumbbell_names_its_parts(bell: Dumbbell) -> None:
    network = bell.scenario()
    assert network.hosts == ("s1", "s2", "s3", "d1", "d2", "d3")
    assert network.routers == ("r0", "r1")
    assert [flow.name for flow in network.flows] == ["tcp1", "tcp2", "call1"]
    assert (network.links[0].name, network.links[0].between) == ("bottleneck", ("r0", "r1"))
    assert [(flow.source, flow.destination) for flow in network.flows] == [
        ("s1", "d1"),
        ("s2", "d2"),
        ("s3", "d3"),
    ]
    network.check()


def test_groups_of_one_name_are_counted_on(bell: Dumbbell) -> None:
    group = bell.flows[0]
    network = bell.replace("flows", [group, bell.flows[1], group]).scenario()
    assert [flow.name for flow in network.flows] == ["tcp1", "tcp2", "call1", "tcp3", "tcp4"]


def test_access_links_can_differ_by_flow(bell: Dumbbell) -> None:
    network = bell.with_(
        {
            "flows[tcp].access_delay": ["5 ms", "20 ms"],
            "flows[call].access_rate": "1 Mbit/s",
            "flows[call].access_queue": DropTail(limit_packets=3),
        }
    ).scenario()
    delays = {link.between: link.delay for link in network.links}
    assert (delays["s1", "r0"], delays["r1", "d2"], delays["s3", "r0"]) == (0.005, 0.02, 0.001)
    last = network.links[-1]
    assert (last.between, last.rate, last.queue.limit_packets) == (("r1", "d3"), 1e6, 3)


def test_a_list_of_delays_has_one_for_each_flow(bell: Dumbbell) -> None:
    with pytest.raises(
        ScenarioError, match=r"flows\[0\].access_delay: got 1 delays, expected one for each of 2 flows"
    ):
        bell.replace("flows[tcp].access_delay", ["5 ms"]).scenario()


def test_reverse_traffic_starts_on_the_right(bell: Dumbbell) -> None:
    network = bell.replace("flows[call].direction", "reverse").scenario().check()
    assert (network.flows[2].source, network.flows[2].destination) == ("d3", "s3")


def test_the_bottleneck_can_be_asymmetric(bell: Dumbbell) -> None:
    link = bell.replace("reverse", Reverse(rate="100 kbit/s")).scenario().links[0]
    assert (link.rate, link.reverse.rate, link.reverse.delay) == (2e6, 1e5, None)


# --- Paths ----------------------------------------------------------------------------------------------


def test_patterns_pick_items_by_name(bell: Dumbbell) -> None:
    network = bell.scenario()
    changed = network.replace("flows[tcp*].transport.recovery", "reno")
    assert [getattr(flow.transport, "recovery", None) for flow in changed.flows] == ["reno", "reno", None]
    changed = network.replace(
        "flows[*].transport.rto", "jacobson"
    )  # skips the UDP flow, which has no such field
    assert changed.flows[0].transport.rto == JacobsonRtoConfig()
    assert network.replace("links[r0->r1].rate", 5).links[0].rate == 5
    assert network.replace("hosts[0]", "x").hosts[0] == "x"
    assert network.replace("flows[2].name", "x").flows[2].name == "x"
    assert network.flows[0].transport.rto is None, "the original never changes"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("durations", 5, r'durations: got no such field, expected the key "duration"'),
        ("flows[f9].name", "x", r"flows\[f9\]: got no such item, expected .*"),
        ("flows[*].transport.rtos", "median", r"flows\[0\].transport.rtos: got no such field, .*"),
        ("flows[0].transport.rto.window", 5, r"flows\[0\].transport.rto: got nothing, expected a table .*"),
        ("duration.x", 5, r"duration: got 4.0, expected a table .*"),
        ("flows.name", 5, r"flows.name: got no such item, .*"),
    ],
)
def test_paths_that_do_not_exist(bell: Dumbbell, path: str, value: object, message: str) -> None:
    with pytest.raises(PathError, match=f"^{message}$"):
        bell.scenario().replace(path, value)


@pytest.mark.parametrize("path", ["", ".", "[0]", "flows[", "flows[]", "flows..name", "a b", "flows]"])
def test_paths_that_are_none(bell: Dumbbell, path: str) -> None:
    with pytest.raises(ScenarioError, match=r"expected a path such as flows\[\*\].transport.rto"):
        bell.replace(path, 1)


def test_a_bad_value_is_named_by_its_whole_path(bell: Dumbbell) -> None:
    with pytest.raises(ScenarioError) as caught:
        bell.scenario().replace("flows[tcp2].transport.rto", {"kind": "median", "window": 0})
    assert caught.value.path == "flows[1].transport.rto.window"


def test_scenarios_never_change(bell: Dumbbell) -> None:
    with pytest.raises(AttributeError, match="a Dumbbell never changes"):
        bell.duration = 5
    with pytest.raises(AttributeError):
        bell.scenario().flows[0].name = "x"


# --- Faults ---------------------------------------------------------------------------------------------

FAULTS = {
    # replaced text -> its replacement, the field, the value, part of what is expected
    'delay = "50 ms"': ('delay = "50 Mbit/s"', "dumbbell.delay", '"50 Mbit/s"', "a duration"),
    'rate = "1 Mbit/s"': ("rate = -1", "dumbbell.rate", "-1", "a rate above 0"),
    'access_rate = "10 Mbit/s"': ("access_rate = 0", "dumbbell.access_rate", "0", "a rate above 0"),
    'access_delay = "10 ms"': ("access_delay = nan", "dumbbell.access_delay", "nan", "a duration"),
    'duration = "10 s"': ("duration = 0", "duration", "0", "a duration above 0"),
    "limit_packets = 40": (
        "limit_pakets = 40",
        "dumbbell.queue.limit_pakets",
        "an unknown key",
        '"limit_packets"',
    ),
    'kind = "droptail"': (
        'kind = "cake"',
        "dumbbell.queue.kind",
        '"cake"',
        '"droptail" or "red" or "codel" or "pie" or "fq-codel"',
    ),
    "count = 2": ("count = 0", "dumbbell.flows[0].count", "0", "a whole number from 1"),
    "window = 5": ("window = 0", "dumbbell.flows[0].transport.rto.window", "0", "a whole number from 1"),
    'kind = "tcp", ': ("", "dumbbell.flows[0].transport.kind", "nothing", '"tcp" or "udp"'),
    'app = "bulk"': ('app = "bulky"', "dumbbell.flows[0].app", '"bulky"', '"bulk"'),
    'rtt = "*"': ("rtt = 5", "record.rtt", "5", "a list"),
    "[record]": ("[recrd]", "recrd", "a key beside a dumbbell", "record"),
    "[dumbbell]": ("[dumbell]", "dumbell", "a key beside a dumbbell", "dumbbell"),
}


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
        parshall.scenario.model.check_json('{"duration": 1}')


def test_every_fault_of_a_file_is_found_at_once() -> None:
    text = BELL.replace('"50 ms"', '"fifty"').replace("count = 2", "count = 2.5").replace('"bulk"', '"x"')
    with pytest.raises(ScenarioError) as caught:
        loads(text)
    paths = [error.path for error in caught.value.all()]
    assert paths == ["dumbbell.delay", "dumbbell.flows[0].count", "dumbbell.flows[0].app"]


NETWORK = written_out().to_toml()


def red(**changes: Any) -> Red:
    """A queue with some fields changed."""
    limits: dict[str, Any] = {"min_threshold_packets": 5, "max_threshold_packets": 15, "limit_packets": 50}
    return Red(**{**limits, **changes})


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
        (lambda: Pareto(shape=1), "shape"),
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
        (b"\xff\xfe", r"byte 1 is not UTF-8, expected a scenario file"),
        (b"duration = ", r"got text that is not TOML: .+, expected a scenario file"),
        (b"duration = " + 9999 * b"9", r"got text that is not TOML: .*"),
        (b"duration = " + 9999 * b"[", r"got text that is not TOML: .*"),
        (b"duration = 1\nduration = 2", r"got text that is not TOML: .*"),
        (b"", r"duration: got nothing, expected a value: .*"),
    ],
)
def test_a_file_that_is_no_scenario(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_bytes(content)
    with pytest.raises(parshall.ParshallError, match=f"^{re.escape(str(file))}: {message}$"):
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
    *steps, last = data.draw(st.sampled_from(list(_places(tables))))
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


# --- Lines ----------------------------------------------------------------------------------------------

TRICKY = '''
# comment [not.a.table]
a = 1
"quoted key" = "x = 1 # no comment"
b.c = [ # list
  1,
  [2, "]"],
  { d = "}" , e = [3] },
]
text = """
f = 1
""" # after
raw = \'\'\'
[g]
\'\'\'
[[h]]
i = 1979-05-27T07:32:00Z
[[h]]
i = 'it''s'

[h.j]
k = inf
'''


def test_lines_are_found_whatever_the_toml() -> None:
    text = TRICKY.replace("'it''s'", "'its'")
    lines = lines_of(text)
    assert tomllib.loads(text)
    expected = {
        ("a",): 3,
        ("quoted key",): 4,
        ("b", "c"): 5,
        ("b", "c", 0): 6,
        ("b", "c", 1, 1): 7,
        ("b", "c", 2, "e", 0): 8,
        ("text",): 10,
        ("raw",): 13,
        ("h", 0, "i"): 17,
        ("h", 1): 18,
        ("h", 1, "i"): 19,
        ("h", 1, "j", "k"): 22,
    }
    assert {place: lines.get(place) for place in expected} == expected
    assert ("g",) not in lines
    assert ("f",) not in lines


@unhurried
@given(scenarios)
def test_every_key_of_a_written_file_has_a_line(scenario: Scenario) -> None:
    text = scenario.to_toml()
    lines = lines_of(text)
    rows = text.splitlines()
    for place in _places(tomllib.loads(text)):
        assert place in lines
        if isinstance(place[-1], str):
            assert place[-1] in rows[lines[place] - 1]


def _places(value: Any, place: tuple[str | int, ...] = ()) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*place, key)
        yield from _places(inner, (*place, key))


# --- Schema, documentation, imports ---------------------------------------------------------------------


def test_the_json_schema_accepts_and_refuses_as_the_classes_do() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(tomllib.loads(BELL))
    assert validator.is_valid(tomllib.loads(NETWORK))
    for right, (wrong, *_) in FAULTS.items():
        if "nan" not in wrong:  # JSON knows no NaN
            assert not validator.is_valid(tomllib.loads(BELL.replace(right, wrong, 1))), wrong


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('weight = "from-rate"', "weight = 2"),
        ("weight = 0.25", 'weight = "fixed"'),
        ('weight = { kind = "fixed", value = 1 }', 'weight = { kind = "fixed" }'),
        ('capacity = { mahimahi = "examples/two_speeds.trace" }', "capacity = { mahimahi = 5 }"),
        ("capacity = { times = [0, 0.5], period = 1 }", "capacity = { times = [], period = 1 }"),
        ('jitter = { most = "1 ms" }', "jitter = { reorder = true }"),
        ('app = { kind = "cbr", interval = 1 }', 'app = { kind = "cbr", interval = 1, rate = 1 }'),
        ('app = { kind = "cbr", rate = 1 }', 'app = { kind = "cbr" }'),
        ('app = "bulk"', 'app = "cbr"'),
        ('control = "cubic"', 'control = "binomial"'),
        (
            'control = { kind = "arima-vegas", forecaster = { kind = "ewma", gain = 0.5 } }',
            'control = { kind = "arima-vegas", forecaster = { kind = "ewma", gain = 2 } }',
        ),
        ('control = { kind = "arima-vegas", decide = "ack" }', 'control = "arima"'),
        ('control = { kind = "binomial", k = 1, l = 0 }', 'control = { kind = "cubic", beta = 1 }'),
        (
            'loss = { kind = "listed", arrivals = [1], of = "acks" }',
            'loss = { kind = "listed", of = "acks" }',
        ),
    ],
)
def test_the_json_schema_knows_every_form(
    right: str, wrong: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    validator = schema_validator()
    assert validator.is_valid(tomllib.loads(_bell_with(right)))
    loads(_bell_with(right))
    assert not validator.is_valid(tomllib.loads(_bell_with(wrong)))
    with pytest.raises(ScenarioError):
        loads(_bell_with(wrong))


def _bell_with(pair: str) -> str:
    """The dumbbell with one pair of a key and a value in its place."""
    key = pair.partition(" = ")[0]
    if key == "weight":
        limits = "min_threshold_packets = 5, max_threshold_packets = 15, limit_packets = 50"
        return BELL.replace('kind = "droptail", limit_packets = 40', f'kind = "red", {limits}, {pair}')
    if key == "control":
        return BELL.replace('kind = "tcp", ', f'kind = "tcp", {pair}, ')
    if key == "app":
        return BELL.replace('app = "bulk"', pair)
    return BELL.replace("access_rate", f"{pair}\naccess_rate", 1)


def test_every_field_is_described() -> None:
    for name, table in json_schema()["$defs"].items():
        for field, schema in table["properties"].items():
            assert schema.get("description") or "$ref" in schema, f"{name}.{field}"


def test_the_reference_is_that_of_the_classes(repository: Path) -> None:
    text = (repository / "docs/scenario.md").read_text()
    ours = text.partition(reference.BEGIN)[2].partition(reference.END)[0]
    again = "python -m parshall.scenario.reference docs/scenario.md"
    assert ours.strip() == reference.reference().strip(), f"made anew by {again}"


def blocks(file: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", file.read_text(), re.DOTALL)


def test_the_documentation_holds(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = repository / "docs/scenario.md"
    monkeypatch.chdir(repository)
    for text in blocks(page, "toml"):
        loads(text)
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec"), {})
    assert blocks(page, "toml")
    assert blocks(page, "python")


EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*"))


@pytest.mark.parametrize(
    "file", [file for file in EXAMPLES if file.suffix == ".toml"], ids=lambda file: file.name
)
def test_examples_run(file: Path) -> None:
    recording = parshall.run(parshall.load(file))
    assert sum(recording.flow(name).packets_delivered for name in recording.flows) > 100


@pytest.mark.parametrize(
    "file", [file for file in EXAMPLES if file.suffix == ".py"], ids=lambda file: file.name
)
def test_programs_run(file: Path) -> None:
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert done.stdout
    assert not done.stderr


def test_the_package_offers_what_it_promises() -> None:
    for name in parshall.__all__:
        assert getattr(parshall, name) is not None
    assert set(parshall.scenario.__all__) - {"RtoConfig"} <= set(parshall.__all__)
    assert set(parshall.__all__) <= set(dir(parshall))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        parshall.nothing  # noqa: B018
    assert callable(parshall.run)


def test_the_stub_describes_the_engine(repository: Path) -> None:
    stub = ast.parse((repository / "python/parshall/_core.pyi").read_text())
    for item in stub.body:
        if isinstance(item, ast.FunctionDef):
            assert callable(getattr(_core, item.name))
        elif isinstance(item, ast.ClassDef) and not item.name.startswith("_"):
            methods = [part.name for part in item.body if isinstance(part, ast.FunctionDef)]
            assert [name for name in methods if not hasattr(getattr(_core, item.name), name)] == []
    described = {getattr(item, "name", None) for item in stub.body} | {"ENGINE_VERSION"}
    assert {name for name in dir(_core) if not name.startswith("__")} <= described


def test_imports_are_lazy(tmp_path: Path) -> None:
    """What only figures, statistics or data frames need is not loaded for a run."""
    (tmp_path / "bell.toml").write_text(BELL)
    code = (
        "import sys, parshall.cli\n"
        "early = {name for name in sys.modules if '.' not in name}\n"
        f"parshall.cli.main(['run', {str(tmp_path / 'bell.toml')!r}, '--out', {str(tmp_path / 'out')!r}])\n"
        "late = {name for name in sys.modules if '.' not in name}\n"
        "print(sorted(early & {'pydantic', 'numpy', 'pyarrow', 'rich'}))\n"
        "print(sorted(late & {'pandas', 'polars', 'matplotlib', 'scipy', 'jinja2'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["[]", "[]"]
