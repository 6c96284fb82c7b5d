"""A bare ``pip install`` of the wheel runs every command, and with that of the studies also studies: with the
lowest versions of what they need on the oldest Python, and with the newest on a new one.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.timeout(1200)

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).parent / "uv"
OLDEST = "3.10"
NEW = ("3.13", "3.12")

COMMANDS = [
    "--version",
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
    "rto rtts.csv",
    "hurst long.csv",
    "qdisc --help",
    "link --help",
    "play --help",
    "run bell.toml --set record.pcap=* --set record.pcap_both_directions=true --out two",
    "capture two/pcap/bottleneck.pcap --out seen",
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
OF_STUDIES = ("studies", "reproduce fluid --seeds 2")
MAINTAINERS = ("validate", "bench")


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


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    build = [UV, "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT / "studies")]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if done.returncode != 0 and _unreachable(done.stderr):
        pytest.skip(f"packages cannot be had: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_is_for_many_machines(wheel: Path) -> None:
    assert re.fullmatch(r"parshall-[\d.]+-cp310-abi3-manylinux_2_\d+_\w+\.whl", wheel.name)


def test_the_wheel_holds_the_library_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        (metadata,) = (opened.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert {name.split("/")[0] for name in names} == {"parshall", "parshall-0.1.0.dist-info"}
    lazy = list((ROOT / "python").rglob("__init__.pyi"))  # read when names are asked for
    assert len(lazy) > 4
    assert {str(file.relative_to(ROOT / "python")) for file in lazy} <= set(names), (
        "read when names are asked for"
    )
    assert "Provides-Extra: studies" in metadata
    needed = set(re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", metadata, re.MULTILINE))
    assert not needed & {"jinja2", "markdown-it-py", "contourpy", "optuna", "cmaes"}


def test_commands_of_the_help_are_tried() -> None:
    from parshall.cli.main import cli

    assert {line.split()[0] for line in [*COMMANDS, *OF_STUDIES]} >= set(cli.commands)


@pytest.mark.parametrize(
    "lowest",
    [pytest.param(True, marks=pytest.mark.exhaustive, id="lowest"), pytest.param(False, id="newest")],
)
def test_a_bare_install_runs_every_command(wheel: Path, studies: Path, lowest: bool, tmp_path: Path) -> None:
    python = _python((OLDEST,) if lowest else NEW)
    env, work = tmp_path / "env", tmp_path / "work"
    _make(python, env)
    _install(env, [str(wheel), *(_lowest(ROOT) if lowest else [])])
    work.mkdir()
    _write_samples(work)
    for line in COMMANDS:
        _command(env, line, work)
    for line in OF_STUDIES:
        assert "studies are not installed; in the repository: pip install ./studies" in _command(
            env, line, work, 1
        )
    for line in MAINTAINERS:
        assert f"No such command '{line}'" in _command(env, line, work, 2)
    _install(env, [str(studies), *(_lowest(ROOT / "studies") if lowest else [])])
    assert "median-rto" in _command(env, "studies", work)
    done = _run([str(env / "bin" / "python"), "-c", REPRODUCE.format(root=str(ROOT))], work)
    assert done.returncode == 0, done.stderr
    assert (work / "toy" / "report.html").is_file()


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


def _make(python: str, env: Path) -> None:
    subprocess.run([UV, "venv", "--quiet", "--python", python, str(env)], check=True, capture_output=True)


def _install(env: Path, wanted: list[str]) -> None:
    install = [UV, "pip", "install", "--quiet", "--python", str(env / "bin" / "python"), *wanted]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode != 0 and _unreachable(done.stderr):
        pytest.skip(f"packages cannot be had: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr


def _unreachable(said: str) -> bool:
    return "no versions of" in said or "fetch" in said.lower() or "connect" in said.lower()


def _lowest(project: Path) -> list[str]:
    """The packages of others that a project needs, in the lowest versions that it declares."""
    text = (project / "pyproject.toml").read_text(encoding="utf-8")
    declared = tomllib.loads(text)["project"]["dependencies"]
    return [each.replace(">=", "==") for each in declared if not each.startswith("parshall")]


def _write_samples(work: Path) -> None:
    draw = random.Random(1)
    (work / "rtts.csv").write_text("\n".join(f"{0.05 + 0.01 * draw.random():.6f}" for _ in range(200)))
    (work / "long.csv").write_text("\n".join(f"{draw.gauss(10, 1):.4f}" for _ in range(1000)))
    shutil.copy(ROOT / "examples" / "sweeps" / "queues.toml", work)


def _command(env: Path, line: str, work: Path, status: int = 0) -> str:
    """Runs a command of the installed package, which must end so; what it says."""
    done = _run([str(env / "bin" / "parshall"), *line.split()], work)
    assert done.returncode == status, f"parshall {line}: {done.stderr}"
    return done.stdout + done.stderr


def _run(command: list[str], work: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
