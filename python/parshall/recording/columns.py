"""NumPy columns and names as Arrow arrays, without a copy.

``pyarrow.array`` would do, but it imports pandas where that is installed, which takes longer than most runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["blobs", "indices", "named", "numbers", "table", "texts", "values"]


_KINDS: dict[pa.DataType, np.dtype[Any]] = {
    pa.from_numpy_dtype(kind): np.dtype(kind)
    for kind in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
}
"""Arrow would say the same, but imports pandas for it in some versions, and fails where that is not there."""


def numbers(column: NDArray[Any]) -> pa.Array:
    """A column of numbers or truth values."""
    buffer = _bits(column) if column.dtype == np.bool_ else pa.py_buffer(np.ascontiguousarray(column))
    return pa.Array.from_buffers(pa.from_numpy_dtype(column.dtype), len(column), [None, buffer])


def values(column: pa.ChunkedArray) -> NDArray[Any]:
    """Undoes :func:`numbers`."""
    parts = [_values(chunk) for chunk in column.chunks] or [_signed(np.empty(0, _KINDS[column.type]))]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _values(array: pa.Array) -> NDArray[Any]:
    kind = _KINDS[array.type]
    data = array.buffers()[1]
    if len(array) == 0:  # there may be no buffer at all
        return _signed(np.empty(0, kind))
    if pa.types.is_boolean(array.type):
        bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
        return bits[array.offset : array.offset + len(array)].astype(np.bool_)
    return _signed(np.frombuffer(data, kind, len(array), kind.itemsize * array.offset))


def _signed(values: NDArray[Any]) -> NDArray[Any]:
    """Counts and codes as they are today; files of before have them without a sign."""
    if values.dtype.kind != "u":
        return values
    return values.view(np.int64) if values.dtype == np.uint64 else values.astype(np.int16)


def texts(column: Sequence[str]) -> pa.StringArray:
    """A column of text."""
    encoded = [text.encode() for text in column]
    offsets = np.fromiter(accumulate(map(len, encoded), initial=0), np.int32, len(encoded) + 1)
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)))


def blobs(column: Sequence[bytes]) -> pa.LargeBinaryArray:
    """A column of bytes, which together may be more than 2 GiB."""
    offsets = np.fromiter(accumulate(map(len, column), initial=0), np.int64, len(column) + 1)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(column))]
    return pa.Array.from_buffers(pa.large_binary(), len(column), buffers)


def named(indices: NDArray[np.int32], names: Sequence[str]) -> pa.DictionaryArray:
    """A column of names, from indices into a list of them; no name where the index is negative."""
    absent = indices < 0
    validity = _bits(~absent) if absent.any() else None
    # What stands behind no name is never looked at, but Arrow wants an index that exists.
    codes = np.where(absent, 0, indices).astype(np.int32) if absent.any() else np.ascontiguousarray(indices)
    array = pa.Array.from_buffers(pa.int32(), len(codes), [validity, pa.py_buffer(codes)])
    return pa.DictionaryArray.from_arrays(array, texts(names))


def indices(column: pa.ChunkedArray, names: Sequence[str] | Mapping[str, int]) -> NDArray[np.int32]:
    """Undoes :func:`named`: indices into ``names``, -1 for no name and for a name that is not among them. A
    mapping has the index of each name.
    """
    code = names if isinstance(names, Mapping) else {name: index for index, name in enumerate(names)}
    parts = [np.empty(0, np.int32)]
    for chunk in column.chunks:
        # The last entry is for rows without a name, which have index -1.
        own = np.array([*(code.get(text, -1) for text in chunk.dictionary.to_pylist()), -1], dtype=np.int32)
        parts.append(own[_codes(chunk.indices)])
    return np.concatenate(parts)


def _codes(array: pa.Array) -> NDArray[np.int32]:
    """An index array as NumPy array, -1 for null."""
    validity, data = array.buffers()
    if len(array) == 0:
        return np.empty(0, np.int32)
    codes = np.frombuffer(data, np.int32, len(array), 4 * array.offset)
    if array.null_count == 0:
        return codes
    bits = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little")
    return np.where(bits[array.offset : array.offset + len(array)], codes, -1)


def table(columns: Mapping[str, pa.Array | pa.ChunkedArray]) -> pa.Table:
    """A table of columns by name."""
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def _bits(flags: NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
