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
from collections.abc import Sequence
from html import escape
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import click

from parshall import play
from parshall.errors import ParshallError
from parshall.play.server import Handler, server_on

__all__ = ["BROWSER", "drive", "put_beside"]

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""The program of Chromium, or None."""

_DRIVER = Path(__file__).parent


def drive(parts: Sequence[str], patience: float = 240.0, **asked: object) -> dict[str, Any]:
    """Uses the page in the parts of ``playground.mjs`` and returns what each found, by name.

    Raises ClickException where nothing was heard from the page.
    """
    if BROWSER is None:
        raise click.ClickException("no Chromium was found")
    found: SimpleQueue[dict[str, Any]] = SimpleQueue()

    class Driven(Handler):
        """The page, the driver beside it, and what that posts."""

        def translate_path(self, path: str) -> str:
            name = {"/drive.html": "playground.html", "/drive.mjs": "playground.mjs"}.get(
                path.partition("?")[0]
            )
            return str(_DRIVER / name) if name else super().translate_path(path)

        def do_POST(self) -> None:  # noqa: N802
            found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

    query = urlencode({"parts": ",".join(parts), **asked})
    with tempfile.TemporaryDirectory() as profile, server_on(play.page(), 0, Driven) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/drive.html?{query}"
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1700,1000")
        command = [BROWSER, *flags, f"--user-data-dir={profile}", address]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as browser:
            try:
                return found.get(timeout=patience)
            except Empty:
                raise click.ClickException(f"the page said nothing within {patience:g} s") from None
            finally:
                browser.terminate()
                browser.wait()
                server.shutdown()


def put_beside(site: str | Path) -> None:
    """Puts the playground into the folder ``play`` of a site, or a page that says what is missing."""
    target = Path(site, "play")
    try:
        play.copied(target)
    except ParshallError as error:
        target.mkdir(exist_ok=True)
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>No playground</title>'
        (target / "index.html").write_text(f"{head}<p>{escape(str(error))}.</p></html>", encoding="utf-8")


@click.command()
@click.option("--loads", default=5, show_default=True, help="How often the page is loaded.")
@click.option("--sliding", default=10, show_default=True, help="Seconds for which the slider moves.")
def measure(loads: int, sliding: int) -> None:
    """Measure the time to the first picture, and runs per minute."""
    found = drive(["load", "slide"], loads=loads, sliding=1000 * sliding)
    first = found["load"]["first"]
    click.echo(
        f"first picture: {first[0]} ms cold, median of {loads} loads {statistics.median(first):.0f} ms"
    )
    click.echo(f"runs of the default while the slider moves: {found['slide']['perMinute']:.0f} a minute")


if __name__ == "__main__":
    measure()
