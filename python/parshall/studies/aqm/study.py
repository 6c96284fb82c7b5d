"""The study itself: what is measured, and how tables, figures and findings are made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parshall.report import Assumption, Document, Finding, Section
from parshall.studies.aqm.document import ASSUMPTIONS, DOCUMENT
from parshall.studies.aqm.grid import PARTS, Part

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.claims import Claim
    from parshall.scenario import Scenario
    from parshall.study import Measures, Workbench

__all__ = ["AqmStudy"]


class AqmStudy:
    """Zhao: queue management over capacity, buffer and mix of traffic."""

    name = "aqm"
    title = "Queue management under heterogeneous traffic"
    document: Document = DOCUMENT
    seeds = 10
    assumptions: Sequence[Assumption] = ASSUMPTIONS

    def __init__(self, parts: Sequence[Part] = PARTS) -> None:
        self.parts = parts
        """What is run: grids of scenarios, each with its duration."""

    def scenarios(self) -> Mapping[str, Scenario]:
        """Every cell of every part."""
        from parshall.studies.aqm.networks import network

        return {cell.name: network(cell, part) for part in self.parts for cell in part.cells()}

    def measure(self, bench: Workbench) -> Measures:
        """Runs every part, a few cells at a time, and keeps one row a run."""
        import pyarrow as pa

        tables = {"runs": pa.concat_tables([_measure_part(bench, part) for part in self.parts])}
        return {**tables, **_of_ns2(bench)}

    def claims(self, measures: Measures) -> list[Claim]:
        """See :mod:`parshall.studies.aqm.claims`."""
        from parshall.studies.aqm.claims import all_claims

        return all_claims(measures)

    def sections(self, measures: Measures, claims: Sequence[Claim]) -> list[Section]:
        """See :mod:`parshall.studies.aqm.pages`."""
        from parshall.studies.aqm.pages import all_sections

        return all_sections(measures, claims)

    def findings(self, measures: Measures, claims: Sequence[Claim]) -> list[Finding]:
        """See :mod:`parshall.studies.aqm.findings`."""
        from parshall.studies.aqm.findings import all_findings

        return all_findings(measures, claims)


def _measure_part(bench: Workbench, part: Part) -> pa.Table:
    """The runs of a part, sweep by sweep: one row a run, with its cell in front."""
    import pyarrow as pa

    tables = []
    for what, sweep in part.sweeps():
        runs = bench.sweep(what, sweep).table()
        plain = [
            column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
            for column in runs.columns
        ]
        names = pa.array([part.name] * runs.num_rows, pa.string())
        tables.append(pa.table([names, *plain], ["part", *runs.column_names]))
    return pa.concat_tables(tables)


def _of_ns2(bench: Workbench) -> dict[str, pa.Table]:
    """What ns-2 gave, where its table of runs is at hand."""
    from parshall.studies.aqm import ns2

    folder = bench.data.parent / "reference" / "baselines" if bench.data else None
    if folder is not None and (folder / "results" / ns2.FILE).is_file():
        return {"ns2": ns2.ns2_runs(folder)}
    bench.skipped.append(f"Comparison with ns-2: no {ns2.FILE} beside the data.")
    return {}
