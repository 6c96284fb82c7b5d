"""The page: the grid at a glance, the chapter's tables and figures in its order, then what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from parshall.claims import Claim
from parshall.report import (
    Column,
    Figure,
    Picker,
    Section,
    Table,
    claim_interval,
    number,
)
from parshall.stats import Interval
from parshall.studies.aqm import grid
from parshall.studies.aqm.document import LTNRF_LOADS, TABLE_5, TABLE_6, TABLE_7, Printed, printed_numbers
from parshall.studies.aqm.figures import document_figures
from parshall.studies.aqm.figures_beyond import ns2_figure, tradeoff_figure, tuned_figure
from parshall.studies.aqm.grid import BUFFERS, CAPACITIES, QUEUES
from parshall.studies.aqm.maps import picker
from parshall.studies.aqm.networks import (
    BUFFER_PACKETS,
    CBR_FLOWS,
    CBR_RATE,
    LONG_FLOWS,
    SHORT_FLOWS,
    TUNE_ABOVE,
    product_packets,
)
from parshall.studies.aqm.results import Results

if TYPE_CHECKING:
    from parshall.study import Measures

__all__ = ["all_sections"]

_NUMBER: Literal["number"] = "number"


def all_sections(measures: Measures, claims: Sequence[Claim]) -> list[Section]:
    """In the order of the page; parts that were not run are left out."""
    results = Results(measures["runs"])
    by_id = {claim.id: claim for claim in claims}
    parts = {cell.part for cell in results.cells}
    sections = [_glance(results), _setup(by_id), _chapter(results, by_id)]
    if "spread" in parts:
        sections.append(_phases(results))
    if {"spread", "tuned", "tuned-spread"} <= parts:
        sections.append(_tuned(results))
    if "modern" in parts:
        sections.append(_modern(results))
    if "ns2" in measures:
        sections.append(_ns2(results, measures))
    return sections


# --- The chapter --------------------------------------------------------------------------------------------


def _glance(results: Results) -> Section:
    return Section(
        "glance",
        "The dissertation's grid at a glance",
        (
            "Three queues, three loads of short flows; in each map capacity runs down and buffer across. "
            "Pick a metric.",
        ),
        (
            picker(results, grid.DOCUMENT, "map", "Capacity, buffer and short flows, by queue", ""),
            picker(
                results,
                grid.ON_OFF,
                "map-on-off",
                "The same with ON/OFF flows (Figure 28)",
                "Long non-responsive flows are on for 20 s and off for 20 s.",
            ),
        ),
    )


def _setup(by_id: Mapping[str, Claim]) -> Section:
    """Tables V to VII, which are settings: what they say beside what follows from their definitions."""
    return Section(
        "setup",
        "Settings: Tables V, VI and VII",
        (
            "A bandwidth-delay product is the capacity times 120 ms, in packets of 1000 bytes, 'rounded "
            "up'. The printed buffers are what is run. Table VII is given for 35 Mbit/s and scaled with the "
            "capacity.",
        ),
        (_table_5(by_id), _table_6(by_id), _table_7(by_id)),
    )


def _table_5(by_id: Mapping[str, Claim]) -> Table:
    rows = [
        (
            f"{capacity} Mbit/s",
            str(printed),
            str(product_packets(capacity)),
            by_id[f"table-v.{capacity}"].verdict,
        )
        for capacity, printed in TABLE_5.items()
    ]
    return Table(
        "table-5",
        "Table V. One bandwidth-delay product",
        "In packets.",
        (Column("Capacity"), Column("Printed", _NUMBER), Column("Computed", _NUMBER), Column("Verdict")),
        tuple(rows),
    )


def _table_6(by_id: Mapping[str, Claim]) -> Table:
    rows = [
        (
            f"{buffer} BWDP, {capacity} Mbit/s",
            str(packets),
            str(product_packets(capacity, BUFFERS[buffer])),
            str(BUFFER_PACKETS[capacity][buffer]),
            by_id[f"table-vi.{capacity}.{'third' if buffer == '1/3' else buffer}"].verdict,
        )
        for buffer, printed in TABLE_6.items()
        for capacity, packets in printed.items()
    ]
    return Table(
        "table-6",
        "Table VI. Buffer sizes",
        "In packets.",
        (
            Column("Buffer"),
            Column("Printed", _NUMBER),
            Column("Computed", _NUMBER),
            Column("Run", _NUMBER),
            Column("Verdict"),
        ),
        tuple(rows),
    )


def _table_7(by_id: Mapping[str, Claim]) -> Table:
    """The mixes, and the loads that they make beside those of the text."""
    rows = []
    for capacity in CAPACITIES:
        for load, share in LTNRF_LOADS.items():
            long, short, cbr = (
                LONG_FLOWS[capacity],
                SHORT_FLOWS[capacity][load],
                CBR_FLOWS[capacity][load],
            )
            scaled = " / ".join(f"{count * capacity / 35:.0f}" for count in TABLE_7[load])
            offered = 100 * cbr * CBR_RATE[capacity] / (1e6 * capacity)
            rows.append(
                (
                    f"{capacity} Mbit/s, {load} % STF",
                    scaled,
                    f"{long} / {short} / {cbr}",
                    f"{100 * share:.0f} %",
                    f"{offered:.0f} %",
                    by_id[f"setup.ltnrf-load.{capacity}.{load}"].verdict,
                )
            )
    return Table(
        "table-7",
        "Table VII. Flows, and the load of LTNRF",
        "LTRF / STF / LTNRF. CBR flows send 1 Mbit/s, and half of that at 5 Mbit/s, so that twice as many as "
        "the scaled number make the load there.",
        (
            Column("Cell"),
            Column("Table VII, scaled", _NUMBER),
            Column("Run", _NUMBER),
            Column("LTNRF load, text", _NUMBER),
            Column("LTNRF load, run", _NUMBER),
            Column("Verdict"),
        ),
        tuple(rows),
    )


def _chapter(results: Results, by_id: Mapping[str, Claim]) -> Section:
    return Section(
        "chapter",
        "Tables VIII to X and Figures 26 to 31",
        (
            "Each printed number beside the mean of ours and where one further run of ours would fall, "
            "wider by half of the last printed digit.",
        ),
        tuple(_chapter_items(results, by_id)),
    )


def _chapter_items(results: Results, by_id: Mapping[str, Claim]) -> Iterator[Figure | Table | Picker]:
    yield from document_figures(results)
    for table, title, caption in (
        ("VIII", "Link utilisation", "30 % short flows; payload over capacity."),
        ("IX", "Drop and marking rates", "30 % short flows, 1 BWDP."),
        ("X", "Throughput of long flows", "100 Mbit/s, 1 BWDP; shares of the capacity."),
    ):
        chosen = [printed for printed in printed_numbers() if printed.table == table]
        yield _printed_table(f"Table {table}. {title}", f"table-{table.lower()}", caption, chosen, by_id)


_METRIC_NAMES: Mapping[str, str] = {
    "utilization": "utilisation",
    "ltrf_drop": "LTRF dropped",
    "ltnrf_drop": "LTNRF dropped",
    "mark": "LTRF marked",
    "ltrf": "LTRF",
    "ltnrf": "LTNRF",
}


def _printed_table(
    title: str, ident: str, caption: str, chosen: Sequence[Printed], by_id: Mapping[str, Claim]
) -> Table:
    rows = []
    for printed in chosen:
        claim = by_id[printed.id]
        place = {
            "VIII": f"{printed.capacity} Mbit/s, {printed.buffer} BWDP",
            "IX": f"{printed.capacity} Mbit/s, {_METRIC_NAMES[printed.metric]}",
            "X": f"{printed.load} % STF, {_METRIC_NAMES[printed.metric]}",
        }[printed.table]
        rows.append(
            (
                place,
                QUEUES[printed.queue],
                f"{printed.value:.{printed.digits}f}",
                _with_digits(claim_interval(claim), printed.digits),
                _ends(claim.run, printed.digits),
                claim.verdict,
            )
        )
    columns = (
        Column("Cell"),
        Column("Queue"),
        Column("Printed", _NUMBER),
        Column("Ours", _NUMBER),
        Column("95 % of runs", _NUMBER),
        Column("Verdict"),
    )
    return Table(ident, title, caption, columns, tuple(rows))


def _with_digits(found: Interval, digits: int) -> str:
    """``0.9725 ± 0.0004``, with so many decimals, or as many as four."""
    decimals = max(digits, 4)
    half = f" ± {found.half_width:.{decimals}f}" if found.bounded else ""
    return f"{found.mean:.{decimals}f}{half}"


def _ends(run: Interval | None, digits: int) -> str:
    if run is None or not run.bounded:
        return "–"
    decimals = max(digits, 4)
    return f"{run.low:.{decimals}f} to {run.high:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


# --- Beyond the chapter -------------------------------------------------------------------------------------


def _phases(results: Results) -> Section:
    """DropTail's advantage with CBR flows in phase and without."""
    rows = []
    for capacity in CAPACITIES:
        for load in grid.LOADS:
            cells = [
                results.at("ltrf", queue, capacity, "1", load, part=part)
                for queue, part in (("red", "grid"), ("droptail", "grid"), ("droptail", "spread"))
            ]
            drops = [
                results.at("ltnrf_drop", "droptail", capacity, "1", load, part=part)
                for part in ("grid", "spread")
            ]
            rows.append(
                (
                    f"{capacity} Mbit/s, {load} % STF",
                    *(number(100 * float(each.mean())) for each in cells),
                    *(number(100 * float(each.mean())) for each in drops),
                )
            )
    return Section(
        "phases",
        "How much of DropTail's advantage is a phase effect",
        (
            "All CBR flows have one period. Started at one instant they arrive in bursts that find a full "
            "queue; started at random within a period they do not. At 35 and 100 Mbit/s the round trip of "
            "120 ms is also a whole number of periods, so that a TCP packet that once met a place in the "
            "queue meets it again; at 5 Mbit/s, where they send half as fast, it is seven and a half.",
        ),
        (
            Table(
                "phase-table",
                "1 BWDP, % of capacity and % dropped",
                "Means over seeds; CBR flows that start at random are run for 120 s.",
                (
                    Column("Cell"),
                    Column("LTRF, RED", _NUMBER),
                    Column("LTRF, DropTail, in phase", _NUMBER),
                    Column("LTRF, DropTail, random", _NUMBER),
                    Column("LTNRF dropped, in phase", _NUMBER),
                    Column("LTNRF dropped, random", _NUMBER),
                ),
                tuple(rows),
            ),
        ),
    )


