"""The document's numbers as claims: Tables 2 to 5 beside ours, in both readings of the upstream rate and with
errors in several places, and the text beside its own tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.arima_vegas import document
from parshall_studies.arima_vegas.document import KS, Cell
from parshall_studies.arima_vegas.measures import CF, HALVED
from parshall_studies.arima_vegas.networks import MAIN
from parshall_studies.arima_vegas.quantities import UNITS, of
from parshall_studies.arima_vegas.runs import ERRORS
from parshall_studies.arima_vegas.senders import ARTT, DOCUMENT, VEGAS

_COMPARED = ((VEGAS, 0), (ARTT, 1))
"""Senders, and where the document prints them in a cell."""
_METRICS = {"throughput": "throughput", "retransmitted": "retransmissions"}


def _rows(id: str, key: str, cell: Cell, where: str, ours: Any) -> Iterator[Any]:
    """The four numbers of a cell: ``ours`` gives the expression for a metric and a sender."""
    for metric, words in _METRICS.items():
        for sender, place in _COMPARED:
            label = DOCUMENT[sender].label
            printed = st.Printed(getattr(cell, metric)[place], UNITS[metric])
            text = f"{label}, {where}: {words}."
            yield f"{id}.{key}.{sender}.{metric}", (where, label, words), text, printed, ours(metric, sender)


def _of_grid(
    id: str,
    where: str,
    title: str,
    caption: str,
    table: Mapping[tuple[int, int], Cell],
    errors: str,
    halved: int,
) -> st.PrintedTable:
    """A table of the 20 cells; ``halved`` is what Cr is divided by beside Table 2."""
    rows = (
        row
        for (k, cf), cell in table.items()
        for row in _rows(
            id,
            f"k{k}.cf{cf}",
            cell,
            f"K = {k}, {cf} Mbit/s",
            lambda metric, sender, k=k, cf=cf: of("grid", metric, sender, errors=errors, cf=cf, k=k * halved),
        )
    )
    heads = ("Cell", "Sender", "Metric")
    return st.printed_table(id, where, title, caption, heads, rows, least=0.0, of_document=halved == 1)


def _of_placing(errors: str) -> st.PrintedTable:
    """Table 4's last column and Table 5 with errors in other places."""

    def rows() -> Iterator[Any]:
        id = f"errors-{errors}"
        for k in KS:
            yield from _rows(
                id,
                f"k{k}",
                document.TABLE_4[k, CF],
                f"K = {k}, {CF} Mbit/s",
                lambda metric, sender, k=k: of("readings", metric, sender, errors=errors, k=k),
            )
        yield from _rows(
            id,
            "symmetric",
            document.TABLE_5["lossy"],
            "symmetric",
            lambda metric, sender: of("symmetric", metric, sender, errors=errors, backward="yes"),
        )

    title = f"Packet errors: {ERRORS[errors]}"
    caption = "The last column of Table 4, and Table 5 with errors, held against runs with errors elsewhere."
    heads = ("Cell", "Sender", "Metric")
    where = "Tables 4 and 5"
    return st.printed_table(
        f"errors-{errors}", where, title, caption, heads, rows(), least=0.0, of_document=False
    )


def _table_5() -> st.PrintedTable:
    rows = (
        row
        for name, errors, words in (("none", "none", "no errors"), ("lossy", MAIN, ERRORS[MAIN]))
        for row in _rows(
            "table-5",
            name,
            document.TABLE_5[name],
            words,
            lambda metric, sender, errors=errors: of(
                "symmetric", metric, sender, errors=errors, backward="yes"
            ),
        )
    )
    title = "The symmetric network"
    caption = f"Cf = Cr = 2 Mbit/s, with backward traffic; errors: {ERRORS[MAIN]}."
    heads = ("Errors", "Sender", "Metric")
    return st.printed_table("table-5", "Table 5", title, caption, heads, rows, least=0.0)


