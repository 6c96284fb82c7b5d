"""`parshall rto` and `parshall.rto`: filters side by side on one's own round-trip times."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest

import parshall
from parshall import InputError, JacobsonRto, LinuxRto, QuantileRto, evaluate_rto
from parshall.cli.main import main
from parshall.rto import compare, filters
from parshall.rto.risk import keeps_to, told_share


@pytest.fixture(scope="module")
def walk() -> np.ndarray:
    """Round trips about 30 ms with a heavy tail, and lost replies."""
    rng = np.random.default_rng(3)
    rtts = 0.03 + 0.002 * rng.pareto(2.0, 6000)
    rtts[::100] = np.nan
    return rtts


def test_rows_are_what_evaluate_rto_says(walk: np.ndarray) -> None:
    found = compare(walk, min_rto=0.005)
    answered = walk[~np.isnan(walk)]
    assert found.gaps == 60
    assert list(found.rows) == [*filters(), "linux, 200 ms"]
    assert found.rows["jacobson"] == evaluate_rto(answered, JacobsonRto(min_rto=0.005), warm_up=500)
    assert found.rows["linux"] == evaluate_rto(
        answered, LinuxRto(least_margin=0.005, min_rto=0.005), warm_up=500
    )
    assert 0.005 < found.told < 0.01
    assert found.rows["quantile"] == evaluate_rto(
        answered, QuantileRto(found.told, min_rto=0.005), warm_up=500
    )
    assert found.rows["linux, 200 ms"] == evaluate_rto(answered, LinuxRto(min_rto=0.2), warm_up=500)
    assert found.today == "linux, 200 ms"
    half = len(answered) // 2
    assert found.judged["median"].samples == len(answered) - half
    assert set(compare(walk, min_rto=0.2).rows) == {*filters(), "linux, 200 ms"} - {"linux"}


def test_the_choice_is_made_on_the_first_half_and_judged_on_the_second(walk: np.ndarray) -> None:
    found = compare(walk)
    assert found.chosen == "quantile"
    assert found.advice.startswith("Take quantile, the best of the first half: in the second half ")
    assert "(Linux as it is: 0 %, 23" in found.advice
    changed = np.r_[np.full(3000, 0.03), 0.03 + np.random.default_rng(1).pareto(0.8, 3000)]
    assert compare(changed).chosen == compare(changed[:3000]).chosen
    assert "The link has changed" in compare(changed).advice


def test_what_waits_no_less_is_not_advised(walk: np.ndarray) -> None:
    kept = dataclasses.replace(compare(walk), chosen="linux, 200 ms")
    assert kept.advice.startswith(
        "Keep what Linux does: no filter that keeps to 1 % waits less (in the second"
    )


def test_few_samples_say_so() -> None:
    found = compare(0.03 + 0.001 * np.random.default_rng(1).random(100))
    assert found.needed == 600
    assert found.advice.startswith("100 round trips are too few to tell a share of 1 %, which takes 600; ")
    assert compare(found.rtts, risk=0.2).advice.startswith("Take ")


def test_frontiers_go_through_the_settings_of_the_rows(walk: np.ndarray) -> None:
    found = compare(walk)
    assert set(found.frontier) == {"jacobson", "median", "weighted median", "quantile"}
    assert found.rows["jacobson"] in found.frontier["jacobson"]
    assert found.rows["median"] in found.frontier["median"]
    assert found.rows["quantile"] in found.frontier["quantile"]
    axis = found.plot().axes[0]
    assert [line.get_label() for line in axis.lines if not line.get_label().startswith("_")] == list(
        found.rows
    )
    for family in ("jacobson", "quantile"):
        line = next(
            each
            for each in axis.lines
            if len(each.get_xdata()) > 1
            and each.get_color() == next(m for m in axis.lines if m.get_label() == family).get_color()
        )
        assert np.all(np.diff(line.get_xdata()) >= 0)
        assert np.all(np.diff(line.get_ydata()) < 0)


@pytest.mark.parametrize(
    ("rtts", "options", "expected"),
    [
        ([0.1] * 19, {}, "rtts: got 19 round trips, expected at least 20"),
        ([0.1], {}, "rtts: got 1 round trip, expected at least 20"),
        ([0.0] * 50, {}, "rtts: got zeros alone, expected round-trip times above 0"),
        (["a"], {}, "rtts: got"),
        ([[0.1]], {}, "rtts: got 2 dimensions"),
        ([0.1] * 50, {"risk": 0.5}, "risk: got 0.5"),
        ([0.1] * 50, {"min_rto": -1.0}, "min_rto"),
        ([-0.1] * 50, {}, "rtts"),
    ],
)
def test_what_cannot_be_compared_is_said(rtts: list[float], options: dict[str, float], expected: str) -> None:
    with pytest.raises(InputError) as error:
        compare(rtts, **options)
    assert expected in str(error.value)


# --- The risk ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("risk", [0.01, 0.05])
def test_the_accepted_risk_holds_in_the_second_half(risk: float) -> None:
    """In at least nine of ten series; a share that is merely hit holds in half of them."""
    kept = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        for noise in (
            random.gamma(1.0, 1.0, 1500),
            np.exp(random.normal(size=1500)),
            np.repeat(random.gamma(1.0, 1.0, 300), 5) + random.gamma(1.0, 0.2, 1500),
        ):
            found = compare(0.02 + 0.005 * noise, risk=risk)
            kept.append(found.judged[found.chosen].spurious_share <= risk)
    assert np.mean(kept) >= 0.9


def test_the_share_that_is_told_nears_the_risk_with_the_length() -> None:
    shares = [told_share(0.01, ahead) for ahead in (50, 300, 3000, 30_000, 3_000_000)]
    assert shares == sorted(shares)
    assert shares[0] == pytest.approx(0.001)
    assert 0.0098 < shares[-1] < 0.01


def test_a_filter_has_to_be_sure_to_keep_to_the_risk() -> None:
    assert keeps_to(0.01, [0] * 8, 1000, 1000)
    assert keeps_to(0.01, [0, 1, 0, 0, 1, 0, 1, 0], 1000, 1000)
    assert not keeps_to(0.01, [1, 2, 1, 1, 1, 2, 1, 1], 1000, 1000)
    # As many, but all at once: they are as one, of which another may come.
    assert not keeps_to(0.01, [0, 5, 0, 0, 0, 0, 0, 0], 1000, 1000)
    # Poisson with a known rate of 0.005: 10 of 2000 expected, 15 or fewer with 95 %.
    assert keeps_to(0.0078, [5000] * 8, 8_000_000, 2000)
    assert not keeps_to(0.0070, [5000] * 8, 8_000_000, 2000)


def test_where_no_filter_keeps_to_the_risk_that_is_said(walk: np.ndarray) -> None:
    found = dataclasses.replace(compare(walk), kept=())
    assert found.advice.startswith(f"No filter is sure to keep to 1 %; {found.chosen} comes nearest: in the")


# --- The command --------------------------------------------------------------------------------------------


@pytest.fixture
def ping(tmp_path: Path, walk: np.ndarray) -> Path:
    lines = [
        f"64 bytes from 192.0.2.1: icmp_seq={n + 1} ttl=56 time={1e3 * rtt:.3f} ms"
        for n, rtt in enumerate(walk[:3000])
        if not np.isnan(rtt)
    ]
    file = tmp_path / "ping.txt"
    file.write_text("PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n" + "\n".join(lines) + "\n")
    return file


def test_the_command_prints_table_risk_and_advice(
    ping: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rto", str(ping), "--out", str(tmp_path / "figures")]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "filter early of all mean RTO, ms RTO / RTT vs Linux" in text
    assert "quantile *" in text
    assert "Risk: at most 1 % early timeouts (--risk). Least RTO: none (--min-rto)" in text
    assert re.search(r"\b(29|30) lost replies were left out", text)
    assert "Take quantile" in text
    assert "nan" not in text
    assert (tmp_path / "figures" / "ping.svg").read_text().startswith("<svg ")


def test_a_csv_file_a_name_for_the_figure_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rtts = 0.04 + 0.01 * np.random.default_rng(2).random(700)
    file = tmp_path / "rtts.csv"
    file.write_text("rtt_ms\n" + "\n".join(f"{1e3 * rtt:.3f}" for rtt in rtts) + "\n")
    place = tmp_path / "deep" / "own.png"
    options = ["--risk", "0.05", "--min-rto", "10 ms", "--out", str(place), "--json"]
    assert main(["rto", str(file), *options]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["samples"], told["risk"], told["min_rto"]) == (700, 0.05, 0.01)
    assert [each["filter"] for each in told["filters"]] == [*filters(), "linux, 200 ms"]
    assert told["advice"].startswith("Take ")
    assert place.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--risk", "0.5"], "'--risk': 0.5 is not in the range 1e-06<=x<=0.2"),
        (["--min-rto", "soon"], '--min-rto: got "soon", expected a duration'),
        (["--min-rto", "-1 s"], "--min-rto: got"),
        (["--out", "x.jpg"], None),
        (["--unit", "hours"], "unit: got"),
    ],
)
def test_wrong_options_are_one_line(
    options: list[str],
    expected: str | None,
    ping: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    status = main(["rto", str(ping), *options])
    if expected is None:  # a folder of that name
        assert status == 0
        return
    assert status in (1, 2)
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1


def test_a_missing_and_a_short_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rto", str(tmp_path / "none.csv")]) == 1
    assert "no such file" in capsys.readouterr().err.lower()
    short = tmp_path / "short.csv"
    short.write_text("rtt\n0.1\n0.2\n")
    assert main(["rto", str(short)]) == 1
    assert "short: got 2 round trips, expected at least 20" in capsys.readouterr().err


def test_rooms_are_there_without_an_import() -> None:
    assert parshall.rto.compare is compare
    for room in ("forecast", "stats", "units", "sweep", "capture", "fluid", "long_memory", "theory"):
        assert getattr(parshall, room).__name__ == f"parshall.{room}"


def test_the_guide_shows_what_the_command_prints(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (repository / "docs" / "guide" / "rto.md").read_text(encoding="utf-8")
    data = repository.parent / "shared" / "data" / "rtt" / "ros-wifi-static.csv.gz"
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(code, "docs/guide/rto.md", "exec"), {"__name__": "guide"})
    assert "Take " in capsys.readouterr().out
    assert Path("rto.svg").is_file()
    if not data.is_file():
        pytest.skip("needs ../shared/data")
    assert main(["rto", str(data)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    shown = page.partition("it prints:")[2].partition("- *early*")[0]
    for line in shown.strip().splitlines()[:8]:
        assert " ".join(line.split()) in printed
    assert " ".join(shown.partition("    Take")[2].split()) in printed
