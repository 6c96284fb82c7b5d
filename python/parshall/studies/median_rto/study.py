"""The study itself: what is measured, and how tables, figures and findings are made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from parshall.report import Assumption, Document, Finding, Section
from parshall.studies.median_rto import scenarios
from parshall.studies.median_rto.document import DOCUMENT
from parshall.studies.median_rto.scenarios import ASSUMPTIONS, ORIGINAL, TRAFFICS, Variant

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.claims import Claim
    from parshall.scenario import Dumbbell
    from parshall.studies.median_rto.costs import Series
    from parshall.studies.median_rto.scenarios import Recovery, Traffic
    from parshall.study import Measures, Workbench

__all__ = ["MedianRtoStudy"]

_LIVE_SEEDS = 20
"""Seeds for the settings of the filters in the simulator: enough for a trend, and there are many settings."""
_SERIES_SEEDS = 20
"""Seeds whose RTT samples are replayed; more move no mark by its own size."""
_DATA = "Costs on measured round-trip times"


@dataclass
class _Group:
    """What is kept of the runs of one kind of traffic with one TCP."""

    tables: dict[str, pa.Table]
    series: dict[str, Series] = field(default_factory=dict)


class MedianRtoStudy:
    """Chan and Leis: a median filter in the place of the mean in TCP's retransmission timeout."""

    name = "median-rto"
    title = "Median filters for TCP's retransmission timeout"
    document: Document = DOCUMENT
    seeds = 100
    assumptions: Sequence[Assumption] = ASSUMPTIONS

    def scenarios(self) -> Mapping[str, Dumbbell]:
        """Every filter under exponential and Pareto traffic, with Tahoe and with NewReno."""
        return scenarios.study_scenarios()

    def measure(self, bench: Workbench) -> Measures:
        """Runs every variant, then weighs the costs of the filters over their parameters."""
        import pyarrow as pa

        parts = [
            self._measure_group(bench, traffic, recovery)
            for traffic in TRAFFICS
            for recovery in scenarios.RECOVERIES
        ]
        tables = {
            name: pa.concat_tables([part.tables[name] for part in parts if name in part.tables])
            for name in ("runs", "goodput_over_time", "rtt_examples")
        }
        simulated = {name: series for part in parts for name, series in part.series.items()}
        return {
            **tables,
            "series_costs": self._series_costs(bench, simulated),
            "live_costs": self._live_costs(bench),
        }

    def _measure_group(self, bench: Workbench, traffic: Traffic, recovery: Recovery) -> _Group:
        """One kind of traffic with one TCP: what is kept of it is small, so that memory is taken once."""
        from parshall.studies.median_rto.costs import simulated_rtts
        from parshall.studies.median_rto.measures import (
            example_seed,
            goodput_over_time,
            measure_runs,
            rtt_examples,
        )

        cells = [
            each for each in scenarios.variants() if (each.traffic, each.recovery) == (traffic, recovery)
        ]
        every = self.scenarios()
        of_document = any(cell.of_document for cell in cells)
        ensemble = bench.run(
            f"Runs, {scenarios.traffic_name(traffic)} traffic, {scenarios.PROTOCOLS[recovery]}",
            {cell.name: every[cell.name] for cell in cells},
            tables=("flows", "rtt", "flow_series") if of_document else ("flows", "rtt"),
        )
        rtt = ensemble.table("rtt")
        group = _Group({"runs": measure_runs(cells, ensemble.table("flows"), rtt)})
        if of_document:
            original = Variant(traffic, recovery, ORIGINAL)
            example = example_seed(group.tables["runs"], original)
            series = ensemble.table("flow_series")
            group.tables["goodput_over_time"] = goodput_over_time(series, example)
            group.tables["rtt_examples"] = rtt_examples(rtt, [c for c in cells if c.of_document], example)
            name = f"simulated, {scenarios.traffic_name(traffic)} sources"
            group.series[name] = simulated_rtts(rtt, original, bench.seeds[:_SERIES_SEEDS])
        return group

    def claims(self, measures: Measures) -> list[Claim]:
        """See :mod:`parshall.studies.median_rto.claims`."""
        from parshall.studies.median_rto.claims import all_claims
        from parshall.studies.median_rto.measures import Runs

        return all_claims(Runs(measures["runs"]))

    def sections(self, measures: Measures, claims: Sequence[Claim]) -> list[Section]:
        """See :mod:`parshall.studies.median_rto.pages`."""
        from parshall.studies.median_rto.pages import all_sections

        return all_sections(measures, claims)

    def findings(self, measures: Measures, claims: Sequence[Claim]) -> list[Finding]:
        """See :mod:`parshall.studies.median_rto.findings`."""
        from parshall.studies.median_rto.findings import all_findings

        return all_findings(measures, claims)

    def _series_costs(self, bench: Workbench, simulated: Mapping[str, Series]) -> pa.Table:
        """On measured series as far as they are at hand, and on those of the simulator."""
        from parshall.studies.median_rto.costs import read_rtts, series_costs

        measured = {
            path.name.removesuffix(".csv.gz"): [read_rtts(path)]
            for path in bench.data_files("rtt/*.csv.gz", _DATA)
        }
        track = partial(bench.track, "Costs on series of RTTs")
        return series_costs(scenarios.frontier_grid(), {**measured, **simulated}, track, bench.jobs)

    def _live_costs(self, bench: Workbench) -> pa.Table:
        from parshall.scenario import Record
        from parshall.studies.median_rto.costs import live_costs

        grid = scenarios.frontier_grid(live=True)
        variants = {
            f"{traffic}/{tuned.name}": scenarios.scenario(traffic, "tahoe", tuned.config, Record())
            for traffic in TRAFFICS
            for tuned in grid
        }
        ensemble = bench.run("Runs, parameters", variants, seeds=bench.seeds[:_LIVE_SEEDS], tables=("flows",))
        return live_costs(grid, ensemble.table("flows"))
