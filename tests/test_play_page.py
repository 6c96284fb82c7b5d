"""The playground's page: its size, its server, and how a reader uses it, in Chromium."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from tests.test_play import BUILT, LESSONS, SITE, needs_node

import parshall
from parshall import play
from parshall._core import ENGINE_VERSION
from parshall.cli.main import main
from parshall.errors import ParshallError
from parshall.play import folder as play_folder
from parshall.play.server import serving
from parshall_dev.site import sizes
from parshall_dev.site.playground import BROWSER, drive, put_beside


@needs_node
@pytest.mark.skipif(not BUILT, reason="no parshall.wasm of this engine: make wasm")
def test_the_guide_has_the_sizes_of_the_module() -> None:
    """Another compiler may leave some more or less."""
    written = sizes.told(sizes.PAGE.read_text(encoding="utf-8"))
    for name, size in sizes.sizes(SITE / "parshall.wasm").items():
        assert written.pop(name) == pytest.approx(size / 1e6, rel=0.04), name
    assert not written


# --- Its server --------------------------------------------------------------------------------------------


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page whose module says its engine and nothing else."""
    (tmp_path / "page").mkdir()
    monkeypatch.setattr(play_folder, "_SITE", tmp_path / "page")
    for name in ("parshall.mjs", "parshall.wasm", "index.html"):
        (tmp_path / "page" / name).write_text("\0asm 0.0.1+1")
    return tmp_path / "page"


def test_files_are_served_as_what_they_are(site: Path) -> None:
    with serving(play.page()) as address:
        assert address.startswith("http://127.0.0.1:")
        types = {
            name: urlopen(address + name).headers["Content-Type"]
            for name in ("parshall.wasm", "parshall.mjs", "")
        }
    assert types == {
        "parshall.wasm": "application/wasm",
        "parshall.mjs": "text/javascript; charset=utf-8",
        "": "text/html; charset=utf-8",
    }


