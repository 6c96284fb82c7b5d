"""The lines of a file, whatever wrote it: compressed or not, with a byte order mark or none, in UTF-8, in
UTF-16 as PowerShell writes it, or in an older code page.
"""

from __future__ import annotations

import codecs
import gzip
import re
import sys
import zlib
from pathlib import Path

from parshall.errors import FileError, InputError
from parshall.support.causes import reason

__all__ = ["lines_of"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks; that of UTF-32 begins as that of UTF-16 does, and comes first."""

_OTHERS = {
    b"PAR1": "a Parquet file",
    b"\x0a\x0d\x0d\x0a": "a packet capture (parshall capture FILE reads it)",
    b"\xd4\xc3\xb2\xa1": "a packet capture (parshall capture FILE reads it)",
    b"\xa1\xb2\xc3\xd4": "a packet capture (parshall capture FILE reads it)",
    b"\x4d\x3c\xb2\xa1": "a packet capture (parshall capture FILE reads it)",
    b"PK\x03\x04": "a ZIP archive or a spreadsheet",
    b"\xfd7zXZ": "a file packed by xz",
    b"\x28\xb5\x2f\xfd": "a file packed by zstd",
    b"BZh": "a file packed by bzip2",
}
"""Beginnings of files that hold no text."""

_NO_TEXT = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
"""Characters that no text holds; bells, tabs, line breaks and escapes do stand in records of terminals."""

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|[\x07\ufeff]")
"""Colours, titles and bells of terminals, and the marks of files that were joined."""

_BREAK = re.compile(r"\r*\n|\r")
EXPECTED = "a CSV file or the output of ping"


def lines_of(file: str) -> list[str]:
    """The lines of a file, or of the standard input if it is ``-``. Raises InputError."""
    text = _decoded(file, _bytes(file))
    if _NO_TEXT.search(text):
        raise InputError(file, "bytes that are not text", EXPECTED)
    lines = _BREAK.split(_ESCAPES.sub("", text))
    return lines[:-1] if lines[-1] == "" else lines


def _bytes(file: str) -> bytes:
    try:
        data = _standard_input() if file == "-" else Path(file).read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (EOFError, zlib.error):
        raise InputError(file, "half a compressed file", "a whole one") from None
    except OSError as error:
        raise FileError(file, reason(error), EXPECTED) from None
    except ValueError:  # a null in the name
        raise InputError("file", "a name with a null character", "a file") from None


def _standard_input() -> bytes:
    source = getattr(sys.stdin, "buffer", None)
    return source.read() if source is not None else sys.stdin.read().encode()


def _decoded(file: str, data: bytes) -> str:
    for beginning, name in _OTHERS.items():
        if data.startswith(beginning):
            raise InputError(file, name, EXPECTED)
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    try:
        return data.decode(encoding or _guessed(data))
    except UnicodeDecodeError:
        if encoding is None and b"\0" not in data:
            # Some code page: digits and what stands around them are ASCII in all of them.
            return data.decode("latin-1")
        raise InputError(file, "bytes that are not text", EXPECTED) from None


def _guessed(data: bytes) -> str:
    """The encoding of bytes without a mark: that of ASCII in UTF-16 shows by its zeros."""
    if data.count(b"\0") < len(data) / 4:
        return "utf-8"
    return "utf-16-le" if data[1::2].count(0) > data[::2].count(0) else "utf-16-be"
