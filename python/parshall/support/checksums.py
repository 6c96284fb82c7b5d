"""Checksums of files that are kept: what was damaged since it was written is refused, and never believed.

A manifest lists the SHA-256 of each file beside it, and carries one of itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from parshall.errors import ParshallError
from parshall.support.files import reason

__all__ = ["check_folder", "digest", "digests", "opened", "sealed", "verified"]

_OWN = "checksum"
_FILES = "sha256"
_MANIFESTS = ("recording.json", "sweep.json", "ensemble.json")


def digest(content: bytes) -> str:
    """The checksum of a file's content."""
    return hashlib.sha256(content).hexdigest()


def digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The checksums of files in a folder, by their names with slashes."""
    return {name: digest((folder / name).read_bytes()) for name in names}


def sealed(manifest: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """The text of a manifest with the checksums of files, and its own."""
    whole = {**manifest, _FILES: dict(files)}
    return json.dumps({**whole, _OWN: _own(whole)}, indent=2, ensure_ascii=False) + "\n"


def opened(file: Path) -> dict[str, Any]:
    """Reads a sealed manifest. Raises ParshallError for a damaged one, and what reading it raises."""
    found = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or not isinstance(found.get(_FILES), dict):
        raise ParshallError(f"{file}: no checksums, expected what this version of Parshall writes")
    if found.pop(_OWN, None) != _own(found):
        raise ParshallError(f"{file}: its checksum is wrong, expected a file as it was written")
    return found


def verified(folder: Path, name: str, manifest: Mapping[str, Any]) -> bytes:
    """The content of a file that an opened manifest lists. Raises ParshallError for one that is damaged."""
    content = (folder / name).read_bytes()
    if manifest[_FILES].get(name) != digest(content):
        raise ParshallError(f"{folder / name}: its checksum is wrong, expected a file as it was written")
    return content


def check_folder(folder: Path) -> str:
    """Checks each file of a recording or of a sweep; says what was checked. Raises ParshallError."""
    for name in _MANIFESTS:
        if (folder / name).is_file():
            break
    else:
        expected = "a scenario file, or the folder of a recording or a sweep"
        raise ParshallError(f"{folder}: a folder without {' or '.join(_MANIFESTS)}, expected {expected}")
    try:
        manifest = opened(folder / name)
        for file in manifest[_FILES]:
            verified(folder, file, manifest)
    except OSError as error:
        place = error.filename or folder
        raise ParshallError(f"{place}: {reason(error)}, expected a file of {name}") from None
    except ValueError as error:
        raise ParshallError(f"{folder / name}: {error}, expected what Parshall writes") from None
    count = len(manifest[_FILES]) + 1
    return f"ok, {count} files are as they were written by engine {manifest['engine_version']}"


def _own(manifest: Mapping[str, Any]) -> str:
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return digest(text.encode())
