"""Ends a method that does not return: an exception is raised in its thread."""

from __future__ import annotations

import ctypes

__all__ = ["DoesNotReturn", "raise_in"]


class DoesNotReturn(BaseException):
    """A method of a part has taken longer than its class allows. It is no Exception, so that code which
    catches those does not catch it.
    """


def raise_in(thread: int, kind: type[BaseException]) -> None:
    """Raises an exception in another thread, at its next step in Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
