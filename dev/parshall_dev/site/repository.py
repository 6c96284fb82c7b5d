"""Links from pages to files of the repository outside docs/: to what the reference makes of them, or to
copies that are served as text below ``files/``.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from parshall_dev.checkout import ROOT
from parshall_dev.site.sources import page_of

__all__ = ["copy_files", "copy_rustdoc", "link_files"]

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\(((?!https?:|#|mailto:)[^)\s]+)\)")


def link_files(app: Any, docname: str, source: list[str]) -> None:
    """Turns links to files outside docs/, or to files there that are no pages, into links on the site."""
    folder = Path(app.srcdir, docname).parent
    _include_root(source)
    up = "../" * docname.count("/")

    def replaced(found: re.Match[str]) -> str:
        path, _, _ = found[2].partition("#")
        target = Path(os.path.normpath(folder / path))
        if not path or not target.is_file() or (target.suffix == ".md" and target.is_relative_to(app.srcdir)):
            return found[0]
        if not target.is_relative_to(ROOT):
            return found[0]
        name = target.relative_to(ROOT).as_posix()
        if name in _PAGES:
            return f"[{found[1]}]({up}{_PAGES[name]})"
        if page := page_of(found[1], target):
            return f"[{found[1]}]({up}{page})"
        _wanted(app).add(name)
        return f'<a class="reference external" href="{up}files/{name}.txt">{found[1]}</a>'

    source[0] = _LINK.sub(replaced, source[0])


def _include_root(source: list[str]) -> None:
    """Puts the text of a file at the repository's root in the place of an ``include`` of the whole of it."""
    whole = re.fullmatch(r"\s*```\{include\} \.\./(\w+\.md)\n```\s*", source[0])
    if whole:
        text = (ROOT / whole[1]).read_text(encoding="utf-8")
        source[0] = re.sub(r"\]\((docs/)?(?!https?:|#)", lambda found: "](" if found[1] else "](../", text)


_PAGES = {"README.md": "index.md", "CHANGELOG.md": "changes.md"}
"""Files of the repository that are pages of the site."""


def _wanted(app: Any) -> set[str]:
    if not hasattr(app.env, "parshall_files"):
        app.env.parshall_files = set()
    wanted: set[str] = app.env.parshall_files
    return wanted


def copy_files(app: Any) -> None:
    """Puts what pages link to beside them."""
    for name in sorted(_wanted(app)):
        target = Path(app.outdir, "files", f"{name}.txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)


def copy_rustdoc(app: Any) -> None:
    """Puts what ``cargo doc`` has written beside the pages."""
    made = ROOT / "target" / "doc"
    if made.is_dir():
        shutil.copytree(made, Path(app.outdir, "rust"), dirs_exist_ok=True)
