"""Reads recorded capacities as Mahimahi keeps them (Netravali et al., USENIX ATC 2015).

Each line is a time in milliseconds at which one packet of 1500 bytes may leave; the recording repeats from
its last time.
"""

from __future__ import annotations

import gzip
import stat
import zlib
from pathlib import Path

from parshall.errors import ParshallError, ScenarioError, shown

__all__ = ["PACKET_BYTES", "read_times"]

PACKET_BYTES = 1500
"""What may leave at each of the times."""

_GZIP = b"\x1f\x8b"
_MOST_MS = 10**10
_EXPECTED = "a whole number of milliseconds, at most 1e10"


def read_times(path: str | Path) -> tuple[float, ...]:
    """The times of a file, plain or compressed by gzip, in seconds.

    Raises ParshallError for a file that cannot be read, and ScenarioError with the file and the line for one
    that is no recording.
    """
    file = str(path)
    lines = _content(file).rstrip().split(b"\n")
    if lines == [b""]:
        raise ScenarioError("", "an empty file", "at least one time in milliseconds", file=file)
    times = []
    last = 0
    for number, line in enumerate(lines, 1):
        time = _milliseconds(line.strip(), file, number)
        if time < last:
            raise ScenarioError(
                "", shown(time), f"times in ascending order, at least {last}", file=file, line=number
            )
        times.append(time / 1000)
        last = time
    if last == 0:
        raise ScenarioError("", "0", "a last time above 0", file=file, line=len(lines))
    return tuple(times)


def _milliseconds(line: bytes, file: str, number: int) -> int:
    if line.isdigit() and len(line) <= len(str(_MOST_MS)) and int(line) <= _MOST_MS:
        return int(line)
    raise ScenarioError("", shown(line.decode("utf-8", "replace")), _EXPECTED, file=file, line=number)


def _content(file: str) -> bytes:
    try:
        # A pipe may wait for ever.
        if not stat.S_ISREG(Path(file).stat().st_mode):
            raise ParshallError(f"{file}: is no regular file, expected a recorded capacity")
        content = Path(file).read_bytes()
        return gzip.decompress(content) if content.startswith(_GZIP) else content
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ParshallError(f"{file}: damaged ({error}), expected a recorded capacity") from None
    except (OSError, ValueError) as error:  # a null byte in a name is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise ParshallError(f"{file}: {reason}, expected a recorded capacity") from None
