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
    from parshall.scenario import Dumbbell
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

    def scenarios(self) -> Mapping[str, Dumbbell]:
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
    """The runs of a part; those of one capacity and load are in memory together."""
    import pyarrow as pa

    from parshall.studies.aqm.measures import measure_runs
    from parshall.studies.aqm.networks import network

    measured = []
    for cells in part.groups():
        ensemble = bench.run(
            f"{part.title}: {cells[0].capacity} Mbit/s, {cells[0].load} % short flows",
            {cell.name: network(cell, part) for cell in cells},
            tables=("flows", "ports", "port_series"),
        )
        flows, ports, series = (ensemble.table(name) for name in ensemble.tables)
        measured.append(measure_runs(cells, part, flows, ports, series))
    return pa.concat_tables(measured)


def _of_ns2(bench: Workbench) -> dict[str, pa.Table]:
    """What ns-2 gave, where its table of runs is at hand."""
    from parshall.studies.aqm import ns2

    folder = bench.data.parent / "reference" / "baselines" if bench.data else None
    if folder is not None and (folder / "results" / ns2.FILE).is_file():
        return {"ns2": ns2.ns2_runs(folder)}
    bench.skipped.append(f"Comparison with ns-2: no {ns2.FILE} beside the data.")
    return {}
