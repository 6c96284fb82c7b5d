"""Modules that the command must not load: the start of every `parshall run` would pay for them."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from parshall import Dumbbell

HEAVY = {
    *("matplotlib", "pydantic", "pandas", "polars", "pyarrow", "scipy", "jinja2", "platformdirs"),
    *("IPython", "dpkt", "statsmodels", "concurrent.futures", "multiprocessing"),
}
"""Modules that only tables, figures, reports and sweeps need."""
FOR_SCENARIOS = {"numpy", "rich"}
"""Modules that only scenarios, arrays and what is printed about runs need."""

LAZY = (
    *("parshall", "parshall.scenario", "parshall.forecast", "parshall.long_memory", "parshall.sweep"),
    "parshall_studies.study",
)
"""Packages whose names are imported when they are asked for."""

PROGRAM = """
import json, sys
from parshall.cli.main import main
status = main(sys.argv[1:])
sys.stdout.flush()
print("LOADED", json.dumps(sorted(sys.modules)))
sys.exit(status)
"""


def loaded(*arguments: object) -> set[str]:
    """The modules that the command has loaded when it ends."""
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.rsplit("LOADED ", 1)[1]))


@pytest.mark.parametrize("package", LAZY)
def test_every_name_that_a_package_offers_is_there(package: str) -> None:
    module = import_module(package)
    assert len(module.__all__) > 10
    assert dir(module) == module.__all__
    assert all(hasattr(module, name) for name in module.__all__)
    with pytest.raises(AttributeError):
        _ = module.no_such_name


@pytest.fixture
def file(bell: Dumbbell, tmp_path: Path) -> Path:
    path = tmp_path / "bell.toml"
    path.write_text(bell.to_toml())
    return path


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["run", "--help"]])
def test_help_loads_next_to_nothing(arguments: list[str]) -> None:
    modules = loaded(*arguments)
    assert "parshall.cli" in modules
    assert not modules & (HEAVY | FOR_SCENARIOS | {"parshall.scenario"})


def test_a_run_loads_neither_arrays_nor_tables(file: Path) -> None:
    modules = loaded("run", file)
    assert "rich" in modules
    assert not modules & (HEAVY | {"numpy"})


def test_a_check_prints_without_rich(file: Path) -> None:
    assert not loaded("check", file) & (HEAVY | {"numpy", "rich"})


def test_saving_loads_what_it_needs(file: Path, tmp_path: Path) -> None:
    """The list above would mean nothing if these names were never loaded."""
    assert {"numpy", "pyarrow"} <= loaded("run", file, "--out", tmp_path / "out")
