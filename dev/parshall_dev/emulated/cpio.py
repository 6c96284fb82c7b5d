"""The archive that a kernel starts from: an initramfs in the format ``newc`` of cpio.

Written by hand, so that it needs no program and equal content gives equal bytes. The
format is that of the kernel's ``Documentation/driver-api/early-userspace/buffer-format.rst``.
"""

from __future__ import annotations

import stat
from pathlib import PurePosixPath

__all__ = ["Archive"]


class Archive:
    """Files, folders and links by their absolute paths."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[int, bytes]] = {}

    def __contains__(self, path: str) -> bool:
        return _name(path) in self._entries

    def folder(self, path: str) -> None:
        """A folder, and those that it lies in."""
        for each in reversed([PurePosixPath(path), *PurePosixPath(path).parents]):
            if _name(str(each)):
                self._entries.setdefault(_name(str(each)), (stat.S_IFDIR | 0o755, b""))

    def file(self, path: str, content: bytes, *, executable: bool = False) -> None:
        self.folder(str(PurePosixPath(path).parent))
        self._entries[_name(path)] = (stat.S_IFREG | (0o755 if executable else 0o644), content)

    def link(self, path: str, target: str) -> None:
        self.folder(str(PurePosixPath(path).parent))
        self._entries[_name(path)] = (stat.S_IFLNK | 0o777, target.encode())

    def to_bytes(self) -> bytes:
        # A folder must come before what lies in it: sorting does that.
        entries = [(name, *self._entries[name]) for name in sorted(self._entries)]
        records = [
            _record(i, name, mode, content)
            for i, (name, mode, content) in enumerate([*entries, ("TRAILER!!!", 0, b"")], start=1)
        ]
        return b"".join(records)


def _name(path: str) -> str:
    return path.strip("/")


def _record(inode: int, name: str, mode: int, content: bytes) -> bytes:
    links = 1
    header = (inode, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in header) + name.encode() + b"\0"
    return _padded(head) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
