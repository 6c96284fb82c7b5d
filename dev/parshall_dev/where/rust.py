"""The crates' sources, as far as the table of estimators needs them: what is public, and who names it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from parshall_dev.checkout import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = [
    "code",
    "depends",
    "enum_entries",
    "fields",
    "macro_entries",
    "methods",
    "named",
    "namers",
    "public_types",
    "streaming_types",
    "variants",
]

CRATES = ROOT / "crates"

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TESTS = re.compile(
    r"^#\[cfg\(test\)\]\s*(?:pub )?mod \w+ \{.*?^\}|^\s*#\[cfg\(test\)\][^\n]*\n[^\n]*;", re.M | re.S
)
_NAMED = re.compile(r"parshall_estimators::((?:\w+::)*)(?:(\w+)|\{([^}]*)\})")
_IMPL = re.compile(r"^impl(?:<[^{]*?>)?\s+(?:(\w+)(?:<[^{]*?>)? for )?(\w+)[^{]*\{(.*?)^\}", re.M | re.S)


@cache
def code(crate: str) -> dict[Path, str]:
    """The Rust files of a crate, without comments and tests."""
    folder = CRATES / crate / "src"
    files = [file for file in sorted(folder.rglob("*.rs")) if not file.stem.startswith("test")]
    return {
        file.relative_to(folder): _COMMENT.sub("", _TESTS.sub("", file.read_text(encoding="utf-8")))
        for file in files
    }


def variants(crate: str, enum: str) -> list[str]:
    """The variants of an enumeration, but for those that users hand over."""
    for text in code(crate).values():
        found = re.search(rf"^pub enum {enum} \{{(.*?)^\}}", text, re.M | re.S)
        if found:
            return [name for name in re.findall(r"^    ([A-Z]\w*)\b", found[1], re.M) if name != "User"]
    raise LookupError(f"no enumeration {enum} in crates/{crate}")


def macro_entries(crate: str, macro: str) -> list[tuple[str, str]]:
    """The pairs that a registry's macro is called with: ``Name(Type)`` or ``module::Name``, boxes opened."""
    for text in code(crate).values():
        found = re.search(rf"^{macro}! \{{(.*?)^\}}", text, re.M | re.S)
        if found:
            pairs = re.findall(r"(\w+)(?:::|\()(?:Box<)?(\w+)", found[1])
            return [(first, second) for first, second in pairs]
    raise LookupError(f"no registry {macro}! in crates/{crate}")


@cache
def named(crate: str) -> dict[str, set[str]]:
    """Names that a crate takes from the estimators, each with the files that take it."""
    found: dict[str, set[str]] = {}
    for file, text in code(crate).items():
        for module, single, several in _NAMED.findall(text):
            names = re.findall(r"(\w+)(?: as \w+)?(?:,|$)", several.strip()) if several else [single]
            for name in names:
                found.setdefault(name, set()).add(file.as_posix())
            if "self" in names:  # a module, whose names stand behind it
                last = module.rstrip(":").rpartition("::")[2]
                for name in re.findall(rf"\b{last}::([A-Z]\w*)", text):
                    found.setdefault(name, set()).add(file.as_posix())
    return found


def namers(crate: str, *names: str) -> set[str]:
    """Files of a crate that take any of these names from the estimators."""
    return set().union(*(named(crate).get(name, set()) for name in names))


@cache
def public_types() -> dict[str, str]:
    """Public types of the estimators' crate by their name, each with its path in the crate.

    A type is public that stands in a public module of the crate's root, or that such a module gives on.
    """
    files = code("estimators")
    modules = re.findall(r"^pub mod (\w+);", files[Path("lib.rs")], re.M)
    found: dict[str, str] = {}
    for module in modules:
        text = files[Path(f"{module}.rs")]
        names = re.findall(r"^pub (?:struct|enum|type) (\w+)", text, re.M)
        for single, several in re.findall(r"^pub use (?:\w+::)+(?:(\w+)|\{([^}]*)\})", text, re.M):
            names += [single] if single else [each.split()[-1] for each in several.split(",") if each.strip()]
        found.update({name: f"{module}::{name}" for name in names if name[0].isupper()})
    return found


@cache
def streaming_types() -> set[str]:
    """Public types that something can be told: those with a method that changes them."""
    told = set()
    for text in code("estimators").values():
        for trait, name, body in _IMPL.findall(text):
            public = re.search(r"pub (?:const )?fn \w+[^(]*\(\s*&mut self", body)
            if public or trait in ("RtoEstimator", "Forecaster"):
                told.add(name)
        told.update(_aliases(text))
    return told & set(public_types())


def _aliases(text: str) -> Iterator[str]:
    yield from re.findall(r"^pub type (\w+)", text, re.M)


def depends(crate: str, other: str) -> bool:
    """Returns true if a crate is built with another one."""
    manifest = tomllib.loads((CRATES / crate / "Cargo.toml").read_text(encoding="utf-8"))
    return other in manifest["dependencies"]


def enum_entries(crate: str, enum: str) -> list[tuple[str, str]]:
    """The variants of an enumeration that holds a type each, as pairs."""
    for text in code(crate).values():
        found = re.search(rf"^pub enum {enum} \{{(.*?)^\}}", text, re.M | re.S)
        if found:
            return re.findall(r"^    (\w+)\((\w+)\)", found[1], re.M)
    raise LookupError(f"no enumeration {enum} in crates/{crate}")


def methods() -> set[str]:
    """Methods of the estimator of a queue's model."""
    text = code("estimators")[Path("nonresponsive/settings.rs")]
    found = re.search(r"^pub enum Method \{(.*?)^\}", text, re.M | re.S)
    return set(re.findall(r"^    ([A-Z]\w*)", found[1], re.M)) if found else set()


def fields(name: str) -> str:
    """The fields of a structure of the estimators' crate; empty where there is none of this name."""
    for text in code("estimators").values():
        found = re.search(rf"^pub struct {name}\b[^{{;]*\{{(.*?)^\}}", text, re.M | re.S)
        if found:
            return found[1]
    return ""
