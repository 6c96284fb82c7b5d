"""Numbers of He, Gao, Hou and Park. The curves of Figures 9 to 14 are not in the text that there is; what it
says of them is.
"""

from __future__ import annotations

NS = (10, 20, 40, 60, 80, 100)
"""Numbers of connections in Figures 3b, 9 and 12, of the 10 to 100 that the document has."""
CHAIN_NS = (20, 60, 100)
"""Numbers for Figure 13, of which only a window is printed."""

LEAST_LOSS_REDUCTION, OTHER_LOSS_REDUCTION = "75", "67"
"""Per cent less loss: 'as high as' with equal round trips, and without synchronised decisions and with
unequal round trips (Introduction)."""
ERROR_OF_THE_EXAMPLE = "0.05"
"""Mean error of estimation over the actual value, Figure 3a."""
GREATEST_ERROR = "0.15"
"""Greatest error of that estimation with ten or more connections, Figure 3b."""
HURST = "0.75"
"""Hurst parameter of the attainable throughput of a connection (III.A)."""
MEMORY = f"{float(HURST) - 0.5:.2f}"
"""Part of it above 1/2, the H of a series without memory."""
ALIKE_BELOW = 0.85
"""H up to which the three predictors' curves are close to one another (Figure 2a)."""
FIGURE_8 = {"throughput": ("0.5", "0.42"), "fairness": ("1.0", "0.975")}
"""T in Mbit/s and F at gamma = 0 and 1."""
