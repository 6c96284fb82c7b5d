"""The folder of the playground: the page, and the engine beside it, which ``make wasm`` builds."""

from __future__ import annotations

import re
from pathlib import Path

from parshall.errors import ParshallError
from parshall.support.files import replace_files

__all__ = ["copied", "engine_of", "page"]

_SITE = Path(__file__).with_name("site")
_MODULE, _WRAPPER = "parshall.wasm", "parshall.mjs"
_VERSION = re.compile(rb"\d+\.\d+\.\d+\+\d+")


def page() -> Path:
    """The folder for a web server. Raises ParshallError where the engine's module is not in it."""
    missing = [name for name in (_MODULE, _WRAPPER) if not (_SITE / name).is_file()]
    if missing:
        raise ParshallError(
            f"the playground has no {missing[0]}: run make wasm once, "
            "which takes some minutes and downloads 140 MB"
        )
    return _SITE


def engine_of(folder: Path) -> str | None:
    """The version of the engine whose module is in a folder; None where it says none."""
    found = _VERSION.search((folder / _MODULE).read_bytes())
    return found[0].decode() if found else None


def copied(target: str | Path) -> Path:
    """Copies the playground into a folder that any web server can serve, and returns that.

    Raises ParshallError where the engine's module is missing, OutputError where nothing can be written.
    """
    place, source = Path(target), page()
    names = [file.relative_to(source).as_posix() for file in source.rglob("*") if file.is_file()]
    with replace_files(place, lambda: names) as files:
        for name in names:
            files.add(name, (source / name).read_bytes())
    return place
