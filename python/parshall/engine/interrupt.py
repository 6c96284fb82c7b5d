"""Ctrl-C while runs are under way: what has finished is stored before anything else happens."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

__all__ = ["HeldInterrupt"]


class HeldInterrupt:
    """Notes the first Ctrl-C instead of raising it, so that finished runs are stored, and raises it at the
    end; raises a second at once.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> HeldInterrupt:
        # Python delivers signals to the main thread, and only it may set handlers.
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note) or signal.SIG_DFL
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self.came and kind is None:
            raise KeyboardInterrupt

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.came = True
        signal.signal(signal.SIGINT, self._before)
