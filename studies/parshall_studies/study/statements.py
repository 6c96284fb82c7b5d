"""Claims whose words stand in a list of their own, as a reader would write it, and whose rules stand in code.

    ## Queueing delay
    - figure-26.increases.{queue} | Figure 26, text | The delay increases with the buffer ({queue}).

A line is a claim: its id, its place in the document, its words. A name in braces stands for one claim each:
in the id for a label, in the words for what a reader calls it. Topics headed ``## Beyond: ...`` are not the
document's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from parshall_studies.study.claims import Claim, Topic
from parshall_studies.study.printed import Printed

if TYPE_CHECKING:
    from parshall_studies.study.claims import Says

    Said: TypeAlias = "Says | tuple[Says, Printed]"

__all__ = ["topics_of"]

_PLACE = re.compile(r"\{(\w+)\}")
_BEYOND = "Beyond: "


def _hyphenated(label: Any) -> str:
    """A label in an id, which has no spaces: scripts look for it."""
    return str(label).replace(" ", "-")


def topics_of(
    text: str,
    says: Mapping[str, Said | Callable[..., Said]],
    names: Mapping[str, Mapping[Any, str]] | None = None,
    *,
    ident: Callable[[Any], str] = _hyphenated,
) -> tuple[Topic, ...]:
    """The claims of a list. ``says`` has what each line says, by its id as it stands there: a rule or
    relation, with the printed number if there is one, or a function of the labels that makes it. ``names``
    has, for each name in braces, the labels and what a reader calls them; ``ident`` is how a label is
    written in an id.

    Raises ValueError for a line without a rule, and for a rule without a line.
    """
    topics, left = [], dict(says)
    for title, lines in _headed(text):
        claims: list[Claim] = []
        for line in lines:
            template, where, words = _fields(line)
            if template not in left:
                raise ValueError(f"claims: {template}: expected a rule for it")
            said = left.pop(template)
            claims += [
                _claim(template, where, words, said, labels, names or {}, ident)
                for labels in _combinations(template, names or {})
            ]
        of_document = not title.startswith(_BEYOND)
        topics.append(Topic(title.removeprefix(_BEYOND), tuple(claims), of_document))
    if left:
        raise ValueError(f"claims: {', '.join(left)}: expected a line for it")
    return tuple(topics)


def _headed(text: str) -> Iterator[tuple[str, list[str]]]:
    for part in re.split(r"^## +", text, flags=re.MULTILINE)[1:]:
        title, *lines = part.splitlines()
        yield title.strip(), [line[2:] for line in lines if line.startswith("- ")]


def _fields(line: str) -> list[str]:
    fields = [field.strip() for field in line.split(" | ")]
    if len(fields) != 3:
        raise ValueError(f"claims: got {line!r}, expected id | place | words")
    return fields


def _combinations(template: str, names: Mapping[str, Mapping[Any, str]]) -> Iterator[dict[str, Any]]:
    places = _PLACE.findall(template)
    for labels in product(*(names[place] for place in places)):
        yield dict(zip(places, labels, strict=True))


def _claim(
    template: str,
    where: str,
    words: str,
    said: Said | Callable[..., Said],
    labels: Mapping[str, Any],
    names: Mapping[str, Mapping[Any, str]],
    ident: Callable[[Any], str],
) -> Claim:
    found = said(**labels) if callable(said) else said
    rule, paper = found if isinstance(found, tuple) else (found, None)
    called = {place: names[place][label] for place, label in labels.items()}
    return Claim(
        _PLACE.sub(lambda place: ident(labels[place[1]]), template),
        _PLACE.sub(lambda place: called[place[1]], where),
        _PLACE.sub(lambda place: called[place[1]], words),
        rule,
        paper,
    )
