"""The table of ``sockperf --full-log``: when each message was sent and its answer received.

Its column latency is half of that, a guess at one way, unless sockperf was told --full-rtt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from parshall.errors import InputError, shown
from parshall.forecast.files.measured import Measured
from parshall.forecast.files.plausible import plausible

__all__ = ["is_sockperf", "read_sockperf"]

_NAMES = re.compile(r"packet, *txTime\(sec\), *rxTime\(sec\)")
_ROW = re.compile(r"\d+, *(?P<sent>\d+\.\d+), *(?P<received>\d+\.\d+)(?:, *[\d.]+)?$")
_OTHER = re.compile(r"-+$|sockperf: |\s*$")
_STEP = 1e-9


def is_sockperf(lines: Sequence[str]) -> bool:
    """Returns true for a table of sockperf."""
    return any(_NAMES.match(line) for line in lines)


def read_sockperf(file: str, lines: Sequence[str]) -> Measured:
    """The time from sending to receipt, in the order of sending. Raises InputError."""
    begin = next(place for place, line in enumerate(lines) if _NAMES.match(line)) + 1
    rows: list[tuple[float, float]] = []
    for number, line in enumerate(lines[begin:], begin + 1):
        if found := _ROW.match(line):
            rows.append((float(found["sent"]), float(found["received"])))
            if rows[-1][1] < rows[-1][0]:
                raise InputError(
                    f"{file}:{number}",
                    shown(line),
                    "an answer that was not received before its message was sent",
                )
        elif not _OTHER.match(line):
            raise InputError(f"{file}:{number}", shown(line), "a row: packet, txTime, rxTime, latency")
    if not rows:
        raise InputError(f"{file}:{begin}", "names without a row", "a row for each message")
    rows.sort()
    times = [sent for sent, _ in rows]
    values, remarks = plausible([received - sent for sent, received in rows], [_STEP] * len(rows), times)
    said = (
        "Round trips are rxTime - txTime of sockperf; its column latency is half of that unless it was told "
        "--full-rtt."
    )
    return Measured(values, times, "ms", (said, *remarks))
