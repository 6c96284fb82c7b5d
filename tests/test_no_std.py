"""The estimators compile where there is no standard library, and a use of it would be noticed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def compiled(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs ``tools/no-std``; skips the test where there is nothing to compile against."""
    if shutil.which("cargo") is None:
        pytest.skip("no cargo")
    done = subprocess.run(
        [repository / "tools/no-std", *arguments], capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode == 77:
        pytest.skip(done.stderr.strip())
    return done


def test_estimators_compile_without_std(repository: Path) -> None:
    done = compiled(repository)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("parshall-estimators compiles without std")


def test_a_use_of_std_would_be_noticed(repository: Path) -> None:
    done = compiled(repository, "--features", "std")
    assert done.returncode != 0
    assert "can't find crate for `std`" in done.stderr
