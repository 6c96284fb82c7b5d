"""A class in Python that drives QUIC by the interface in C. Other controls are tests of crates/quinn."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OWN = ROOT / "examples/quic/own.py"
BUILT = [ROOT / f"target/{kind}/examples/libtransfer_library.so" for kind in ("release", "debug")]

needs_library = pytest.mark.skipif(
    not any(file.exists() for file in BUILT), reason="no library of the transfer: make test-quic builds it"
)


def free_address() -> str:
    """An address of this machine that nobody uses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def transfer(source: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(OWN), source, "--time", "2", "--server", free_address(), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@needs_library
def test_a_class_in_python_sends_by_quic() -> None:
    done = transfer("gentle:Gentle")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["bytes"] > 10_000
    assert shown["srtt"] >= 0.04


@needs_library
def test_a_class_in_python_sends_by_quic_in_simulated_time() -> None:
    bottleneck = ROOT / "examples/quic/bottleneck.toml"
    command = [sys.executable, str(OWN), "gentle:Gentle", "--scenario", str(bottleneck)]
    runs = [
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=120) for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout
    shown = json.loads(runs[0].stdout)
    assert 18.9e6 < shown["goodput"] < 19.3e6
    # It keeps 10 ms of queueing delay; a full packet takes 0.6 ms to send.
    assert 0.008 < shown["mean_delay"] < 0.014
    assert shown["packets_dropped"] == 0


@needs_library
def test_a_class_that_fails_is_told(tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(
        "import parshall\n\n\nclass Failing(parshall.Control):\n"
        "    def on_ack(self, ack):\n        raise ValueError('it does not know')\n"
    )
    command = [sys.executable, str(OWN), "failing:Failing", "--time", "2", "--server", free_address()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path)
    assert done.returncode != 0
    assert "on_ack: ValueError: it does not know" in done.stderr
