"""Long memory: estimates of H against reference numbers, their errors, level shifts, and exact paths."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import parshall
from parshall import InputError, long_memory
from parshall.cli.main import cli
from parshall.long_memory import (
    METHODS,
    aggregate,
    farima,
    fgn,
    hurst,
    hurst_all,
    level_shifts,
    theoretical_autocovariance,
)

REFERENCE = Path(__file__).parents[2] / "shared" / "reference" / "timeseries"
needs_reference = pytest.mark.skipif(
    not (REFERENCE / "golden.json").exists(), reason="needs ../shared/reference/timeseries"
)

GOLDEN = {
    "local-whittle": ("local_whittle", "H"),
    "wavelet": ("abry_veitch", "H"),
    "whittle-fgn": ("whittle_fgn", "H"),
    "whittle-farima": ("whittle_farima_0d0", "H"),
    "aggregated-variance": ("aggregated_variance", "H"),
    "rescaled-range": ("rescaled_range", "H"),
    "anis-lloyd": ("rescaled_range", "H_anis_lloyd"),
}


def series(name: str) -> np.ndarray:
    return np.loadtxt(REFERENCE / "series" / f"{name}.csv", skiprows=1)


def golden() -> dict[str, Any]:
    return dict(json.loads((REFERENCE / "golden.json").read_text())["series"])


# --- Estimates ------------------------------------------------------------------------------------------


@needs_reference
@pytest.mark.parametrize("method", METHODS)
def test_estimates_are_those_of_the_reference(method: Any) -> None:
    compared = 0
    for name, reference in golden().items():
        key, field = GOLDEN[method]
        expected = reference["hurst"][key]
        if field not in expected:
            continue
        options = {"first_octave": 2} if method == "wavelet" else {}
        found = hurst(series(name), method, **options)
        # Searches of the reference stop at about 1e-8, beside a bound rather than at it.
        assert found.h == pytest.approx(expected[field], abs=2e-7), name
        assert expected.get("at_bound", False) <= ("at-bound" in found.flags), name
        if method in ("wavelet", "whittle-fgn", "whittle-farima"):
            assert found.standard_error == pytest.approx(expected["se"], rel=1e-5), name
        if method == "local-whittle":
            assert found.points == expected["m"]
            assert 1 / (2 * math.sqrt(found.points)) == pytest.approx(expected["se"])
            assert expected["se"] < found.standard_error < 1.2 * expected["se"]
        compared += 1
    assert compared >= 27


@needs_reference
def test_diagrams_are_those_of_the_reference() -> None:
    reference = golden()["fgn_070"]["hurst"]
    x = series("fgn_070")
    found = hurst(x, "aggregated-variance")
    assert found.x == pytest.approx(np.log2(reference["aggregated_variance"]["sizes"]))
    # Series are scaled before they are looked at, so that ordinates agree up to a constant.
    apart = found.y - np.log2(reference["aggregated_variance"]["variance"])
    assert np.ptp(apart) < 1e-9
    assert hurst(x, "rescaled-range").y == pytest.approx(
        np.log2(reference["rescaled_range"]["mean_rs"]), abs=1e-9
    )


@pytest.mark.parametrize("family", ["fgn", "farima"])
@pytest.mark.parametrize("h", [0.55, 0.75, 0.9])
@pytest.mark.parametrize("method", ["local-whittle", "wavelet"])
def test_intervals_hold_h_as_often_as_they_say(family: str, h: float, method: Any) -> None:
    held = 0
    for seed in range(100):
        path = fgn(h, 2048, seed) if family == "fgn" else farima(h - 0.5, 2048, seed)
        low, high = hurst(path, method).interval(0.95)
        held += low < h < high
    # 95 expected, with a deviation of 2.2; 87 allows for a bias of half a standard error besides.
    assert 87 <= held <= 100


@pytest.mark.parametrize("method", ["rescaled-range", "anis-lloyd", "aggregated-variance"])
def test_calibrated_intervals_hold_h(method: Any) -> None:
    held = 0
    for seed in range(60):
        h = (0.6, 0.75, 0.9)[seed % 3]
        low, high = hurst(fgn(h, 2048, 1000 + seed), method).interval(0.95)
        held += low < h < high
    assert held >= 51


def test_whittle_of_the_right_family_is_sharp_and_of_the_wrong_one_is_not() -> None:
    found = [hurst(fgn(0.85, 4096, seed), "whittle-fgn").h for seed in range(8)]
    wrong = [hurst(fgn(0.85, 4096, seed), "whittle-farima").h for seed in range(8)]
    assert np.mean(found) == pytest.approx(0.85, abs=4 * 0.0105 / math.sqrt(8))
    assert np.mean(wrong) - 0.85 > 0.05


def test_all_methods_side_by_side() -> None:
    assert tuple(hurst_all(fgn(0.7, 512, 1))) == METHODS
    assert "anis-lloyd" not in hurst_all(fgn(0.7, 100, 1))
    with pytest.raises(InputError, match="31 samples, expected at least 32"):
        hurst_all(fgn(0.7, 31, 1))


def test_units_do_not_matter() -> None:
    x = fgn(0.8, 1024, 3)
    for method in METHODS:
        assert hurst(1e-9 * x - 7e-9, method).h == pytest.approx(hurst(x, method).h, abs=1e-6)


def test_what_is_not_stationary_is_flagged() -> None:
    walk = np.cumsum(fgn(0.9, 2048, 5))
    assert "out-of-range" in hurst(walk).flags
    assert {"at-bound"} <= hurst(walk, "whittle-fgn").flags
    assert {"at-bound", "out-of-range"} <= hurst(np.cumsum(np.cumsum(walk))).flags


def test_blocks_without_variance_are_flagged() -> None:
    x = np.round(fgn(0.7, 1024, 2), 1)
    x[:40] = 0
    found = hurst(x, "rescaled-range")
    assert "constant-blocks" in found.flags
    assert 0.4 < found.h < 1


@pytest.mark.parametrize(
    ("x", "problem"),
    [
        (np.ones(500), "series: got a constant series, expected one that varies"),
        ([1.0, math.nan] * 50, "series[1]: got NaN, expected a finite number"),
        ([1.0, math.inf] * 50, "series[1]: got inf, expected a finite number"),
        (np.arange(10.0), "series: got 10 samples, expected at least 32"),
        (np.ones((40, 2)), "series: got an array of shape (40, 2), expected one dimension"),
        ([], "series: got 0 samples, expected at least 32"),
    ],
)
def test_a_series_that_has_no_h(x: Any, problem: str) -> None:
    with pytest.raises(InputError) as error:
        hurst(x)
    assert str(error.value) == problem


@pytest.mark.parametrize("method", METHODS)
def test_no_method_is_silent_about_too_little(method: Any) -> None:
    for x in (np.zeros(1000), np.full(300, 0.1), fgn(0.5, 20, 1)):
        with pytest.raises(InputError):
            hurst(x, method)


@pytest.mark.parametrize(
    ("method", "options", "problem"),
    [
        ("r/s", {}, 'method: got "r/s", expected local-whittle, wavelet'),
        ("local-whittle", {"power": 0.2}, "bandwidth: got 0.2, expected a power from 0.5 to 1"),
        ("local-whittle", {"frequencies": 2}, "bandwidth: got 2, expected at least 6 frequencies"),
        ("local-whittle", {"power": 0.6, "frequencies": 9}, "not both"),
        ("wavelet", {"power": 0.6}, "power: got 0.6, expected a bandwidth with the method local-whittle"),
        ("wavelet", {"first_octave": 0}, "first_octave: got 0, expected an octave from 1 to 20"),
        (
            "anis-lloyd",
            {"first_octave": 2},
            "first_octave: got 2, expected an octave with the method wavelet",
        ),
    ],
)
def test_settings_out_of_range(method: Any, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as error:
        hurst(fgn(0.7, 512, 1), method, **options)
    assert problem in str(error.value)
    with pytest.raises(InputError, match="coverage"):
        hurst(fgn(0.7, 512, 1)).interval(1.0)


# --- Level shifts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("h", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("family", ["fgn", "farima"])
def test_long_memory_is_seldom_taken_for_a_shift(family: str, h: float) -> None:
    flagged = 0
    for seed in range(150):
        path = fgn(h, 1024, seed) if family == "fgn" else farima(h - 0.5, 1024, seed)
        flagged += bool(level_shifts(path))
    # 15 is a tenth; if 4 % are flagged, more come up once in 5000 times.
    assert flagged <= 15


def test_a_shift_in_white_noise_is_found_and_taken_out() -> None:
    places, before, after = [], [], []
    for seed in range(40):
        x = fgn(0.5, 2048, seed)
        x[1400:] += 1.0
        found = hurst(x)
        assert "level-shift" in found.flags
        places.append(found.shift_at)
        before.append(found.h)
        after.append(level_shifts(x).h_without)
    assert np.median(np.abs(np.array(places) - 1400)) <= 5
    assert np.mean(before) > 0.7
    assert np.mean(after) == pytest.approx(0.5, abs=0.05)


@needs_reference
def test_the_reference_series_with_a_shift_is_flagged_and_those_without_are_not() -> None:
    assert level_shifts(series("level_shift")).at == (400,)
    memory = (
        "fgn_055",
        "fgn_070",
        "fgn_085",
        "fgn_095",
        "farima_0d0",
        "farima_1d1",
        "ar1",
        "ma1",
    )
    # About one in twenty is flagged by chance, and fgn_055 happens to be.
    assert [name for name in memory if level_shifts(series(name))] == ["fgn_055"]


def spiked(random: np.random.Generator) -> np.ndarray:
    samples = random.normal(size=400)
    samples[random.integers(400)] += 50
    return samples


SHUFFLED = REFERENCE.parents[1] / "data" / "rtt" / "ros-wifi-static.csv.gz"
WITHOUT_A_SHIFT = {
    "spike": spiked,
    "late ones": lambda random: random.normal(size=400) + 50 * (random.random(400) < 0.02),
    "log-normal": lambda random: np.exp(1.5 * random.normal(size=400)),
    "Pareto": lambda random: random.pareto(1.5, size=400),
    "Cauchy": lambda random: random.standard_cauchy(size=400),
    "whole ms": lambda random: np.round(21 + random.exponential(0.3, size=400)),
    "one event": lambda random: random.permutation((np.arange(400) < 1) * 380.0) + 20,
    "few events": lambda random: random.permutation((np.arange(400) < 7) * 380.0) + 20,
    "measured": lambda random: random.permutation(measured()[:2000]),
}


def measured() -> np.ndarray:
    if not SHUFFLED.is_file():
        pytest.skip("needs ../shared/data")
    return np.loadtxt(gzip.open(SHUFFLED, "rt"), skiprows=1, max_rows=2000)


@pytest.mark.parametrize("name", WITHOUT_A_SHIFT)
def test_samples_in_random_order_have_no_shift(name: str) -> None:
    draw = WITHOUT_A_SHIFT[name]
    flagged = sum(bool(level_shifts(draw(np.random.default_rng(seed)))) for seed in range(100))
    assert flagged <= 10


@pytest.mark.parametrize("noise", ["normal", "log-normal", "Pareto"])
def test_a_shift_is_found_whatever_the_law_of_the_noise(noise: str) -> None:
    found = 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        laws = {
            "normal": random.normal(size=512),
            "log-normal": np.exp(random.normal(size=512)),
            "Pareto": random.pareto(1.5, size=512),
        }
        samples = laws[noise]
        samples[300:] += 1.0
        found += bool(level_shifts(samples))
    assert found >= 28


def test_two_shifts_and_a_trend() -> None:
    both = trend = 0
    for seed in range(20):
        x = fgn(0.6, 4096, seed)
        x[1000:2600] += 1.5
        both += len(level_shifts(x).at) >= 2
        trend += bool(level_shifts(fgn(0.6, 4096, seed) + np.linspace(0, 2, 4096)))
    assert both >= 17
    assert trend >= 17


def test_shifts_need_128_samples() -> None:
    with pytest.raises(InputError, match="127 samples, expected at least 128"):
        level_shifts(fgn(0.5, 127, 1))
    short = hurst(fgn(0.5, 100, 1))
    assert short.shift_at is None


# --- Processes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "h"), [("fgn", 0.8), ("farima", 0.8), ("fgn", 0.3), ("farima", 0.25)])
def test_autocovariances_of_many_paths_are_the_exact_ones(family: Any, h: float) -> None:
    n, paths, lags = 64, 4000, (0, 1, 2, 5, 20, 60)
    path = fgn if family == "fgn" else (lambda h, n, seed: farima(h - 0.5, n, seed))
    x = np.array([path(h, n, seed) for seed in range(paths)])
    exact = theoretical_autocovariance(family, h, n)
    assert exact[0] == 1
    for lag in lags:
        # The mean is known to be 0, so that products of one pair of samples are unbiased; one value a path.
        each = x[:, 0] * x[:, lag]
        assert abs(each.mean() - exact[lag]) < 4.5 * math.sqrt((1 + exact[lag] ** 2) / paths), lag


@needs_reference
def test_theory_of_prediction_follows_from_the_autocovariances() -> None:
    table = np.genfromtxt(REFERENCE / "theory.csv", delimiter=",", names=True)
    for row in table:
        for family in ("fgn", "farima"):
            gamma = theoretical_autocovariance(family, float(row["H"]), 20)
            matrix = gamma[np.abs(np.subtract.outer(np.arange(20), np.arange(20)))]
            error = 1 - gamma[1:] @ np.linalg.solve(matrix, gamma[1:])
            assert error == pytest.approx(row[f"{family}_mse_ratio"], rel=1e-9)


def test_paths_depend_on_their_seed_alone() -> None:
    assert fgn(0.8, 100, 7).tolist() == fgn(0.8, 100, 7).tolist()
    assert fgn(0.8, 100, 7).tolist() != fgn(0.8, 100, 8).tolist()
    assert fgn(0.8, 100).tolist() != fgn(0.8, 100).tolist()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: fgn(1.0, 10), "h: got 1, expected a number between 0 and 1, both excluded"),
        (lambda: fgn(math.nan, 10), "h: got NaN, expected a number between 0 and 1, both excluded"),
        (lambda: fgn(0.7, 0), "n: got 0, expected 1 to 16777216 samples"),
        (lambda: farima(0.5, 10), "d: got 0.5, expected a number between -0.5 and 0.5, both excluded"),
        (lambda: theoretical_autocovariance("arma", 0.7, 3), 'family: got "arma", expected "fgn"'),  # type: ignore[arg-type]
        (lambda: theoretical_autocovariance("fgn", 1.5, 3), "h: got 1.5, expected a number between"),
        (lambda: aggregate([1.0], 0), "m: got 0, expected at least 1 sample a block"),
        (lambda: aggregate([1.0, math.nan], 1), "series[1]: got NaN, expected a finite number"),
    ],
)
def test_processes_that_do_not_exist(make: Any, problem: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert problem in str(error.value)


def test_the_aggregated_series_keeps_h() -> None:
    x = fgn(0.85, 2**15, 4)
    means = aggregate(x, 8)
    assert means == pytest.approx(x.reshape(-1, 8).mean(axis=1))
    assert aggregate(np.arange(7.0), 3).tolist() == [1.0, 4.0]
    found = hurst(means)
    assert abs(found.h - 0.85) < 3 * found.standard_error


# --- The command and figures ----------------------------------------------------------------------------


def test_the_command_prints_estimates_and_draws(tmp_path: Path) -> None:
    x = 5 + fgn(0.5, 1024, 1) / 4
    x[600:] += 1
    file = tmp_path / "series.csv"
    file.write_text("rtt_ms\n" + "\n".join(f"{value:.6f}" for value in x))
    done = CliRunner().invoke(cli, ["hurst", str(file), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "the level shifts at sample 60" in done.output
    assert (tmp_path / "out/series.svg").read_text().startswith("<svg")
    told = CliRunner().invoke(cli, ["hurst", str(file), "--json", "--block", "2", "--out", str(tmp_path)])
    records = json.loads(told.output)
    assert [record["method"] for record in records] == list(METHODS)
    assert records[0]["samples"] == 512
    assert records[0]["h"] == hurst(aggregate(np.round(x, 6), 2)).h
    assert "level-shift" in records[0]["flags"]


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "short.csv"
    file.write_text("1\n2\n3\n")
    done = CliRunner().invoke(cli, ["hurst", str(file), "--out", str(tmp_path)])
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == "series: got 3 samples, expected at least 32"


def test_every_method_has_a_diagram() -> None:
    figure = long_memory.plot_all(list(hurst_all(fgn(0.8, 1024, 1)).values()))
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert [len(axis.lines) for axis in shown] == [2] * len(METHODS)
    hurst(fgn(0.8, 512, 1), "wavelet").plot()
    with pytest.raises(InputError, match="at least one estimate"):
        long_memory.plot_all([])


# --- Traffic --------------------------------------------------------------------------------------------


def test_self_similar_traffic_has_the_h_that_was_asked_for() -> None:
    h, interval = 0.85, 0.02
    source = parshall.SelfSimilar(rate="8 Mbit/s", h=h, sd="2 Mbit/s", interval=interval)
    bell = parshall.Dumbbell(
        duration="82 s",
        rate="100 Mbit/s",
        delay="1 ms",
        queue=parshall.DropTail(limit_packets=1000),
        access_rate="1 Gbit/s",
        access_delay="1 ms",
        flows=[parshall.FlowGroup(name="noise", transport=parshall.Udp(payload_bytes=100), app=source)],
        record=parshall.Record(port_series=parshall.Series(of=["bottleneck"], interval=interval)),
    )
    found = []
    for seed in (1, 2, 3, 4):
        recorded = parshall.run(bell.scenario(), seed).table("port_series").column("packets_arrived")
        counts = np.diff(recorded.to_numpy().astype(float))[2:]
        found.append(hurst(counts))
        # Samples straddle two intervals in part, which tells at high frequencies only.
        assert counts.mean() * 800 / interval == pytest.approx(8e6, rel=0.25)
    errors = np.array([each.standard_error for each in found])
    apart = np.mean([each.h for each in found]) - h
    assert abs(apart) < 3 * errors.mean() / math.sqrt(len(found))
