"""Runs a program and says how long it took, what it printed and how much memory it had at most."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Finished", "ProcessError", "resident", "run"]

_LOOK_EVERY_S = 0.02


class ProcessError(Exception):
    """A program that failed; the text says which, and what it said."""


@dataclass(frozen=True)
class Finished:
    """A program that ended well."""

    seconds: float
    """Seconds of the whole process."""
    output: str
    peak_mb: float | None
    """Most resident memory, in 10^6 bytes; None where the system does not tell."""


def run(command: Sequence[str], folder: Path | None = None) -> Finished:
    """Runs a program to its end, and ends it on Ctrl-C. Raises ProcessError."""
    started = time.perf_counter()
    try:
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    except OSError as error:
        raise ProcessError(f"{command[0]}: {error.strerror}") from None
    peak: float | None = None
    try:
        while True:
            peak = resident(process.pid, "VmHWM") or peak
            try:
                output, complaint = process.communicate(timeout=_LOOK_EVERY_S)
                break
            except subprocess.TimeoutExpired:
                continue
    except BaseException:
        process.kill()
        process.wait()
        raise
    seconds = time.perf_counter() - started
    if process.returncode != 0:
        said = complaint.strip().splitlines() or output.strip().splitlines() or ["nothing"]
        raise ProcessError(f"{command[0]}: status {process.returncode}, it said: {said[-1]}")
    return Finished(seconds, output, peak)


def resident(pid: int | str, field: str) -> float | None:
    """Memory of a process in 10^6 bytes: ``VmHWM`` the most so far, ``VmRSS`` now.

    The peak in ``getrusage`` will not do: a new program inherits that of the process that started it.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024 / 1e6
    return None
