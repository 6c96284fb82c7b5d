"""``python -m parshall_dev.site.look`` opens every page of the built site in headless Chromium.

It says which pages are wider than the screen, at widths from a phone's to a desktop's, and which of their
elements are. With ``--shots FOLDER`` it leaves screenshots of pages that are named.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click

from parshall_dev.checkout import ROOT

__all__ = ["look"]

SITE = ROOT / "out" / "docs" / "html"
WIDTHS = (390, 768, 1280, 1600)

_FRAME = Path(__file__).with_suffix(".html")
"""A page that opens others in a frame, one after the other, and writes down which are too wide."""


@contextmanager
def _served(folder: Path, extra: dict[str, str]) -> Iterator[str]:
    """Serves a folder and some pages more on this machine; yields the address."""

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            text = extra.get(self.path.lstrip("/"))
            if text is None:
                super().do_GET()
                return
            content = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def _chromium(*arguments: str) -> str:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        raise click.ClickException("no Chromium was found")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    return subprocess.run([program, *flags, *arguments], capture_output=True, text=True, check=False).stdout


def too_wide(pages: Sequence[str], width: int) -> list[tuple[str, int, list[str]]]:
    """Pages that are wider than ``width`` pixels, how wide, and by which elements."""
    frame = _FRAME.read_text(encoding="utf-8").replace("WIDTH", str(width))
    frame = frame.replace("PAGES", json.dumps(list(pages)))
    with _served(SITE, {"look.html": frame}) as address:
        dom = _chromium(
            "--virtual-time-budget=600000", "--timeout=600000", "--dump-dom", f"{address}/look.html"
        )
    found = re.search(r">FOUND(.*)DONE</pre>", dom, re.DOTALL)
    if found is None:
        raise click.ClickException("Chromium did not come to an end")
    import html

    wide: list[tuple[str, int, list[str]]] = json.loads(html.unescape(found[1]))
    return wide


def shoot(pages: Sequence[str], folder: Path, widths: Sequence[int], dark: bool, height: int) -> None:
    """Leaves a picture of each page at each width."""
    folder.mkdir(parents=True, exist_ok=True)
    with _served(SITE, {}) as address:
        for page in pages:
            for width in widths:
                # A frame of its own, because a window of Chromium has a least width.
                frame = (
                    f'<!doctype html><body style="margin:0"><iframe src="{address}/{page}" '
                    f'style="border:0;width:{width}px;height:{height}px"></iframe>'
                )
                with _served(SITE, {"shot.html": frame}) as own:
                    name = f"{page.removesuffix('.html').replace('/', '-')}-{width}{'-dark' * dark}.png"
                    _chromium(
                        *(["--blink-settings=preferredColorScheme=0"] if dark else []),
                        "--virtual-time-budget=3000",
                        f"--window-size={max(width, 500)},{height}",
                        f"--screenshot={folder / name}",
                        f"{own}/shot.html",
                    )


@click.command()
@click.option("--shots", type=click.Path(path_type=Path), help="Folder for screenshots.")
@click.option("--page", "pages", multiple=True, help="This page only; may be repeated.")
@click.option("--width", "widths", multiple=True, type=int, help="This width only; may be repeated.")
@click.option("--dark", is_flag=True, help="As a reader sees it who prefers dark pages.")
@click.option("--height", default=2400, show_default=True, help="Of screenshots, in pixels.")
def look(
    shots: Path | None, pages: tuple[str, ...], widths: tuple[int, ...], dark: bool, height: int
) -> None:
    """Look for pages of the site that are wider than the screen."""
    every = sorted(
        str(file.relative_to(SITE))
        for file in SITE.rglob("*.html")
        if file.relative_to(SITE).parts[0] != "rust"
    )
    chosen = pages or every
    if shots is not None:
        shoot(chosen, shots, widths or (390, 1280), dark, height)
        return
    found = [(width, *each) for width in widths or WIDTHS for each in too_wide(chosen, width)]
    for width, page, wide, names in found:
        click.echo(f"{page} at {width}: {wide} pixels, {'; '.join(names)}")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    look()
