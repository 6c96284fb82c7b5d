"""Studies are found by their entry points: those of this repository, and those of others."""

from __future__ import annotations

import importlib.metadata
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.toy_study import STUDY

from parshall.cli.main import main
from parshall.errors import InputError, ParshallError
from parshall_studies import study as st


def test_an_unknown_study_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InputError, match=r'study: got "tcp-tp2", expected one of aqm, arima-vegas, fluid, linux-testbed'
    ):
        st.reproduce("tcp-tp2")


def _offer(monkeypatch: pytest.MonkeyPatch, **offered: str) -> None:
    points = [
        importlib.metadata.EntryPoint(name, value, "parshall.studies") for name, value in offered.items()
    ]
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: points if group == "parshall.studies" else []
    )


def test_a_package_of_somebody_else_may_bring_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _offer(monkeypatch, toy="tests.toy_study:STUDY")
    assert main(["studies"]) == 0
    assert capsys.readouterr().out == "toy  A toy & <more>\n"
    assert main(["reproduce", "toy", "--seeds", "12", "--out", str(tmp_path)]) == 0
    assert main(["reproduce", "toy", "--from", str(tmp_path), "--verbose"]) == 0
    assert "Twice is more & more." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("tests.no_such_module:STUDY", r"study bad \(tests\.no_such_module:STUDY\): ModuleNotFoundError: "),
        ("tests.toy_study:NOTHING", r"study bad \(tests\.toy_study:NOTHING\): AttributeError: "),
        ("tests.toy_study:PAGE", r"study bad \(tests\.toy_study:PAGE\): got .*, expected a Study"),
    ],
)
def test_a_package_that_brings_something_else_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], value: str, said: str
) -> None:
    _offer(monkeypatch, bad=value, toy="tests.toy_study:STUDY")
    assert main(["reproduce", "bad"]) == 1
    assert re.fullmatch(rf"parshall: {said}.*\n", capsys.readouterr().err)
    assert st.find_study("toy") is STUDY  # one that is broken does not stand in the way of others
    assert main(["studies"]) == 1
    listed = capsys.readouterr()
    assert listed.out.startswith("toy")
    assert re.fullmatch(rf"parshall: {said}.*\n", listed.err)


def test_no_study_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    _offer(monkeypatch)
    with pytest.raises(ParshallError, match=r"no package offers any as parshall\.studies"):
        st.list_studies()


def test_a_study_without_a_first_screen_does_not_load() -> None:
    page = "- **Does it work?** Yes.\n\n## Findings\n- **When to use it:** Always.\n"
    study = replace(STUDY, content=st.Content(lambda _: {}, (), page))
    with pytest.raises(ValueError, match=r"study toy: page: expected '- \*\*When to use it:\*\* ...' before"):
        _ = study.loaded
