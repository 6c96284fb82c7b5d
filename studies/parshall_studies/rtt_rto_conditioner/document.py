"""Numbers of Habib, Bhargava and Fahmy. Figures 3 to 6 are not in the text that there is; what it says of
them is.
"""

from __future__ import annotations

from parshall_studies.rtt_rto_conditioner.conditioners import RTT, RTT_RTO, RTT_SW, STANDARD

FARS = (4, 20, 50, 100, 150, 200)
"""Round trips of F2 in ms, of the 4 to 200 that the document has."""
PRINTED_FAR = 100
RATES_AT_100_MS = ("2.3", "7.52")
"""Mbit/s of F1 and of F2 with the basic RTT-aware conditioner (V.B)."""
TIMES = "67"
"""Ratio of F3's rate to those of F1 and F2 with the standard conditioner in an extremely over-provisioned
network (V.C).
"""
TELNET = {
    STANDARD: ("5.36", "2.32", "3.62", "72.11"),
    RTT: ("5.23", "2.18", "3.48", "69.19"),
    RTT_RTO: ("5.32", "1.98", "3.19", "68.68"),
    RTT_SW: ("5.12", "1.84", "2.89", "66.09"),
}
"""Table I: seconds, per packet of F1, F2 and F4, of F3 and F5, and of all, and per session."""
WEB = {
    STANDARD: ("0.75", "1.60", "2.25", "4.79"),
    RTT: ("0.71", "1.52", "2.16", "4.62"),
    RTT_RTO: ("0.77", "1.64", "1.69", "3.61"),
    RTT_SW: ("0.64", "1.37", "1.80", "3.83"),
}
"""Table II: mean and standard deviation of the seconds to the first packet, and to the last."""
