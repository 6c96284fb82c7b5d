"""A study re-runs a document: scenarios over seeds, then measures, then claims, tables and figures of these
alone.

:func:`reproduce` runs one end to end and writes its report. What a study must offer is :class:`Study`; what
it is given to work with is a :class:`Workbench`. Everything after :meth:`Study.measure` is a function of the
measures, which are also what is written as Parquet: a figure can be made again without running anything.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from parshall.claims import Claim, Verdict, count_verdicts, to_json
from parshall.errors import InputError, OutputError, shown
from parshall.progress import progress_bar
from parshall.report import (
    Assumption,
    Document,
    Figure,
    Finding,
    Page,
    Section,
    claim_interval,
    interval,
    printed_number,
    render,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console
    from rich.progress import Progress

    from parshall.ensemble import Ensemble
    from parshall.scenario import Dumbbell, Scenario
    from parshall.sweep import Sweep, SweepResult

__all__ = ["Measures", "Reproduction", "Study", "Workbench", "find_study", "list_studies", "reproduce"]

Measures = Mapping[str, "pa.Table"]
"""What a study computed from its runs: tidy tables by name, each written as ``NAME.parquet``."""

DATA_VARIABLE = "PARSHALL_DATA"
"""Environment variable that names the folder of measured data."""

_REGISTERED: Mapping[str, str] = {
    "aqm": "parshall.studies.aqm",
    "median-rto": "parshall.studies.median_rto",
    "nonresponsive": "parshall.studies.nonresponsive",
}
"""Study names and the packages that hold them; each package offers ``STUDY``."""

_T = TypeVar("_T")


class Study(Protocol):
    """What a study is. Its package under ``parshall.studies`` offers one as ``STUDY``."""

    @property
    def name(self) -> str:
        """As it is given to ``parshall reproduce``."""
        ...

    @property
    def title(self) -> str:
        """One line, for lists and for the report's head."""
        ...

    @property
    def document(self) -> Document:
        """What is reproduced."""
        ...

    @property
    def seeds(self) -> int:
        """Seeds a variant, unless the caller says otherwise."""
        ...

    @property
    def assumptions(self) -> Sequence[Assumption]:
        """Each place where the document is silent."""
        ...

    def scenarios(self) -> Mapping[str, Scenario | Dumbbell]:
        """What is run over all seeds, by the name of the variant."""
        ...

    def measure(self, bench: Workbench) -> Measures:
        """Runs the scenarios and computes, with the document's own definitions, all that the rest needs."""
        ...

    def claims(self, measures: Measures) -> list[Claim]:
        """One for each number and each testable statement, in the document's order."""
        ...

    def sections(self, measures: Measures, claims: Sequence[Claim]) -> list[Section]:
        """Tables and figures."""
        ...

    def findings(self, measures: Measures, claims: Sequence[Claim]) -> list[Finding]:
        """What the report opens with."""
        ...


