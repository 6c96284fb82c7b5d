"""The study linux-testbed: what a machine is told and says, what follows, and one short run of a machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests import linux_machine as linux
from tests.machine_answers import ELSEWHERE, ROWS, TCP, UDP, packet_records, said

from parshall import run
from parshall.cli.main import main
from parshall.errors import InputError, ParshallError
from parshall_dev.emulated import Workshop
from parshall_dev.linux_testbed import network, settings, tuning
from parshall_dev.linux_testbed.machine import PROGRAMS, Bench
from parshall_dev.linux_testbed.reading import Seen
from parshall_dev.linux_testbed.samples import PRINTED, Samples, filtered
from parshall_dev.linux_testbed.script import cbr, script
from parshall_dev.linux_testbed.settings import EXPERIMENTS, FULL, SMALL, Scale

TRUE_SHARE = UDP * settings.UDP_BYTES / (UDP * settings.UDP_BYTES + TCP * settings.TCP_BYTES)


# --- What a machine says ------------------------------------------------------------------------------------


def test_counters_become_samples() -> None:
    samples = Seen.read(said()).samples(10e6)
    assert len(samples.time) == ROWS - 1
    assert samples.share == pytest.approx(TRUE_SHARE)
    assert set(samples.arrived) == {UDP * settings.UDP_BYTES + TCP * settings.TCP_BYTES}
    assert samples.drop_rate == pytest.approx(100 * samples.drops.sum() / (40 * (ROWS - 1)))
    assert samples.mean_backlog == pytest.approx(21.5, abs=0.1)
    assert Seen.read(said()).delivered == 1000 / 4000


def test_the_modules_estimates_are_taken_when_they_are_new() -> None:
    shares = Seen.read(said()).shares(0.9)
    assert len(shares.time) == ROWS // settings.ESTIMATION - 2
    assert np.allclose(shares.measured, TRUE_SHARE)
    assert np.allclose(shares.estimated, 0.5)
    assert shares.mean_square_error == pytest.approx((TRUE_SHARE - 0.5) ** 2)


def test_an_estimate_that_is_none_moves_nothing() -> None:
    share = np.where(np.arange(ROWS) < ROWS // 2, 2**13, -1)
    shares = Seen.read(said(share=share)).shares(0.9)
    assert np.allclose(shares.estimated, 0.5)


def test_figure_19() -> None:
    assert Seen.read(said()).last_average == (8192, 0.5)


def test_packets_that_the_queue_did_not_drop_are_lost_elsewhere() -> None:
    step = np.arange(ROWS)
    drops = (UDP + TCP - 1) * step
    assert Seen.read(said(drops=drops)).lost_elsewhere(1.0) == pytest.approx(100 / (UDP + TCP))
    assert Seen.read(said(drops=drops, backlog_packets=step)).lost_elsewhere(1.0) == pytest.approx(0.0)


def test_numbers_that_did_not_fit_are_counted() -> None:
    assert Seen.read(said()).saturated == 0
    doubts = np.where(np.arange(ROWS) < 5, 0x200 + 0x10, 0x10)
    assert Seen.read(said(quality=doubts)).saturated == 5


def test_what_the_second_bottleneck_dropped() -> None:
    assert Seen.read(said()).elsewhere is None
    assert Seen.read(said(elsewhere=ELSEWHERE)).elsewhere == 25


@pytest.mark.parametrize(
    "spoiled",
    ["", "nothing", said().replace("== json", "== other"), said().replace("== counted\nH", "== counted\n!")],
)
def test_what_is_no_answer_is_refused_in_a_line(spoiled: str) -> None:
    with pytest.raises(
        ParshallError, match=r"the machine's answer: .*expected counters of a port"
    ) as refused:
        Seen.read(spoiled)
    assert "\n" not in str(refused.value)


def test_a_machine_without_estimates_is_refused() -> None:
    with pytest.raises(ParshallError, match="no estimates, expected one in seven round trips"):
        Seen.read(said(estimates=np.zeros(ROWS))).shares(0.9)


def test_what_never_left_was_dropped() -> None:
    text, udp, lost = packet_records()
    packets = Seen.read(said(packets=text)).packets
    assert packets is not None
    assert len(packets.time) == pytest.approx(len(udp) - 480, abs=25)
    assert np.array_equal(packets.dropped, lost[: len(packets.time)])
    assert np.array_equal(packets.udp, udp[: len(packets.time)])
    shares = packets.shares(5.0, 0.9)
    assert np.allclose(shares.measured, 0.75, atol=0.01)
    assert ((shares.estimated >= 0) & (shares.estimated <= 1)).all()
    with pytest.raises(ParshallError, match="got no interval of packets"):
        packets.shares(packets.time[-1] - 1e-3, 0.9)


# --- What follows -------------------------------------------------------------------------------------------


def test_both_parts_of_a_ratio_are_filtered() -> None:
    part, whole = np.array([1.0, 4.0, 2.0]), np.array([2.0, 5.0, 9.0])
    above, below, expected = part[0], whole[0], []
    for one, other in zip(part, whole, strict=True):
        above, below = 0.8 * above + 0.2 * one, 0.8 * below + 0.2 * other
        expected.append(above / below)
    assert np.allclose(filtered(part, whole, 0.8), expected)


def test_a_filter_of_nothing_is_nothing() -> None:
    assert np.isnan(filtered(np.zeros(3), np.zeros(3), 0.5)).all()


def test_gains_start_where_they_say() -> None:
    load = PRINTED.start_load(8e6)
    assert load == pytest.approx(0.5 * 1000 * 0.1)  # half of the capacity, in a round trip
    assert PRINTED.start_flows(8e6) == pytest.approx(load / 6.3)
    assert set(PRINTED.options(8e6)) == {"gamma1", "gamma2", "start-load", "start-flows"}


def test_tuning_is_no_worse_than_what_is_printed() -> None:
    training = [_simulated(seed) for seed in (1, 2)]

    def error(gains: tuning.Gains) -> float:
        return float(np.mean([each.shares(gains, 0.9).mean_square_error for each in training]))

    assert error(tuning.tune(training, 0.9)) < error(PRINTED)


def _simulated(seed: int) -> Samples:
    experiment, scale = EXPERIMENTS["load/76"], Scale(1 / 7, 0.05, 1)
    recording = run(network.network(experiment, scale), seed=seed)
    return network.samples(experiment, scale, recording).since(scale.start)


# --- The simulator ------------------------------------------------------------------------------------------


def test_the_network_is_the_chapters() -> None:
    full = network.network(EXPERIMENTS["load/63"], FULL)
    assert full.rate == 100e6
    assert [(group.name, group.count) for group in full.flows] == [("tcp", 35), ("udp", 63)]
    queue = full.queue
    assert (queue.limit_packets, queue.min_threshold_packets, queue.max_threshold_packets) == (60, 15, 45)
    assert queue.weight.value == 1 / 16
    assert full.flows[1].app.rate * settings.UDP_BYTES / settings.UDP_PAYLOAD == pytest.approx(1e6)


def test_the_simulators_samples_count_what_the_routers_do() -> None:
    samples = _simulated(3)
    assert samples.load == pytest.approx(1, abs=0.02)
    assert samples.share == pytest.approx(0.74, abs=0.03)
    mix, scale = EXPERIMENTS["mix"], Scale(1 / 7, 0.1, 1)
    of_mix = network.samples(mix, scale, run(network.network(mix, scale), seed=1))
    during = (of_mix.time > 13) & (of_mix.time < 24)
    quiet = (of_mix.time > 4) & (of_mix.time < 12)
    deaf = [of_mix.deaf[when].sum() / of_mix.arrived[when].sum() for when in (quiet, during)]
    assert deaf[0] == pytest.approx(0.66, abs=0.03)
    assert deaf[1] > deaf[0] + 0.1


# --- What a machine is told ---------------------------------------------------------------------------------


def test_loads_are_made_of_flows_of_about_a_megabit() -> None:
    for load in (0.63, 0.76, 0.87):
        for scale in (SMALL, FULL):
            count, rate = cbr(load, scale)
            assert count * rate == pytest.approx(load * scale.rate)
            assert rate == pytest.approx(1e6, rel=0.1)


def test_a_script_says_what_the_experiment_is() -> None:
    told = script(EXPERIMENTS["dynamic"], FULL, {"gamma1": 7.5}, seed=3)
    assert "estmred limit 60000 min 15000 max 45000 avpkt 1000" in told
    assert "gamma1 7.5" in told
    assert "tbf rate 100000000bit" in told
    assert "-P 35 " in told
    assert "sleep 150;" in told
    assert "siege" not in told
    assert "siege -b -i -f /tmp/pages -c 200 -t 120S" in script(EXPERIMENTS["mix"], FULL, {}, seed=1)
    told_of = {name: script(each, SMALL, {}, seed=1) for name, each in settings.BESIDE.items()}
    assert "tune-above 0.5 tune-band 0.1" in told_of["queue/estmred-tuned"]
    assert "handle 2: fq_codel limit 60" in told_of["queue/fq_codel"]
    assert "estimate one-hop" not in told_of["queue/red"]
    assert "estimate off" in told_of["queue/estmred-off"]
    assert "estimate one-hop" not in told_of["queue/estmred-off"]
    super_packets = settings.VARIANTS[settings.SUPER]
    assert "gso_max_segs" in told
    assert "gso_max_segs" not in script(super_packets, FULL, {}, seed=1)


def test_a_second_bottleneck_has_a_queue_and_a_load_of_its_own() -> None:
    told = script(settings.HOPS["hops/multi-hop"], FULL, {}, seed=3)
    assert "ip netns exec hop tc qdisc add dev out parent 1: handle 2: red limit 60000" in told
    assert "estmred estimate multi-hop" in told
    assert "send_cbr 10.0.4.2 76 1000000.000 972 300 3 " in told
    assert "send_cbr 10.0.6.2 76 1000000.000 972 300 2003 " in told
    one = script(EXPERIMENTS["load/76"], FULL, {}, seed=3)
    assert "udp2" not in one
    assert "estmred estimate one-hop" in one


def test_the_modules_average_forgets_as_the_curves_do() -> None:
    for scale in (SMALL, FULL):
        assert f"average-alpha {scale.alpha:.6g}" in script(EXPERIMENTS["load/76"], scale, {}, seed=1)


def test_a_smaller_scale_keeps_loads_and_forgets_as_much() -> None:
    assert (SMALL.tcp_flows, SMALL.web_clients) == (5, 29)
    assert SMALL.alpha ** (SMALL.times * 100) == pytest.approx(settings.ALPHA**100)


# --- The command --------------------------------------------------------------------------------------------


def test_full_is_refused_where_all_is_run_anyway(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "median-rto", "--full"]) != 0
    expected = "full: got true, expected false: median-rto always runs all of its document"
    assert expected in capsys.readouterr().err


def test_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_args, **_named: None)
    assert main(["reproduce", "linux-testbed", "--out", str(tmp_path / "out")]) != 0
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "install qemu-system-x86 busybox-static iproute2" in line
    assert not (tmp_path / "out").exists()


def test_sources_that_are_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARSHALL_LINUX", str(tmp_path))
    with pytest.raises(InputError, match=r"PARSHALL_LINUX: got .*expected the folder linux of"):
        Workshop.open()


# --- A machine ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> tuple[Seen, Scale]:
    linux.kernel("6.1")
    lacking = Workshop.open().lacking("6.1", PROGRAMS)
    if lacking:
        pytest.skip(lacking)
    scale = Scale(1 / 7, 0.05, 1)
    found, folder = Bench.open(), tmp_path_factory.mktemp("kept")
    bench = replace(found, runs=replace(found.runs, folder=folder))
    seen = bench.run(EXPERIMENTS["mix"], scale, PRINTED.options(scale.rate), seed=1)
    (kept,) = folder.iterdir()
    kept.write_text(kept.read_text().replace("== web\n", "== web\nkept\n"))
    again = bench.run(EXPERIMENTS["mix"], scale, PRINTED.options(scale.rate), seed=1)
    assert again.web.startswith("kept\n")
    return seen, scale


@pytest.mark.exhaustive
def test_the_testbed_works(short: tuple[Seen, Scale]) -> None:
    seen, scale = short
    samples = seen.samples(scale.rate).since(scale.start)
    assert samples.load == pytest.approx(1, abs=0.02)
    assert 1 < samples.drop_rate < 20
    assert "Availability:\t\t      100.00 %" in seen.web
    assert seen.complaints == ""


@pytest.mark.exhaustive
def test_the_module_estimates_in_it(short: tuple[Seen, Scale]) -> None:
    seen, scale = short
    shares = seen.shares(scale.alpha)
    assert len(shares.time) >= 12
    assert shares.measured[0] == pytest.approx(0.67, abs=0.05)
    assert shares.measured.max() > 0.75  # the Web has come
    assert ((shares.estimated > 0) & (shares.estimated <= 1)).all()
    estm, average = seen.last_average
    assert estm == round(average * 2**14)
    assert "estm" in seen.tc


def test_numbers_that_do_not_fit_are_counted_by_the_unit() -> None:
    """A thousand times what the link carries still fits in packets, and no longer in bytes."""
    drawn, count = np.random.default_rng(1), 600
    link = 1e8 / 8 * settings.SAMPLING
    arrived = 1000 * link * drawn.uniform(0.9, 1.2, count)
    backlog = 1000 * link * drawn.uniform(0.2, 0.8, count)
    time = settings.SAMPLING * np.arange(1, count + 1)
    packets = arrived / settings.MEAN_PACKET
    samples = Samples(1e8, time, backlog, arrived, arrived / 2, packets, np.rint(packets / 50))
    assert samples.saturated(PRINTED, settings.MEAN_PACKET) == 0
    assert samples.saturated(PRINTED, 1) > 0
