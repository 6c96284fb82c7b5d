"""Bits on another processor are the same: the C library is told to hide what this one has, and NumPy as
well.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HIDDEN = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX2 FMA3 AVX512F AVX512_SKX",
}


def digests(repository: Path, **environment: str) -> dict[str, str]:
    """Output of ``python -m tests.bits``, by name."""
    shown = subprocess.run(
        [sys.executable, "-m", "tests.bits"],
        cwd=repository,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.rsplit(": ", 1) for line in shown.stdout.splitlines())


def test_recordings_and_estimates_are_the_same_on_a_processor_without_fma(repository: Path) -> None:
    here, elsewhere = digests(repository), digests(repository, **HIDDEN)
    differ = [name for name in here if here[name] != elsewhere[name]]
    assert here.keys() == elsewhere.keys()
    assert len(here) > 100
    assert [name for name in differ if not name.startswith("platform ")] == []
    if not differ:
        pytest.skip("this machine's C library computes the same either way")
