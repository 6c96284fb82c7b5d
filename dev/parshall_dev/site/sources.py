"""Pages of the reference by the source files that they are made from.

The pages are there on the site only. A page of docs/ links to the source, which can be followed wherever it
is read; on the site the link leads to what is made of it: the page of a name where the link's text is that
name and the file defines it, or else that of the package, the commands, columns, metrics or profiles.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from parshall_dev.checkout import ROOT
from parshall_dev.site.names import PACKAGES, public_names

__all__ = ["page_of"]

_PACKAGE = ROOT / "python" / "parshall"
_TABLES = {
    "cli/main.py": "commands",
    "recording/rows.py": "columns",
    "scenario/profiles.py": "profiles",
    "sweep/metric.py": "metrics",
}


def page_of(text: str, file: Path) -> str | None:
    """The page for a link with this text to a file, as a path from docs/; None where there is none."""
    if not file.is_relative_to(_PACKAGE):
        return None
    inner = file.relative_to(_PACKAGE).as_posix()
    page = _names().get((text.strip("`"), file)) or _TABLES.get(inner) or _indices().get(inner)
    return page and f"reference/api/{page}.md"


@cache
def _names() -> dict[tuple[str, Path], str]:
    """Pages by a name, short or long, and the file that defines it."""
    found: dict[tuple[str, Path], str] = {}
    for name in public_names():
        module = sys.modules.get(getattr(name.value, "__module__", ""))
        if file := getattr(module, "__file__", None):
            found |= {(text, Path(file).resolve()): name.path for text in (name.short, name.path)}
    return found


def _indices() -> dict[str, str]:
    """Pages of packages by the file that says what a package has."""
    ends = (".py", "/__init__.py", "/__init__.pyi")
    files = {f"{package}{end}": f"index-{package}" for package in PACKAGES if package for end in ends}
    return files | {"__init__.py": "index-parshall", "__init__.pyi": "index-parshall"}
