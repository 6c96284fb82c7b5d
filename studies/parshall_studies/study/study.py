"""A study: a document, what is measured for it, the claims, and what a reader is shown of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from parshall.errors import InputError, ParshallError, shown

if TYPE_CHECKING:
    from parshall_studies.study.bench import Workbench
    from parshall_studies.study.charts import Shown
    from parshall_studies.study.claims import Topic
    from parshall_studies.study.data import Data
    from parshall_studies.study.results import Measures

__all__ = [
    "ANSWERS",
    "GROUP",
    "Content",
    "Document",
    "Quick",
    "Study",
    "find_study",
    "list_studies",
    "page_of",
    "try_studies",
]

ANSWERS = ("Does it work?", "When to use it:", "What to use instead:", "How sure:")
"""Items that a report begins with."""
GROUP = "parshall.studies"
"""Entry points under which packages offer their studies."""


@dataclass(frozen=True, slots=True)
class Document:
    """The document that a study reproduces."""

    title: str
    authors: str
    source: str = ""
    """Where and when it appeared, if that is known."""


@dataclass(frozen=True)
class Quick:
    """A short form of a study, which answers in under a minute on two cores."""

    measure: Callable[[Workbench], Measures]
    """Runs a part of what the study runs, and makes the same tables with fewer labels."""
    page: str
    """Its answer, as a template in Markdown."""


@dataclass(frozen=True)
class Content:
    """Parts of a study. Everything but ``measure`` is a function of the measures alone, so that a report
    can be made again without running anything.
    """

    measure: Callable[[Workbench], Measures]
    """Runs the scenarios and computes, with the document's own definitions, all that the rest needs."""
    topics: Sequence[Topic]
    """The claims, by what they are about."""
    page: str
    """The report as a template in Markdown; docs/studies.md says what may stand in it."""
    shown: Sequence[Shown] = ()
    """Tables and figures, which the page refers to by their ids."""
    names: Mapping[str, Any] = field(default_factory=dict)
    """Further names for the page: settings, expressions, functions of results."""
    data: Sequence[Data] = ()
    optional: frozenset[str] = frozenset()
    """Tables that may be absent, as those of measured data are; the claims about them are then left out."""
    quick: Quick | None = None
    """Short form that ``--quick`` runs."""


@dataclass(frozen=True)
class Study:
    """A study. ``content`` may be a function that returns it: a list of studies then loads none of them."""

    name: str
    """As it is given to ``parshall reproduce``."""
    title: str
    """One line, for lists and for the report's head."""
    document: Document
    seeds: int
    """Number of seeds of each variant, unless the caller gives another."""
    content: Content | Callable[[], Content]
    full: str = ""
    """Extent of ``--full``, in words, if the study runs less of the document unless asked for all."""
    minutes: float = 0.0
    """Time of the whole on two idle cores, measured, or estimated from a part or from runs beside other work;
    0 if it is not known.
    """

    @property
    def needed(self) -> int:
        """Seeds without which some claim cannot be decided."""
        return max((claim.rule.needs for topic in self.loaded.topics for claim in topic.claims), default=0)

    @cached_property
    def loaded(self) -> Content:
        """The content itself. Raises ValueError for a page without the items that a report begins with."""
        content = self.content if isinstance(self.content, Content) else self.content()
        head = content.page.partition("\n## ")[0]
        for label in ANSWERS:
            if f"- **{label}**" not in head:
                raise ValueError(
                    f"study {self.name}: page: expected '- **{label}** ...' before the first heading"
                )
        return content


def page_of(package: str, name: str = "report.md") -> str:
    """A page that lies beside the modules of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def list_studies() -> list[Study]:
    """Every study that an installed package offers, by name. Raises ParshallError for one that cannot be
    loaded.
    """
    return [_load(name, points) for name, points in sorted(_points().items())]


def try_studies() -> Iterator[Study | ParshallError]:
    """Studies, with an error in place of each that cannot be loaded."""
    for name, points in sorted(_points().items()):
        try:
            yield _load(name, points)
        except ParshallError as error:
            yield error


def find_study(name: str) -> Study:
    """The study of that name. Raises InputError for an unknown one, with the known ones."""
    points = _points()
    if name not in points:
        raise InputError("study", shown(name), f"one of {', '.join(sorted(points))}")
    return _load(name, points[name])


def _points() -> dict[str, list[Any]]:
    """Packages that offer each name."""
    from importlib.metadata import entry_points

    found: dict[str, list[Any]] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, []).append(point)
    if not found:
        raise ParshallError(f"studies: no package offers any as {GROUP}; install parshall-studies again")
    return found


def _load(name: str, points: Sequence[Any]) -> Study:
    values = sorted({point.value for point in points})
    if len(values) > 1:
        raise ParshallError(f"study {name}: offered as {' and as '.join(values)}, expected one package")
    point = points[0]
    try:
        study = point.load()
    except Exception as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ParshallError(f"study {point.name} ({point.value}): {reason}") from error
    if not isinstance(study, Study):
        raise ParshallError(f"study {point.name} ({point.value}): got {shown(study)}, expected a Study")
    return study
