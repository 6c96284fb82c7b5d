"""Runs a study and writes its report; or makes the report again from what an earlier run has written."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.engine.limits import MOST_JOBS, MOST_SEEDS
from parshall.errors import InputError, OutputError, ParshallError, shown
from parshall.support.progress import progress_bar
from parshall.support.results import digest
from parshall_studies.study import data as measured_data, provenance as origin
from parshall_studies.study.bench import Workbench
from parshall_studies.study.claims import Judgements, judge
from parshall_studies.study.page import Page, build
from parshall_studies.study.provenance import Provenance
from parshall_studies.study.results import Measures, Results
from parshall_studies.study.rules import FEWEST_SEEDS
from parshall_studies.study.study import Study, find_study
from parshall_studies.study.terminal import announce, show

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

__all__ = ["Reproduction", "reproduce"]


@dataclass(frozen=True)
class Reproduction:
    """A finished study."""

    study: Study
    out: Path
    """Folder that holds ``report.html``, ``claims.json``, ``figures/*.svg``, ``*.parquet`` and
    ``provenance.json``."""
    results: Results
    judged: Judgements
    page: Page
    provenance: Provenance
    runs: int
    """Done or read from the cache; none where the report was made from tables."""
    seconds: float

    @property
    def measures(self) -> Measures:
        """The tables, by name."""
        return self.results.measures


def reproduce(
    name: str | Study,
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    data: str | Path | Sequence[str | Path] | None = None,
    source: str | Path | None = None,
    cache: bool = True,
    full: bool = False,
    quick: bool = False,
    verbose: bool = False,
    console: Console | None = None,
) -> Reproduction:
    """Runs a study and writes its report, its claims, its figures and its measures into ``out``.

    ``seeds`` is how many (1, 2, ...); the study's own number unless given. ``out`` is ``out/NAME`` unless
    given, or ``source``. ``full`` runs all of the document where a study runs less of it otherwise
    (``Study.full`` says what). ``quick`` runs a part of it with few seeds, for a preliminary answer in under
    a minute, which is written into ``out/NAME-quick``. ``data`` names folders of measured data; without it
    ``$PARSHALL_DATA`` does. With ``source``, a folder that an earlier call has written, nothing is run:
    report and figures are made again from its tables. Nothing is written before everything is computed, and
    then whole files only.
    """
    study = find_study(name) if isinstance(name, str) else name
    if source is not None and seeds is not None:
        raise InputError("seeds", str(seeds), "none: the tables have theirs")
    if source is not None and data:
        raise InputError("data", shown(data), "none: the tables have been made")
    _check_full(study, full, source)
    _check_quick(study, quick, full, source)
    _refuse_empty(out=out, source=source, data=data)
    usual = FEWEST_SEEDS if quick else study.seeds
    count = usual if seeds is None else seeds
    _whole("seeds", count, MOST_SEEDS)
    if jobs is not None:
        _whole("jobs", jobs, MOST_JOBS)
    console = console or _console()
    began = time.perf_counter()
    if source is not None:
        folder = _writable(Path(source if out is None else out))
        provenance, measures, runs = *_read(study, Path(source)), 0
        quick = provenance.quick
    else:
        usual_folder = Path("out") / f"{study.name}{'-quick' if quick else ''}"
        folder = _writable(usual_folder if out is None else Path(out))
        announce(console, study, count, quick=quick)
        how = _How(jobs, data, cache, full, quick)
        provenance, measures, runs = _measured(study, range(1, count + 1), how, console)
    if not quick:
        _check_tables(study, measures, None if source is None else Path(source))
    results, judged, page = _made(study, measures, source, quick)
    files = _files(study, page, judged, measures, provenance)
    in_place = source is not None and folder.resolve() == Path(source).resolve()
    _publish(files, folder, provenance, {f"{table}.parquet" for table in measures} if in_place else set())
    done = Reproduction(study, folder, results, judged, page, provenance, runs, time.perf_counter() - began)
    show(console, done, verbose=verbose)
    return done


@dataclass(frozen=True, slots=True)
class _How:
    """Options of :func:`reproduce` for what is run."""

    jobs: int | None
    data: str | Path | Sequence[str | Path] | None
    cache: bool
    full: bool
    quick: bool


def _measured(study: Study, seeds: range, how: _How, console: Console) -> tuple[Provenance, Measures, int]:
    """Runs the study."""
    from threadpoolctl import threadpool_limits

    content = study.loaded
    given = [how.data] if isinstance(how.data, str | Path) else how.data
    found = measured_data.find(content.data, measured_data.folders(given))
    measure = content.quick.measure if how.quick and content.quick else content.measure
    with progress_bar(console) as progress:
        bench = Workbench(seeds, how.jobs, how.cache, progress, found.files, how.full)
        with threadpool_limits(1, "blas"):  # each core has a thread of ours already
            measures = measure(bench)
    lacking = () if how.quick else found.lacking
    provenance = origin.collected(
        study.name, seeds, bench.runs, sorted(measures), lacking, full=how.full, quick=how.quick
    )
    return provenance, measures, bench.runs


def _read(study: Study, folder: Path) -> tuple[Provenance, Measures]:
    """Files that an earlier run of the same study has written."""
    import pyarrow as pa
    from pyarrow import ArrowException, parquet

    provenance = origin.read(folder)
    if provenance.study != study.name:
        raise ParshallError(f"{folder}: holds the study {provenance.study}, expected {study.name}")
    measures = {}
    for name in provenance.tables:
        file = folder / f"{name}.parquet"
        try:
            content = file.read_bytes()
            if provenance.sha256.get(file.name) != digest(content):
                raise ParshallError(f"{file}: its checksum is wrong, expected a table as it was written")
            measures[name] = parquet.ParquetFile(pa.BufferReader(content)).read()
        except (OSError, ArrowException) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ParshallError(f"{file}: {reason}, expected a table of the study") from None
    return provenance, measures


def _made(
    study: Study, measures: Measures, source: str | Path | None, quick: bool
) -> tuple[Results, Judgements, Page]:
    """Results that follow from the tables."""
    content = study.loaded
    if quick and content.quick:
        content = replace(content, page=content.quick.page)
    try:
        results = Results(measures)
        judged = judge(content.topics, results, partial=quick)
        return results, judged, build(content, results, judged, partial=quick)
    except LookupError as error:
        if source is None:
            raise
        reason = " ".join(str(error).split())
        raise ParshallError(
            f"{source}: {reason}, expected the tables of this version of {study.name}"
        ) from None


def _check_tables(study: Study, measures: Measures, source: Path | None = None) -> None:
    """Refuses measures that lack what claims are about."""
    content = study.loaded
    needed = {table for topic in content.topics for claim in topic.claims for table in claim.rule.tables}
    for table in sorted(needed - measures.keys() - content.optional):
        if source is not None:
            raise ParshallError(f"{source}: no table {table}, expected those of the study {study.name}")
        raise LookupError(f"study {study.name}: claims are about a table {table}, which it has not measured")


# --- Output -------------------------------------------------------------------------------------------------


def _files(
    study: Study, page: Page, judged: Judgements, measures: Measures, provenance: Provenance
) -> dict[str, bytes]:
    """Every file of the result."""
    from parshall.plot import standalone
    from parshall_studies.study.html import render

    files = {
        "claims.json": judged.to_json().encode(),
        "report.html": render(study, page, judged, provenance).encode(),
    }
    files |= {f"figures/{figure.id}.svg": standalone(figure.titled_svg).encode() for figure in page.figures}
    files |= {f"{table}.parquet": _parquet(content) for table, content in measures.items()}
    sums = {name: digest(files[name]) for name in sorted(files) if name.endswith(".parquet")}
    whole = replace(provenance, files=(*sorted(files), origin.FILE), sha256=sums)
    return {**files, origin.FILE: whole.to_json().encode()}


def _parquet(table: pa.Table) -> bytes:
    from parshall.support.files import parquet_bytes

    whole = table.unify_dictionaries().combine_chunks()  # as it will be when it has been read back
    return bytes(parquet_bytes(whole))


def _writable(folder: Path) -> Path:
    """Refuses a folder that cannot be written before the work is done rather than after it."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir():
        raise OutputError(str(folder), f"expected a folder, and {existing} is a file")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(str(folder), f"expected a folder that can be written, and {existing} cannot")
    return folder


def _publish(files: Mapping[str, bytes], folder: Path, provenance: Provenance, there: Set[str]) -> None:
    """Writes every file and moves all of them in when they are complete. Files of an earlier report that this
    one lacks are removed; tables that are ``there`` stay as they are.
    """
    from parshall.support.files import replace_files

    new = [*sorted(files.keys() - there - {origin.FILE}), origin.FILE]

    def old() -> list[str]:
        replaced = {*_of_earlier(folder, provenance), *new} - there - {origin.FILE}
        return [origin.FILE, *sorted(replaced)]

    with replace_files(folder, old) as written:
        for name in new:
            written.add(name, files[name])


def _of_earlier(folder: Path, provenance: Provenance) -> Sequence[str]:
    """The files of an earlier report of the same study, as its manifest lists them."""
    try:
        earlier = origin.read(folder)
    except ParshallError:
        return ()
    return earlier.files if earlier.study == provenance.study else ()


# --- Input --------------------------------------------------------------------------------------------------


def _refuse_empty(**given: object) -> None:
    """Refuses an empty name, which would be the current folder."""
    for field, value in given.items():
        every = value if isinstance(value, list | tuple) else [value]
        if any(each == "" for each in every):
            raise InputError({"source": "from"}.get(field, field), '""', "a folder")


def _check_full(study: Study, full: bool, source: str | Path | None) -> None:
    if full and not study.full:
        raise InputError("full", "true", f"false: {study.name} always runs all of its document")
    if full and source is not None:
        raise InputError("full", "true", "false: the tables have been made")


def _check_quick(study: Study, quick: bool, full: bool, source: str | Path | None) -> None:
    if not quick:
        return
    if full:
        raise InputError("quick", "true", "false beside full")
    if source is not None:
        raise InputError("quick", "true", "false: the tables have been made")
    if study.loaded.quick is None:
        raise InputError("quick", "true", f"false: {study.name} has no quick form")


def _whole(field: str, value: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InputError(field, shown(value), f"a whole number from 1 to {most}")


def _console() -> Console:
    from rich.console import Console

    return Console()
