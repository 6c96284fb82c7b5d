"""Why means differ, where an experiment has shown it. A difference without an entry is called unexplained."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parshall_dev.validate.statistics.compare import Comparison

__all__ = ["REASONS", "Reason", "reason_for"]


@dataclass(frozen=True)
class Reason:
    """An explanation of some differences of a study."""

    study: str
    label: str
    """A regular expression that the label matches as a whole."""
    outcomes: str
    """A regular expression that the outcome's key matches as a whole."""
    text: str

    def explains(self, comparison: Comparison) -> bool:
        """Returns true if it is about that comparison."""
        return (
            self.study == comparison.study
            and re.fullmatch(self.label, comparison.label) is not None
            and re.fullmatch(self.outcomes, comparison.outcome.key) is not None
        )


REASONS: tuple[Reason, ...] = (
    Reason(
        "1m",
        ".* M=16",
        "L1_(queue_mean_pkts|qdelay_sd|util_wire)",
        "the phases of 16 CBR flows, of which each side has three draws that all these rows share: with "
        "thirty draws a side, in runs of 40 s with an RTO of 0.2 s, the mean queue is 1.78 and 1.95 packets, "
        "the deviation 0.57 and 0.59 ms, the utilisation 87.0 and 86.9 %; they agree",
    ),
    Reason(
        "1b",
        r"sens DT: (access delay 4 ms .*|CBR start jitter [14] ms)",
        ".*",
        "the two seeds of ns-2: with ten seeds on either side all outcomes agree",
    ),
    Reason(
        "1b",
        r"sens (DT: (access delay 6 ms .*|all CBR on one host)|RED60: access delay 5\.5 ms .*)",
        "(?!util|qdelay).*",
        "the two seeds of ns-2: with twenty seeds on either side these outcomes agree",
    ),
    Reason(
        "1b",
        r"main locked minrto 0\.2 DT",
        "(?!util|qdelay).*",
        "chance: in runs of 120 s over new seeds, 24 of ours and 20 of ns-2, TCP's share is 71.30 and "
        "71.34 %, loss 34.34 and 34.35 %, loss of TCP 1.45 and 1.42 % (1.4 standard errors)",
    ),
    Reason(
        "1b",
        r"sens RED60: Reno minrto 0\.2",
        "(?!util|qdelay).*",
        "unexplained: with new seeds, 24 of ours and 18 of ns-2, TCP's share is 63.9 and 63.4 % (1.8 "
        "standard errors), loss of TCP 1.38 and 1.34 % (3.0)",
    ),
)


def reason_for(comparison: Comparison) -> str | None:
    """Why the means of a comparison differ, if that is known."""
    return next((reason.text for reason in REASONS if reason.explains(comparison)), None)