_BOTH = "Throughput in kbit/s, retransmissions in packets."
RESULTS = (
    _of_grid(
        "table-3", "Table 3", "No packet errors", f"Cr as in Table 2. {_BOTH}", document.TABLE_3, "none", 1
    ),
    _of_grid(
        "table-4",
        "Table 4",
        "1 % packet errors",
        f"Cr as in Table 2; errors: {ERRORS[MAIN]}. {_BOTH}",
        document.TABLE_4,
        MAIN,
        1,
    ),
    _table_5(),
    _of_grid(
        "table-3-halved",
        "Table 3, by its heads",
        "No packet errors",
        f"Cr as the heads of Table 3 have it, half of Table 2. {_BOTH}",
        document.TABLE_3,
        "none",
        HALVED,
    ),
    _of_grid(
        "table-4-halved",
        "Table 4, by its heads",
        "1 % packet errors",
        f"Cr as the heads of Table 4 have it, half of Table 2; errors: {ERRORS[MAIN]}. {_BOTH}",
        document.TABLE_4,
        MAIN,
        HALVED,
    ),
    *(_of_placing(errors) for errors in ERRORS if errors not in ("none", MAIN)),
)
"""Results of the document beside ours."""


def _exactly(id: str, label: str, text: str, printed: str, unit: str, value: float) -> st.Row:
    return st.Row(id, (label,), text, st.Exactly(st.Printed(printed, unit), value))


def _table_2() -> st.PrintedTable:
    rows = [
        _exactly(
            f"table-2.k{k}.cf{cf}",
            f"K = {k}, {cf} Mbit/s",
            f"Cr for K = {k} and Cf = {cf} Mbit/s, by equation (34).",
            printed,
            "kbit/s",
            1e3 * cf / (document.SIZE_RATIO * k),
        )
        for (k, cf), printed in document.TABLE_2.items()
    ]
    rows += [
        _exactly(
            f"heads.cf{cf}",
            f"heads of Tables 3 and 4, {cf} Mbit/s",
            f"Cr that the heads of Tables 3 and 4 give for K = 2 and Cf = {cf} Mbit/s is that of Table 2.",
            printed,
            "kbit/s",
            float(document.TABLE_2[2, cf]),
        )
        for cf, printed in document.HEADS.items()
    ]
    caption = "Cr in kbit/s: printed, and by K = (Cf / Cr) / 25. The heads of Tables 3 and 4 halve it."
    return st.PrintedTable(
        "table-2", "Table 2", "Rates of the upstream link", caption, ("Cell",), tuple(rows)
    )


def _consistency() -> st.PrintedTable:
    """The document's numbers against each other."""
    table_3 = document.gains(document.TABLE_3)
    (before, after), (many, few) = (
        map(float, part)
        for part in (document.TABLE_5["none"].throughput, document.TABLE_5["lossy"].retransmitted)
    )
    rows = [
        ("gain-least", "least gain in Table 3", document.GAINS[0], "%", min(table_3)),
        ("gain-greatest", "greatest gain in Table 3", document.GAINS[1], "%", max(table_3)),
        (
            "delivers-less",
            "cells of Table 3 with less throughput",
            "0",
            "cells",
            float(sum(gain < 0 for gain in table_3)),
        ),
        ("symmetric-gain", "gain in Table 5", document.SYMMETRIC_GAIN, "%", 100 * (after / before - 1)),
        (
            "symmetric-reduction",
            "fewer retransmissions in Table 5",
            document.SYMMETRIC_REDUCTION,
            "%",
            100 * (1 - few / many),
        ),
        (
            "retransmits-more",
            "cells of Table 3 with more retransmissions",
            "0",
            "cells",
            float(document.retransmits_more(document.TABLE_3)),
        ),
        ("residual-sd", "residuals, from FPE", document.RESIDUAL_SD, "s", document.residual_sd()),
        (
            "bit-errors",
            "bit errors at 1 % packet errors",
            document.BIT_ERROR_RATE,
            "",
            document.bit_error_rate(),
        ),
        ("fpe", "AIC less the logarithm of FPE in Table 1, at most", "0.000", "", document.aic_from_fpe()),
    ]
    caption = (
        "What the text says, beside what its own tables give. FPE follows from AIC, since both are "
        "functions of the residual variance."
    )
    return st.PrintedTable(
        "consistency",
        "The document",
        "Its numbers beside each other",
        caption,
        ("Number",),
        tuple(
            _exactly(
                f"consistency.{id}",
                label,
                f"{label}: {printed} {unit}".rstrip() + ", by its own tables.",
                printed,
                unit,
                value,
            )
            for id, label, printed, unit, value in rows
        ),
    )


SETTINGS = (_table_2(), _consistency())
PRINTED_TABLES = (*SETTINGS, *RESULTS)
