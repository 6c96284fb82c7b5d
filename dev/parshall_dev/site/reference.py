"""The generated part of the reference, written below docs/reference/api: a page for each public name.

Texts, signatures and members come from the docstrings by way of Sphinx's autodoc, fields of scenario classes
from their own tables. Each page links to the executed pages and examples that use the name. A name without a
text is a fault, and ends the build.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from parshall_dev.checkout import ROOT
from parshall_dev.site.examples import examples
from parshall_dev.site.fields import definition_list, fields, plain
from parshall_dev.site.names import PACKAGES, Name, first_sentence, public_names, text_of

__all__ = ["missing_examples", "missing_texts", "write"]

_MOST_EXAMPLES = 6


def write(folder: Path) -> list[str]:
    """Writes the pages into ``folder`` and returns the paths of names that have no text or no example."""
    names = public_names()
    pages = dict(_pages(names))
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for file, text in pages.items():
        path = folder / file
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # Sphinx reads what is newer again
            path.write_text(text, encoding="utf-8")
    return missing_texts(names) + missing_examples(names)


def missing_texts(names: Iterable[Name]) -> list[str]:
    """Paths of public names and of fields of scenario classes that have no text."""
    found: list[str] = []
    for name in names:
        if not text_of(name).strip() and not _is_alias(name):
            found.append(name.path)
        found += [f"{name.path}.{field.name}" for field in fields(name.value) if not field.text.strip()]
    return found


def missing_examples(names: Iterable[Name]) -> list[str]:
    """Paths of public names without an example: in the docstring, in examples.txt, or on another page."""
    names = list(names)
    uses, shown = _uses(names), examples()
    return [
        name.path
        for name in names
        if name.path not in uses and name.path not in shown and ">>> " not in text_of(name)
    ]


def _is_alias(name: Name) -> bool:
    """Returns true for a union of types, which carries no text; its page lists its members."""
    return hasattr(name.value, "__args__")


def _pages(names: list[Name]) -> Iterator[tuple[str, str]]:
    uses, shown = _uses(names), examples()
    files = {name.short: f"{name.path}.md" for name in names}
    for package, title in PACKAGES.items():
        own = [name for name in names if name.package == package]
        yield f"index-{package or 'parshall'}.md", _package_page(package, title, own)
    for name in names:
        yield f"{name.path}.md", _page(name, uses.get(name.path, []), shown.get(name.path, ""), files)


def _package_page(package: str, title: str, names: list[Name]) -> str:
    module = f"parshall.{package}" if package else "parshall"
    rows = [f"| [`{name.path}`]({name.path}.md) | {plain(first_sentence(text_of(name)))} |" for name in names]
    listed = "\n".join(name.path for name in names)
    about = plain(first_sentence(inspect.getdoc(importlib.import_module(module)) or ""))
    return (
        f"# {title}\n\n`{module}`: {about}\n\n"
        "| name | meaning |\n|---|---|\n"
        + "\n".join(rows)
        + f"\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )


def _page(name: Name, uses: list[str], example: str, files: Mapping[str, str]) -> str:
    parts = [f"# {name.short}\n", _object(name)]
    if example:
        parts.append(f"## Example\n\n```pycon\n{example}```\n")
    listed = definition_list(name.value, files)
    if listed:
        parts += ["## Fields\n", listed]
    if uses:
        parts += ["## Used in\n", "\n".join(f"- {use}" for use in uses[:_MOST_EXAMPLES]) + "\n"]
    return "\n".join(parts)


def _object(name: Name) -> str:
    if _is_alias(name):
        kinds = ", ".join(f"`{getattr(each, '__name__', each)}`" for each in name.value.__args__)
        return f"`{name.path}`\n\nAny of {kinds}.\n"
    if name.is_constant:
        text = text_of(name).replace("\n", "\n   ")
        value = re.sub(r"\s+", " ", repr(name.value))[:100]
        return _rst(f".. py:data:: {name.path}\n   :value: {value}\n\n   {text}")
    kind = "autoclass" if inspect.isclass(name.value) else "autofunction"
    lines = [f".. {kind}:: {name.path}"]
    members = _members(name.value) if kind == "autoclass" else []
    if members:
        lines += [f"   :members: {', '.join(members)}", "   :member-order: bysource"]
    return _rst("\n".join(lines))


def _rst(text: str) -> str:
    return f"```{{eval-rst}}\n{text}\n```\n"


def _members(kind: type) -> list[str]:
    """Public members with a text that are the class's own or come from a class of Parshall's."""
    names = {field.name for field in fields(kind)}
    hidden = names | {"kind"}
    found: dict[str, None] = {}
    for each in kind.__mro__:
        shared = each.__module__ == "parshall.scenario.base" and kind.__name__ not in ("Scenario", "Dumbbell")
        if each.__module__.startswith("parshall") and not each.__name__.startswith("_") and not shared:
            found |= dict.fromkeys([*inspect.get_annotations(each), *each.__dict__])
    return [name for name in found if name not in hidden and _is_public(name)]


def _is_public(name: str) -> bool:
    return not name.startswith(("_", "model_")) and name not in ("copy", "known", "canonical", "table_schema")


def _uses(names: list[Name]) -> dict[str, list[str]]:
    """Links to pages and examples whose code has the name, by its path."""
    sources = list(_code())
    found: dict[str, list[str]] = {}
    for name in names:
        pattern = _pattern(name)
        links = [link for link, code in sources if pattern.search(code)]
        if links:
            found[name.path] = links
    return found


def _pattern(name: Name) -> re.Pattern[str]:
    kind = getattr(name.value, "model_fields", {}).get("kind") if inspect.isclass(name.value) else None
    word = rf"(?<![\w]){name.short}(?!\w)" if len(name.short) > 2 else rf"\* {name.short}(?!\w)"
    if kind is not None and isinstance(kind.default, str):
        word += rf'|kind = "{re.escape(kind.default)}"'
    return re.compile(word)


def _code() -> Iterator[tuple[str, str]]:
    """Links with the code behind them: pages in the order in which one reads them, then examples."""
    docs = ROOT / "docs"
    for part in ("tutorial", "how-to", "guide", "."):
        for page in sorted((docs / part).glob("*.md")):
            text = page.read_text(encoding="utf-8")
            title = re.search(r"^# (.+)$", text, re.MULTILINE)
            code = "\n".join(
                re.findall(r"^```\{?(?:code-cell|python|toml).*?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
            )
            if title and code:
                yield f"[{title[1]}](../../{page.relative_to(docs)})", code
    for file in sorted((ROOT / "examples").rglob("*")):
        if file.suffix in (".py", ".toml"):
            path = file.relative_to(ROOT)
            yield f"[`{path}`](../../../{path})", file.read_text(encoding="utf-8")
