"""A report's page: a template in Markdown, into which results, tables and figures are put.

What stands before the first heading is the answer, the part headed "Findings" is what was found; both are
left out where there were too few seeds to tell. The part headed "Assumptions" lists where the document is
silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parshall_studies.study import words
from parshall_studies.study.figures import Figure, Picker
from parshall_studies.study.numbers import NumbersOf
from parshall_studies.study.quantity import quantity
from parshall_studies.study.rules import Verdict, all_of
from parshall_studies.study.tables import Table

if TYPE_CHECKING:
    from parshall_studies.study.claims import Judgements
    from parshall_studies.study.results import Results
    from parshall_studies.study.study import Content

__all__ = ["Page", "Part", "build", "items_of", "too_few_seeds"]

_HEADING = re.compile(r"^## +(.+?)\s*$", re.MULTILINE)
_SUBHEADING = re.compile(r"^### +(.+?)\s*$", re.MULTILINE)
_BLOCK = re.compile(r"\[\[show ([\w.-]+)\]\]")
_FINDINGS = "Findings"


@dataclass(frozen=True)
class Part:
    """A titled piece of the page, in Markdown, with places for what is shown in it."""

    title: str
    markdown: str

    @property
    def id(self) -> str:
        """For links: the title in lower case."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")

    @property
    def text(self) -> str:
        """Without tables and figures, as a terminal shows it."""
        without = _BLOCK.sub("", self.markdown)
        return re.sub(r"\n{3,}", "\n\n", without).strip()

    @property
    def shows(self) -> list[str]:
        """Ids of what is shown."""
        return _BLOCK.findall(self.markdown)


@dataclass(frozen=True)
class Page:
    """Everything that a report says besides its claims, in order."""

    answer: Part | None
    """The judgement of the document's idea, with its number; none where there are too few seeds."""
    findings: tuple[Part, ...]
    sections: tuple[Part, ...]
    items: Mapping[str, Figure | Picker | Table]
    too_few: str
    """Why there are no findings, where there are none."""

    @property
    def figures(self) -> Iterator[Figure]:
        """Every figure, those of pickers too."""
        for item in self.items.values():
            if isinstance(item, Figure):
                yield item
            elif isinstance(item, Picker):
                yield from item.figures


def build(content: Content, results: Results, judged: Judgements, *, partial: bool = False) -> Page:
    """The page of a study. Raises ValueError when the template and what is to be shown do not fit. Of
    ``partial`` results only what the template names is shown, with any number of seeds.
    """
    few = "" if partial else too_few_seeds(judged)
    given: dict[str, tuple[str, str]] = {}
    text = _rendered(content.page, {**_context(results, judged), **content.names}, given)
    shown = set(_BLOCK.findall(text)) if partial else None
    items = {item.id: item for item in items_of(content, results, judged, shown)}
    items = {id: _with_words(item, given.get(id)) for id, item in items.items()}
    head, *rest = _split(text, _HEADING)
    sections = [Part(*each) for each in rest if each[0] != _FINDINGS]
    findings = [
        Part(*each) for title, text in rest if title == _FINDINGS for each in _split(text, _SUBHEADING)[1:]
    ]
    answer = None if few else Part("Answer", head[1])
    kept = [part for part in sections if part.markdown.strip()]
    if few:
        kept = [*_left_over(items, kept), *kept]
    page = Page(answer, () if few else tuple(findings), tuple(kept), items, few)
    _check(page)
    return page


def too_few_seeds(judged: Judgements) -> str:
    """``too few seeds to tell (3; 10 needed)``, or nothing."""
    needed = max((each.claim.rule.needs for each in judged), default=0)
    return f"too few seeds to tell ({judged.seeds}; {needed} needed)" if judged.seeds < needed else ""


def _rendered(source: str, context: Mapping[str, Any], given: dict[str, tuple[str, str]]) -> str:
    """A page's template with the results in it; ``given`` takes the words that it gives to tables and
    figures.
    """
    import jinja2

    def show(*ids: str) -> str:
        return "".join(f"\n\n[[show {id}]]\n\n" for id in ids)

    def worded(id: str, title: str, caption: str) -> str:
        given[id] = (title, " ".join(caption.split()))
        return show(id)

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    environment.filters |= {name: getattr(words, name) for name in words.__all__}
    environment.filters["tally"] = _tally
    environment.filters["worth"] = lambda judged: words.worth(judged.grades)
    environment.filters["all_hold"] = all_of
    environment.globals |= {"show": show, "figure": worded, "table": worded, **context}
    return environment.from_string(source).render()


def _tally(judged: Judgements, *fared: str) -> str:
    """Results of claims, by grade, or by verdict in the words that are given for each."""
    return words.counted(judged.counts, *fared) if fared else words.tally(judged.grades)


def _split(text: str, heading: re.Pattern[str]) -> list[tuple[str, str]]:
    """Titles and what stands under them, after what stands before the first."""
    start, *pieces = heading.split(text)
    return [("", start), *zip(pieces[::2], pieces[1::2], strict=True)]


def _context(results: Results, judged: Judgements) -> dict[str, Any]:
    """Names that every page may use; docs/studies.md lists them."""
    numbers = NumbersOf(results)
    return {
        "judged": judged,
        "results": results,
        "seeds": len(results.seeds),
        "has": results.__contains__,
        "mean": numbers.mean,
        "means": numbers.means,
        "over_seeds": numbers.over_seeds,
        "quantity": quantity,
        "Verdict": Verdict,
    }


def items_of(
    content: Content, results: Results, judged: Judgements, ids: Set[str] | None = None
) -> Iterator[Figure | Picker | Table]:
    """Parts that a study shows, but for those whose tables are absent; those with some ``ids`` only, where
    these are given, as far as they can be made.
    """
    for shown in content.shown if ids is None or ids else ():
        if shown.tables <= results.measures.keys():
            try:
                made = shown.made(results, judged)
                every = [made] if isinstance(made, Figure | Picker | Table) else list(made)
            except LookupError:
                if ids is None:
                    raise
                continue
            yield from (each for each in every if ids is None or each.id in ids)


def _with_words(item: Figure | Picker | Table, words: tuple[str, str] | None) -> Figure | Picker | Table:
    if words is not None:
        if isinstance(item, Picker):
            raise ValueError(f"page: {item.id}: a picker has its own title, expected show({item.id!r})")
        return item.with_words(*words)
    if not item.title:
        raise ValueError(f"page: {item.id} has no title, expected figure({item.id!r}, title, caption)")
    return item


def _left_over(items: Mapping[str, Any], parts: Sequence[Part]) -> list[Part]:
    """Parts that only the findings would have shown."""
    placed = {id for part in parts for id in part.shows}
    rest = [id for id in items if id not in placed]
    return [Part("Figures", "".join(f"[[show {id}]]\n\n" for id in rest))] if rest else []


def _check(page: Page) -> None:
    """Everything is shown, once."""
    parts = [*([page.answer] if page.answer else []), *page.findings, *page.sections]
    placed = [id for part in parts for id in part.shows]
    for id in placed:
        if id not in page.items:
            raise ValueError(f"page: show({id!r}): expected one of {', '.join(page.items)}")
        if placed.count(id) > 1:
            raise ValueError(f"page: show({id!r}): expected once, found {placed.count(id)} times")
    for id in page.items:
        if id not in placed:
            raise ValueError(f"page: {id!r} is shown nowhere")
