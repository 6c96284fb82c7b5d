"""The playground as part of the site, and in headless Chromium.

``python -m parshall_dev.site.playground`` prints how long a first picture takes when nothing is kept of the
page, and how many runs a minute follow a slider. :func:`drive` uses the page as a reader does, for tests.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import IO, Any
from urllib.parse import urlencode

import click

from parshall import play
from parshall.errors import ParshallError
from parshall.play.server import Handler, server_on

__all__ = ["BROWSER", "drive", "put_beside"]

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""The program of Chromium, or None."""

_DRIVER = Path(__file__).parent
_DRIVES = "/drive.mjs ("
"""A sign of a line of the console that is about the driver, whose way to read pixels Chromium calls slow."""
_OURS = {"/drive.html": "playground.html", "/drive.mjs": "playground.mjs"}


def drive(parts: Sequence[str], patience: float = 240.0, **asked: object) -> dict[str, Any]:
    """Uses the page in the parts of ``playground.mjs`` and returns what each found, by name, and under
    ``console`` the lines that the page's scripts left in the browser's console, where their errors end up.

    Raises ClickException where nothing was heard from the page.
    """
    with _driven() as (address, found), tempfile.TemporaryFile("w+", errors="replace") as log:
        query = urlencode({"parts": ",".join(parts), **asked})
        with _chromium(
            f"{address}drive.html?{query}", 1700, 1000, "--enable-logging=stderr", log=log
        ) as browser:
            try:
                heard = found.get(timeout=patience)
            except Empty:
                raise click.ClickException(f"the page said nothing within {patience:g} s") from None
            finally:
                browser.terminate()
        log.seek(0)
        return heard | {
            "console": [line.rstrip() for line in log if ":CONSOLE" in line and _DRIVES not in line]
        }


def shoot(file: Path, fragment: str, width: int, height: int, dark: bool) -> None:
    """Leaves a picture of the page as it is after its first run."""
    with _driven() as (address, _):
        query = urlencode({"shot": fragment, "width": width, "height": height})
        flags = [
            f"--screenshot={file.resolve()}",
            *(["--blink-settings=preferredColorScheme=0"] if dark else []),
        ]
        with _chromium(f"{address}drive.html?{query}", max(width, 500), height, *flags) as browser:
            browser.wait(timeout=120)


@contextmanager
def _driven() -> Iterator[tuple[str, SimpleQueue[dict[str, Any]]]]:
    """Serves the page, the driver beside it, and what that posts; yields the address and a queue of that."""
    found: SimpleQueue[dict[str, Any]] = SimpleQueue()
    ready = Event()

    class Driven(Handler):
        def translate_path(self, path: str) -> str:
            name = _OURS.get(path.partition("?")[0])
            return str(_DRIVER / name) if name else super().translate_path(path)

        def do_GET(self) -> None:  # noqa: N802
            # A page that is not loaded yet is not photographed yet.
            if self.path == "/wait":
                ready.wait(60)
            super().do_GET()

        def do_POST(self) -> None:  # noqa: N802
            found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            ready.set()
            self.send_response(204)
            self.end_headers()

    with server_on(play.page(), 0, Driven) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", found
        finally:
            server.shutdown()


@contextmanager
def _chromium(
    address: str, width: int, height: int, *flags: str, log: IO[str] | int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    """Chromium with nothing kept, at an address, logging into ``log``. Raises ClickException if none is."""
    if BROWSER is None:
        raise click.ClickException("no Chromium was found")
    usual = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        own = (f"--window-size={width},{height}", f"--user-data-dir={profile}", *flags, address)
        with subprocess.Popen([BROWSER, *usual, *own], stderr=log) as browser:
            yield browser


def put_beside(site: str | Path) -> None:
    """Puts the playground into the folder ``play`` of a site, or a page that says what is missing."""
    target = Path(site, "play")
    try:
        play.copied(target)
    except ParshallError as error:
        target.mkdir(parents=True, exist_ok=True)
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>No playground</title>'
        (target / "index.html").write_text(f"{head}<p>{escape(str(error))}.</p></html>", encoding="utf-8")


@click.command()
@click.option("--loads", default=5, show_default=True, help="How often the page is loaded.")
@click.option("--sliding", default=10, show_default=True, help="Seconds for which the slider moves.")
@click.option("--shot", type=click.Path(path_type=Path), help="Leave a picture there, and measure nothing.")
@click.option("--lesson", default="bufferbloat", show_default=True, help="The lesson of the picture.")
@click.option("--width", default=1280, show_default=True, help="Of the picture, in pixels.")
@click.option("--height", default=900, show_default=True, help="Of the picture, in pixels.")
@click.option("--dark", is_flag=True, help="As a reader sees it who prefers dark pages.")
def measure(
    loads: int, sliding: int, shot: Path | None, lesson: str, width: int, height: int, dark: bool
) -> None:
    """Measure the time to the first picture, and runs per minute."""
    if shot is not None:
        shoot(shot, f"#{lesson}", width, height, dark)
        return
    found = drive(["load", "slide"], loads=loads, sliding=1000 * sliding)
    first = found["load"]["first"]
    click.echo(
        f"first picture: {first[0]} ms cold, median of {loads} loads {statistics.median(first):.0f} ms"
    )
    click.echo(f"runs of the default while the slider moves: {found['slide']['perMinute']:.0f} a minute")


if __name__ == "__main__":
    measure()
