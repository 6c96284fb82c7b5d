"""The Sphinx extension of the site: what is generated before a build, and what is checked after it."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from parshall import _core
from parshall_dev.checkout import ROOT
from parshall_dev.site import check, examples, llms, playground, reference, repository, tables, themes
from parshall_dev.site.fields import without_fields

__all__ = ["leave_words", "setup", "state"]


def state() -> str:
    """The key of what was executed: the engine's version, and a digest of the Python package."""
    digest = hashlib.sha256()
    files = [
        *(ROOT / "python" / "parshall").rglob("*.py"),
        *(ROOT / "dev" / "parshall_dev" / "site" / name for name in ("prose.py", "shell.py")),
    ]
    for file in sorted(files):
        digest.update(file.read_bytes())
    return f"{_core.ENGINE_VERSION}-{digest.hexdigest()[:12]}"


def setup(app: Any) -> dict[str, Any]:
    """Connects the extension; Sphinx calls it."""
    app.connect("builder-inited", _generate)
    app.connect("source-read", repository.link_files)
    app.connect("autodoc-process-docstring", _process_docstring)
    app.connect("doctree-read", leave_words)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": False, "parallel_write_safe": True, "env_version": 1}


def _generate(app: Any) -> None:
    from sphinx.errors import ExtensionError

    folder = ROOT / "docs" / "reference" / "api"
    missing = reference.write(folder)
    if missing:
        raise ExtensionError(f"public names without a text or an example: {', '.join(missing)}")
    tables.write(folder)
    wrong = examples.broken()
    if wrong:
        raise ExtensionError("".join(wrong))


def _process_docstring(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    from sphinx.ext.napoleon import Config, GoogleDocstring

    without_fields(lines)
    _mark_code(lines)
    if what in ("class", "exception", "function", "method"):  # of a property it would take a colon for a type
        lines[:] = str(GoogleDocstring(lines, Config(), app, what, name, value, options)).splitlines()


def leave_words(app: Any, doctree: Any) -> None:
    """Takes links off the words of signatures that say what a field takes, as ``size`` does: no class has
    such a name, and Sphinx would look for any attribute that has.
    """
    from sphinx.addnodes import pending_xref
    from sphinx.util.nodes import find_pending_xref_condition

    for link in list(doctree.findall(pending_xref)):
        target = link.get("reftarget", "")
        if (link.get("refdomain"), link.get("reftype")) == ("py", "class") and re.fullmatch("[a-z]+", target):
            # A link may hold two texts, of which the one marked so is for where it leads nowhere.
            unresolved = find_pending_xref_condition(link, "*")
            link.replace_self((link if unresolved is None else unresolved).children)


def _mark_code(lines: list[str]) -> None:
    """Marks indented blocks as code: docstrings here have them without the colons that Sphinx wants."""
    for index in range(len(lines) - 1, 1, -1):
        above = next((line for line in reversed(lines[: index - 1]) if line.strip()), "")
        starts = lines[index].startswith("    ") and not lines[index - 1].strip()
        if starts and above and not above.startswith((" ", "-", "*", "..")) and not above.endswith("::"):
            lines[index:index] = ["::", ""]


def _finish(app: Any, exception: Exception | None) -> None:
    from sphinx.errors import ExtensionError

    if exception is not None or app.builder.name != "html":
        return
    repository.copy_files(app)
    repository.copy_rustdoc(app)
    playground.put_beside(app.outdir)
    themes.darken(app.outdir)
    llms.write(app)
    faults = check.faults(app.outdir)
    if faults:
        raise ExtensionError("\n".join(faults))
