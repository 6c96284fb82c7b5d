"""Reads the pages that came out: dead links, anchors that are not there, requests to elsewhere, no alt text.

``python -m parshall_dev.site.check [FOLDER]`` does it once more for a site that was built.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from parshall_dev.checkout import ROOT

__all__ = ["faults"]

_LOADS = {
    ("img", "src"),
    ("script", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
    ("object", "data"),
}


_ELSEWHERE = re.compile(r"url\(['\"]?https?:|@import")


class _Page(HTMLParser):
    """Links, loads, anchors and pictures of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.faults: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        self.loads += [values[name] for where, name in _LOADS if where == tag and name in values]
        if tag == "img" and "alt" not in values:
            self.faults.append(f"picture without alt text: {values.get('src', '')[:60]}")
        if tag == "img" and re.search(r"\.(svg|png)$", values.get("alt", "")):
            self.faults.append(f"picture whose alt text is a file's name: {values['alt']}")


def faults(folder: str | Path) -> list[str]:
    """A line for each fault of the site in ``folder``."""
    root = Path(folder).resolve()
    pages = {
        file: _Page(file.read_text(encoding="utf-8"))
        for file in sorted(root.rglob("*.html"))
        if _is_own(root, file)
    }
    found = [
        f"{file.relative_to(root)}: {fault}"
        for file, page in pages.items()
        for fault in _of(root, file, page, pages)
    ]
    return found + [
        f"{style.relative_to(root)}: loads something from elsewhere"
        for style in root.rglob("*.css")
        if _is_own(root, style) and _ELSEWHERE.search(style.read_text(encoding="utf-8"))
    ]


def _is_own(root: Path, file: Path) -> bool:
    """Returns false for a file of rustdoc's, which checks its own links."""
    return file.relative_to(root).parts[0] != "rust"


def _of(root: Path, file: Path, page: _Page, pages: dict[Path, _Page]) -> list[str]:
    found = list(page.faults)
    found += [f"loads {target}" for target in page.loads if urlsplit(target).netloc]
    for target in [*page.links, *(load for load in page.loads if not load.startswith("data:"))]:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
            continue
        where = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        if where.is_dir():
            where /= "index.html"
        if not where.is_file() or not where.is_relative_to(root):
            found.append(f"dead link {target}")
        elif parts.fragment and where in pages and unquote(parts.fragment) not in pages[where].anchors:
            found.append(f"no such place: {target}")
    return found


if __name__ == "__main__":
    told = faults(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "docs" / "html")
    print("\n".join(told) or "no dead link, no request to elsewhere")
    sys.exit(bool(told))
