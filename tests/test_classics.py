"""The ten well-known results: short, and as docs/guide/classics.md tells them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parshall.theory import periodic_loss_window, random_loss_window
from parshall_dev.guides.classics import FIGURES_OF, measured

REPOSITORY = Path(__file__).resolve().parent.parent
EXAMPLES = sorted(
    path for path in (REPOSITORY / "examples/classics").iterdir() if path.suffix in (".toml", ".py")
)
GUIDE = REPOSITORY / "docs/guide/classics.md"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARSHALL_CACHE", str(tmp_path / "cache"))


def mean(result: Any, metric: str, **labels: Any) -> float:
    (point,) = [p for p in result.points if all(p.parameters[name] == own for name, own in labels.items())]
    return float(result.interval(metric, point).mean)


def assert_said(words: str, *values: float, within: float) -> None:
    """The guide has these words, with numbers for ``{}`` that are those values, each to a relative error."""
    text = " ".join(GUIDE.read_text().split())
    found = re.search(re.escape(words).replace(r"\{\}", r"(\d+(?:\.\d+)?)"), text)
    assert found is not None, words
    assert [float(number) for number in found.groups()] == pytest.approx(values, rel=within)


def test_ten_examples_have_forty_lines_at_most_and_a_figure() -> None:
    assert {path.stem for path in EXAMPLES} == {function.__name__ for function in FIGURES_OF}
    assert len(EXAMPLES) == 10
    text = GUIDE.read_text()
    for path in EXAMPLES:
        assert len(path.read_text().splitlines()) <= 40
        assert f"(../../examples/classics/{path.name})" in text
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (GUIDE.parent / link).exists()


def test_constants_of_mathis_are_those_of_the_theory() -> None:
    text = GUIDE.read_text()
    periodic, random = (
        [f"{law(0.25, acked) / 2:.2f}" for acked in (1, 2)]
        for law in (periodic_loss_window, random_loss_window)
    )
    assert f"{periodic[0]} for an ACK of each packet\n(b = 1) and {periodic[1]} for an ACK of two" in text
    assert f"{random[0]} and {random[1]} (Ott, Kemperman and Mathis 1996" in text


@pytest.mark.exhaustive
def test_mathis() -> None:
    result = measured("mathis")
    less = []
    for acks, acked in (("an ACK for each packet", 1), ("an ACK for two", 2)):
        for loss in (0.0003, 0.001, 0.003, 0.01):
            law = 8e3 * random_loss_window(loss, acked) / 0.1
            part = mean(result, "rate", loss=loss, acks=acks) / law
            assert 0.75 < part < 1.05
            less.append(round(100 * (1 - part)))
    said = (
        f"{less[0]} % less than the law at a loss rate of 0.03 % and {less[3]} % less at 1 % with an ACK of "
        f"each packet, {less[4]} and {less[7]} % less with an ACK of two"
    )
    assert said in GUIDE.read_text()


@pytest.mark.exhaustive
def test_incast() -> None:
    result = measured("incast")

    def part(servers: int, least: float) -> float:
        return 8 * 176 * 1460 * servers / mean(result, "last", servers=servers, least=least) / 1e9

    assert part(1, 0.2) > 0.85
    assert all(part(servers, 0.2) < 0.11 for servers in (2, 4, 8, 16, 32, 48))
    assert all(part(servers, 0.001) > 0.5 for servers in (1, 2, 4, 8, 16, 32))


@pytest.mark.exhaustive
def test_bbr_beside_cubic() -> None:
    result = measured("bbr_cubic")
    for flows in (1, 2, 4, 8, 16):
        bbr, cubic = (mean(result, name, flows=flows) for name in ("bbr", "cubic"))
        assert 0.33 < bbr / (bbr + cubic) < 0.48
    parts = [mean(result, "bbr", flows=flows) / 1e6 for flows in (1, 16)]
    others = [mean(result, "cubic", flows=flows) / 1e6 for flows in (1, 16)]
    shares = [100 * own / (own + other) for own, other in zip(parts, others, strict=True)]
    assert_said("{} % beside one flow, {} % beside 16", *shares, within=0.05)


@pytest.mark.exhaustive
def test_rtt_unfairness() -> None:
    result = measured("rtt_unfairness")
    for delay in (0.0125, 0.02, 0.035):
        ratio = mean(result, "near", delay=delay) / mean(result, "far", delay=delay)
        assert 1.8 < np.log(ratio) / np.log((10 + 4000 * delay) / 30) < 2.1


@pytest.mark.exhaustive
def test_phase_effects() -> None:
    result = measured("phase")
    parts = {}
    for noise in (1e-6, 0.01, 0.04):
        own = [point for point in result.points if point.parameters["noise"] == noise]
        pairs = [(result.interval("first", p).mean, result.interval("second", p).mean) for p in own]
        parts[noise] = np.array([second / (first + second) for first, second in pairs])
    jumps = {noise: np.abs(np.diff(own)).max() for noise, own in parts.items()}
    assert parts[1e-6].max() > 0.85
    assert jumps[1e-6] > 0.3
    assert jumps[0.01] < 0.12
    assert parts[0.01].max() < 0.8
    assert parts[0.04].min() > 0.45
    assert parts[0.04].max() < 0.62
    assert_said(
        "between {} and {} % with jumps", *(100 * edge(parts[1e-6]) for edge in (min, max)), within=0.05
    )
    assert_said("but up to {} % remain", 100 * parts[0.01].max(), within=0.05)
    assert_said("leaves {} to {} %", *(100 * edge(parts[0.04]) for edge in (min, max)), within=0.05)


@pytest.mark.exhaustive
def test_dctcp() -> None:
    result = measured("dctcp")
    tcp, dctcp = (mean(result, "goodput", sender=name) for name in ("tcp", "dctcp"))
    assert dctcp > 0.99 * tcp > 0.95e9
    assert mean(result, "queue", sender="dctcp") < 0.1 * mean(result, "queue", sender="tcp")
    assert_said("{} Mbit/s both", tcp / 1e6, within=0.01)
    queues = [mean(result, "queue", sender=name) for name in ("tcp", "dctcp")]
    assert_said("with {} packets waiting and with {}", *queues, within=0.05)


@pytest.mark.exhaustive
def test_codel() -> None:
    result = measured("codel")
    for buffer in (50, 100, 200, 500, 1000):
        assert 0.003 < mean(result, "delay", queue="codel", buffer=buffer) < 0.007
        full = buffer * 1040 * 8 / 10e6
        assert 0.65 * full < mean(result, "delay", queue="droptail", buffer=buffer) < full
        goodputs = [mean(result, "goodput", queue=queue, buffer=buffer) for queue in ("codel", "droptail")]
        assert goodputs[0] > 0.975 * goodputs[1]
    delays = [1e3 * mean(result, "delay", queue=queue, buffer=1000) for queue in ("droptail", "codel")]
    assert_said("{} ms against {} ms behind a buffer of 1000 packets", *delays, within=0.05)
    assert_said("for {} % of the goodput", 100 * (1 - goodputs[0] / goodputs[1]), within=0.2)


@pytest.mark.exhaustive
def test_parking_lot() -> None:
    result = measured("parking_lot")
    for hops in range(2, 7):
        long, cross = (mean(result, name, hops=hops) for name in ("long", "cross"))
        assert 1 / (1 + hops) < long / (long + cross) < 1 / (1 + np.sqrt(hops))


@pytest.mark.exhaustive
def test_red() -> None:
    result = measured("red")
    red, drop = ("red 35", "droptail 60")
    assert abs(mean(result, "delay", queue=red) - mean(result, "delay", queue=drop)) < 0.0006
    assert mean(result, "throughput", queue=red) > mean(result, "throughput", queue=drop) + 0.08
    assert_said(
        "{} % of the link at {} ms, where drop-tail has {} %",
        100 * mean(result, "throughput", queue=red),
        1e3 * mean(result, "delay", queue=red),
        100 * mean(result, "throughput", queue=drop),
        within=0.05,
    )


@pytest.mark.exhaustive
def test_cellular() -> None:
    result = measured("cellular")
    assert mean(result, "delay", queue="droptail") > 5
    assert mean(result, "delay", queue="codel") < 0.05
    assert mean(result, "goodput", queue="codel") > 0.8 * mean(result, "goodput", queue="droptail")
    waits = mean(result, "delay", queue="droptail"), 1e3 * mean(result, "delay", queue="codel")
    assert_said("wait at most {} s, with CoDel {} ms", *waits, within=0.05)
    price = 1 - mean(result, "goodput", queue="codel") / mean(result, "goodput", queue="droptail")
    assert_said("ms, for {} % of the goodput. A recorded", 100 * price, within=0.1)
