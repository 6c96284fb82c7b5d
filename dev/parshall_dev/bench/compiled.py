"""Programs of ours that are compiled against a peer's library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from parshall_dev.bench.process import ProcessError, run
from parshall_dev.checkout import ROOT

__all__ = ["BUILT", "Missing", "compiled"]

BUILT = ROOT / "out" / "bench"


class Missing(Exception):  # noqa: N818 - not a fault
    """A peer that is not here; the text says what is missing."""


def compiled(peer: str, source: Path, name: str, flags: Sequence[str], standard: str = "c++17") -> Path:
    """Compiles `source` into a program called `name`. Raises Missing."""
    BUILT.mkdir(parents=True, exist_ok=True)
    program = BUILT / name
    try:
        run(["g++", "-O2", f"-std={standard}", str(source), "-o", str(program), *flags])
    except ProcessError as error:
        raise Missing(f"{peer}: {source.name} was not compiled ({error})") from None
    return program
