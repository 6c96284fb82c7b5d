"""A machine that runs one script and is gone."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parshall.errors import ParshallError
from parshall_dev.emulated.cpio import Archive
from parshall_dev.emulated.kernel import Kernel

__all__ = ["EmulationError", "Machine", "missing"]

QEMU = "qemu-system-x86_64"

PACKAGES = {QEMU: "qemu-system-x86", "busybox": "busybox-static", "ip": "iproute2", "tc": "iproute2"}
"""Where Debian has what this needs."""

BEGIN, END = "@@ begin", "@@ end"

INIT = """#!/bin/sh
export PATH=/bin TC_LIB_DIR=/lib/tc HOME=/tmp
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev
mount -t tmpfs -o size=100% t /tmp; mount -t tmpfs r /run; mkdir -p /run/netns
echo 3 > /proc/sys/kernel/printk
for module in $(cat /modules); do insmod /lib/modules/$module.ko || echo "@@ insmod $module failed"; done
echo "@@ begin"
sh /script 2>&1
echo "@@ end $?"
poweroff -f
"""


class EmulationError(ParshallError):
    """The machine did not come to the end of its script."""


def missing(programs: Sequence[str] = ()) -> str | None:
    """Returns, in a line, packages to install before a machine can run; ``None`` when nothing is missing."""
    absent = [each for each in (QEMU, "busybox", *programs) if _which(each) is None]
    if not absent:
        return None
    packages = dict.fromkeys(PACKAGES.get(each, each) for each in absent)
    return f"an emulated machine needs {', '.join(absent)}: install {' '.join(packages)}"


@dataclass(frozen=True)
class Machine:
    """Parts of a machine."""

    kernel: Kernel
    programs: Sequence[str] = ("tc", "ip")
    """Programs of this computer that it gets, with their libraries; names or paths. Busybox is there, too."""
    modules: Sequence[str] = ()
    """Modules of the kernel, loaded before the script, with what they need."""
    files: Mapping[str, bytes | Path] = field(default_factory=dict)
    """Further files by their absolute paths; those in ``/bin`` can be executed."""
    memory_mib: int = 512
    exact: bool = True
    """True if time is counted in instructions, so that output is the same each time. Otherwise the machine
    has the computer's time, and is late under load."""
    boot: str = ""
    """Further words for the kernel's command line."""
    seed: int = 42
    """Seed of the kernel's random numbers."""

    def run(self, script: str, timeout_s: float = 300.0) -> str:
        """Returns the output of `script`. ``EmulationError`` where it does not end in `timeout_s` seconds."""
        with tempfile.TemporaryDirectory() as folder:
            initrd = Path(folder) / "initrd"
            initrd.write_bytes(gzip.compress(self.archive(script).to_bytes(), 1, mtime=0))
            return _between_marks(self._emulate(initrd, timeout_s))

    def archive(self, script: str) -> Archive:
        """Builds the initial RAM disk."""
        archive = Archive()
        for name in ("/proc", "/sys", "/dev", "/tmp", "/run", "/etc"):
            archive.folder(name)
        for program in self.programs:
            _add_program(archive, program)
        _add_busybox(archive)
        modules = self.kernel.modules(list(self.modules))
        for name, content in modules.items():
            archive.file(f"/lib/modules/{name}.ko", content)
        for path, given in self.files.items():
            content = given.read_bytes() if isinstance(given, Path) else given
            archive.file(path, content, executable=path.startswith("/bin/"))
        archive.file("/modules", "\n".join(modules).encode())
        archive.file("/script", (_functions(self.programs) + script).encode())
        archive.file("/init", INIT.encode(), executable=True)
        return archive

    def _emulate(self, initrd: Path, timeout_s: float) -> str:
        words = [
            "console=ttyS0",
            "quiet",
            "panic=-1",
            "nokaslr",
            "tsc=reliable",
            "mitigations=off",
            self.boot,
        ]
        command = [
            _needed(QEMU),
            *("-machine", "q35,accel=tcg", "-cpu", "max,-cx16", "-smp", "1", "-m", str(self.memory_mib)),
            *(("-icount", "shift=1,sleep=off") if self.exact else ()),
            *("-seed", str(self.seed), "-rtc", "base=2020-01-01T00:00:00,clock=vm"),
            *("-nodefaults", "-no-user-config", "-display", "none", "-serial", "stdio", "-no-reboot"),
            *("-kernel", str(self.kernel.image), "-initrd", str(initrd), "-append", " ".join(words).strip()),
        ]
        try:
            ended = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False
            )
        except subprocess.TimeoutExpired as expired:
            said = (expired.stdout or b"").decode(errors="replace")
            raise EmulationError(
                f"the machine did not end in {timeout_s:g} s; its last words: {_last(said)}"
            ) from None
        if ended.returncode != 0:
            raise EmulationError(f"{QEMU} failed: {_last(ended.stderr.decode(errors='replace'))}")
        return ended.stdout.decode(errors="replace").replace("\r\n", "\n")


def _between_marks(said: str) -> str:
    found = re.search(rf"^{BEGIN}\n(.*?)^{END} (\d+)$", said, re.MULTILINE | re.DOTALL)
    if not found:
        raise EmulationError(f"the machine did not end its script; its last words: {_last(said)}")
    return found[1]


def _last(said: str) -> str:
    return " | ".join(said.strip().splitlines()[-5:]) or "nothing"


def _which(program: str) -> str | None:
    # Debian has some of them where only root looks.
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin:/bin:/usr/bin")


def _needed(program: str) -> str:
    found = _which(program)
    if found is None:
        raise EmulationError(missing([program]) or f"{program} is not there")
    return found


def _add_program(archive: Archive, program: str) -> None:
    """A program, and the libraries that the loader would find for it."""
    file = Path(_needed(program))
    archive.file(f"/bin/{file.name}", file.read_bytes(), executable=True)
    listed = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False).stdout
    libraries = re.findall(r"(/\S+)", listed)
    for library in [*libraries, *_loaded_late(libraries)]:
        if library not in archive:
            archive.file(library, Path(library).read_bytes(), executable=True)


def _loaded_late(libraries: Sequence[str]) -> list[str]:
    """Library that the C library loads when a thread is cancelled; the loader's list does not have it."""
    folders = {str(Path(library).parent) for library in libraries if "/libc.so" in library}
    beside = (f"{folder}/libgcc_s.so.1" for folder in sorted(folders))
    return [each for each in beside if Path(each).is_file()]


def _functions(programs: Sequence[str]) -> str:
    """Shell functions for `programs`: busybox's shell takes its own applets before anything in the path."""
    names = [Path(program).name for program in programs]
    return "".join(f'{name}() {{ /bin/{name} "$@"; }}\n' for name in names)


def _add_busybox(archive: Archive) -> None:
    # Debian's package busybox needs libraries, busybox-static does not.
    _add_program(archive, "busybox")
    applets = subprocess.run(
        [_needed("busybox"), "--list"], capture_output=True, text=True, check=True
    ).stdout
    for applet in applets.split():
        # Its ip and tc are not the real ones.
        if f"/bin/{applet}" not in archive:
            archive.link(f"/bin/{applet}", "busybox")
