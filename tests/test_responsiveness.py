"""The estimator of the non-responsive share: arrays, single packets, a port's observer, and the truth."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import parshall
from parshall.errors import InputError
from parshall.estimators.responsiveness import Responsiveness, ResponsivenessQuality, share_or_middle
from parshall.recording import Recording
from parshall.recording.views import PortResponsiveness
from parshall.scenario import (
    BernoulliLoss,
    Bulk,
    Cbr,
    DitherLoss,
    DropTail,
    Dumbbell,
    ExponentialPeriods,
    FlowGroup,
    OnOff,
    Record,
    Red,
    ShareSeries,
    Tcp,
    Udp,
)

Queue = Red | parshall.CoDel | parshall.FqCodel
RED = Red(min_threshold_packets=15, max_threshold_packets=45, limit_packets=60)


def bell(n_tcp: int, n_udp: int, *, red: Queue = RED, duration: float = 100, ecn: bool = False) -> Dumbbell:
    """Long TCP flows and CBR at 28 Mbit/s over a round trip of 100 ms (Zhao 2004, section II.C)."""
    tcp = Tcp(profile="ns2", recovery="sack", min_rto=1, payload_bytes=960, ecn=ecn)
    groups = (
        FlowGroup(name="t", count=n_tcp or 1, transport=tcp, app=Bulk(), start_spread=5),
        FlowGroup(
            name="u",
            count=n_udp or 1,
            transport=Udp(payload_bytes=1000, header_bytes=28),
            app=Cbr(rate="1 Mbit/s"),
            start_spread=1,
        ),
    )
    return Dumbbell(
        duration=duration,
        rate="28 Mbit/s",
        delay="46 ms",
        queue=red,
        access_rate="100 Mbit/s",
        access_delay="2 ms",
        flows=[group for group, count in zip(groups, (n_tcp, n_udp), strict=True) if count],
        record=Record(packets="bottleneck", responsiveness=ShareSeries(of="bottleneck", interval=0.7)),
    )


@pytest.fixture(scope="module")
def recording() -> Recording:
    return parshall.run(bell(35, 16), 77)


def arrivals(recording: Recording) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time, flow and fate of the packets that arrived at the bottleneck."""
    packets = recording.port("bottleneck").packets
    arrived, dropped = packets.event == 0, packets.event == 2
    key = packets.flow.astype(np.int64) * 2**40 + packets.seq
    fates = dict.fromkeys(zip(packets.time[dropped], key[dropped], strict=True))
    lost = [pair in fates for pair in zip(packets.time[arrived], key[arrived], strict=True)]
    return packets.time[arrived], packets.flow[arrived], np.array(lost)


def test_the_observer_is_the_estimator_on_the_ports_packets(recording: Recording) -> None:
    time, flow, lost = arrivals(recording)
    series = Responsiveness().run(time=time, flow=2 * flow, signalled=lost, until=100)
    seen = recording.port("bottleneck").responsiveness
    assert len(seen) == len(series.time) == 142
    for column in fields(seen):
        if column.name not in ("packets_udp", "packets_deaf", "acks"):
            ours, theirs = getattr(seen, column.name), getattr(series, column.name)
            np.testing.assert_array_equal(ours, theirs, err_msg=column.name)


def test_packets_one_by_one_are_the_arrays(recording: Recording) -> None:
    time, flow, lost = (column[:20_000] for column in arrivals(recording))
    series = Responsiveness(flows=64, seed=3).run(time=time, flow=flow, signalled=lost)
    port = Responsiveness(flows=64, seed=3)
    estimates = [
        estimate
        for now, key, drop in zip(time.tolist(), flow.tolist(), lost.tolist(), strict=True)
        for estimate in port.update(time=now, flow=key, signalled=drop)
    ]
    for name, column in zip(series._fields, series, strict=True):
        np.testing.assert_array_equal([getattr(estimate, name) for estimate in estimates], column)


