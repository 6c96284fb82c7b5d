"""The command ``cache``: how much is kept of finished runs, where, and how it is let go."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from parshall.support.causes import output_errors
from parshall.support.terminal import echo

__all__ = ["Kept", "clear", "kept", "show"]


@dataclass(frozen=True)
class Kept:
    """Cached results of one engine version."""

    engine_version: str
    segments: tuple[Path, ...]
    bytes: int


def kept() -> list[Kept]:
    """Lists cached results by engine version."""
    from parshall.engine.cache import LAYOUT, default_folder

    home = default_folder() / LAYOUT
    if not home.is_dir():
        return []
    found = []
    for version in sorted(place for place in home.iterdir() if place.is_dir()):
        segments = tuple(sorted(place for place in version.iterdir() if place.is_dir()))
        found.append(Kept(version.name, segments, sum(map(_size, segments))))
    return found


def show() -> None:
    """Prints where the cache is and what it holds."""
    from parshall._core import ENGINE_VERSION
    from parshall.engine.cache import default_folder

    echo(str(default_folder()))
    found = kept()
    for each in found:
        own = "" if each.engine_version == ENGINE_VERSION else ", of another engine"
        echo(f"  {each.engine_version}: {_megabytes(each.bytes)} in {len(each.segments)} segments{own}")
    if old := _older():
        echo(f"  earlier versions of Parshall: {_megabytes(old)}, which parshall cache clear removes")
    echo(f"{_megabytes(sum(each.bytes for each in found) + old)} in all")


def clear(older_than_days: float | None) -> None:
    """Removes everything, or what was written so many days ago or before. Raises OutputError."""
    from parshall.engine.cache import Cache, default_folder

    before = sum(each.bytes for each in kept()) + _older()
    if older_than_days is None:
        Cache().clear()
    else:
        latest = time.time() - older_than_days * 86_400
        with output_errors(default_folder()):
            for segment in (segment for each in kept() for segment in each.segments):
                if segment.stat().st_mtime <= latest:
                    shutil.rmtree(segment)
    after = sum(each.bytes for each in kept()) + _older()
    echo(f"{_megabytes(before - after)} removed, {_megabytes(after)} left in {default_folder()}")


def _older() -> int:
    """Bytes of results in earlier layouts, which nobody reads any more."""
    from parshall.engine.cache import LAYOUT, default_folder, layouts

    return sum(_size(place) for place in layouts(default_folder()) if place.name != LAYOUT)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
