"""The timeout whose one setting is its risk: the share that it keeps and what it waits, on series of many
kinds.

``python tests/test_quantile_rto.py`` prints the table of ``docs/estimators.md``. A ratio of shares is the
share of early timeouts over the risk; a ratio of waits is the mean wait over that of the best filter of the
study's grid, with the multiplier that has the same share in hindsight.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

import parshall
from parshall import Dumbbell, FlowGroup, OnOff, Tcp, Udp
from parshall.estimators import JacobsonRto, MedianRto, QuantileRto, WeightedMedianRto, evaluate_rto
from parshall.scenario import Bulk, ExponentialPeriods, QuantileRtoConfig
from parshall_studies.median_rto.costs import WARM_UP, read_rtts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Sampling = Literal["one-packet", "timestamps"]

MEASURED = Path(__file__).resolve().parents[2] / "shared" / "data" / "rtt"
RISKS = (0.001, 0.003, 0.01, 0.03, 0.1)
SAMPLES = 60_000
ENOUGH = 50
"""So many early timeouts must be allowed before a quarter of them can be asked: almost twice their spread."""

# --- Series -------------------------------------------------------------------------------------------------


def _walk(steps: Floats, start: float, gain: float = 1.0) -> Floats:
    values = np.empty(len(steps))
    value = start
    for i, step in enumerate(steps):
        value = gain * value + step
        values[i] = value
    return values


def _states(rng: np.random.Generator, n: int, leave: float) -> NDArray[np.bool_]:
    state: NDArray[np.bool_] = np.cumsum(rng.random(n) < leave) % 2 == 1
    return state


def _shifts(rng: np.random.Generator, n: int) -> Floats:
    shift = rng.random(n) < 1 / 2500
    levels = 0.02 + 0.25 * rng.random(n)
    return levels[np.maximum.accumulate(np.where(shift, np.arange(n), 0))] + rng.gamma(2, 0.002, n)


KINDS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "independent, lognormal": lambda rng, n: 0.04 + 0.02 * np.exp(0.6 * rng.standard_normal(n)),
    "level shifts, up and down": _shifts,
    "level shifts, up only": lambda rng, n: 0.03 + 0.01 * (np.arange(n) // (n // 9)) + rng.gamma(2, 0.001, n),
    "heavy tail (Pareto 1.5)": lambda rng, n: 0.03 + 0.002 * (rng.pareto(1.5, n) + 1),
    "periodic bursts": lambda rng, n: (
        0.04 + rng.gamma(2, 0.001, n) + np.where(np.arange(n) % 400 < 30, 0.04 + 0.02 * rng.random(n), 0)
    ),
    "logarithm AR(1)": lambda rng, n: 0.05 * np.exp(_walk(0.15 * rng.standard_normal(n), 0.0, 0.9)),
    "random walk": lambda rng, n: (
        0.01 + np.abs(_walk(0.001 * rng.standard_normal(n), 0.3)) + rng.gamma(2, 1e-3, n)
    ),
    "retries (bimodal)": lambda rng, n: (
        0.005 + rng.gamma(2, 2e-4, n) + np.where(rng.random(n) < 0.06, 0.03 * rng.geometric(0.5, n), 0)
    ),
    "trend": lambda rng, n: 0.02 + 2e-6 * np.arange(n) + rng.gamma(2, 0.001, n),
    "saw-tooth": lambda rng, n: 0.03 + 0.002 * (np.arange(n) % 150) + rng.gamma(2, 0.003, n),
    "regimes": lambda rng, n: np.where(
        _states(rng, n, 0.003), 0.06 + rng.exponential(0.03, n), 0.04 + 0.001 * rng.random(n)
    ),
    "whole milliseconds": lambda rng, n: np.floor(15 + rng.gamma(1.5, 1.5, n)) / 1e3,
}

WORST_WAIT = {"heavy tail (Pareto 1.5)": 1.04, "retries (bimodal)": 1.08, "regimes": 1.06}
"""Where it waits longer than the best tuned filter: at most so many times as long."""
MEASURED_WAIT = {
    "4g-fiber-1k": 1.03,
    "wifi-fiber-64k": 1.01,
    "wifi-repeater-fiber-1k": 1.07,
    "ros-wifi-static": 1.35,
}


@cache
def made(kind: str) -> Floats:
    return KINDS[kind](np.random.default_rng([2026, *kind.encode()]), SAMPLES)


@cache
def measured(name: str) -> Floats:
    path = MEASURED / f"{name}.csv.gz"
    if not path.is_file():
        pytest.skip("the measured round-trip times are not at hand")
    return read_rtts(path)


# --- The best tuned filter ----------------------------------------------------------------------------------


def filters() -> Iterator[JacobsonRto | MedianRto | WeightedMedianRto]:
    """The grid of the study of median filters, without its multipliers."""
    for gain in (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32):
        yield JacobsonRto(gain=gain, min_rto=0)
    for k in (3, 5, 7, 9, 15, 31):
        yield MedianRto(k, min_rto=0)
        yield MedianRto(k, deviation="mad", min_rto=0)
    for k in (3, 5, 9, 15):
        yield WeightedMedianRto(k, min_rto=0)


def tuned_waits(rtts: Floats, risks: tuple[float, ...]) -> list[float]:
    """The least mean wait of any filter whose share of early timeouts is at most the risk."""
    best = np.full(len(risks), np.inf)
    allowed = [int(risk * (len(rtts) - WARM_UP)) for risk in risks]
    for each in filters():
        series = each.run_full(rtts)
        srtt, rttvar = series.srtt[WARM_UP - 1 : -1], series.rttvar[WARM_UP - 1 : -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(rtts[WARM_UP:] > srtt, (rtts[WARM_UP:] - srtt) / rttvar, 0.0)
        multipliers = np.sort(needed)[[-1 - count for count in allowed]]
        for i, multiplier in enumerate(multipliers):
            if np.isfinite(multiplier):
                best[i] = min(best[i], np.minimum(srtt + multiplier * rttvar, 60.0).mean())
    return [float(wait) for wait in best]


def ratios(rtts: Floats, *, karn: bool = False) -> Iterator[tuple[float, float, float]]:
    """Risk, share over risk, wait over the best tuned filter's."""
    for risk, tuned in zip(RISKS, tuned_waits(rtts, RISKS), strict=True):
        costs = evaluate_rto(rtts, QuantileRto(risk), warm_up=WARM_UP, karn=karn)
        yield risk, costs.spurious_share / risk, costs.mean_wait / tuned


