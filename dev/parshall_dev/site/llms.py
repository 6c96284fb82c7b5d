"""llms.txt: the pages of the site with a sentence each, and their Markdown, for programs that read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

__all__ = ["write"]

_PARTS = {
    "tutorial": "Tutorial",
    "how-to": "How to",
    "reference": "Reference",
    "guide": "Guides",
    "": "Explanation",
    "validation": "Tables of validation",
}


def write(app: Any) -> None:
    """Writes llms.txt beside the index."""
    lines = [
        "# Parshall",
        "",
        "> A packet-level network simulator that agrees with ns-2 packet for packet, streaming "
        "estimators, and studies of traffic at a congested link. Rust with a Python face.",
    ]
    pages = sorted(app.env.found_docs)
    for part, title in _PARTS.items():
        own = [page for page in pages if page.rpartition("/")[0] == part and page != "index"]
        lines += ["", f"## {title}", ""] if own else []
        lines += [_line(app, page) for page in own]
    lines += ["", "## Every public name", ""]
    lines += [_line(app, page) for page in pages if page.startswith("reference/api/")]
    Path(app.outdir, "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _line(app: Any, page: str) -> str:
    title = app.env.titles[page].astext()
    return f"- [{title}](_sources/{page}.md.txt){_first_sentence(Path(app.srcdir, f'{page}.md'))}"


def _first_sentence(file: Path) -> str:
    text = re.sub(r"^---\n.*?^---\n", "", file.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for paragraph in text.split("\n\n"):
        if re.match(r"[A-Z`*\"0-9]", paragraph) and not paragraph.startswith("```"):
            words = " ".join(re.sub(r"\]\([^)]*\)", "]", paragraph).replace("[", "").replace("]", "").split())
            end = re.search(r"[.:?](?= |$)", words)
            return f": {words[: end.end()].rstrip(':')}" if end else f": {words}"
    return ""
