"""Parshall: estimators, a packet-level network simulator, and studies of traffic at a congested link.

    import parshall

    recording = parshall.run(parshall.load("bottleneck.toml"), seed=1)
    print(recording.flow("f1").goodput)

Everything here is imported when it is first used, so that the command starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from parshall.run import run

if TYPE_CHECKING:
    from parshall.cache import Cache
    from parshall.control import Control, SharedControl, native
    from parshall.ensemble import Ensemble, run_many
    from parshall.errors import (
        InputError,
        OutputError,
        ParshallError,
        RunError,
        ScenarioError,
    )
    from parshall.estimators import (
        ArimaRto,
        Ewma,
        JacobsonRto,
        JacobsonTicksRto,
        MedianRto,
        QuantileRto,
        RtoCosts,
        RtoSeries,
        SlidingMad,
        SlidingMedian,
        WeightedMedianRto,
        evaluate_rto,
    )
    from parshall.recording import Recording
    from parshall.scenario import (
        Aimd,
        ArimaRtoConfig,
        ArimaVegas,
        Bbr,
        BernoulliLoss,
        Binomial,
        Bulk,
        Capacity,
        Cbr,
        ClassQueue,
        CoDel,
        Conditioner,
        Copa,
        Cubic,
        Dctcp,
        DiffServ,
        DitherLoss,
        DropTail,
        Drr,
        Dual,
        Dumbbell,
        Exponential,
        FairExcessMeter,
        FixedPointMethod,
        FixedWeight,
        Flow,
        FlowGroup,
        FqCodel,
        GilbertElliottLoss,
        JacobsonRtoConfig,
        JacobsonTicksRtoConfig,
        Jitter,
        KaczmarzMethod,
        KalmanMethod,
        Knowledge,
        Link,
        ListedLoss,
        MedianRtoConfig,
        OnOff,
        Pareto,
        Pie,
        Precedence,
        Priority,
        QuantileRtoConfig,
        QueueShareSeries,
        Record,
        Red,
        Reverse,
        Rfc4115Meter,
        RlsMethod,
        RoundRobin,
        RttAwareMeter,
        RttRtoMeter,
        Rule,
        Scenario,
        Schedule,
        SelfSimilar,
        Series,
        ShareSeries,
        SmallWindow,
        SrtcmMeter,
        Tcp,
        TcpModelMeter,
        TcpTp,
        TokenBucketMeter,
        Transfer,
        TrtcmMeter,
        Tsw2cmMeter,
        Tsw3cmMeter,
        Udp,
        UserControl,
        Vbr,
        VegasControl,
        Veno,
        WeightedMedianRtoConfig,
        WeightFromRate,
        Wirr,
        Wrr,
        json_schema,
        load,
        loads,
    )

__version__ = "0.1.0"

__all__ = [
    "Aimd",
    "ArimaRto",
    "ArimaRtoConfig",
    "ArimaVegas",
    "Bbr",
    "BernoulliLoss",
    "Binomial",
    "Bulk",
    "Cache",
    "Capacity",
    "Cbr",
    "ClassQueue",
    "CoDel",
    "Conditioner",
    "Control",
    "Copa",
    "Cubic",
    "Dctcp",
    "DiffServ",
    "DitherLoss",
    "DropTail",
    "Drr",
    "Dual",
    "Dumbbell",
    "Ensemble",
    "Ewma",
    "Exponential",
    "FairExcessMeter",
    "FixedPointMethod",
    "FixedWeight",
    "Flow",
    "FlowGroup",
    "FqCodel",
    "GilbertElliottLoss",
    "InputError",
    "JacobsonRto",
    "JacobsonRtoConfig",
    "JacobsonTicksRto",
    "JacobsonTicksRtoConfig",
    "Jitter",
    "KaczmarzMethod",
    "KalmanMethod",
    "Knowledge",
    "Link",
    "ListedLoss",
    "MedianRto",
    "MedianRtoConfig",
    "OnOff",
    "OutputError",
    "Pareto",
    "ParshallError",
    "Pie",
    "Precedence",
    "Priority",
    "QuantileRto",
    "QuantileRtoConfig",
    "QueueShareSeries",
    "Record",
    "Recording",
    "Red",
    "Reverse",
    "Rfc4115Meter",
    "RlsMethod",
    "RoundRobin",
    "RtoCosts",
    "RtoSeries",
    "RttAwareMeter",
    "RttRtoMeter",
    "Rule",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Schedule",
    "SelfSimilar",
    "Series",
    "ShareSeries",
    "SharedControl",
    "SlidingMad",
    "SlidingMedian",
    "SmallWindow",
    "SrtcmMeter",
    "Tcp",
    "TcpModelMeter",
    "TcpTp",
    "TokenBucketMeter",
    "Transfer",
    "TrtcmMeter",
    "Tsw2cmMeter",
    "Tsw3cmMeter",
    "Udp",
    "UserControl",
    "Vbr",
    "VegasControl",
    "Veno",
    "WeightFromRate",
    "WeightedMedianRto",
    "WeightedMedianRtoConfig",
    "Wirr",
    "Wrr",
    "evaluate_rto",
    "json_schema",
    "load",
    "loads",
    "native",
    "run",
    "run_many",
]

_HOMES = ("errors", "scenario", "recording", "ensemble", "estimators", "cache", "control")
"""Modules that offer the names above, those that import little first."""


def __getattr__(name: str) -> Any:
    """Imports the module that a name lives in."""
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"parshall.{home}")
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
