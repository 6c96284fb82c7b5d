"""Numbers that Chapter IV prints."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from parshall_studies import study as st

Place = tuple[str, str, int, str, int]
"""Queue, metric, capacity, buffer and load of short flows that a number is of."""

_CAPACITIES = (5, 35, 100)
_QUEUES = ("red", "red-ecn", "droptail")

TABLE_5: Mapping[int, str] = {5: "75", 35: "500", 100: "1500"}
"""One BWDP in packets of 1000 bytes, by capacity in Mbit/s."""
TABLE_6: Mapping[tuple[str, int], str] = {
    (buffer, capacity): number
    for (buffer,), numbers in st.numbers_in(
        """
        1/3 | 25  200  500
        1   | 75  500  1500
        3   | 225 1500 4500
        """
    )
    for capacity, number in zip(_CAPACITIES, numbers, strict=True)
}
"""Buffers in packets, by multiple of the BWDP and capacity."""
TABLE_7: Mapping[int, tuple[int, int, int]] = {0: (55, 0, 22), 5: (55, 250, 22), 30: (55, 1300, 14)}
"""LTRFs, STFs and LTNRFs at 35 Mbit/s, by load of short flows in %."""
LTNRF_LOADS: Mapping[int, str] = {0: "0.60", 5: "0.55", 30: "0.30"}
"""Load that LTNRF offer, as a share of the capacity, by load of short flows in % (IV.A.1)."""

TABLE_8: Mapping[Place, str] = {
    (queue, "utilization", capacity, buffer, 30): number
    for (buffer,), numbers in st.numbers_in(
        """
        1/3 | 0.943 0.947 0.974  0.961 0.955 0.968  0.967 0.959 0.971
        1   | 0.963 0.965 0.975  0.967 0.967 0.971  0.971 0.971 0.972
        3   | 0.973 0.973 0.976  0.969 0.970 0.972  0.972 0.972 0.973
        """
    )
    for (capacity, queue), number in zip(product(_CAPACITIES, _QUEUES), numbers, strict=True)
}
"""Utilisation under 30 % short flows: RED, RED-ECN and DropTail at 5, then at 35 and 100 Mbit/s."""

TABLE_9: Mapping[Place, str] = {
    (queue, metric, capacity, "1", 30): number
    for (queue, metric), numbers in st.numbers_in(
        """
        red      ltrf_drop  | 0.03627 0.03112 0.02503
        red      ltnrf_drop | 0.03681 0.03891 0.02814
        red-ecn  ltrf_drop  | 0.00352 0.00000 0.00000
        red-ecn  mark       | 0.04256 0.04123 0.03036
        red-ecn  ltnrf_drop | 0.04688 0.05352 0.03406
        droptail ltrf_drop  | 0.01787 0.01992 0.01662
        droptail ltnrf_drop | 0.10229 0.09954 0.12189
        """
    )
    for capacity, number in zip(_CAPACITIES, numbers, strict=True)
}
"""Rates under 30 % short flows and 1 BWDP, at 5, 35 and 100 Mbit/s."""

TABLE_10: Mapping[Place, str] = {
    (queue, metric, 100, "1", int(load)): number
    for (load,), numbers in st.numbers_in(
        """
        0  | 0.505 0.461  0.507 0.458  0.730 0.238
        5  | 0.457 0.460  0.460 0.456  0.729 0.190
        30 | 0.454 0.244  0.457 0.242  0.478 0.220
        """
    )
    for (queue, metric), number in zip(product(_QUEUES, ("ltrf", "ltnrf")), numbers, strict=True)
}
"""LTRF and LTNRF under RED, then RED-ECN and DropTail, at 100 Mbit/s and 1 BWDP."""