# --- What must hold -----------------------------------------------------------------------------------------


def test_the_best_tuned_filter_is_the_one_that_the_judge_finds() -> None:
    """A multiplier from the sorted ratios has the share that `evaluate_rto` counts, and the wait."""
    rtts = made("regimes")[:5000]
    series = JacobsonRto(min_rto=0).run_full(rtts)
    needed = (rtts[WARM_UP:] - series.srtt[WARM_UP - 1 : -1]) / series.rttvar[WARM_UP - 1 : -1]
    multiplier = np.sort(needed)[-1 - 49]
    costs = evaluate_rto(rtts, JacobsonRto(multiplier=multiplier * (1 + 1e-9), min_rto=0), warm_up=WARM_UP)
    assert costs.spurious == 49
    assert tuned_waits(rtts, (49.5 / 4990,))[0] <= costs.mean_wait * (1 + 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_share_is_kept_and_the_wait_is_the_best_filters(kind: str) -> None:
    for risk, share, wait in ratios(made(kind)):
        assert 0.75 <= share <= 1.25, f"{share} times a risk of {risk}"
        assert wait <= WORST_WAIT.get(kind, 1.02), f"{wait} times the best tuned wait at a risk of {risk}"


@pytest.mark.parametrize("name", MEASURED_WAIT)
def test_on_measured_round_trip_times(name: str) -> None:
    rtts = measured(name)
    for risk, share, wait in ratios(rtts):
        if risk * len(rtts) >= ENOUGH:
            assert 0.75 <= share <= 1.25, f"{share} times a risk of {risk}"
            assert wait <= MEASURED_WAIT[name], f"{wait} times the best tuned wait at a risk of {risk}"


@pytest.mark.parametrize("kind", ["independent, lognormal", "level shifts, up and down", "logarithm AR(1)"])
def test_withheld_samples_do_not_loosen_it(kind: str) -> None:
    """After an early timeout the next RTOs are backed off, so that fewer samples exceed them."""
    for risk, share, _ in ratios(made(kind), karn=True):
        assert 0.5 <= share <= 1.25, f"{share} times a risk of {risk}"


def test_a_minimum_only_lowers_the_risk() -> None:
    rtts = made("periodic bursts")
    free = evaluate_rto(rtts, QuantileRto(0.03), warm_up=WARM_UP)
    bounded = evaluate_rto(rtts, QuantileRto(0.03, min_rto=0.08), warm_up=WARM_UP)
    assert bounded.spurious < free.spurious


def test_it_says_what_risk_it_has_seen() -> None:
    rto = QuantileRto(0.05)
    assert rto.risk_seen is None
    rtts = made("retries (bimodal)")
    rtos = rto.run(rtts)
    assert rto.risk_seen == pytest.approx(np.mean(rtts[20:] > rtos[19:-1]))
    before = rto.risk_seen
    assert before is not None
    rto.on_early_timeout()
    after = rto.risk_seen
    assert after is not None
    assert after > before
    rto.reset()
    assert rto.risk_seen is None


# --- In the simulator ---------------------------------------------------------------------------------------


def _scenario(risk: float, rtt_sampling: Sampling = "timestamps", window: int = 20) -> Dumbbell:
    """One bulk flow whose round-trip time swings by bursts of cross traffic, and which loses nothing."""
    return Dumbbell(
        duration=400,
        rate=10e6,
        delay=0.005,
        access_rate=100e6,
        access_delay=0.001,
        queue={"kind": "droptail", "limit_packets": 2000},
        flows=[
            FlowGroup(
                count=1,
                app=Bulk(),
                transport=Tcp(
                    rto=QuantileRtoConfig(risk=risk),
                    min_rto=1e-6,
                    rtt_sampling=rtt_sampling,
                    max_window_packets=window,
                    delayed_ack=False,
                ),
            ),
            FlowGroup(
                count=4,
                app=OnOff(law=ExponentialPeriods(), rate=3e6, on=0.2, off=0.5),
                transport=Udp(payload_bytes=1000),
            ),
        ],
    )


@pytest.mark.parametrize("risk", [0.01, 0.1])
@pytest.mark.parametrize("rtt_sampling", ["timestamps", "one-packet"])
def test_in_the_simulator_one_packet_at_a_time_has_the_share(rtt_sampling: Sampling, risk: float) -> None:
    flows = parshall.run(_scenario(risk, rtt_sampling, window=1), seed=3).columns("flows")
    of = {name: int(flows[name][0]) for name in ("timeouts", "spurious_timeouts", "packets_dropped")}
    packets = int(flows["packets_delivered"][0])
    assert of["packets_dropped"] == 0
    assert of["timeouts"] == of["spurious_timeouts"], "nothing is lost, so no timeout is needed"
    assert packets * risk > ENOUGH
    # Without timestamps the backoff after an early timeout covers what would be early next.
    least = 0.75 if rtt_sampling == "timestamps" else 0.4
    assert least <= of["timeouts"] / packets / risk <= 1.25


def test_in_the_simulator_a_window_of_packets_times_out_less_often() -> None:
    """A timer starts anew with every ACK: it waits for the gap between ACKs, not for a round trip."""
    flows = parshall.run(_scenario(0.1), seed=3).columns("flows")
    assert flows["rtt_samples"][0] > 10_000
    assert flows["spurious_timeouts"][0] < 0.01 * flows["packets_delivered"][0]


def test_in_the_simulator_the_rto_in_force_is_the_estimators() -> None:
    scenario = _scenario(0.01).replace("record", parshall.Record(rtt=["*"]))
    rtt = parshall.run(scenario, seed=3).columns("rtt")
    np.testing.assert_allclose(rtt["rto"], QuantileRto(0.01).run(rtt["rtt"]), rtol=1e-12)
    early = np.mean(rtt["rtt"][1:] > rtt["rto"][:-1])
    assert 0.75 <= early / 0.01 <= 1.25


# --- The table ----------------------------------------------------------------------------------------------


def table() -> Iterator[str]:
    """Lines of Markdown: for every series and risk, share over risk and wait over the best tuned filter's."""
    yield "| series | samples | " + " | ".join(f"{risk:g}" for risk in RISKS) + " |"
    yield "|---|---|" + "---|" * len(RISKS)
    for name in (*MEASURED_WAIT, *KINDS):
        rtts = measured(name) if name in MEASURED_WAIT else made(name)
        cells = [
            f"{share:.2f}, {wait:.3f}" if risk * len(rtts) >= ENOUGH else f"({share:.2f}, {wait:.3f})"
            for risk, share, wait in ratios(rtts)
        ]
        yield f"| {name} | {len(rtts):,} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    for line in table():
        print(line)
