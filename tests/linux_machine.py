"""Fixtures of the kernel module's tests: the module built for a kernel, and a machine that has it."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from parshall_dev.emulated import Kernel, Machine, missing

LINUX = Path(__file__).parent.parent / "linux"
KERNELS = Path(os.environ.get("PARSHALL_KERNELS", LINUX / "kernels"))

MODULES = ("veth", "dummy", "sch_tbf", "sch_netem", "sch_red", "sch_codel", "sch_fq_codel", "sch_pie")
TOOLS = ("fuzz_netlink", "send_sizes", "dump_netlink")


@functools.cache
def why_not(series: str) -> str | None:
    """Reason why a test in an emulated machine cannot run, in a line."""
    lacking = missing(["tc", "ip", "iperf3"])
    if lacking:
        return lacking
    if not (KERNELS / series / "release").is_file():
        return f"there is no kernel {series}: make -C linux kernels SERIES={series}"
    absent = [program for program in ("make", "gcc") if shutil.which(program) is None]
    return f"a kernel module is built with {' and '.join(absent)}" if absent else None


def kernel(series: str) -> Kernel:
    """The kernel of a series, or the test is skipped."""
    reason = why_not(series)
    if reason:
        pytest.skip(reason)
    return Kernel.load(KERNELS / series)


def source(folder: Path) -> Path:
    """A copy of `linux/` to build in."""
    copy = folder / "linux"
    ignored = shutil.ignore_patterns("kernels", "*.o", "*.ko", "*.so", ".*.cmd", "*.mod*", "Module.symvers")
    shutil.copytree(LINUX, copy, ignore=ignored)
    return copy


def make(folder: Path, *words: str) -> str:
    """Output of make; an error fails the test."""
    return _said("make", "-C", str(folder), *words)


def build_module(folder: Path, against: Kernel, *words: str) -> str:
    """Output of the kernel's build of the module in `folder`/qdisc."""
    return _said(str(folder / "emulate" / "build-module"), str(against.folder), str(folder), *words)


def _said(*command: str) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def build_tools(folder: Path) -> None:
    """The programs that put the module to the test, linked so that they need no library."""
    for tool in TOOLS:
        command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-I", str(folder / "qdisc")]
        command += [str(folder / "emulate" / f"{tool}.c"), "-o", str(folder / tool)]
        subprocess.run(command, check=True)


def machine(folder: Path, of: Kernel) -> Machine:
    """A machine with the module, tc's plug-in and the tools that were built in `folder`."""
    files: dict[str, bytes | Path] = {f"/bin/{tool}": folder / tool for tool in TOOLS}
    files["/lib/sch_estmred.ko"] = folder / "qdisc" / "sch_estmred.ko"
    files["/lib/tc/q_estmred.so"] = folder / "qdisc" / "q_estmred.so"
    return Machine(of, ["tc", "ip", "iperf3"], MODULES, files, memory_mib=256)


def parts(said: str) -> dict[str, str]:
    """Text under each line ``== name``."""
    pieces = re.split(r"^== (\S+)\n", said, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))
