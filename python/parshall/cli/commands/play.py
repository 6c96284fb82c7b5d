"""The command ``play``: the playground in the browser, until Ctrl-C, or as a folder."""

from __future__ import annotations

import contextlib
import logging
import threading
import webbrowser

from parshall._core import ENGINE_VERSION
from parshall.play import copied, engine_of, page, serving
from parshall.support.terminal import echo

__all__ = ["play"]

_log = logging.getLogger("parshall")


def play(port: int, show: bool, out: str | None) -> None:
    """Serves the playground and prints its address, or copies it to ``out``."""
    folder = page()
    engine = engine_of(folder)
    if engine != ENGINE_VERSION:
        _log.warning(
            f"the playground has engine {engine}, and this package {ENGINE_VERSION}; make wasm builds it anew"
        )
    if out is not None:
        echo(f"{copied(out) / 'index.html'}")
        return
    with serving(folder, port) as address:
        echo(f"{address} (Ctrl-C ends it)")
        if show:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
