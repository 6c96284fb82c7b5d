"""Sentences of a document that claim something, kept as data, each with the claims that judge it.

    [[sentence]]
    place = "V.B, Figure 4"
    says = "Flow 1 achieves only 2.3 Mbit/s with the basic RTT-aware conditioner"
    claims = ["rtt.f1", "sw.total.{far}"]    # or: reason = "names no quantity"

A claim's id may be a template, as in ``claims.md``, or begin with the name of another study and a colon.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Sentence", "chosen", "sentences_of"]

_PLACE = re.compile(r"\\\{\w+\\\}")


@dataclass(frozen=True)
class Sentence:
    """A sentence, and what judges it."""

    place: str
    """Section, table or figure of the document."""
    says: str
    claims: tuple[str, ...]
    """Ids or templates of claims."""
    reason: str
    """Why it is not judged, where no claim does."""


def sentences_of(package: str) -> list[Sentence]:
    """The sentences in a study's ``sentences.toml``, in the document's order; none without that file.

    Raises ValueError for an entry that has neither claims nor a reason, or both.
    """
    file = files(package).joinpath("sentences.toml")
    if not file.is_file():
        return []
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["sentence"]
    return [_sentence(package, entry) for entry in entries]


def _sentence(package: str, entry: dict[str, object]) -> Sentence:
    unknown = entry.keys() - {"place", "says", "claims", "reason"}
    claims, reason = entry.get("claims", []), entry.get("reason", "")
    if unknown or not isinstance(claims, list) or bool(claims) == bool(reason):
        raise ValueError(f"{package}: sentence {entry}: expected place, says and either claims or reason")
    return Sentence(str(entry["place"]), str(entry["says"]), tuple(map(str, claims)), str(reason))


def chosen(template: str, ids: Iterable[str]) -> Sequence[str]:
    """Those ids that a template stands for, in their order."""
    pattern = re.compile(_PLACE.sub(".+", re.escape(template)))
    return [id for id in ids if pattern.fullmatch(id)]
