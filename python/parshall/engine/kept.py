"""Finished runs on their way into the cache: stored about once a second, many runs in a segment."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parshall.errors import OutputError

if TYPE_CHECKING:
    from parshall.engine.cache import Cache
    from parshall.recording.tables import Block

__all__ = ["Kept"]

_FLUSH_EVERY_S = 1.0
_FLUSH_BYTES = 64 << 20

_log = logging.getLogger("parshall")


class Kept:
    """Stores blocks as they come, and holds those of their tables that are wanted."""

    def __init__(
        self, store: Cache | None, tables: Sequence[str], look: Callable[[Block], None] | None = None
    ) -> None:
        """``look`` is called with each block, before those of its tables go that are not wanted."""
        self.store = store
        self.tables = tuple(tables)
        self._look = look
        self.blocks: list[Block] = []
        """Results so far, in order of arrival."""
        self._waiting: list[Block] = []
        self._bytes = 0
        self._flushed_at = time.monotonic()

    def add(self, block: Block) -> None:
        """Takes what has just finished."""
        self._waiting.append(block)
        self._bytes += sum(table.nbytes for table in block.tables.values())

    def flush_if_due(self) -> None:
        """Stores what has come, once it is much or has waited a while."""
        if self.is_due(self._bytes):
            self.flush()

    def is_due(self, waiting_bytes: int) -> bool:
        """Returns true if a segment is due, by the number of waiting results or by time."""
        return waiting_bytes >= _FLUSH_BYTES or time.monotonic() - self._flushed_at >= _FLUSH_EVERY_S

    def flush(self) -> None:
        """Stores what has come, in one segment."""
        self._flushed_at = time.monotonic()
        if not self._waiting:
            return
        from parshall.recording.tables import joined

        whole = joined(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        self._keep(whole)
        self.hold(whole)

    def hold(self, whole: Block) -> None:
        """Looks at a block, and holds what is wanted of it."""
        if self.tables:
            self.blocks.append(whole.with_tables(self.tables))
        if self._look is not None:
            self._look(whole)

    def _keep(self, whole: Block) -> None:
        if self.store is None:
            return
        try:
            self.store.add(whole)
        except OutputError as error:
            # The results are here all the same; only a later call will have to do them again.
            _log.warning("%s; results are not kept for later", error)
            self.store = None