@pytest.mark.parametrize(
    ("n_tcp", "n_udp", "ecn"), [(35, 22, False), (35, 5, False), (35, 0, False), (35, 16, True)]
)
def test_the_share_is_found_without_any_setting(n_tcp: int, n_udp: int, ecn: bool) -> None:
    red = Red(min_threshold_packets=15, max_threshold_packets=45, limit_packets=60, ecn=ecn)
    run = parshall.run(bell(n_tcp, n_udp, red=red, ecn=ecn).with_({"record.packets": ()}), 5)
    port = run.port("bottleneck").responsiveness
    late = port.time > 60
    truth = port.packets_udp / port.packets
    error = (port.share - truth)[late]
    assert np.isfinite(error).all()
    assert np.mean(error**2) < 0.003
    inside = (truth >= port.share_lower - 1e-3) & (truth <= port.share_upper + 1e-3)
    assert np.mean(inside[late]) > 0.9
    assert not port.flags[late].any()


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("n_tcp", "n_udp", "queue"),
    [(20, 12, parshall.CoDel()), (35, 16, parshall.CoDel()), (35, 16, parshall.FqCodel())],
)
def test_the_share_is_found_at_a_queue_that_drops_when_packets_leave(
    n_tcp: int, n_udp: int, queue: Queue, seed: int
) -> None:
    # Counted when they left, packets of FQ-CoDel gave shares that were wrong by 0.3 and 0.4.
    run = parshall.run(bell(n_tcp, n_udp, red=queue).with_({"record.packets": ()}), seed)
    shown = run.port("bottleneck").responsiveness
    assert mean_square_error(shown, after=60) < 0.003
    assert known_part(shown, after=60) > 0.9


def test_the_share_of_few_flows_at_fq_codel_is_unknown_rather_than_wrong() -> None:
    """It should be found: docs/guide/responsiveness.md says what fails."""
    told = []
    for seed in range(1, 7):
        bell_of_few = bell(20, 12, red=parshall.FqCodel()).with_({"record.packets": ()})
        shown = parshall.run(bell_of_few, seed).port("bottleneck").responsiveness
        late = shown.time > 60
        error = (shown.share - shown.packets_udp / shown.packets)[late]
        known = np.isfinite(error)
        assert np.all(np.abs(error[known]) < 0.05)
        told.append(known.mean())
    assert sum(part > 0.9 for part in told) == 1


def test_at_such_a_queue_packets_count_when_they_came() -> None:
    run = parshall.run(bell(10, 12, red=parshall.FqCodel()), 4)
    port = run.port("bottleneck")
    rows, shown = port.packets, port.responsiveness
    arrivals = rows.time[rows.event == 0]
    expected, _ = np.histogram(arrivals, bins=np.concatenate([[0.0], shown.time]))
    np.testing.assert_array_equal(shown.packets, expected)


def test_fates_may_come_late_and_out_of_order() -> None:
    time, flow = np.arange(4000) * 0.01, np.arange(4000) % 3
    lost = np.arange(4000) % 40 == 7
    series = Responsiveness(interval=1.0).run(time=time, flow=flow, signalled=lost)
    port = Responsiveness(interval=1.0)
    shares: list[float] = []
    tickets: list[tuple[int, bool]] = []
    for now, key, drop in zip(time.tolist(), flow.tolist(), lost.tolist(), strict=True):
        tickets.append((port.arrive(time=now, flow=key), drop))
        if len(tickets) == 10:
            for ticket, fate in reversed(tickets):
                assert port.decide(ticket, fate)
            tickets.clear()
        shares += [estimate.share for estimate in port.close(now)]
    shares += [estimate.share for estimate in port.close(time[-1])]
    np.testing.assert_array_equal(shares, series.share)
    assert not port.decide(0, True)
    last = port.arrive(time=40.0, flow=1)
    assert [estimate.time for estimate in port.close(50.0)] == [40.0], "the packet is of the next one"
    port.settle()
    assert len(port.close(50.0)) == 1
    assert not port.decide(last, None)


def test_evidence_is_recorded_of_the_flows_of_every_third_interval() -> None:
    asked = {"record.responsiveness.evidence_every": 3}
    run = parshall.run(bell(35, 16, duration=30).with_(asked), 77)
    assert set(run.tables) == {"flows", "ports", "packets", "responsiveness", "evidence"}
    rows, seen = run.columns("evidence"), run.columns("responsiveness")
    names = ("time", "port", "flow", "packets", "deaf", *Responsiveness.EVIDENCE)
    assert tuple(run.table("evidence").column_names) == names
    assert np.unique(rows["time"]).tolist() == seen["time"][2::3].tolist()
    packets = [rows["packets"][rows["time"] == time].sum() for time in seen["time"][2::3]]
    np.testing.assert_array_equal(packets, seen["packets"][2::3])
    last = rows["time"] == rows["time"][-1]
    udp = np.array([run.flows[flow].startswith("u") for flow in rows["flow"][last]])
    assert rows["deaf"][last][udp].min() > 0.5 > rows["deaf"][last][~udp].max()
    # The estimator by itself says the same.
    time, flow, lost = arrivals(run)
    port = Responsiveness()
    until = time < seen["time"][2]
    port.run(time=time[until], flow=2 * flow[until], signalled=lost[until], until=seen["time"][2])
    found = port.evidence()
    order = np.argsort(found["flow"])
    first = rows["time"] == rows["time"][0]
    for name in Responsiveness.EVIDENCE:
        np.testing.assert_array_equal(found[name][order], rows[name][first], err_msg=name)
    labels = np.where(found["deaf"] <= 0.05, -1, np.where(found["deaf"] >= 0.95, 1, 0))
    assert found["label"].tolist() == labels.tolist()


