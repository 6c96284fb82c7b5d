"""Files made here for a machine: the module estmred, tc's plug-in for it, and small programs.

The sources are the folder ``linux`` of Parshall's own; what is built of them is kept in the cache, under a
digest of the sources.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from parshall.engine.cache import default_folder
from parshall.errors import InputError, ParshallError
from parshall_dev.checkout import ROOT
from parshall_dev.emulated.kernel import Kernel
from parshall_dev.emulated.machine import missing

__all__ = ["Workshop"]

VARIABLE = "PARSHALL_LINUX"
"""Environment variable that names the folder of the sources."""

_SOURCES = ("Makefile", "qdisc", "emulate")
_SUFFIXES = frozenset({".c", ".h", ".conf", ""})
_PLUGIN = "q_estmred.so"
_MODULE = "sch_estmred.ko"


@dataclass(frozen=True)
class Workshop:
    """The sources, and where what is built of them is kept."""

    source: Path
    built: Path

    @staticmethod
    def open() -> Workshop:
        """The folder that ``$PARSHALL_LINUX`` names, or ``linux`` here or in the checkout.

        ``InputError`` where there is none.
        """
        named = os.environ.get(VARIABLE)
        for folder in [Path(named)] if named else [Path("linux"), ROOT / "linux"]:
            if (folder / "qdisc" / "sch_estmred.c").is_file():
                return Workshop(folder.resolve(), default_folder() / "linux" / "built")
        expected = "the folder linux of Parshall's sources, which the environment variable may name"
        raise InputError(VARIABLE, named or "not set", expected)

    def kernel(self, series: str) -> Kernel:
        """Debian's kernel of a series, such as 6.1. ``InputError`` where it was not unpacked."""
        return Kernel.load(self.source / "kernels" / series)

    def lacking(self, series: str, programs: Sequence[str]) -> str | None:
        """Returns, in a line, missing tools and files of a machine; ``None`` if nothing is."""
        absent = missing([*programs, "make", "gcc"])
        if absent:
            return absent
        if not (self.source / "kernels" / series / "release").is_file():
            return f"there is no kernel {series}: make -C {self.source} kernels SERIES={series}"
        return None

    @cached_property
    def digest(self) -> str:
        """Digest of the sources: the same text gives the same digest."""
        found = hashlib.sha256()
        for path in self._files():
            found.update(str(path.relative_to(self.source)).encode() + b"\0" + path.read_bytes())
        return found.hexdigest()[:16]

    def module(self, kernel: Kernel) -> Path:
        """The queue discipline for `kernel`."""
        command = ["emulate/build-module", str(kernel.folder.resolve()), "."]
        return self._made(f"{kernel.release}-{_MODULE}", f"qdisc/{_MODULE}", command)

    def plugin(self) -> Path:
        """The plug-in for tc."""
        return self._made(_PLUGIN, f"qdisc/{_PLUGIN}", ["make", "plugin"])

    def program(self, name: str) -> Path:
        """A program of ``linux/emulate``, linked so that it needs no library."""
        compile_ = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-I", "qdisc"]
        return self._made(name, name, [*compile_, f"emulate/{name}.c", "-o", name])

    def _files(self) -> Iterator[Path]:
        for name in _SOURCES:
            path = self.source / name
            files = [path] if path.is_file() else sorted(path.iterdir())
            yield from (each for each in files if each.suffix in _SUFFIXES and not each.name.startswith("."))

    def _made(self, name: str, made: str, command: Sequence[str]) -> Path:
        """The file `made` by `command` in a copy of the sources; kept as `name`."""
        kept = self.built / self.digest / name
        if not kept.is_file():
            kept.parent.mkdir(parents=True, exist_ok=True)
            with self._copy() as copy:
                ended = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
                if ended.returncode != 0:
                    raise ParshallError(f"{name} could not be built: {_last(ended.stdout + ended.stderr)}")
                # Two may build at once; each puts a whole file in its place.
                part = kept.with_name(f".{name}.{os.getpid()}")
                shutil.copy2(copy / made, part)
                part.replace(kept)
        return kept

    @contextmanager
    def _copy(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder)
            for path in self._files():
                to = copy / path.relative_to(self.source)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, to)
            yield copy


def _last(said: str) -> str:
    return " | ".join(said.strip().splitlines()[-3:])
