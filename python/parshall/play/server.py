"""A web server for the playground, on this computer alone."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from parshall.errors import InputError

__all__ = ["Handler", "server_on", "serving"]

_HOST = "127.0.0.1"


class Handler(SimpleHTTPRequestHandler):
    """Files of the page, as what they are, whatever this computer takes the endings of their names for."""

    extensions_map = {  # noqa: RUF012
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".toml": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
        "": "application/octet-stream",
    }

    def end_headers(self) -> None:
        # A newer package has other files under the same address.
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: one line a file would hide the address."""


def server_on(folder: Path, port: int, handler: type[Handler] = Handler) -> ThreadingHTTPServer:
    """A server of a folder, which does not serve yet.

    Raises InputError for a port that is taken or that this user may not have.
    """
    try:
        return ThreadingHTTPServer((_HOST, port), partial(handler, directory=str(folder)))
    except OSError as error:
        said = {errno.EADDRINUSE: "is taken", errno.EACCES: "may not be used"}.get(error.errno or 0)
        if said is None:
            raise
        raise InputError(
            "--port", f"{port}, which {said}", "another port, or 0 for any that is free"
        ) from None


@contextmanager
def serving(folder: Path, port: int = 0) -> Iterator[str]:
    """Serves a folder on the loopback interface and yields the address; ends with the context.

    Raises InputError as ``server_on``.
    """
    with server_on(folder, port) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{_HOST}:{server.server_port}/"
        finally:
            server.shutdown()