def test_the_page_is_written_as_a_folder(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--out", str(tmp_path / "copy")]) == 0
    told = capsys.readouterr()
    assert told.out == f"{tmp_path / 'copy' / 'index.html'}\n"
    assert told.err.startswith("parshall: the playground has engine 0.0.1+1, and this package ")
    assert {file.name for file in (tmp_path / "copy").iterdir()} == {
        "parshall.mjs",
        "parshall.wasm",
        "index.html",
    }
    (tmp_path / "file").touch()
    assert main(["play", "--out", str(tmp_path / "file")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_a_module_that_is_not_built_is_one_line(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (site / "parshall.wasm").unlink()
    assert main(["play", "--no-open"]) == 1
    assert (
        capsys.readouterr().err
        == "parshall: the playground has no parshall.wasm: run make wasm once, which takes some minutes and "
        "downloads 140 MB\n"
    )
    with pytest.raises(ParshallError, match=r"no parshall\.wasm: run make wasm"):
        play.page()


def test_a_port_that_is_taken_is_one_line(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(site) as address:
        port = address.rstrip("/").rpartition(":")[2]
        assert main(["play", "--no-open", "--port", port]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"parshall: --port: got {port}, which is taken, expected another port, or 0 for any that is free"
    )


def test_a_site_has_the_page_or_says_what_is_missing(site: Path, tmp_path: Path) -> None:
    put_beside(tmp_path)
    assert (tmp_path / "play" / "parshall.wasm").is_file()
    (site / "parshall.wasm").unlink()
    put_beside(tmp_path / "other")
    told = (tmp_path / "other" / "play" / "index.html").read_text()
    assert "the playground has no parshall.wasm: run make wasm once" in told


# --- The page, in Chromium ---------------------------------------------------------------------------------


PARTS = ("load", "slide", "follow", "fault", "share", "own", "walk", "widths")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """The page as used once in each of these ways."""
    if BROWSER is None:
        pytest.skip("no Chromium")
    if not BUILT:
        pytest.skip("no parshall.wasm of this engine: make wasm")
    found = drive(PARTS)
    first, runs = found["load"]["first"][0], found["slide"]["perMinute"]
    print(f"\nfirst picture after {first} ms, {runs:.0f} runs a minute")
    return found


@pytest.fixture
def part(found: dict[str, Any], request: pytest.FixtureRequest) -> dict[str, Any]:
    """One of the ways, by the name of the test."""
    own: dict[str, Any] = found[request.node.name.removeprefix("test_").partition("_")[0]]
    assert "failed" not in own, own["failed"]
    return own


def test_load_is_a_picture_within_seconds_and_asks_nobody_else(part: dict[str, Any]) -> None:
    assert part["first"][0] < 6000, "2000 on a quiet machine"
    assert part["engine"] == ENGINE_VERSION
    assert part["drawn"] == [True] * 6
    assert part["said"][0].startswith("Queueing delay at the bottleneck, over 20 s. delay from 0 to 8")
    assert all(part["requests"])


def test_slide_mends_the_delay_and_the_text_follows(part: dict[str, Any]) -> None:
    assert part["perMinute"] > 60
    assert part["before"] > 500
    assert part["after"] < 50
    assert part["value"] == "42 packets"
    assert "limit_packets = 42 }" in part["toml"]
    assert "# of the bottleneck, as of a home's DSL line" in part["toml"]


def test_follow_controls_text_and_keys(part: dict[str, Any]) -> None:
    assert 'rate = "5 Mbit/s"  # of the bottleneck' in part["toml"]
    assert part["rate"] == "7 Mbit/s"
    assert 'queue = { kind = "codel", limit_packets = 1000 }' in part["kind"]
    assert 'queue = { kind = "droptail", limit_packets = 1000 }' in part["undone"]
    assert part["heads"] == ["", "A", "now", "now against A"]
    assert part["cursor"] > 0
    assert part["skipped"], "past the controls, and the address is as it was"


def test_fault_is_told_with_its_line_and_goes(part: dict[str, Any]) -> None:
    assert part["syntax"].startswith("line 5: ")
    assert part["key"].startswith("line 8: dumbbell.queue.limit_pakets: got an unknown key")
    assert (part["mended"], part["stale"]) == ("", False)


def test_share_holds_scenario_seed_and_pins(part: dict[str, Any]) -> None:
    assert part["same"]
    assert part["pinned"]
    assert part["goodput"][0] == part["goodput"][1]
    assert part["lesson"] == "rtt-unfairness"
    assert part["length"] < 2000
    names: dict[str, Any] = {}
    exec(part["python"].partition("for name")[0], names)
    recording = names["recording"]
    total = sum(recording.flow(name).goodput for name in recording.flows) / 1e6
    assert total == pytest.approx(part["goodput"][0])


def test_own_data_becomes_part_of_the_scenario(part: dict[str, Any]) -> None:
    instants = "[0.001, 0.002, 0.003, 0.004, 0.008, 0.012]"
    assert f"capacity = {{ times = {instants}, period = 0.012 }}" in part["trace"]
    assert 'delay = "10.7 ms"' in part["ping"]
    assert part["told"].startswith("letter.txt: expected a scenario in TOML, a mahimahi trace")


def test_own_round_trips_are_judged_as_the_command_does_it(part: dict[str, Any]) -> None:
    assert (part["few"], part["seen"]) == (True, True), "three round trips are too few"
    assert part["late"], "a lesson that was chosen meanwhile shows no round trips"
    rtts = [float(each) / 1e3 for each in re.findall(r"time=(\S+) ms", part["many"])]
    rows = parshall.rto.compare(rtts).rows
    assert [cells[0] for cells in part["filters"]] == list(rows)
    assert any(int(cells[1]) for cells in part["filters"])
    for (_, early, share, milliseconds, in_rtts), row in zip(part["filters"], rows.values(), strict=True):
        assert int(early) == row.spurious
        assert float(share.removesuffix(" %")) == pytest.approx(100 * row.spurious_share, rel=0.05)
        assert float(milliseconds) == pytest.approx(1e3 * row.mean_wait, rel=0.005)
        assert float(in_rtts) == pytest.approx(row.normalized_wait, rel=0.005)


def test_widths_from_a_phone_to_a_desktop(part: dict[str, Any]) -> None:
    for width, wide in part.items():
        assert wide <= int(width), f"at {width} pixels the page is {wide} wide"


def test_walk_through_all_lessons_there_and_back(part: dict[str, Any]) -> None:
    lessons = {file.stem for file in LESSONS}
    assert set(part["visited"]) == lessons
    assert len(part["visited"]) == 4 * len(lessons) - 1
    assert part["empty"] == [], "each plot that is shown has a picture"
    assert part["wide"] == []


def test_no_script_fails_and_the_console_stays_empty(found: dict[str, Any]) -> None:
    """Each part of the use above: an exception that nobody catches, in page or worker, is a line there."""
    assert found["console"] == []


@pytest.mark.exhaustive
@pytest.mark.skipif(BROWSER is None or not BUILT, reason="needs Chromium and make wasm")
def test_every_lesson_and_variant_runs_in_the_page() -> None:
    driven = drive(["lessons"])
    assert driven["console"] == []
    found = driven["lessons"]
    assert sorted(found) == [file.stem for file in LESSONS]
    for name, lesson in found.items():
        assert lesson["fault"] == "", name
        assert lesson["glance"] == 4, name
        assert set(lesson["pressed"]) == {"true"}, name