def _tuned(results: Results) -> Section:
    return Section(
        "tuned",
        "RED that is tuned from the estimate",
        (
            "The idea that motivated the chapter: as the estimated share of non-responsive packets grows "
            f"beyond {TUNE_ABOVE:g}, both of RED's thresholds move towards the end of the buffer, and RED "
            "becomes DropTail. The estimate is made in the router, from what its queue drops.",
        ),
        (
            tuned_figure(results),
            picker(results, grid.TUNED, "map-tuned", "Tuned RED, CBR flows in phase", ""),
            picker(results, grid.TUNED_SPREAD, "map-tuned-spread", "Tuned RED, random starts", ""),
        ),
    )


def _modern(results: Results) -> Section:
    return Section(
        "modern",
        "Today's queues and senders",
        (
            f"The same grid for {', '.join(QUEUES[queue] for queue in grid.MODERN.queues)}, with CBR flows "
            "that start at random and the RFCs' default settings; the buffer is the most that a queue "
            f"holds. A subset: {grid.MODERN.duration:.0f} s a run, counted from {grid.MODERN.warm_up:.0f} s "
            "on, without ECN.",
        ),
        (
            tradeoff_figure(results, "response_mean", "fig-response", "Response time and long TCP flows"),
            tradeoff_figure(results, "relative_delay", "fig-tradeoff", "Delay and long TCP flows"),
            picker(results, grid.MODERN, "map-modern", "The chapter's senders", ""),
            picker(results, grid.MODERN, "map-cubic", "CUBIC senders", "", senders="cubic"),
        ),
    )


def _ns2(results: Results, measures: Measures) -> Section:
    return Section(
        "ns2",
        "Beside ns-2.35",
        (
            "The same cells in ns-2.35, in fewer and shorter runs. Its short flows wait after their last "
            "ACK, ours do not, so that theirs send less where the queue is long.",
        ),
        (ns2_figure(results, measures["ns2"]),),
    )