def test_an_idle_link_is_no_evidence() -> None:
    run = parshall.run(bell(0, 5, duration=10).with_({"record.packets": ()}), 1)
    port = run.port("bottleneck").responsiveness
    assert np.all(port.signals == 0)
    quality = ResponsivenessQuality(int(port.flags[-1]))
    assert quality == (
        ResponsivenessQuality.LOW_EXCITATION
        | ResponsivenessQuality.NO_SIGNALS
        | ResponsivenessQuality.WARMING_UP
        | ResponsivenessQuality.DOUBTFUL
    )
    assert np.isnan(port.share[-1])
    assert (port.share_lower[-1], port.share_upper[-1]) == (0, 1)


def test_recording_the_share_changes_nothing_else() -> None:
    scenario = bell(5, 22, duration=20)
    plain = parshall.run(scenario.with_({"record.responsiveness": None}), 2)
    watched = parshall.run(scenario, 2)
    assert plain.table("packets").equals(watched.table("packets"))
    columns = [name for name in plain.table("flows").column_names if name != "completed_at"]  # NaN differs
    assert plain.table("flows").select(columns).equals(watched.table("flows").select(columns))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interval": 0}, "interval: got 0, expected a time above 0, in seconds"),
        ({"interval": float("nan")}, "interval: got NaN, expected a time above 0, in seconds"),
        ({"flows": 1}, "flows: got 1, expected a whole number from 2 to 16777216"),
        ({"flows": -4}, "flows: got -4, expected a whole number from 0 to 4294967295"),
    ],
)
def test_settings_are_checked(settings: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Responsiveness(**settings)  # type: ignore[arg-type]


def test_arrays_are_checked() -> None:
    port = Responsiveness()
    with pytest.raises(InputError, match=r"flow: got 2 values, expected 1, one for each of time"):
        port.run(time=[0.0], flow=[1, 2], signalled=[True])
    with pytest.raises(InputError, match=r"flow\[1\]: got -2, expected a whole number from 0"):
        port.run(time=[0.0, 1.0], flow=[1, -2], signalled=[True, False])
    with pytest.raises(TypeError, match=r"signalled: got .*, expected an array of truth values"):
        port.run(time=[0.0], flow=[1], signalled=[0.5])
    with pytest.raises(InputError, match=r"time: got an array of shape \(1, 1\), expected one dimension"):
        port.run(time=[[0.0]], flow=[1], signalled=[True])
    with pytest.raises(TypeError, match='interval: got "x", expected a number'):
        Responsiveness(interval="x")  # type: ignore[arg-type]
    assert len(port.run(time=[], flow=[], signalled=[]).time) == 0


def test_times_that_cannot_be_used_flag_the_estimate() -> None:
    port = Responsiveness(interval=1)
    series = port.run(time=[0.5, np.nan, 0.2, 1.5], flow=[1, 1, 1, 1], signalled=[False] * 4)
    assert series.packets.tolist() == [1]
    assert series.flags[0] & ResponsivenessQuality.BAD_SAMPLE


def test_on_off_sources_at_a_drop_tail_queue_are_judged_right_and_a_dither_costs_little() -> None:
    """Sources that switch on and off make the drops of a drop-tail queue, which are no trial of them. A
    dither is: three packets in 1000, dropped at random.
    """
    on_off = OnOff(law=ExponentialPeriods(), rate="1.4 Mbit/s", on=3, off=3)
    dumbbell = bell(40, 35, duration=199.5).with_(
        {
            "delay": "8 ms",
            "access_delay": "4.25 ms",
            "queue": DropTail(limit_packets=60),
            "flows[t].transport": Tcp(recovery="sack"),
            "flows[u].app": on_off,
            "record.packets": (),
        }
    )
    loss = BernoulliLoss(probability=0.003, of="data")
    changes = {"loss": loss, "record.responsiveness.signals": "losses"}
    plain = parshall.run(dumbbell, 4).port("bottleneck")
    dithered = parshall.run(dumbbell.with_(changes), 4).port("bottleneck")
    assert dithered.responsiveness.signals.sum() == dithered.packets_lost
    assert mean_square_error(plain.responsiveness) < 0.001
    assert mean_square_error(dithered.responsiveness) < 0.001
    assert min(known_part(port.responsiveness) for port in (plain, dithered)) > 0.9
    # What it costs: throughput and delay stay within a hundredth.
    assert dithered.utilization > 0.99 * plain.utilization
    assert dithered.mean_delay < 1.01 * plain.mean_delay


def test_a_dither_tops_up_a_queue_that_hardly_drops() -> None:
    """A link with room for all: nobody is ever asked to slow down, and nothing is known. A packet in a
    hundred, dropped at random, shows who responds.
    """
    changes = {"record.packets": (), "flows[t].transport.max_window_packets": 12}
    idle = bell(8, 4, duration=99.4).with_(changes)
    asked = idle.with_({"loss": DitherLoss(floor=0.01, of="data"), "record.responsiveness.signals": "both"})
    plain, dithered = (parshall.run(scenario, 3).port("bottleneck") for scenario in (idle, asked))
    assert plain.responsiveness.signals.sum() == 0
    assert np.all(np.isnan(plain.responsiveness.share))
    assert dithered.packets_dropped == 0
    assert dithered.packets_lost / dithered.packets_arrived == pytest.approx(0.01, rel=0.2)
    assert dithered.responsiveness.signals.sum() == dithered.packets_lost
    assert mean_square_error(dithered.responsiveness, after=60) < 0.001
    assert known_part(dithered.responsiveness, after=60) > 0.9


def test_a_dither_marks_flows_that_read_marks() -> None:
    scenario = bell(5, 0, duration=59.5, ecn=True).with_(
        {
            "record.packets": (),
            "loss": DitherLoss(floor=0.005, of="data"),
            "record.responsiveness.signals": "both",
            "flows[t].transport.max_window_packets": 12,
        }
    )
    port = parshall.run(scenario, 3).port("bottleneck")
    assert port.packets_lost == 0
    assert port.packets_marked / port.packets_arrived == pytest.approx(0.005, rel=0.3)
    assert port.responsiveness.signals.sum() == port.packets_marked
    assert port.responsiveness.share[-1] < 0.05


def test_a_dither_is_silent_where_the_queue_drops_enough() -> None:
    dropping = bell(35, 22, duration=60).with_({"record.packets": (), "loss": DitherLoss(of="data")})
    port = parshall.run(dropping, 5).port("bottleneck")
    assert port.packets_dropped > 0.05 * port.packets_arrived
    assert port.packets_lost < 0.0005 * port.packets_arrived


def test_no_floor_is_no_dither() -> None:
    plain = bell(5, 22, duration=20)
    floorless = plain.with_({"loss": DitherLoss(floor=0, of="data")})
    assert parshall.run(plain, 2).table("packets").equals(parshall.run(floorless, 2).table("packets"))


def mean_square_error(series: PortResponsiveness, after: float = 100) -> float:
    late = series.time > after
    share = share_or_middle(series.share, series.share_lower, series.share_upper)
    return float(np.mean((share - series.packets_udp / series.packets)[late] ** 2))


def known_part(series: PortResponsiveness, after: float = 100) -> float:
    """Part of the intervals that tell a share."""
    return float(np.isfinite(series.share[series.time > after]).mean())


def test_the_middle_of_the_bounds_stands_for_a_share_that_is_unknown() -> None:
    time = np.arange(6000) * 0.01
    series = Responsiveness().run(time=time, flow=np.ones(6000, int), signalled=np.arange(6000) % 50 == 0)
    unknown = np.isnan(series.share)
    assert 0 < unknown.sum() < len(unknown)
    assert series.share_or_middle[unknown].tolist() == (
        ((series.share_lower + series.share_upper) / 2)[unknown].tolist()
    )
    assert series.share_or_middle[~unknown].tolist() == series.share[~unknown].tolist()
    wide = series.share_upper - series.share_lower > Responsiveness.WIDEST
    assert wide.tolist() == unknown.tolist()


def test_evidence_is_missing_of_flows_that_have_sent_again() -> None:
    time, flow, lost = np.arange(400) * 0.01, np.arange(400) % 2, np.zeros(400, bool)
    ended = Responsiveness(interval=1.0)
    ended.run(time=time, flow=flow, signalled=lost, until=4.0)
    assert sorted(ended.evidence()["flow"].tolist()) == [0, 1]
    late = Responsiveness(interval=1.0)
    late.run(time=time[:301], flow=flow[:301], signalled=lost[:301])
    assert late.evidence()["flow"].tolist() == [1]
