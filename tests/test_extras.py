"""What is optional says how to install it, before any work is done."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from parshall.cli.main import main
from parshall.errors import ParshallError
from parshall_studies.study import tuner


@pytest.mark.parametrize("package", ["optuna", "cmaes"])
def test_a_study_that_tunes_says_what_to_install(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"{package} is not installed; pip install 'parshall\[studies\]'"
    with pytest.raises(ParshallError, match=said):
        tuner.optuna()


def test_it_is_one_line_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert main(["reproduce", "nonresponsive", "--seeds", "2", "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "pip install 'parshall[studies]'" in said
    assert "Traceback" not in said
