"""Tables I and II as the document prints them, beside ours, and the text of V.D beside Table I."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner import document
from parshall_studies.rtt_rto_conditioner.conditioners import EDGES, RTT, RTT_RTO, RTT_SW, STANDARD
from parshall_studies.rtt_rto_conditioner.traffic import WEB_SESSIONS

_TELNET = {"long": "F1, F2, F4", "short": "F3, F5", "all": "overall", "session": "a session"}
_WEB = {
    "first": "first packet",
    "first_sd": "deviation, first packet",
    "last": "all packets",
    "last_sd": "deviation, all packets",
}


def _printed(
    id: str, name: str, numbers: Mapping[str, tuple[str, ...]], columns: Mapping[str, str], **where: Any
) -> st.PrintedTable:
    return st.printed_table(
        id,
        name,
        "Printed and ours",
        "Seconds, with the targets that the document prints.",
        ("Conditioner", "Measure"),
        (
            (
                f"{id}.{edge}.{column.replace('_', '-')}",
                (EDGES[edge].label, head),
                f"Seconds with {EDGES[edge].label}: {head}.",
                st.Printed(text, "s"),
                st.Quantity(where["table"], column, "s").at(edge=edge, **where["at"]),
            )
            for edge, printed in numbers.items()
            for (column, head), text in zip(columns.items(), printed, strict=True)
        ),
        least=0.0,
    )


def _consistency() -> st.PrintedTable:
    """The text about RTT-RTO beside what Table I prints of it."""
    said = {
        "long": ("of long round trips", 0, (STANDARD, RTT)),
        "overall": ("over all", 2, (STANDARD, RTT, RTT_SW)),
    }
    rows = []
    for id, (words, column, others) in said.items():
        rto, *delays = (float(document.TELNET[edge][column]) for edge in (RTT_RTO, *others))
        more = sum(delay > rto for delay in delays)
        names = ", ".join(EDGES[edge].label for edge in others)
        label = f"delay {words} above RTT-RTO's, of {names}"
        text = (
            f"So many conditioners of {names} have a delay {words} above RTT-RTO's in Table I: {len(others)}."
        )
        rule = st.Exactly(st.Printed(str(len(others))), float(more))
        rows.append(st.Row(f"consistency.{id}", (label,), text, rule))
    caption = "So many conditioners have it by the text of V.D, and by Table I."
    return st.PrintedTable(
        "consistency", "V.D", "The text beside Table I", caption, ("Conditioners",), tuple(rows)
    )


PRINTED_TABLES = (
    _printed(
        "table-1-printed", "Table I", document.TELNET, _TELNET, table="telnet", at={"profile": "printed"}
    ),
    _printed(
        "table-2-printed",
        "Table II",
        document.WEB,
        _WEB,
        table="web",
        at={"profile": "printed", "sessions": WEB_SESSIONS[0]},
    ),
    _consistency(),
)
