"""The laws against hand-worked values and other derivations; short runs against the laws."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import parshall
from parshall import Bulk, Cbr, DropTail, Dumbbell, FlowGroup, InputError, Record, Series, Tcp, Udp
from parshall.cli.main import main
from parshall.stats import Interval
from parshall.theory import (
    md1_wait,
    mm1_wait,
    padhye_send_rate,
    periodic_loss_window,
    pollaczek_khinchine_wait,
    random_loss_constant,
    random_loss_window,
    red_drop_rate,
    red_mean_gap,
    red_probability,
    replayed_drop_rate,
)
from parshall.theory.tcp_laws import stepped_window, timeout_share
from parshall_dev.theory import figure, padhye as padhye_runs, poisson, red, square_root
from parshall_dev.theory.comparison import Comparison, Curve, Panel, Point, PointSeries as Points
from parshall_dev.theory.little import backlog_and_product
from parshall_dev.theory.page import text, write

# --- The laws -----------------------------------------------------------------------------------------------


def test_the_square_root_law_is_the_area_of_a_tooth() -> None:
    loss = 0.0024
    peak = 4 / 3 * periodic_loss_window(loss)
    assert 3 / 8 * peak**2 == pytest.approx(1 / loss)
    assert periodic_loss_window(loss, acked=2) == pytest.approx(periodic_loss_window(loss) / math.sqrt(2))


def test_a_window_in_steps_stays_behind_by_a_constant() -> None:
    for loss in (1e-4, 1e-6):
        law = periodic_loss_window(loss)
        behind = [
            law - stepped_window(loss, whole=whole, pause=pause, cycles=200)
            for whole, pause in ((False, False), (True, False), (False, True))
        ]
        assert 0 < behind[0] < behind[2] < 2
        assert behind[0] - 0.2 < behind[1] < 1


def test_the_constant_for_random_losses_is_that_of_the_process_itself() -> None:
    # Half the square of the window grows by one a packet and is quartered at each loss.
    random, loss, packets = np.random.default_rng(1), 1e-4, 400_000
    half_square, inverse = 1 / loss, 0.0
    for gap in random.exponential(1 / loss, packets):
        # The mean of 1/window over the packets of a gap, from the integral of (2 y)^-1/2.
        inverse += math.sqrt(2 * (half_square + gap)) - math.sqrt(2 * half_square)
        half_square = (half_square + gap) / 4
    rate = packets / loss / inverse
    assert rate * math.sqrt(loss) == pytest.approx(random_loss_constant(), rel=3e-3)
    assert random_loss_constant() == pytest.approx(1.3098, abs=5e-5)
    assert random_loss_window(0.01) == pytest.approx(13.098, abs=1e-3)


def test_padhye_is_the_square_root_law_when_losses_are_rare() -> None:
    for acked in (1, 2):
        rate = padhye_send_rate(1e-9, rtt=0.1, timeout=0.4, acked=acked)
        assert rate * 0.1 == pytest.approx(periodic_loss_window(1e-9, acked), rel=1e-3)


def test_padhye_by_hand() -> None:
    # p = 0.5, b = 1: W = 1 + sqrt(8/3 + 1) = 2.915, at most three packets, so every loss is a timeout
    # (Q = 1); f = 1 + 1/2 + 1/2 + 1/2 + 1/2 + 1/2 + 1/2 = 4.
    window = 1 + math.sqrt(11 / 3)
    expected = (1 + window + 2) / (0.2 * (window / 2 + 1) + 4 * 0.5 * 2)
    assert padhye_send_rate(0.5, rtt=0.2, timeout=0.5) == pytest.approx(expected)


def test_padhye_with_a_window_limit_meets_the_limit() -> None:
    assert padhye_send_rate(1e-9, 0.1, 0.4, max_window=20) == pytest.approx(200, rel=1e-3)
    free = padhye_send_rate(0.05, 0.1, 0.4)
    assert padhye_send_rate(0.05, 0.1, 0.4, max_window=1000) == free


@given(st.floats(0.001, 0.5), st.floats(3.01, 100))
def test_a_timeout_needs_fewer_than_three_packets_after_the_loss(loss: float, window: float) -> None:
    share = timeout_share(loss, window)
    assert 0 <= share <= 1
    # Not less with a larger window, but for rounding.
    assert share == 1 or share >= timeout_share(loss, window + 1) * (1 - 1e-12)
    # About 3/w of losses at small p, since each place in the window is as likely (the paper's approximation).
    assert timeout_share(1e-7, window) == pytest.approx(min(1, 3 / window), rel=1e-3)


def test_queue_laws_agree_where_they_meet() -> None:
    for load in (0.1, 0.5, 0.9):
        assert pollaczek_khinchine_wait(load / 0.002, [0.002]) == pytest.approx(md1_wait(load, 0.002))
        exponential = np.random.default_rng(2).exponential(0.002, 2_000_000)
        found = pollaczek_khinchine_wait(load / float(np.mean(exponential)), exponential)
        assert found == pytest.approx(mm1_wait(load, 0.002), rel=0.01)


def test_the_mix_of_sizes_is_near_the_exponential_law() -> None:
    sizes = np.array(poisson.exponential_sizes())
    assert np.mean(sizes) == pytest.approx(poisson.MEAN_BYTES, rel=0.01)
    assert np.mean(sizes**2) / np.mean(sizes) ** 2 == pytest.approx(2, rel=0.03)
    assert np.all(np.diff(sizes) > 0)


@pytest.mark.parametrize("p", [0.05, 0.1, 0.02])
def test_red_gaps_are_uniform(p: float) -> None:
    # Uniform on 1/p ... 2/p - 1, and on 1 ... 1/p - 1.
    assert red_mean_gap(p) == pytest.approx((1 / p + 2 / p - 1) / 2)
    assert red_mean_gap(p, wait=False) == pytest.approx(1 / p / 2)
    assert red_drop_rate(p) == pytest.approx(2 * p / (3 - p))


@given(st.floats(0.001, 1))
def test_red_drops_between_its_bounds(p: float) -> None:
    assert 1 <= red_mean_gap(p, wait=False) <= red_mean_gap(p) <= 2 / p
    assert red_drop_rate(0) == 0


def test_red_probability_is_the_two_lines() -> None:
    def at(average: float, *, gentle: bool = True) -> float:
        return red_probability(average, 5, 15, 0.1, gentle=gentle)

    assert [at(4.9), at(5), at(10), at(15), at(22.5), at(30)] == pytest.approx([0, 0, 0.05, 0.1, 0.55, 1])
    assert at(15, gentle=False) == 1


@pytest.mark.parametrize("wait", [True, False])
def test_a_replay_at_a_constant_average_is_the_law(wait: bool) -> None:
    n = 200_000
    draws = np.random.default_rng(3).uniform(size=n)
    found = replayed_drop_rate(np.full(n, 33.0), np.full(n, 9), draws, 10, 90, 0.1, wait=wait)
    assert found == pytest.approx(red_drop_rate(0.1 * 23 / 80, wait=wait), rel=0.02)
    assert replayed_drop_rate(np.full(n, 33.0), np.full(n, 1), draws, 10, 90, 0.1, wait=wait) == 0
    assert replayed_drop_rate(np.full(n, 9.9), np.full(n, 9), draws, 10, 90, 0.1, wait=wait) == 0


@pytest.mark.parametrize("loss", [0.0, 1.0, -0.1, math.nan])
def test_a_loss_that_is_no_probability_is_named(loss: float) -> None:
    for law in (periodic_loss_window, random_loss_window, lambda p: padhye_send_rate(p, 0.1, 0.4)):
        with pytest.raises(InputError, match=r"loss: got .*, expected a probability above 0 and below 1"):
            law(loss)


def test_a_load_without_equilibrium_is_named() -> None:
    for law in (md1_wait, mm1_wait):
        with pytest.raises(InputError, match=r"load: got 1.0, expected a load of at least 0 and below 1"):
            law(1.0, 0.001)
    with pytest.raises(InputError, match=r"probability: got 0, expected"):
        red_mean_gap(0)


# --- The simulator ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("periodic", [True, False])
def test_rare_losses_give_the_square_root_law(periodic: bool) -> None:
    law = periodic_loss_window if periodic else random_loss_window
    network = square_root.scenario(1e-3, periodic=periodic)
    flow = parshall.run(network, seed=3).flow("f")
    window = flow.packets_sent / (network.duration - network.warm_up) * square_root.RTT
    # What is left of the law is about two packets a round trip (docs/theory.md).
    assert law(1e-3) - 4.5 < window < law(1e-3)


def test_padhye_is_met_at_a_middling_loss() -> None:
    network = padhye_runs.scenario("sack", 1, 0.02, losses=2000)
    flow = parshall.run(network, seed=1).flow("f")
    rate = flow.packets_sent / (network.duration - network.warm_up)
    assert rate == pytest.approx(padhye_send_rate(0.02, padhye_runs.RTT, padhye_runs.TIMEOUT), rel=0.12)
    assert flow.timeouts > 0


@pytest.mark.parametrize("sizes", [[1250], [100, 700, 3000]])
def test_waits_are_those_of_lindleys_recursion(sizes: list[int]) -> None:
    duration = 2.0
    times = poisson.arrivals(0.8, sizes, duration, seed=4)
    network = poisson.scenario(times, sizes, duration)
    result = parshall.run(network.replace("record", Record(packets=["link"])), 1)
    packets = sorted(
        (time, 8 * size / poisson.RATE) for each, size in zip(times, sizes, strict=True) for time in each
    )
    free, starts, delays = 0.0, [], []
    for time, service in packets:
        starts.append(max(free, time))
        free = starts[-1] + service
        if time >= poisson.WARM_UP * duration:
            delays.append(free - time)
    events = result.columns("packets")
    started = events["time"][events["event"] == 1]
    assert len(started) > 1000
    assert np.allclose(started, starts[: len(started)], rtol=0, atol=1e-9)
    assert all(start >= duration for start in starts[len(started) :])
    # Arrivals of the counted time; those whose transmission ends later may be left out.
    assert result.columns("ports")["mean_delay"][0] == pytest.approx(np.mean(delays), rel=1e-2)


@pytest.mark.parametrize("wait", [True, False])
def test_red_settles_on_its_curve(wait: bool) -> None:
    network = red.scenario(30, wait=wait, duration=60)
    recording = parshall.run(network, seed=5)
    port = recording.port("bottleneck")
    met = red.packets_met(recording.columns("packets"))
    assert len(met.time[met.time >= red.WARM_UP]) == port.packets_arrived
    averages = met.averages(red.WEIGHT, red.RATE / (8 * red.MEAN_PACKET))[met.time >= red.WARM_UP]
    base = red_probability(float(np.mean(averages)), red.LOW, red.HIGH, red.MOST)
    assert port.drop_rate == pytest.approx(red_drop_rate(base, wait=wait), rel=0.06)


def test_what_packets_met_is_the_backlog() -> None:
    recording = parshall.run(red.scenario(6, wait=True, duration=25), seed=1)
    met = red.packets_met(recording.columns("packets"))
    series = recording.port("bottleneck").series
    # Just before a sample the backlog changes by the packet that came last; sampled means are close.
    waiting = np.maximum(series.backlog_packets.astype(np.int64) - 1, 0)
    assert met.waiting.min() == 0
    assert met.waiting.max() == pytest.approx(waiting.max(), abs=3)
    assert np.all((met.idle > 0) <= (met.waiting == 0))
    assert np.any(met.idle > 0)


@settings(max_examples=25, deadline=None)
@given(
    tcps=st.integers(0, 4),
    calls=st.integers(1, 3),
    rate=st.floats(1e6, 2e7),
    limit=st.integers(2, 60),
    recovery=st.sampled_from(["tahoe", "reno", "newreno", "sack"]),
    seed=st.integers(0, 1000),
)
def test_littles_law_holds_in_every_run(
    tcps: int, calls: int, rate: float, limit: int, recovery: str, seed: int
) -> None:
    groups = [
        FlowGroup(name="udp", count=calls, transport=Udp(), app=Cbr(rate="400 kbit/s"), start_spread=0.02)
    ]
    if tcps:
        tcp = Tcp.from_dict({"kind": "tcp", "recovery": recovery})
        groups.append(FlowGroup(name="tcp", count=tcps, transport=tcp, app=Bulk(), start_spread=0.1))
    duration, warm_up = 6.0, 1.0
    bell = Dumbbell(
        duration=duration,
        warm_up=warm_up,
        rate=rate,
        delay="10 ms",
        queue=DropTail(limit_packets=limit),
        access_rate="100 Mbit/s",
        access_delay="1 ms",
        flows=groups,
        record=Record(port_series=Series(of="bottleneck", interval="0.4142 ms")),
    )
    result = parshall.run(bell, seed)
    sampled, product = backlog_and_product(result, 0)
    # Packets that are in the queue when counting begins or ends are in one of the books only.
    edge = 2 * limit * float(result.columns("ports")["mean_delay"][0]) / (duration - warm_up)
    assert sampled == pytest.approx(product, rel=0.03, abs=0.01 + edge)


# --- The page -----------------------------------------------------------------------------------------------


def point(x: float, law: float, mean: float) -> Point:
    return Point(x, law, Interval(mean, mean - 0.5, mean + 0.5, 5))


def test_the_largest_deviation_counts_its_size_not_its_sign() -> None:
    series = Points("s", (point(1, 10, 11), point(2, 10, 8), point(3, 10, 10.2)))
    assert series.worst.x == 2
    assert series.worst.deviation == pytest.approx(-0.2)
    assert series.agreeing == 1
    panel = Panel("t", "x", "y", (Curve("law", (1, 3), (10, 10)),), (series,))
    assert Comparison("n", "t", (panel,), 3, {}).worst is series.worst


def test_the_page_in_the_documentation_is_whole(repository: Path) -> None:
    page = (repository / "docs" / "theory.md").read_text(encoding="utf-8")
    figures = re.findall(r"\(figures/(theory-[a-z-]+\.svg)\)", page)
    assert len(figures) == 6
    for name in figures:
        svg = (repository / "docs" / "figures" / name).read_text(encoding="utf-8")
        assert "measured / law" in svg
        assert "<title" in svg
    assert "nan" not in page


def test_a_figure_shows_law_points_and_ratio() -> None:
    series = Points("what was measured", (point(1, 10, 11), point(2, 10, 8)))
    panel = Panel("One panel", "load", "wait, ms", (Curve("the law", (1, 2), (10, 10)),), (series,))
    svg = figure.figure(Comparison("name", "A law", (panel,), 3, {}))
    for words in ("A law", "One panel", "load", "wait, ms", "the law", "what was measured", "measured / law"):
        assert f">{words}<" in svg


def test_the_page_is_written_with_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure, "figure", lambda comparison: f"<svg>{comparison.title}</svg>")
    series = Points("s", (point(1, 10, 11), point(2, 10, 8)))
    panel = Panel("t", "x", "y", (Curve("law", (1, 2), (10, 10)),), (series,))

    class Facts(dict[str, str]):
        """Any fact that the text asks for."""

        def __missing__(self, key: str) -> str:
            return f"fact-{key}"

    names = {
        "square_root": "square-root",
        "padhye": "padhye",
        "queues": "queues",
        "little": "little",
        "red": "red",
        "prediction_error": "prediction-error",
    }
    found = {key: Comparison(name, f"Law {name}", (panel,), 3, Facts()) for key, name in names.items()}
    page = write(tmp_path, found, seeds=7)
    written = page.read_text(encoding="utf-8")
    assert written == text(found, 7)
    assert "means over 7 seeds" in written
    assert "−20.0 %" in written
    assert sorted(file.name for file in (tmp_path / "figures").iterdir()) == sorted(
        f"theory-{name}.svg" for name in names.values()
    )


def test_the_command_says_what_it_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["validate", "theory", "--out", str(tmp_path / "file")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("parshall: ")
    assert str(tmp_path / "file") in error
    assert error.count("\n") == 1


def test_the_command_wants_seeds_for_an_interval(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "theory", "--seeds", "1"]) == 2
    assert "--seeds" in capsys.readouterr().err
