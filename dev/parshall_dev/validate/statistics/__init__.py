"""Statistical agreement: random scenarios that ns-2 ran over seeds, run here, and the two compared.

    from parshall_dev.validate.statistics import compare_study

    for comparison in compare_study("../shared/reference/baselines", "1a"):
        print(comparison.label, comparison.outcome.key, comparison.verdict)

A folder of baselines holds ``results/studyNAME.csv``: a row is a run of ns-2, with a label, every setting of
the scenario and what was measured. Rows with one label differ in the seed only.
"""

from __future__ import annotations

from parshall_dev.validate.statistics.compare import Comparison, compare
from parshall_dev.validate.statistics.outcomes import Outcome
from parshall_dev.validate.statistics.study import STUDIES, Agreement, compare_study
from parshall_studies.baselines import Baseline, Settings, load_study

__all__ = [
    "STUDIES",
    "Agreement",
    "Baseline",
    "Comparison",
    "Outcome",
    "Settings",
    "compare",
    "compare_study",
    "load_study",
]
