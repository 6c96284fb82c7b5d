"""Description of the measuring machine."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

__all__ = ["facts"]


def facts() -> dict[str, Any]:
    """Processor, cores, load before the suite and versions."""
    from parshall import __version__
    from parshall._core import ENGINE_VERSION
    from parshall.engine.limits import available_cores

    return {
        "cpu": _cpu(),
        "cores": available_cores(),
        "load_before": _load(),
        "system": _system(),
        "python": platform.python_version(),
        "parshall": __version__,
        "engine": ENGINE_VERSION,
    }


def _system() -> str:
    """Name and series of the operating system; how its kernel was built says nothing about a speed."""
    return f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}".strip()


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _load() -> float | None:
    """Mean number of runnable processes over the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None