@dataclass
class Workbench:
    """What a study works with while it measures: runs over seeds, measured data, and a line of progress."""

    seeds: range
    jobs: int | None = None
    data: Path | None = None
    """Folder of measured data, or none."""
    cache: bool = True
    progress: Progress | None = None
    runs: int = 0
    """Runs asked for so far."""
    skipped: list[str] = field(default_factory=list)
    """Parts left out, with the reason, for the report."""

    def run(
        self,
        what: str,
        variants: Mapping[str, Scenario | Dumbbell],
        *,
        seeds: Sequence[int] | None = None,
        tables: tuple[str, ...] = ("flows", "ports"),
    ) -> Ensemble:
        """Every variant with every seed. Variants share their seeds, so their differences can be paired.

        Raises RunError when a run fails: a study with a hole in it would compare unequal things.
        """
        from parshall.ensemble import run_many

        chosen = list(self.seeds if seeds is None else seeds)
        total = len(variants) * len(chosen)
        self.runs += total
        with self._task(what, total) as advance_to:

            def report(done: int, _total: int) -> None:
                advance_to(done)

            ensemble = run_many(
                variants,
                chosen,
                jobs=self.jobs,
                cache="default" if self.cache else None,
                tables=tables,
                progress=report,
            )
        ensemble.raise_for_failures()
        return ensemble

    def sweep(self, what: str, sweep: Sweep) -> SweepResult:
        """Every point of a sweep with every seed of the study; see :meth:`run`."""
        own = replace(sweep, seeds=list(self.seeds))
        total = len(own.points) * len(self.seeds)
        self.runs += total
        with self._task(what, total) as advance_to:

            def report(done: int, _total: int) -> None:
                advance_to(done)

            result = own.run(jobs=self.jobs, cache="default" if self.cache else None, progress=report)
        result.raise_for_failures()
        return result

    def track(self, what: str, items: Sequence[_T]) -> Iterator[_T]:
        """The items, with progress; for work that is not a run."""
        with self._task(what, len(items)) as advance_to:
            for done, item in enumerate(items, start=1):
                yield item
                advance_to(done)

    def data_files(self, pattern: str, what: str) -> list[Path]:
        """Files of measured data that match; where they are absent none, with a note in the report."""
        found = sorted(self.data.glob(pattern)) if self.data is not None else []
        if not found:
            place = "no data folder was found" if self.data is None else f"the data folder has no {pattern}"
            self.skipped.append(f"{what}: {place} (give one with {DATA_VARIABLE}).")
        return found

    @contextlib.contextmanager
    def _task(self, what: str, total: int) -> Iterator[_Advance]:
        progress = self.progress
        task = progress.add_task(what, total=total) if progress is not None else None

        def advance_to(done: int, /) -> None:
            if progress is not None and task is not None:
                progress.update(task, completed=done)

        yield advance_to
        advance_to(total)


class _Advance(Protocol):
    def __call__(self, done: int, /) -> None: ...


@dataclass(frozen=True)
class Reproduction:
    """A finished study."""

    study: Study
    out: Path
    """Folder that holds ``report.html``, ``claims.json``, ``figures/*.svg`` and ``*.parquet``."""
    measures: Measures
    claims: Sequence[Claim]
    runs: int
    seconds: float


def list_studies() -> list[Study]:
    """Every study, by name."""
    return [_load(name) for name in sorted(_REGISTERED)]


def find_study(name: str) -> Study:
    """The study of that name; an unknown one is an error that lists the known ones."""
    if name not in _REGISTERED:
        raise InputError("study", shown(name), f"one of {', '.join(sorted(_REGISTERED))}")
    return _load(name)


def reproduce(
    name: str | Study,
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    data: str | Path | None = None,
    cache: bool = True,
    console: Console | None = None,
) -> Reproduction:
    """Runs a study and writes its report, its claims and its measures into ``out``.

    ``seeds`` is how many (1, 2, ...); the study's own number unless given. ``out`` is ``out/NAME`` unless
    given. ``data`` is a folder of measured data; without it ``$PARSHALL_DATA`` and ``../shared/data`` beside
    the repository are tried. Nothing is written before everything is computed, and then whole files only.
    """
    study = find_study(name) if isinstance(name, str) else name
    count = study.seeds if seeds is None else seeds
    _whole("seeds", count)
    if jobs is not None:
        _whole("jobs", jobs)
    folder = _writable(Path("out") / study.name if out is None else Path(out))
    console = console or _console()
    began = time.perf_counter()
    with progress_bar(console) as progress:
        bench = Workbench(range(1, count + 1), jobs, _data_folder(data), cache, progress)
        measures = study.measure(bench)
        claims, files = _written(study, bench, measures)
    _publish(files, folder)
    done = Reproduction(study, folder, measures, claims, bench.runs, time.perf_counter() - began)
    _show(console, done, bench.skipped)
    return done


def _written(study: Study, bench: Workbench, measures: Measures) -> tuple[list[Claim], dict[str, bytes]]:
    """Claims, and every file of the result as bytes."""
    stages = iter(bench.track("Claims, figures, report", ("claims", "sections", "page")))
    next(stages)
    claims = study.claims(measures)
    files = {"claims.json": to_json(claims).encode()}
    next(stages)
    sections = study.sections(measures, claims)
    next(stages)
    findings = study.findings(measures, claims)
    page = Page(
        title=study.title,
        document=study.document,
        findings=findings,
        assumptions=study.assumptions,
        sections=sections,
        claims=claims,
        skipped=bench.skipped,
        provenance=_provenance(study, bench),
    )
    files["report.html"] = render(page).encode()
    files |= {f"figures/{figure.id}.svg": _svg_file(figure) for figure in _figures(sections)}
    files |= {f"{table}.parquet": _parquet(content) for table, content in measures.items()}
    next(stages, None)
    return claims, files


