"""Files are written once and whole: killed or out of space at any point, the old is there or the new."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.written_results import KINDS, content, forked, limited, writers

from parshall.cli.main import main
from parshall.errors import OutputError, ParshallError
from parshall.support.files import replace_files, write_file
from parshall.support.results import MANIFESTS, _own, check_folder
from parshall.support.stages import stage

Write = Callable[[Path, int], object]


@pytest.fixture(scope="module")
def write(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Write]:
    return writers(tmp_path_factory.mktemp("inputs"))


def killed_at(number: int, folder: Path) -> Callable[[], None]:
    """A function that lets this process be killed before its n-th change of a file below a folder."""
    left = [number]

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        changes = event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree")
        opens = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if (changes or opens) and str(arguments[0]).startswith(str(folder)):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return lambda: sys.addaudithook(watch)


@pytest.mark.parametrize("kind", KINDS)
def test_a_writer_that_is_killed_leaves_the_old_or_the_new(
    kind: str, write: dict[str, Write], tmp_path: Path
) -> None:
    whole = {}
    for flows in (1, 2):
        write[kind](tmp_path / str(flows), flows)
        whole[flows] = content(tmp_path / str(flows))
    folder, number, seen = tmp_path / "out", 0, set()
    write[kind](folder, 1)
    (folder / "notes.txt").write_text("mine")
    while (status := forked(lambda: write[kind](folder, 2), killed_at(number, folder))) != 0:
        assert status == -signal.SIGKILL
        left = {name: own for name, own in content(folder).items() if not name.startswith(".parshall-")}
        del left["notes.txt"]
        # Never files of both, even before anybody has looked.
        assert left.items() <= whole[1].items() or left.items() <= whole[2].items()
        check_folder(folder)
        left = {name: own for name, own in content(folder).items() if not name.startswith(".parshall-")}
        assert left.pop("notes.txt") == b"mine"
        seen.add(1 if left == whole[1] else 2)
        assert left in (whole[1], whole[2])
        # The next writer sweeps the stage, and puts the old one back for the next round.
        write[kind](folder, 1)
        assert not list(folder.glob(".parshall-*"))
        number += 1
    assert number > 10
    assert seen == {1, 2}


@pytest.mark.parametrize("size", [0, 500, 3000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_leaves_the_old(kind: str, size: int, write: dict[str, Write], tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write[kind](folder, 1)
    before = content(folder)
    assert forked(lambda: write[kind](folder, 2), limited(size)) != 0
    assert content(folder) == before


PING = "PING x (192.0.2.1) 56(84) bytes of data.\n" + "".join(
    f"64 bytes from 192.0.2.1: icmp_seq={n} ttl=50 time={20 + n % 7}.{n % 10} ms\n" for n in range(1, 301)
)

FIGURES = {
    "plot": ["plot", "{rec}", "--out", "{out}/f.svg"],
    "plot, PNG": ["plot", "{rec}", "--out", "{out}/f.png"],
    "compare": ["compare", "{rec}", "{rec}", "--out", "{out}/f.svg"],
    "rto": ["rto", "{ping}", "--out", "{out}/f.svg"],
    "forecast": ["forecast", "{ping}", "--out", "{out}"],
    "hurst": ["hurst", "{ping}", "--out", "{out}"],
    "new": ["new", "{out}/f.toml", "--force"],
    "capture": ["capture", "{pcap}", "--out", "{out}"],
}
"""Commands that write, and where to."""


@pytest.fixture(scope="module")
def inputs(write: dict[str, Write], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    place = tmp_path_factory.mktemp("given")
    write["recording"](place / "rec", 1)
    (place / "ping.txt").write_text(PING)
    pcap = next((place / "rec/pcap").iterdir())
    return {"rec": str(place / "rec"), "ping": str(place / "ping.txt"), "pcap": str(pcap)}


@pytest.mark.parametrize("command", FIGURES)
def test_a_command_on_a_full_disk_fails_and_leaves_the_old(
    command: str, inputs: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [part.format(**inputs, out=tmp_path / "out") for part in FIGURES[command]]
    assert main(arguments) == 0
    before = content(tmp_path / "out")
    assert before
    for size in (0, 700):
        assert forked(lambda: main(arguments), limited(size)) == 1
        assert content(tmp_path / "out") == before


def test_links_are_replaced_and_never_followed(inputs: dict[str, str], tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    for name in ("f.svg", "link.svg"):
        mine.write_text("precious")
        (tmp_path / name).symlink_to(mine)
        assert main(["plot", inputs["rec"], "--out", str(tmp_path / name)]) == 0
        assert mine.read_text() == "precious"
        assert not (tmp_path / name).is_symlink()
    (tmp_path / "dangling.svg").symlink_to(tmp_path / "nowhere")
    write_file(tmp_path / "dangling.svg", "x")
    assert not (tmp_path / "nowhere").exists()


def test_no_file_of_a_result_goes_through_a_link(write: dict[str, Write], tmp_path: Path) -> None:
    """A stranger's recording whose folder of captures is a link to a folder of the user's."""
    folder, outside = tmp_path / "out", tmp_path / "outside"
    write["recording"](folder, 1)
    (folder / "pcap").rename(outside)
    (folder / "pcap").symlink_to(outside)
    before = content(outside), content(folder)
    with pytest.raises(OutputError, match=r"is behind a link, expected a file of the folder itself$"):
        write["recording"](folder, 2)
    assert (content(outside), content(folder)) == before


def test_a_stage_of_a_stranger_touches_nothing_outside(tmp_path: Path) -> None:
    """An archive may hold a stage with a journal."""
    outside, folder = tmp_path / "outside", tmp_path / "out"
    (outside / "new").mkdir(parents=True)
    (outside / "new/a").write_text("mine")
    (outside / "b").write_text("mine")
    before = content(outside)
    journals = [
        '{"old": ["../outside/b"], "new": []}',
        f'{{"old": ["{outside}/b"], "new": []}}',
        '{"old": ["link/b"], "new": []}',
        '{"old": [], "new": ["a"]}',
        '{"old": [], "new": ["link/a"]}',
        '{"old": [[]], "new": {"a": 1}}',
        "[" * 100_000,
        "\udcff",
    ]
    for number, journal in enumerate(journals):
        place = folder / f".parshall-abcdef{number:02}"
        place.mkdir(parents=True)
        (place / "journal.json").write_text(journal, encoding="utf-8", errors="surrogateescape")
        (place / "new").symlink_to(outside / "new")
    (folder / "link").symlink_to(outside)
    (folder / ".parshall-linklink").symlink_to(outside)
    for _ in range(2):
        write_file(folder / "f", "x")
        assert content(outside) == before
    assert sorted(path.name for path in folder.iterdir()) == [".parshall-linklink", "f", "link"]


def test_stages_of_the_living_stay(tmp_path: Path) -> None:
    dead = tmp_path / ".parshall-abcd1234"
    dead.mkdir()
    (tmp_path / ".parshall-notes").mkdir()
    with stage(tmp_path) as first:
        assert not dead.exists()
        with stage(tmp_path) as second:
            write_file(tmp_path / "f", "x")
            assert first.exists()
            assert second.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".parshall-notes", "f"]


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("secret")
    (tmp_path / "f").chmod(0o600)
    write_file(tmp_path / "f", "another")
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o600


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match=r"pipe: is no ordinary file, expected"):
        write_file(tmp_path / "pipe", "x")


def test_a_move_that_fails_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of the moves fails or is interrupted, the old files are back."""
    write_file(tmp_path / "a", "old a")
    write_file(tmp_path / "sub/b", "old b")
    before, real = content(tmp_path), Path.replace
    for number in itertools.count(2):  # after the journal's
        calls = itertools.count(1)

        def fails(self: Path, target: Path, number: int = number, calls: Iterator[int] = calls) -> Path:
            if next(calls) == number:
                raise KeyboardInterrupt
            return real(self, target)

        monkeypatch.setattr(Path, "replace", fails)
        try:
            with replace_files(tmp_path, lambda: ["a", "sub/b"]) as files:
                files.add("a", "new a")
                files.add("c", "new c")
        except KeyboardInterrupt:
            assert content(tmp_path) == before
        else:
            break
        finally:
            monkeypatch.undo()
    assert number == 6
    assert content(tmp_path) == {"a": b"new a", "c": b"new c"}


