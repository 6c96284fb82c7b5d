from .estimates import (
    METHODS as METHODS,
    HurstEstimate as HurstEstimate,
    hurst as hurst,
    hurst_all as hurst_all,
)
from .plots import plot_all as plot_all
from .processes import (
    aggregate as aggregate,
    farima as farima,
    fgn as fgn,
    theoretical_autocovariance as theoretical_autocovariance,
)
from .shifts import LevelShifts as LevelShifts, level_shifts as level_shifts
