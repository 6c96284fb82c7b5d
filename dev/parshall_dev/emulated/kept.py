"""Output of machines, kept in the cache: an equal machine with an equal script says the same again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from parshall.engine.cache import default_folder
from parshall_dev.emulated.machine import Machine

__all__ = ["Runs"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Runs:
    """Runs of machines whose programs and modules have this digest."""

    digest: str
    folder: Path | None
    """Where they are kept; ``None`` keeps nothing."""

    @staticmethod
    def kept(digest: str, *, keep: bool = True) -> Runs:
        """In the cache, or nowhere."""
        return Runs(digest, default_folder() / "linux" / "runs" if keep else None)

    def run(self, machine: Machine, script: str, read: Callable[[str], _T], timeout_s: float) -> _T:
        """Returns what `read` makes of the script's output. Output that it refuses is not kept."""
        kept = None if self.folder is None else self.folder / self._key(machine, script)
        if kept is not None and kept.is_file():
            return read(kept.read_text(encoding="utf-8"))
        said = machine.run(script, timeout_s)
        found = read(said)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            # Two may run at once; each puts a whole file in its place.
            part = kept.with_name(f".{kept.name}.{os.getpid()}")
            part.write_text(said, encoding="utf-8")
            part.replace(kept)
        return found

    def _key(self, machine: Machine, script: str) -> str:
        parts = (machine.kernel.release, self.digest, str(machine.seed), str(machine.memory_mib), script)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
