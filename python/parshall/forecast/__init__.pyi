from .arima import ArimaFit as ArimaFit, fit as fit
from .comparison import DieboldMariano as DieboldMariano, diebold_mariano as diebold_mariano, holm as holm
from .correlation import (
    Correlations as Correlations,
    LjungBox as LjungBox,
    acf as acf,
    correlations as correlations,
    ljung_box as ljung_box,
    pacf as pacf,
)
from .evaluation import Evaluation as Evaluation, Score as Score, evaluate as evaluate
from .identification import (
    Candidate as Candidate,
    Identification as Identification,
    identify as identify,
    kpss as kpss,
    suggest_d as suggest_d,
)
from .models import (
    DEFAULT_MODELS as DEFAULT_MODELS,
    AdaptiveEwma as AdaptiveEwma,
    Arima as Arima,
    ArimaRecursive as ArimaRecursive,
    ArimaRefitted as ArimaRefitted,
    Constant as Constant,
    Ewma as Ewma,
    Farima as Farima,
    Fbm as Fbm,
    ForecasterConfig as ForecasterConfig,
    Holt as Holt,
    LastValue as LastValue,
    Lmmse as Lmmse,
    Lms as Lms,
    Median as Median,
    Mixture as Mixture,
    Nlms as Nlms,
    Rls as Rls,
    label as label,
)
from .reading import MeasuredSeries as MeasuredSeries, read as read
from .regularity import irregular as irregular
from .running import Forecaster as Forecaster, Intervals as Intervals
