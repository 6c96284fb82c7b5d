"""A bare ``pip install`` of the wheel runs every command: with the lowest versions of what it needs on the
oldest Python, and with the newest on a new one.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.timeout(1200)

ROOT = Path(__file__).parents[1]
OLDEST = "3.10"
NEW = ("3.13", "3.12")

COMMANDS = [
    "--version",
    "studies",
    "schema",
    "new bell.toml",
    "check bell.toml",
    "run bell.toml --out one",
    "check one",
    "run bell.toml --seeds 3 --format json",
    "plot one",
    "compare bell.toml bell.toml --seeds 3",
    "sweep queues.toml --dry-run",
    "cache",
    "forecast rtts.csv",
    "hurst long.csv",
    "qdisc --help",
    "validate --help",
    "bench --help",
]
REPRODUCE = """
import sys
sys.path.insert(0, {root!r})
from parshall_studies.study import reproduce
from tests.toy_study import STUDY
reproduce(STUDY, out="toy", cache=False)
import importlib.util
assert importlib.util.find_spec("pandas") is None, "the test is to show that pandas is not needed"
"""
WITHOUT_EXTRAS = "reproduce nonresponsive --seeds 2"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    maturin = Path(sys.executable).parent / "maturin"
    if not maturin.exists():
        pytest.skip("no maturin to build a wheel")
    folder = tmp_path_factory.mktemp("wheel")
    build = [str(maturin), "build", "--release", "--quiet", "--out", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_is_for_many_machines(wheel: Path) -> None:
    assert re.fullmatch(r"parshall-[\d.]+-cp310-abi3-manylinux_2_\d+_\w+\.whl", wheel.name)


def test_commands_of_the_help_are_tried() -> None:
    from parshall.cli.main import cli

    assert {line.split()[0] for line in [*COMMANDS, WITHOUT_EXTRAS]} >= set(cli.commands)


@pytest.mark.parametrize("lowest", [True, False], ids=["lowest", "newest"])
def test_a_bare_install_runs_every_command(wheel: Path, lowest: bool, tmp_path: Path) -> None:
    python = _python((OLDEST,) if lowest else NEW)
    _install(python, tmp_path / "env", [str(wheel), *(_lowest() if lowest else [])])
    work = tmp_path / "work"
    work.mkdir()
    _write_samples(work)
    binaries = tmp_path / "env" / "bin"
    for line in COMMANDS:
        done = _run([str(binaries / "parshall"), *line.split()], work)
        assert done.returncode == 0, f"parshall {line}: {done.stderr}"
    done = _run([str(binaries / "python"), "-c", REPRODUCE.format(root=str(ROOT))], work)
    assert done.returncode == 0, done.stderr
    assert (work / "toy" / "report.html").is_file()
    done = _run([str(binaries / "parshall"), *WITHOUT_EXTRAS.split()], work)
    assert done.returncode == 1
    assert "pip install 'parshall[studies]'" in done.stderr


def _python(versions: tuple[str, ...]) -> str:
    """An interpreter of one of these versions that starts: on the path, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in versions:
        on_path = shutil.which(f"python{version}")
        for found in ([on_path] if on_path else []) + [
            str(each) for each in pyenv.glob(f"{version}.*/bin/python")
        ]:
            if subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
                return found
    pytest.skip(f"no Python {' or '.join(versions)}")


def _install(python: str, env: Path, wanted: list[str]) -> None:
    subprocess.run([python, "-m", "venv", str(env)], check=True, capture_output=True)
    pip = [str(env / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", *wanted]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if "No matching distribution" in done.stderr or "connection" in done.stderr.lower():
        pytest.skip(f"packages cannot be had: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr


def _lowest() -> list[str]:
    """What the project needs, in the lowest versions that it declares."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    return [each.replace(">=", "==") for each in declared]


def _write_samples(work: Path) -> None:
    draw = random.Random(1)
    (work / "rtts.csv").write_text("\n".join(f"{0.05 + 0.01 * draw.random():.6f}" for _ in range(200)))
    (work / "long.csv").write_text("\n".join(f"{draw.gauss(10, 1):.4f}" for _ in range(1000)))
    shutil.copy(ROOT / "examples" / "sweeps" / "queues.toml", work)


def _run(command: list[str], work: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
