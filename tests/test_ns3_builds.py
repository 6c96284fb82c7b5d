"""Builds of ns-3 that programs are compiled against. Nothing here needs ns-3."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from parshall_dev.bench import ns3_builds
from parshall_dev.bench.compiled import Missing
from parshall_dev.bench.ns3_builds import WHEEL, debian, wheel
from parshall_dev.bench.process import Finished, ProcessError
from parshall_dev.validate.captures_page import _with_version


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ns3_builds, "BUILT", tmp_path)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    return tmp_path


def says(monkeypatch: pytest.MonkeyPatch, answers: dict[str, str]) -> None:
    """Lets pkg-config say these things for its first option."""
    monkeypatch.setattr(ns3_builds, "run", lambda words: Finished(0.0, answers[words[1]], None))


def test_debians_build_has_the_version_that_pkg_config_says(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, {"--cflags": "-I/usr/include -lns3-core\n", "--modversion": "3.37\n"})
    build = debian()
    assert (build.name, build.flags) == ("ns-3.37", ["-I/usr/include", "-lns3-core"])


@pytest.mark.parametrize("prefix", ["ns3.44-", "ns3-dev-"])
def test_a_wheel_is_linked_by_the_names_of_its_libraries(built: Path, prefix: str) -> None:
    libraries = built / f"ns3-{WHEEL}" / "ns3" / "lib64"
    libraries.mkdir(parents=True)
    (libraries / f"lib{prefix}core.so").touch()
    build = wheel()
    assert build.name == f"ns-{WHEEL.split('.post')[0]}"
    assert f"-l{prefix}internet" in build.flags
    assert f"-Wl,-rpath,{libraries}" in build.flags


def test_a_folder_without_libraries_is_no_wheel(built: Path) -> None:
    (built / f"ns3-{WHEEL}").mkdir()
    with pytest.raises(Missing, match=r"remove .* to install it again"):
        wheel()


def test_a_wheel_that_cannot_be_had_leaves_nothing(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(words: Sequence[str]) -> Finished:
        (Path(words[words.index("--target") + 1]) / "ns3").mkdir(parents=True)
        raise ProcessError("no matching distribution")

    monkeypatch.setattr(ns3_builds, "run", fails)
    with pytest.raises(Missing, match=f"{WHEEL}.*no matching distribution"):
        wheel()
    assert list(built.iterdir()) == []


@pytest.mark.parametrize("name", ["g++", "pkg-config"])
def test_without_a_compiler_ns3_is_missing(built: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda each: None if each == name else f"/usr/bin/{each}")
    with pytest.raises(Missing, match="ns-3"):
        debian()


def test_a_tool_is_named_with_the_version_that_its_folder_tells(tmp_path: Path) -> None:
    assert _with_version("tshark", tmp_path) == "tshark"
    (tmp_path / "README.md").write_text("tshark 4.0.17 (`W_`), tcptrace 6.6.7, pping, pping2 1.2.4\n")
    named = [_with_version(tool, tmp_path) for tool in ("tshark", "tcptrace", "pping")]
    assert named == ["tshark 4.0.17", "tcptrace 6.6.7", "pping"]
