"""Numbers that Jeyasekar, Kasmir Raja and Annie Uthra print, and how far their numbers agree with
each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from parshall_studies import study as st

KS = (2, 4, 8, 16, 32)
"""Normalised asymmetry K = (Cf / Cr) / 25 (equation 34)."""
CFS = (2, 4, 8, 16)
"""Rates of the downstream link, in Mbit/s."""
ROUND_TRIPS = (100, 150, 200, 250, 300, 350, 400)
"""Milliseconds, in Figures 8 and 9."""
ERROR_RATES = ("1e-05", "0.0001", "0.001", "0.01")
"""Packet error rates in Figure 7."""
SIZE_RATIO = 25
"""A data packet of 1000 bytes over an ACK of 40."""

TABLE_1: Mapping[tuple[int, int, int], tuple[str, str]] = {
    (0, 1, 1): ("8.8367", "6.8828"),
    (0, 1, 2): ("8.7475", "6.2950"),
    (1, 1, 0): ("9.0381", "8.417"),
    (1, 1, 1): ("8.7425", "6.2636"),
    (1, 1, 2): ("8.7531", "6.3306"),
    (2, 1, 0): ("9.05122", "8.5290"),
    (2, 1, 1): ("8.73964", "6.2457"),
    (2, 1, 2): ("8.7455", "6.2829"),
}
"""AIC and FPE by order (p, d, q)."""

EWMA_HISTORY = 0.875
"""Weight of what came before in (1)."""
BIT_ERROR_RATE = "0.0001"
"""'When the packet error rate is 0.01, then bit error rate is close to' this."""
RESIDUAL_SD = "0.075"
"""Seconds, below (24)."""
PHI, THETA = (-0.36251, 0.17573), -0.95108
"""Coefficients of ARIMA(2,1,1), below (24)."""

TABLE_2: Mapping[tuple[int, int], str] = {
    (int(words[0]), cf): number
    for words, numbers in st.numbers_in(
        """
        2  | 40  80 160 320
        4  | 20  40  80 160
        8  | 10  20  40  80
        16 | 5   10  20  40
        32 | 2.5  5  10  20
        """
    )
    for cf, number in zip(CFS, numbers, strict=True)
}
"""Cr in kbit/s by K and Cf."""

HEADS: Mapping[int, str] = dict(zip(CFS, ("20", "40", "80", "160"), strict=True))
"""Cr in kbit/s that the heads of Tables 3 and 4 give for each Cf: half of what Table 2 has for K = 2."""


@dataclass(frozen=True)
class Cell:
    """A cell of Table 3 or 4: Vegas, then the proposed algorithm."""

    throughput: tuple[str, str]
    """kbit/s."""
    retransmitted: tuple[str, str]
    """Packets."""


def _cells(text: str) -> dict[tuple[int, int], Cell]:
    """Four cells a line, each ``throughput/throughput:packets/packets``, by K and Cf."""
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        k, cells = line.split("|")
        for cf, cell in zip(CFS, cells.split(), strict=True):
            (vegas, artt), (fewer, more) = (part.split("/") for part in cell.split(":"))
            found[int(k), cf] = Cell((vegas, artt), (fewer, more))
    return found


TABLE_3 = _cells(
    """
    2  | 2.3/9.7:0/0     3.5/19.6:0/0    9.2/39.0:0/0    19.4/57.4:0/0
    4  | 4.2/1.04:12/12  2.33/9.7:0/0    3.5/19.6:0/0    9.2/39.04:0/0
    8  | 0.52/0.53:9/9   4.2/1.04:12/12  2.33/9.66:0/0   3.5/19.62:0/0
    16 | 0.31/0.3:11/10  0.52/0.52:9/9   4.24/1.04:12/12 2.33/9.7:0/0
    32 | 0.16/0.17:11/12 0.35/0.3:11/10  0.52/0.56:9/13  4.24/1.04:12/12
    """
)
"""Without packet errors."""
TABLE_4 = _cells(
    """
    2  | 1.57/2.94:7/9   2.71/3.13:6/20  5.75/6.89:26/20 9.47/9.51:28/39
    4  | 3.19/1.13:18/19 1.52/2.94:7/9   2.89/6.87:10/14 5.75/6.91:26/18
    8  | 0.47/0.59:9/13  3.72/1.4:22/14  1.52/2.94:7/9   2.90/4.06:10/11
    16 | 0.77/0.3:12/10  0.47/0.47:9/9   2.69/1.13:22/15 1.52/2.94:7/9
    32 | 0.16/0.17:11/12 0.57/0.3:13/10  0.45/0.49:11/15 2.45/1.5:20/17
    """
)
"""With 1 % packet errors."""

TABLE_5: Mapping[str, Cell] = {
    "none": Cell(("123.8", "148.04"), ("0", "0")),
    "lossy": Cell(("40.07", "25.71"), ("108", "62")),
}
"""Cf = Cr = 2 Mbit/s, without and with 1 % packet errors."""

GAINS = ("39", "400")
"""Per cent of throughput, without errors: least and greatest (abstract; Section 6)."""
CONCLUDED_GAINS = ("40", "300")
"""Gains in the conclusion."""
UPSTREAM_RATES = tuple(sorted({float(rate) for rate in TABLE_2.values()}))
"""The eight rates in kbit/s that the 20 cells have between them."""
LOW_LOSS_GAINS = ("45", "165")
"""Per cent, 'under low lossy environment'."""
SYMMETRIC_GAIN = "19.6"
"""Per cent, in the symmetric network without errors."""
SYMMETRIC_REDUCTION = "74.19"
"""Per cent by which retransmissions are reduced there with errors."""


# --- The document beside itself -----------------------------------------------------------------------------


def gain(cell: Cell) -> float:
    """Per cent of throughput that the proposed algorithm has more."""
    vegas, artt = map(float, cell.throughput)
    return 100 * (artt / vegas - 1)


def gains(table: Mapping[tuple[int, int], Cell]) -> list[float]:
    """Gains of all cells."""
    return [gain(cell) for cell in table.values()]


def retransmits_more(table: Mapping[tuple[int, int], Cell]) -> int:
    """Cells in which the proposed algorithm retransmits more than Vegas."""
    return sum(float(cell.retransmitted[1]) > float(cell.retransmitted[0]) for cell in table.values())


def residual_sd() -> float:
    """Seconds, from the printed FPE of ARIMA(2,1,1), which is in thousands of square milliseconds."""
    return math.sqrt(1000 * float(TABLE_1[2, 1, 1][1])) / 1000


def bit_error_rate() -> float:
    """Bit error rate that makes one packet of 1000 bytes in a hundred wrong."""
    return float(1 - (1 - 0.01) ** (1 / 8000))


def printed_growth() -> float:
    """Factor by which an error of (24) grows from one forecast to the next, with its indices as printed: then
    e(t + 1) = ... - e(t) - theta e(t - 1), whose greatest root this is; below 1 errors die out.
    """
    half = math.sqrt(1 - 4 * THETA) / 2
    return max(abs(-0.5 + half), abs(-0.5 - half))


def aic_from_fpe() -> float:
    """Largest distance of AIC from the logarithm of FPE in Table 1: with k = p + q small beside n, e to the
    AIC of (14) is V (1 + 2 k / n), and so is (15). FPE is printed in thousands.
    """
    pairs = ((float(aic), float(fpe)) for aic, fpe in TABLE_1.values())
    return max(abs(aic - math.log(1000 * fpe)) for aic, fpe in pairs)
