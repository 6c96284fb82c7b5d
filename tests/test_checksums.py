"""Nothing damaged is believed: a bit that flips in any file of a recording or a sweep is noticed."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from tests.test_interrupts import network

import parshall
from parshall.cli.main import main
from parshall.errors import ParshallError
from parshall.sweep import Sweep

TOP = 'duration = "2 s"\nrecord = {packets = ["bottleneck"], window = ["*"], pcap = ["bottleneck"]}'


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return parshall.run(parshall.loads(network(top=TOP))).save(tmp_path_factory.mktemp("saved") / "recording")


def flip(file: Path, bit: int) -> None:
    content = bytearray(file.read_bytes())
    content[bit // 8 % len(content)] ^= 1 << bit % 8
    file.write_bytes(content)


def test_a_flipped_bit_is_noticed_wherever_it_is(saved: Path, tmp_path: Path) -> None:
    chance = random.Random(1)
    files = sorted(file.relative_to(saved) for file in saved.rglob("*") if file.is_file())
    assert len(files) >= 7
    for number in range(120):
        copy = tmp_path / str(number)
        shutil.copytree(saved, copy)
        file = copy / files[number % len(files)]
        flip(file, chance.randrange(8 * file.stat().st_size))
        if file.name == "scenario.toml":  # for people; it is not read
            assert main(["check", str(copy)]) == 1
            continue
        with pytest.raises(ParshallError) as caught:
            parshall.Recording.load(copy)
        assert "\n" not in str(caught.value)


def test_what_is_whole_is_read_and_checked(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again = parshall.Recording.load(saved)
    assert again.tables == ("flows", "ports", "window", "packets")
    assert main(["check", str(saved)]) == 0
    assert "files are as they were written by engine" in capsys.readouterr().out


def test_a_sweep_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = parshall.loads(network(top='duration = "1 s"'))
    sweep = Sweep(base, {"links[bottleneck].rate": ["1 Mbit/s", "2 Mbit/s"]}, seeds=2)
    folder = sweep.run(cache=None).write(tmp_path / "sweep")
    assert main(["check", str(folder)]) == 0
    files = sorted(folder.rglob("*.parquet"))
    assert json.loads((folder / "sweep.json").read_text())["sha256"].keys() == {
        file.relative_to(folder).as_posix() for file in files
    }
    flip(files[0], 1000)
    assert main(["check", str(folder)]) == 1
    assert f"{files[0]}: its checksum is wrong" in capsys.readouterr().err
