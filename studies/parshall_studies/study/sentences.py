"""Sentences of a document that claim something, kept as data, each with what decides it.

    [[sentence]]
    place = "V.B, Figure 4"
    says = "Protecting small windows reduces timeouts"
    for = ["small.fewer-timeouts.{far}"]
    against = ["small.more-losses"]
    refuted_by = ["more windows.timeouts at edge=sw"]

``for`` and ``against`` are ids of claims, or templates as in ``claims.md``; a study's name and a colon in
front name another study. An entry that nothing decides has a ``reason`` instead.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from parshall_studies.study.refutations import Refutation

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["EXTENTS", "Sentence", "check_ids", "chosen", "sentences_of"]

EXTENTS = ("all", "some", "each")
"""Extents of a sentence: every setting, at least one, or a list of numbers that are judged one by one."""

_FILE = "sentences.toml"
_LABEL = re.compile(r"\\\{\w+\\\}")
_KEYS = frozenset({"place", "says", "for", "against", "refuted_by", "extent", "reason"})


@dataclass(frozen=True)
class Sentence:
    """A sentence, and what decides it."""

    place: str
    """Section, table or figure of the document."""
    says: str
    supports: tuple[str, ...] = ()
    """Ids or templates of claims that must hold."""
    contradicts: tuple[str, ...] = ()
    """Ids or templates of claims that refute the sentence when they hold."""
    refuted_by: tuple[Refutation, ...] = ()
    """Quantities that the sentence is about, and the directions that would refute it."""
    extent: str = "all"
    """One of :data:`EXTENTS`."""
    reason: str = ""
    """Why it is not judged, where no claim decides it."""

    @property
    def claims(self) -> tuple[str, ...]:
        """Every id or template that it names."""
        return (*self.supports, *self.contradicts)


def sentences_of(package: str) -> list[Sentence]:
    """The sentences in a study's ``sentences.toml``, in the document's order; none without that file.

    Raises ValueError for a malformed entry, with the file and the key.
    """
    file = files(package).joinpath(_FILE)
    if not file.is_file():
        return []
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8")).get("sentence", [])
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from None
    return [_sentence(f"{file}: sentence {count}", entry) for count, entry in enumerate(entries, start=1)]


def _sentence(where: str, entry: Mapping[str, Any]) -> Sentence:
    for key in sorted(entry.keys() - _KEYS):
        raise ValueError(f"{where}: {key}: expected one of {', '.join(sorted(_KEYS))}")
    place, says = (_text(where, entry, key) for key in ("place", "says"))
    supports, contradicts, refuted_by = (_list(where, entry, key) for key in ("for", "against", "refuted_by"))
    if "reason" in entry:
        for key in sorted(entry.keys() - {"place", "says", "reason"}):
            raise ValueError(f"{where}: {key}: expected none beside a reason")
        return Sentence(place, says, reason=_text(where, entry, "reason"))
    if not (supports or contradicts):
        raise ValueError(f"{where}: for: got none, expected claims here or in against, or a reason")
    if not refuted_by:
        raise ValueError(f"{where}: refuted_by: got none, expected the direction that refutes the sentence")
    extent = entry.get("extent", "all")
    if extent not in EXTENTS:
        raise ValueError(f"{where}: extent: got {extent!r}, expected one of {', '.join(EXTENTS)}")
    try:
        refutations = tuple(map(Refutation.parse, refuted_by))
    except ValueError as error:
        raise ValueError(f"{where}: refuted_by: {error}") from None
    return Sentence(place, says, supports, contradicts, refutations, extent)


def _text(where: str, entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where}: {key}: got {value!r}, expected a text")
    return value


def _list(where: str, entry: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = entry.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise ValueError(f"{where}: {key}: got {value!r}, expected a list of texts")
    return tuple(value)


def check_ids(study: str, package: str, ids: Mapping[str, Collection[str]]) -> None:
    """Raises ValueError for the first sentence of a study that names a claim which does not exist, with the
    file and the key. ``ids`` has the claims of each study.
    """
    for count, sentence in enumerate(sentences_of(package), start=1):
        for key, templates in (("for", sentence.supports), ("against", sentence.contradicts)):
            for template in templates:
                name, _, own = template.rpartition(":")
                if not chosen(own, ids.get(name or study, ())):
                    file = files(package).joinpath(_FILE)
                    known = f"a claim of the study {name or study}"
                    raise ValueError(f"{file}: sentence {count}: {key}: got {template!r}, expected {known}")


def chosen(template: str, ids: Iterable[str]) -> Sequence[str]:
    """Those ids that a template stands for, in their order."""
    pattern = re.compile(_LABEL.sub(".+", re.escape(template)))
    return [id for id in ids if pattern.fullmatch(id)]
