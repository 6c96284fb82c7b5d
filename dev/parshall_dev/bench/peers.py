"""ns-2, ns-3 and htsim: found, installed where we may, compiled, and run with our own scripts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from parshall_dev.bench.compiled import Missing, compiled
from parshall_dev.bench.figures import Counters
from parshall_dev.bench.networks import Bottlenecks
from parshall_dev.bench.ns3_builds import debian
from parshall_dev.bench.process import Finished, ProcessError, run
from parshall_dev.checkout import ROOT

__all__ = [
    "HTSIM",
    "NAMES",
    "PEERS",
    "Htsim",
    "Missing",
    "Ns2",
    "Ns3",
    "Peer",
    "install",
    "parse_result",
    "ready",
]

HERE = Path(__file__).resolve().parent
PACKAGES = ("ns2", "libns3-dev", "libgsl-dev", "g++", "pkg-config")
"""Debian's; libns3-dev needs libgsl-dev without saying so."""

HTSIM = "PARSHALL_HTSIM"
"""Variable of the environment that names the folder of htsim's headers and its library, libhtsim.a. No
distribution packages it."""

NAMES = {"ns2": "ns-2", "ns3": "ns-3", "htsim": "htsim"}
"""How each is called in text."""

_COUNTERS = ("packets_sent", "bytes_delivered", "packets_dropped")


def parse_result(output: str) -> Counters:
    """The counters of the line that starts with RESULT. Raises ProcessError when there is none."""
    for line in output.splitlines():
        if line.startswith("RESULT "):
            words = line.split()[1:]
            values = dict(zip(words[::2], words[1::2], strict=False))
            try:
                return {name: int(float(values[name])) for name in _COUNTERS}
            except (KeyError, ValueError):
                break
    raise ProcessError(f"no line RESULT with {', '.join(_COUNTERS)} in {output.strip()[-200:]!r}")


@dataclass(frozen=True)
class Ns2:
    """ns-2, which interprets the script."""

    program: str
    version: str

    def run(self, script: str, network: Bottlenecks, seconds: float, seed: int) -> Finished:
        """One run as a process of its own; zero seconds for all that comes before it."""
        options = {**network.options(seconds), "seed": str(seed)}
        if script == "parking_lot":
            options.pop("ntcp", None)
        words = [word for pair in options.items() for word in pair]
        return run([self.program, str(HERE / "ns2" / f"{script}.tcl"), *words])


@dataclass(frozen=True)
class _Compiled:
    """A simulator against whose library the script is compiled."""

    programs: dict[str, str]
    version: str

    taken: ClassVar[tuple[str, ...]]
    """Options that its scripts know."""

    def run(self, script: str, network: Bottlenecks, seconds: float, seed: int) -> Finished:
        """One run as a process of its own; zero seconds for all that comes before it."""
        options = {name: value for name, value in network.options(seconds).items() if name in self.taken}
        words = [f"--{name}={value.replace(' ', ',')}" for name, value in options.items()]
        return run([self.programs[script], f"--seed={seed}", *words])


class Ns3(_Compiled):
    """ns-3."""

    taken = (
        *("time", "rate", "delay", "limit", "access", "accessdelays", "starts", "ntcp", "payload", "minrto"),
        *("ncbr", "cbrrate", "cbrpacket"),
    )


class Htsim(_Compiled):
    """htsim."""

    taken = (
        "time",
        "rate",
        "delay",
        "limit",
        "access",
        "accessdelays",
        "starts",
        "ntcp",
        "window",
        "payload",
    )


Peer = Ns2 | Ns3 | Htsim


def install() -> str | None:
    """Installs what the peers need where we may; says why it could not."""
    if all(_found(check) for check in (_ns2_program, debian)):
        return None
    script = ROOT / "tools" / "install-packages"
    if os.geteuid() != 0:
        return f"please install: {' '.join(PACKAGES)}"
    done = subprocess.run(["bash", script, *PACKAGES], capture_output=True, text=True, check=False)
    said = done.stderr.strip().splitlines()
    return None if done.returncode == 0 else (said[-1] if said else "the packages were not installed")


def ready(name: str) -> Peer:
    """A peer by name. Raises Missing."""
    return PEERS[name]()


def _found(check: Callable[[], object]) -> bool:
    try:
        check()
    except Missing:
        return False
    return True


def _ns2_program() -> str:
    program = shutil.which("ns")
    if program is None:
        raise Missing("ns-2 (Debian's package ns2)")
    return program


def _ns2() -> Ns2:
    program = _ns2_program()
    asked = subprocess.run(
        [program, "-"], input="puts [ns-version]\nexit", capture_output=True, text=True, check=False
    )
    said = asked.stdout.split()
    return Ns2(program, said[-1] if said else "unknown")


def _ns3() -> Ns3:
    build = debian()
    sources = sorted((HERE / "ns3").glob("*.cc"))
    return Ns3(
        {source.stem: str(build.program(source, f"ns3-{source.stem}")) for source in sources}, build.version
    )


def _htsim() -> Htsim:
    folder = Path(os.environ.get(HTSIM, ""))
    if not os.environ.get(HTSIM) or not (folder / "libhtsim.a").exists():
        raise Missing(f"htsim ({HTSIM} names the folder of its headers and of libhtsim.a)")
    flags = [f"-I{folder}", str(folder / "libhtsim.a")]
    programs = {
        source.stem: str(compiled("htsim", source, f"htsim-{source.stem}", flags))
        for source in sorted((HERE / "htsim").glob("*.cc"))
    }
    return Htsim(programs, _commit(folder))


def _commit(folder: Path) -> str:
    """Commit of a checkout, where it is one; htsim has no versions."""
    asked = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip() or "of an unknown version"


PEERS: dict[str, Callable[[], Peer]] = {"ns2": _ns2, "ns3": _ns3, "htsim": _htsim}
"""Preparation of each peer."""
