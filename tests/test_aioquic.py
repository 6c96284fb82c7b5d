"""aioquic in simulated time: the example, which has the same times and sizes in each run."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("aioquic", reason="aioquic is not installed: uv pip install -e 'dev[quic]'")

EXAMPLE = Path(__file__).parents[1] / "examples" / "quic" / "aioquic_simulated.py"


def test_a_download_shares_the_line_and_has_one_trace() -> None:
    spec = importlib.util.spec_from_file_location("aioquic_simulated", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    took, trace, recording = example.download(500_000)
    assert took is not None
    assert took > 8 * 500_000 / 16e6
    assert recording.flow("cubic").packets_delivered > 0
    assert (took, trace) == example.download(500_000)[:2]
