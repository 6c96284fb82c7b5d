"""Optional parts say how to install them, before any work is done."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from inspect import signature

import pytest

import parshall
from parshall.cli import main as command
from parshall.cli.main import main
from parshall.errors import ParshallError
from parshall_studies import study


@pytest.mark.parametrize("arguments", [["studies"], ["reproduce", "fluid", "--seeds", "2"]])
def test_without_studies_it_is_one_line(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _take_away(monkeypatch, "parshall_studies")
    assert main(arguments) == 1
    said = capsys.readouterr().err
    assert said == "parshall: studies are not installed; in the repository: pip install ./studies\n"


def test_the_library_itself_does_without_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    _take_away(monkeypatch, "parshall_studies")
    assert callable(parshall.reproduce)
    with pytest.raises(ParshallError, match="studies are not installed"):
        parshall.reproduce("fluid")


def test_what_is_missing_of_the_studies_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    _take_away(monkeypatch, "parshall_studies.study")
    with pytest.raises(ModuleNotFoundError, match=r"parshall_studies\.study"):
        parshall.reproduce("fluid")


def test_both_ways_to_reproduce_take_the_same() -> None:
    assert signature(parshall.reproduce) == signature(study.reproduce)


def test_commands_of_other_packages_are_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    points = {
        "more": EntryPoint("more", "parshall.cli.main:check", "parshall.commands"),
        "broken": EntryPoint("broken", "no_such_package:command", "parshall.commands"),
    }
    monkeypatch.setattr(command, "_offered", lambda: points)
    assert main(["more", "--help"]) == 0
    assert "Check the scenario" in capsys.readouterr().out
    assert main(["broken"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("parshall: command broken (no_such_package:command): ModuleNotFoundError")
    assert said.count("\n") == 1
    assert main(["none"]) == 2


class _Without:
    """A finder that says of one package that there is none."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        del path, target
        if name == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _take_away(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Lets the package be found no more, as if it had not been installed."""
    for name in [each for each in sys.modules if f"{each}.".startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Without(package), *sys.meta_path])
