"""A kernel in a folder, as ``linux/emulate/fetch-kernel`` leaves it."""

from __future__ import annotations

import lzma
import re
from dataclasses import dataclass
from pathlib import Path

from parshall.errors import InputError

__all__ = ["Kernel"]


@dataclass(frozen=True)
class Kernel:
    """A kernel's image and modules."""

    folder: Path
    release: str
    """Output of its ``uname -r``."""

    @staticmethod
    def load(folder: Path | str) -> Kernel:
        """The kernel in `folder`. ``InputError`` where there is none."""
        folder = Path(folder)
        release = folder / "release"
        if not release.is_file() or not (folder / "vmlinuz").exists():
            raise InputError(
                "kernel",
                str(folder),
                "a folder with a kernel, which make -C linux kernels makes of Debian's packages",
            )
        return Kernel(folder, release.read_text().strip())

    @property
    def image(self) -> Path:
        return self.folder / "vmlinuz"

    def modules(self, names: list[str]) -> dict[str, bytes]:
        """Modules and those that they need, each behind what it needs, without what is built in."""
        found: dict[str, bytes] = {}
        for name in names:
            self._add(name, found)
        return found

    def _add(self, name: str, found: dict[str, bytes]) -> None:
        if name in found or name in self._built_in():
            return
        content = self._read(name)
        for needed in needs(content):
            self._add(needed, found)
        found[name] = content

    def _read(self, name: str) -> bytes:
        for suffix, unpack in (("ko", bytes), ("ko.xz", lzma.decompress)):
            for file in self._modules().rglob(f"{name}.{suffix}"):
                return unpack(file.read_bytes())
        raise InputError("modules", name, f"a module of the kernel {self.release}")

    def _modules(self) -> Path:
        return (self.folder / "modules").resolve()

    def _built_in(self) -> set[str]:
        listed = self._modules() / "modules.builtin"
        return {Path(line).stem for line in listed.read_text().splitlines()} if listed.is_file() else set()


def needs(module: bytes) -> list[str]:
    """Names of the modules that `module` says it depends on."""
    said = re.search(rb"\0depends=([^\0]*)\0", module)
    return [name.decode() for name in said[1].split(b",") if name] if said else []
