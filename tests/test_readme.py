"""What the README shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import parshall

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(), re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_run(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, str(README), "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("text", blocks("toml"))
def test_toml_blocks_run(text: str) -> None:
    scenario = parshall.loads(text)
    assert parshall.run(scenario, seed=1).flow("f1").packets_delivered > 0


@pytest.mark.parametrize("path", re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text()))
def test_links_lead_somewhere(path: str) -> None:
    assert (README.parent / path).exists()
