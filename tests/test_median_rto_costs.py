"""Costs of timeout filters in the median study: two sums over a series of round-trip times, and the least
wait at equal risk.
"""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from parshall import run
from parshall.errors import InputError
from parshall.scenario import JacobsonRtoConfig
from parshall_studies import study as st
from parshall_studies.median_rto import costs
from parshall_studies.median_rto.scenarios import Tuned, frontier_grid, study_scenarios
from parshall_studies.median_rto.shown import best_families
from parshall_studies.study.data import find

SHARED = Path(__file__).parents[2] / "shared"


def plain_costs(parts: list[np.ndarray], multiplier: float) -> dict[str, float]:
    """Median of 5 with an exponentially weighted deviation, written out."""
    spurious = wait = rtts = samples = 0.0
    for part in parts:
        window: list[float] = []
        deviation = centre = 0.0
        for i, rtt in enumerate(part):
            if i >= costs.WARM_UP:
                rto = centre + multiplier * deviation
                samples += 1
                spurious += rtt > rto
                wait += rto
                rtts += rtt
            deviation = rtt / 2 if i == 0 else deviation + (abs(rtt - centre) - deviation) / 4
            window = [*window, float(rtt)][-5:]
            centre = median(window)
    return {
        "samples": samples,
        "spurious_share": spurious / samples,
        "mean_wait": wait / samples,
        "normalized_wait": wait / rtts,
    }


def test_costs_of_a_series_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(11)
    parts = [rng.gamma(2.0, 0.05, 200) + 0.1, rng.gamma(2.0, 0.02, 300) + 0.2]
    grid = [tuned for tuned in frontier_grid() if (tuned.family, tuned.setting) == ("Median", "window 5")]
    multipliers = {tuned.name: tuned.multiplier for tuned in grid}
    table = costs.series_costs(st.Workbench((), cache=False), grid, {"made up": parts}).to_pylist()
    assert len(table) == len(grid) > 4
    assert {row["setting"] for row in table} == set(multipliers)
    for row in table:
        for name, value in plain_costs(parts, multipliers[row["setting"]]).items():
            assert row[name] == pytest.approx(value), (row["setting"], name)
    # More deviations: fewer spurious timeouts, longer waits.
    table.sort(key=lambda row: multipliers[row["setting"]])
    for less, more in pairwise(table):
        assert less["spurious_share"] >= more["spurious_share"]
        assert less["normalized_wait"] < more["normalized_wait"]


def test_a_family_that_always_fires_too_early_has_no_setting_at_equal_risk() -> None:
    def tuned(family: str, multiplier: float, *, standard: bool = False) -> Tuned:
        config = JacobsonRtoConfig(multiplier=multiplier)
        return Tuned(family, "gain 1/8", multiplier, config, standard)

    grid = [
        tuned("Jacobson", 2.0),
        tuned("Jacobson", 4.0, standard=True),
        *(tuned("as early", 4.0), tuned("as early", 8.0), tuned("earlier", 4.0)),
    ]
    table = st.tidy(
        {
            "series": ["made up"] * 5,
            "setting": [each.name for each in grid],
            "spurious_share": [0.1, 0.02, 0.02, 0.01, 0.03],
            "normalized_wait": [1.0, 2.0, 1.5, 4.0, 1.2],
        },
        ("series", "setting"),
    )
    found = costs.matched(st.Results({"series_costs": table}), grid)
    assert [(row["family"], row["setting"], row["wait_ratio"]) for row in found] == [
        ("Jacobson", grid[1], 1.0),
        ("as early", grid[2], 0.75),
        ("earlier", None, None),
    ]


def test_the_best_filter_is_none_where_no_setting_waits_less() -> None:
    grid = frontier_grid()
    standard = next(each.name for each in grid if each.family == "Jacobson" and each.standard)
    better = next(each.name for each in grid if each.family == "Median")
    rows = [
        (series, each.name, 0.02, wait.get(each.name, 3.0))
        for series, wait in (
            ("a", {standard: 2.0, better: 1.5}),
            ("b", {standard: 2.0}),
            ("c", {standard: 2.0}),
        )
        for each in grid
    ]
    names = ("series", "setting", "spurious_share", "normalized_wait")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    table = st.tidy(columns, ("series", "setting"))
    won, gains = best_families(st.Results({"series_costs": table}))
    assert won == [("Median", 1), ("none", 2)]
    assert gains == [pytest.approx(25.0)]


def test_simulated_series_are_cut_by_flow() -> None:
    recording = run(study_scenarios()["exponential/tahoe/original"], 3)
    rows = recording.table("rtt").to_pylist()
    expected = [[row["rtt"] for row in rows if row["flow"] == flow] for flow in recording.flows]
    assert len(expected) == 6
    assert [part.tolist() for part in costs.rtts_of(recording)] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (gzip.compress(b"rtt_ms\n1\nfast\n", mtime=0), "columns rtt_ms"),
        (gzip.compress(b"delay\n1\n2\n", mtime=0), "columns delay"),
        (gzip.compress(b"", mtime=0), "a gzipped table with the column rtt_ms"),
        (b"rtt_ms\n1\n", "a gzipped table with the column rtt_ms"),
        (gzip.compress(b"rtt_ms\n" + b"1\n" * 5000, mtime=0)[:-20], "a gzipped table with the column rtt_ms"),
    ],
)
def test_a_file_that_holds_no_rtts_is_refused_in_one_line(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    path = tmp_path / "bad.csv.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="rtt_ms") as caught:
        costs.read_rtts(path)
    assert str(path) in str(caught.value)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_measured_rtts_are_read_in_seconds(tmp_path: Path) -> None:
    path = tmp_path / "good.csv.gz"
    path.write_bytes(gzip.compress(b"rtt_ms\n215\n92.5\n", mtime=0))
    assert costs.read_rtts(path).tolist() == [0.215, 0.0925]
    files = {costs.DATA[1].path: path, "rtt/somebody-elses.csv.gz": tmp_path / "none.csv.gz"}
    (name, parts), *others = costs.measured_rtts(st.Workbench((), files=files)).items()
    assert (name, [part.tolist() for part in parts], others) == ("ros-wifi-static", [[0.215, 0.0925]], [])


def test_the_declared_series_are_those_at_hand() -> None:
    if not (SHARED / "data" / "rtt").is_dir():
        pytest.skip("the measured round-trip times are not at hand")
    found = find(costs.DATA, [SHARED / "data"])
    assert found.lacking == ()
    assert all(len(costs.read_rtts(path)) > 1000 for path in found.files.values())