def _provenance(study: Study, bench: Workbench) -> dict[str, str]:
    from parshall import __version__
    from parshall._core import ENGINE_VERSION

    return {
        "Command": f"parshall reproduce {study.name} --seeds {len(bench.seeds)}",
        "Parshall": __version__,
        "Engine": ENGINE_VERSION,
        "Seeds": f"{bench.seeds.start} to {bench.seeds.stop - 1}",
        "Runs": f"{bench.runs:,}",
        "Beside this page": "claims.json (every claim), figures (as SVG), and the measures as Parquet tables",
    }


def _figures(sections: Iterable[Section]) -> Iterator[Figure]:
    for section in sections:
        yield from section.figures


def _svg_file(figure: Figure) -> bytes:
    from parshall.plot import standalone

    return standalone(figure.svg).encode()


def _parquet(table: pa.Table) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


# --- Output -------------------------------------------------------------------------------------------------


def _writable(folder: Path) -> Path:
    """Refuses a folder that cannot be written before the work is done rather than after it."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir():
        raise OutputError(str(folder), f"expected a folder, and {existing} is a file")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(str(folder), f"expected a folder that can be written, and {existing} cannot")
    return folder


def _publish(files: Mapping[str, bytes], folder: Path) -> None:
    """Writes every file beside its place and moves all in when they are whole: no place holds half a file."""
    from parshall.files import failing_as, staged

    with failing_as(folder), staged(folder) as stage:
        for name, content in files.items():
            _write_through(stage / name, content)
        for name in files:
            (folder / name).parent.mkdir(exist_ok=True)
            (stage / name).replace(folder / name)


def _write_through(path: Path, content: bytes) -> None:
    """Writes and waits for the disk's word: that it is full must show before anything is moved into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


# --- Terminal -----------------------------------------------------------------------------------------------


def _console() -> Console:
    from rich.console import Console

    return Console()


_STYLES: Mapping[Verdict, str] = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.OPEN: "yellow"}


def _show(console: Console, done: Reproduction, skipped: Sequence[str]) -> None:
    """The document's claims as a table, the verdicts in numbers, and where the rest is."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=done.study.title, title_justify="left", pad_edge=False, box=SIMPLE_HEAD)
    table.add_column("claim", ratio=1, overflow="fold")
    table.add_column("document", justify="right", no_wrap=True)
    table.add_column("ours (95 % interval)", justify="right")
    table.add_column("verdict", no_wrap=True)
    where = ""
    for claim in (claim for claim in done.claims if claim.of_document):
        if claim.where != where:
            where = claim.where
            table.add_row(Text(where, style="bold"), "", "", "")
        ours = interval(claim_interval(claim))
        verdict = Text(str(claim.verdict), style=_STYLES[claim.verdict])
        table.add_row(claim.statement, printed_number(claim.paper), ours, verdict)
    console.print(table)
    for of_document, whose in ((True, "Of the document's claims"), (False, "Beyond the document")):
        counts = count_verdicts(claim for claim in done.claims if claim.of_document is of_document)
        if sum(counts.values()):
            console.print(
                f"{whose}: " + ", ".join(f"{verdict} {count}" for verdict, count in counts.items()) + "."
            )
    for message in skipped:
        console.print(f"Left out: {message}")
    console.print(
        f"{done.runs:,} runs in {done.seconds:.1f} s. Report: {done.out / 'report.html'}", soft_wrap=True
    )


# --- Input --------------------------------------------------------------------------------------------------


def _load(name: str) -> Study:
    study: Study = importlib.import_module(_REGISTERED[name]).STUDY
    return study


def _whole(field: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(field, shown(value), "a whole number of at least 1")


def _data_folder(given: str | Path | None) -> Path | None:
    """The folder of measured data: given, named by the environment, or beside the repository."""
    named = given or os.environ.get(DATA_VARIABLE)
    if named:
        folder = Path(named)
        if not folder.is_dir():
            field = "data" if given else DATA_VARIABLE
            raise InputError(field, json.dumps(str(named)), "a folder")
        return folder
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    return beside if beside.is_dir() else None
