"""Builds of ns-3 that programs are compiled against: Debian's, and a wheel of the Python package index.

Versions of ns-3 differ in what they compute, so each result names the version that it comes from.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parshall_dev.bench.compiled import BUILT, Missing, compiled
from parshall_dev.bench.process import ProcessError, run

__all__ = ["BUILDS", "WHEEL", "Ns3Build", "debian", "wheel"]

WHEEL = "3.44.post0"
"""Version of the wheel, whose package is called ns3."""
_MODULES = ("internet", "point-to-point", "applications", "traffic-control")
_BELOW = ("core", "network", "bridge", "stats")
"""Modules that those above need, which a linker wants named."""


@dataclass(frozen=True)
class Ns3Build:
    """A build of ns-3: what the compiler is told of it."""

    version: str
    """Its release, such as 3.37."""
    flags: list[str]
    standard: str
    """The C++ of its headers."""

    @property
    def name(self) -> str:
        """Name in text, such as ns-3.37."""
        return f"ns-{self.version}"

    def program(self, source: Path, name: str) -> Path:
        """Compiles a program, which is called `name` and the version. Raises Missing."""
        return compiled(self.name, source, f"{name}-{self.version}", self.flags, self.standard)


def debian() -> Ns3Build:
    """Debian's package. Raises Missing."""
    missing = Missing("ns-3 (Debian's packages libns3-dev, libgsl-dev, g++, pkg-config)")
    if shutil.which("g++") is None or shutil.which("pkg-config") is None:
        raise missing
    modules = [f"ns3-{module}" for module in _MODULES]
    try:
        flags = run(["pkg-config", "--cflags", "--libs", *modules]).output.split()
        version = run(["pkg-config", "--modversion", modules[0]]).output.strip()
    except ProcessError:
        raise missing from None
    return Ns3Build(version, flags, "c++17")


def wheel() -> Ns3Build:
    """The wheel, installed under out/bench when it is first asked for. Raises Missing."""
    if shutil.which("g++") is None:
        raise Missing(f"ns-3 ({WHEEL} of the Python package index needs g++)")
    folder = BUILT / f"ns3-{WHEEL}"
    if not folder.is_dir():
        _install(folder)
    headers, libraries = folder / "ns3" / "include", folder / "ns3" / "lib64"
    core = next(iter(libraries.glob("libns3*-core.so")), None)
    if core is None:
        raise Missing(f"ns-3 (no library in {libraries}; remove {folder} to install it again)")
    prefix = core.name.removesuffix("core.so").removeprefix("lib")
    linked = [f"-l{prefix}{module}" for module in (*_MODULES, *_BELOW)]
    flags = [f"-I{headers}", f"-L{libraries}", f"-Wl,-rpath,{libraries}", *linked]
    return Ns3Build(WHEEL.partition(".post")[0], flags, "c++20")


def _install(folder: Path) -> None:
    """Puts the wheel into `folder`, without the Python packages that it needs for Python only."""
    part = folder.with_name(f".{folder.name}")
    shutil.rmtree(part, ignore_errors=True)
    words = ["install", "--quiet", "--no-deps", "--disable-pip-version-check", "--target", str(part)]
    try:
        run([sys.executable, "-m", "pip", *words, f"ns3=={WHEEL}"])
    except ProcessError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise Missing(f"ns-3 ({WHEEL} of the Python package index: {error})") from None
    part.replace(folder)


BUILDS: tuple[Callable[[], Ns3Build], ...] = (debian, wheel)
"""Builds that comparisons run with, the older one first."""
