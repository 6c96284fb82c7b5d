"""Results in folders: several files and a manifest with their checksums. Nothing damaged is believed.

A manifest lists the SHA-256 of each file beside it, and carries one of itself. It is the last file that is
written: without it there is no result.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from parshall.errors import OutputError, ParshallError
from parshall.support.causes import reason
from parshall.support.files import NewFiles, replace_files
from parshall.support.stages import finish_interrupted

__all__ = [
    "MANIFESTS",
    "check_folder",
    "digest",
    "digests",
    "manifest_in",
    "opened",
    "reading",
    "replace_result",
    "seal",
    "verified",
]

MANIFESTS = {
    "recording.json": "a recording",
    "sweep.json": "a sweep",
    "ensemble.json": "runs of several seeds",
    "capture.json": "the tables of a capture",
}
"""Names of the manifests, and the results that they are of."""

_UNREADABLE = (ValueError, TypeError, IndexError, AttributeError, ArithmeticError, RuntimeError)
"""Exceptions from what is no result; those of Arrow are among them."""
_OWN = "checksum"
_FILES = "sha256"


def digest(content: bytes) -> str:
    """The checksum of a file's content."""
    return hashlib.sha256(content).hexdigest()


def digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The checksums of files in a folder, by their names with slashes."""
    return {name: digest((folder / name).read_bytes()) for name in names}


# --- Writing ------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def replace_result(folder: Path, manifest: str, unlisted: Sequence[str] = ()) -> Iterator[NewFiles]:
    """Writes a result in place of one of the same kind, all or nothing; the block ends with :func:`seal`.

    ``unlisted`` are files that belong to the old result although no manifest lists them. Raises OutputError,
    also where a result of another kind or another file is in the way.
    """

    def old() -> list[str]:
        for other in MANIFESTS:
            if other != manifest and (folder / other).exists():
                raise OutputError(str(folder / other), "already exists, expected a new folder")
        return [*_listed(folder / manifest), *unlisted]

    with replace_files(folder, old) as files:
        yield files


def seal(files: NewFiles, manifest: str, facts: Mapping[str, Any]) -> None:
    """Writes the manifest of a result whose other files are complete. Raises OSError."""
    whole = {**facts, _FILES: digests(files.folder, files.names)}
    text = json.dumps({**whole, _OWN: _own(whole)}, indent=2, ensure_ascii=False)
    files.add(manifest, f"{text}\n")


def _listed(manifest: Path) -> list[str]:
    """The files of the result that is there, the manifest first; none where there is no result."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        found = json.loads(manifest.read_text(encoding="utf-8"))
        names = [manifest.name, *found[_FILES]]
        return [name for name in names if isinstance(name, str)]
    return []


# --- Reading ------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def reading(place: Path, expected: str) -> Iterator[None]:
    """Turns what goes wrong while a result is read into a ParshallError of one line."""
    try:
        yield
    except ParshallError:
        raise
    except OSError as error:
        raise ParshallError(f"{error.filename or place}: {reason(error)}, expected {expected}") from None
    except KeyError as error:
        raise ParshallError(f"{place}: no {error.args[0]}, expected {expected}") from None
    except _UNREADABLE as error:
        raise ParshallError(f"{place}: {' '.join(str(error).split())}, expected {expected}") from None


def manifest_in(folder: Path) -> str | None:
    """The name of the manifest in a folder; none where there is no result."""

    def found() -> str | None:
        return next((name for name in MANIFESTS if (folder / name).is_file()), None)

    if (name := found()) is None:
        finish_interrupted(folder)
        name = found()
    return name


def opened(file: Path) -> dict[str, Any]:
    """Reads a manifest. Raises ParshallError for one that is damaged or cannot be read."""
    expected = MANIFESTS.get(file.name, "a manifest")
    with reading(file, expected):
        if not file.exists():
            finish_interrupted(file.parent)
        found = json.loads(_content(file).decode())
        if not isinstance(found, dict) or not isinstance(found.get(_FILES), dict):
            raise ParshallError(f"{file}: no checksums, expected what this version of Parshall writes")
        if found.pop(_OWN, None) != _own(found):
            raise ParshallError(f"{file}: its checksum is wrong, expected a file as it was written")
        return found


def verified(folder: Path, name: str, manifest: Mapping[str, Any]) -> bytes:
    """The content of a file that an opened manifest lists. Raises ParshallError for one that is damaged or
    cannot be read.
    """
    file = folder / name
    with reading(file, "a file as it was written"):
        content = _content(file)
        if manifest[_FILES].get(name) != digest(content):
            raise ParshallError(f"{file}: its checksum is wrong, expected a file as it was written")
        return content


def check_folder(folder: Path) -> str:
    """Checks each file of a result; says what was checked. Raises ParshallError."""
    name = manifest_in(folder)
    if name is None:
        expected = "a scenario file, or the folder of a recording or a sweep"
        raise ParshallError(f"{folder}: a folder without {' or '.join(MANIFESTS)}, expected {expected}")
    with reading(folder / name, MANIFESTS[name]):
        manifest = opened(folder / name)
        for file in manifest[_FILES]:
            verified(folder, file, manifest)
        count = len(manifest[_FILES]) + 1
        return f"ok, {count} files are as they were written by engine {manifest['engine_version']}"


def _content(file: Path) -> bytes:
    """The content of a file. Raises ParshallError for a pipe and the like, which might never end."""
    if file.exists() and not file.is_file():
        raise ParshallError(f"{file}: is no ordinary file, expected one as it was written")
    return file.read_bytes()


def _own(manifest: Mapping[str, Any]) -> str:
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return digest(text.encode())