# --- Damage -------------------------------------------------------------------------------------------------


def flipped(old: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(old))
    return old[:at] + bytes([old[at] ^ 1 << chance.randrange(8)]) + old[at + 1 :]


HARM: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "a bit": flipped,
    "an end": lambda old, chance: old[: chance.randrange(len(old))],
    "nothing left": lambda old, chance: b"",
    "no UTF-8": lambda old, chance: old[: (at := chance.randrange(len(old)))] + b"\xff\xfe" + old[at:],
    "zeros": lambda old, chance: bytes(len(old)),
    "another text": lambda old, chance: b'{"a": [1, 2]}\n',
    "nested lists": lambda old, chance: b"[" * 100_000,
    "a long number": lambda old, chance: b"9" * 10_000,
}


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_damaged_each_command_says_it_in_a_line(
    kind: str, write: dict[str, Write], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write[kind](tmp_path / "whole", 1)
    folder, chance = tmp_path / "out", random.Random(kind)
    write[kind](folder, 1)
    commands = [["check", str(folder)]]
    if kind != "capture":
        commands += [["compare", str(folder), str(tmp_path / "whole")], ["plot", str(folder)]]
    unread = {"scenario.toml"} | ({"ports.parquet"} if kind == "ensemble" else set())
    for name, old in content(folder).items():
        file = folder / name
        own = commands[:1] if name in unread or name.startswith(("flows/", "ports/")) else commands

        def all_refuse(label: str, name: str = name, own: list[list[str]] = own) -> None:
            for command in own:
                capsys.readouterr()
                assert main(command) == 1, (name, label, command)
                said = capsys.readouterr().err
                assert said.count("\n") == 1, (name, label, command, said)

        for label in chance.sample(sorted(HARM), 3):
            file.write_bytes(HARM[label](old, chance))
            all_refuse(label)
        file.unlink()
        all_refuse("gone")
        file.mkdir()
        all_refuse("a folder")
        file.rmdir()
        os.mkfifo(file)
        all_refuse("a pipe")
        file.unlink()
        file.write_bytes(old)
    assert main(commands[0]) == 0


def test_a_manifest_whose_facts_are_wrong_is_said_in_a_line(
    write: dict[str, Write], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its checksum is right: whoever hands it over has made it so."""
    for kind, name in zip(KINDS, ("recording.json", "ensemble.json", "sweep.json"), strict=False):
        folder = tmp_path / kind
        write[kind](folder, 1)
        whole = json.loads((folder / name).read_text())
        assert name in MANIFESTS
        del whole["checksum"]
        for key in whole:
            for value in (None, [["a"]], "x", -1.5, "missing"):
                changed = {**whole, key: value}
                if value == "missing":
                    del changed[key]
                changed["checksum"] = _own(changed)
                (folder / name).write_text(json.dumps(changed))
                for command in (["check", str(folder)], ["compare", str(folder), str(folder)]):
                    capsys.readouterr()
                    if main(command) != 0:
                        assert capsys.readouterr().err.count("\n") == 1, (kind, key, value, command)


def test_an_error_while_a_result_is_read_is_told(
    write: dict[str, Write], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write["recording"](tmp_path / "out", 1)

    def fails(self: Path) -> bytes:
        raise OSError(24, "Too many open files", str(self))

    monkeypatch.setattr(Path, "read_bytes", fails)
    with pytest.raises(ParshallError, match="too many open files"):
        check_folder(tmp_path / "out")
