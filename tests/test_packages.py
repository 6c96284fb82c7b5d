"""Packages are complete: the source distribution, and the crates with their documentation."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PUBLISHED = (
    "parshall-estimators",
    "parshall-control",
    "parshall-scenario",
    "parshall-sim",
    "parshall-capture",
    "parshall-link",
    "parshall-testkit",
    "parshall-net-c",
    "parshall-smoltcp",
    "parshall-quinn",
)

needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo")


def _cargo(*arguments: str, **environment: str) -> str:
    command = ["cargo", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@needs_cargo
def test_the_source_distribution_can_be_built_tested_and_read(tmp_path: Path) -> None:
    maturin = Path(sys.executable).parent / "maturin"
    subprocess.run([maturin, "sdist", "--out", tmp_path], cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.split("/", 1)[1] for name in opened.getnames() if "/" in name}
    wanted = ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "Makefile", "Cargo.lock")
    assert set(wanted) <= names
    for folder, pattern in (
        ("tests", "test_*.py"),
        ("docs", "**/*.md"),
        ("examples", "*.toml"),
        ("linux/qdisc", "*.[ch]"),
        ("python/parshall", "**/*.py"),
        ("studies", "**/*.py"),
        ("studies", "**/*.md"),
        ("dev", "**/*.py"),
        ("dev", "**/*.cc"),
        ("crates/control/src", "**/*.rs"),
        ("crates/sim/src", "**/*.rs"),
    ):
        there = {
            str(file.relative_to(ROOT))
            for file in (ROOT / folder).glob(pattern)
            if "__pycache__" not in file.parts and not file.is_relative_to(ROOT / "docs/reference/api")
        }
        assert there <= names, sorted(there - names)[:5]
    built = [name for name in names if name.endswith((".so", ".ko", ".o", ".pyc")) or "/kernels/" in name]
    assert built == []


@needs_cargo
def test_crates_have_what_an_index_asks_for() -> None:
    found = json.loads(_cargo("metadata", "--no-deps", "--format-version", "1", "--offline"))
    packages = {package["name"]: package for package in found["packages"]}
    for name in PUBLISHED:
        package = packages[name]
        assert package["publish"] is None
        assert package["license"] == "Apache-2.0 OR MIT"
        assert len(package["description"]) > 40
        assert package["keywords"]
        assert package["categories"]
        for dependency in package["dependencies"]:
            assert dependency["req"] != "*", f"{name} needs {dependency['name']} without a version"
    assert all(package["publish"] == [] for name, package in packages.items() if name not in PUBLISHED)


@needs_cargo
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(PUBLISHED[:-1], id="all but QUIC"),
        # QUIC itself and its cryptography are compiled for this alone.
        pytest.param(PUBLISHED[-1:], id="QUIC", marks=pytest.mark.exhaustive),
    ],
)
def test_their_documentation_has_no_warning(names: tuple[str, ...]) -> None:
    crates = [part for name in names for part in ("-p", name)]
    _cargo("doc", "--no-deps", *crates, RUSTDOCFLAGS="-D warnings")
