"""The report's sections: the document's tables and figures beside ours, then what they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parshall import stats
from parshall.claims import Claim
from parshall.report import (
    Column,
    Section,
    Table,
    claim_interval,
    interval,
    number,
    printed_number,
    spread_column,
)
from parshall.studies.median_rto.comparisons import paired_differences, printed_differences, single_runs
from parshall.studies.median_rto.costs import WARM_UP, matched
from parshall.studies.median_rto.document import TABLES, PrintedTable
from parshall.studies.median_rto.figures import document_figures
from parshall.studies.median_rto.frontiers import live_frontiers, series_frontiers
from parshall.studies.median_rto.measures import Runs
from parshall.studies.median_rto.scenarios import (
    FILTERS,
    PROTOCOLS,
    TRAFFICS,
    Traffic,
    traffic_name,
    variants,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.study import Measures

__all__ = ["all_sections"]


def all_sections(measures: Measures, claims: Sequence[Claim]) -> list[Section]:
    """In the order of the page."""
    runs = Runs(measures["runs"])
    return [
        _tables(claims),
        Section(
            "figures",
            "Figures of the document",
            (
                "Drawn as the document draws them: one run, and for RTT and RTO one flow. The run is the "
                "one whose goodput with the original TCP is the median over seeds, so it is typical in "
                "that at least.",
            ),
            tuple(document_figures(measures["goodput_over_time"], measures["rtt_examples"])),
        ),
        Section(
            "noise",
            "What one run can tell",
            (
                "The document compares single runs. These figures show where single runs fall, and set "
                "the document's differences against two kinds of chance: another seed with the same TCP, "
                "and the same seed with another filter.",
            ),
            (*single_runs(runs), *printed_differences(runs)),
        ),
        Section(
            "differences",
            "What the filters change",
            (
                "Every filter against the original one with the same seeds, so that the sources do "
                "exactly the same and only the timeouts differ. Beyond the document: its second reading "
                "(MAD), the weighted median of Ma, Arce and Barner (2004), and NewReno.",
            ),
            (*paired_differences(runs), *(_all_variants(runs, traffic) for traffic in TRAFFICS)),
        ),
        _costs(measures),
    ]


def _tables(claims: Sequence[Claim]) -> Section:
    by_id = {claim.id: claim for claim in claims}
    return Section(
        "tables",
        "Tables of the document",
        (
            "Each number stands beside the mean over seeds with its 95 % interval, and beside the "
            "interval that holds 95 % of single runs, which is what a printed number has to be compared "
            "with.",
        ),
        tuple(_table(table, by_id) for table in TABLES),
    )


def _table(table: PrintedTable, by_id: dict[str, Claim]) -> Table:
    rows = []
    for variant, measure, value in table.cells():
        claim = by_id[f"{table.ident}.{variant.filter}.{measure.name}"]
        rows.append(
            (
                FILTERS[variant.filter].label,
                measure.label,
                printed_number(value),
                interval(claim_interval(claim)),
                interval(claim.run, mean=False, digits=3) if claim.run else "–",
                claim.verdict,
            )
        )
    seeds = by_id[f"{table.ident}.{next(iter(table.rows))}.throughput"].n
    return Table(
        table.ident,
        f"{table.name}. {table.title}",
        f"Rates in bit/s, loss = (throughput - goodput) / throughput in %. Ours: mean over {seeds} seeds "
        "(95 % interval).",
        (
            Column("Filter"),
            Column("Measure"),
            Column("Document", "number"),
            Column("Ours", "number"),
            Column("95 % of single runs", "number"),
            Column("Verdict"),
        ),
        tuple(rows),
    )


def _all_variants(runs: Runs, traffic: Traffic) -> Table:
    """Means of everything measured, for every variant of one kind of traffic."""
    columns = (
        ("throughput", "Throughput (kbit/s)", 1e-3),
        ("goodput", "Goodput (kbit/s)", 1e-3),
        ("loss", "Loss (%)", 1.0),
        ("rto_margin", "RTO \N{MINUS SIGN} RTT (ms)", 1e3),
        ("rto_exceeded", "RTT above RTO (%)", 100.0),
        ("timeouts", "Timeouts", 1.0),
        ("spurious_timeouts", "Spurious", 1.0),
        ("timeout_wait", "Wait (s)", 1.0),
    )
    shown = [variant for variant in variants() if variant.traffic == traffic]
    cells = [
        spread_column([stats.mean_interval(runs.of(variant, name)).scaled(factor) for variant in shown])
        for name, _, factor in columns
    ]
    return Table(
        f"all-variants-{traffic}",
        f"All variants, {traffic_name(traffic)} traffic",
        "Means over seeds with the half width of the 95 % interval, all six flows of a run together; "
        "timeouts, spurious ones and the time spent waiting for them are per run of 100 s. An interval "
        "here is mostly the scatter of the load, which all variants share: compare them by the paired "
        "differences above.",
        (Column("TCP"), Column("Filter"), *(Column(label, "number") for _, label, _ in columns)),
        tuple(
            (PROTOCOLS[variant.recovery], FILTERS[variant.filter].label, *row)
            for variant, row in zip(shown, zip(*cells, strict=True), strict=True)
        ),
    )


def _costs(measures: Measures) -> Section:
    return Section(
        "costs",
        "What an RTO costs",
        (
            "An RTO that is too short retransmits what was not lost; one that is too long waits. Allman "
            "and Paxson (1999) weigh the one against the other, and any filter can trade them through the "
            "multiplier of its deviation, so a filter is better only if it lowers one cost at the same "
            "other. Each line below is a family of filters over all its parameters.",
            "On series of RTTs, every sample is judged against the RTO after the sample before (the first "
            f"{WARM_UP} are not judged, no least RTO is in force). In the simulator, timeouts are counted "
            "as they happen.",
        ),
        (
            *series_frontiers(measures["series_costs"]),
            *live_frontiers(measures["live_costs"]),
            _matched(measures["series_costs"]),
        ),
    )


def _matched(costs: pa.Table) -> Table:
    rows = []
    for row in matched(costs).to_pylist():
        ratio = row["wait_ratio"]
        rows.append(
            (
                row["series"],
                number(row["spurious_share"] * 100),
                row["family"],
                number(ratio) if ratio is not None else "–",
                row["setting"] or "no setting fires so seldom",
            )
        )
    return Table(
        "matched-costs",
        "The least wait at equal risk",
        "For each series: the least wait of each family among settings that fire too early no more often "
        "than RFC 6298's (gain 1/8, multiplier 4), as a ratio to the wait of RFC 6298's. The settings are "
        "picked on the series they are judged on, so these ratios are the best case.",
        (
            Column("Series"),
            Column("Too early, at most (%)", "number"),
            Column("Family"),
            Column("Wait / RFC 6298's", "number"),
            Column("Setting"),
        ),
        tuple(rows),
    )
