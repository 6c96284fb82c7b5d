"""Scenarios: what is simulated, as a plain value with units, from Python or from TOML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parshall.scenario.applications import Telnet, TransferSequence, Web
from parshall.scenario.capacity import Capacity
from parshall.scenario.class_queues import (
    ClassQueue,
    DiffServ,
    Drr,
    Precedence,
    Priority,
    RoundRobin,
    Wirr,
    Wrr,
)
from parshall.scenario.conditioner import Conditioner, Knowledge, Rule, SmallWindow
from parshall.scenario.control import (
    Aimd,
    ArimaVegas,
    Bbr,
    Binomial,
    Copa,
    Cubic,
    Dctcp,
    Dual,
    TcpTp,
    UserControl,
    VegasControl,
    Veno,
)
from parshall.scenario.dumbbell import Dumbbell, FlowGroup
from parshall.scenario.flow import Flow
from parshall.scenario.laws import (
    ChoiceLaw,
    ConstantLaw,
    ExponentialLaw,
    LognormalLaw,
    LomaxLaw,
    ParetoLaw,
    UniformLaw,
)
from parshall.scenario.losses import BernoulliLoss, DitherLoss, GilbertElliottLoss, ListedLoss
from parshall.scenario.meters import (
    FairExcessMeter,
    Rfc4115Meter,
    RttAwareMeter,
    RttRtoMeter,
    SrtcmMeter,
    TcpModelMeter,
    TokenBucketMeter,
    TrtcmMeter,
    Tsw2cmMeter,
    Tsw3cmMeter,
)
from parshall.scenario.model import Scenario
from parshall.scenario.network import Jitter, Link, Reverse
from parshall.scenario.queue_share import (
    FixedPointMethod,
    KaczmarzMethod,
    KalmanMethod,
    QueueShareSeries,
    RlsMethod,
)
from parshall.scenario.queues import CoDel, DropTail, FqCodel, Pie, Red
from parshall.scenario.record import Record, Series, ShareSeries
from parshall.scenario.rto import (
    ArimaRtoConfig,
    JacobsonRtoConfig,
    JacobsonTicksRtoConfig,
    MedianRtoConfig,
    QuantileRtoConfig,
    RtoConfig,
    WeightedMedianRtoConfig,
)
from parshall.scenario.toml import load, loads
from parshall.scenario.traffic import (
    Bulk,
    Cbr,
    Exponential,
    OnOff,
    Pareto,
    Schedule,
    SelfSimilar,
    Transfer,
    Vbr,
)
from parshall.scenario.transport import Tcp, Udp
from parshall.scenario.weights import FixedWeight, WeightFromRate

if TYPE_CHECKING:
    from parshall.scenario.schema import json_schema

__all__ = [
    "Aimd",
    "ArimaRtoConfig",
    "ArimaVegas",
    "Bbr",
    "BernoulliLoss",
    "Binomial",
    "Bulk",
    "Capacity",
    "Cbr",
    "ChoiceLaw",
    "ClassQueue",
    "CoDel",
    "Conditioner",
    "ConstantLaw",
    "Copa",
    "Cubic",
    "Dctcp",
    "DiffServ",
    "DitherLoss",
    "DropTail",
    "Drr",
    "Dual",
    "Dumbbell",
    "Exponential",
    "ExponentialLaw",
    "FairExcessMeter",
    "FixedPointMethod",
    "FixedWeight",
    "Flow",
    "FlowGroup",
    "FqCodel",
    "GilbertElliottLoss",
    "JacobsonRtoConfig",
    "JacobsonTicksRtoConfig",
    "Jitter",
    "KaczmarzMethod",
    "KalmanMethod",
    "Knowledge",
    "Link",
    "ListedLoss",
    "LognormalLaw",
    "LomaxLaw",
    "MedianRtoConfig",
    "OnOff",
    "Pareto",
    "ParetoLaw",
    "Pie",
    "Precedence",
    "Priority",
    "QuantileRtoConfig",
    "QueueShareSeries",
    "Record",
    "Red",
    "Reverse",
    "Rfc4115Meter",
    "RlsMethod",
    "RoundRobin",
    "RtoConfig",
    "RttAwareMeter",
    "RttRtoMeter",
    "Rule",
    "Scenario",
    "Schedule",
    "SelfSimilar",
    "Series",
    "ShareSeries",
    "SmallWindow",
    "SrtcmMeter",
    "Tcp",
    "TcpModelMeter",
    "TcpTp",
    "Telnet",
    "TokenBucketMeter",
    "Transfer",
    "TransferSequence",
    "TrtcmMeter",
    "Tsw2cmMeter",
    "Tsw3cmMeter",
    "Udp",
    "UniformLaw",
    "UserControl",
    "Vbr",
    "VegasControl",
    "Veno",
    "Web",
    "WeightFromRate",
    "WeightedMedianRtoConfig",
    "Wirr",
    "Wrr",
    "json_schema",
    "load",
    "loads",
]


def __getattr__(name: str) -> Any:
    """Imports what only few callers need."""
    if name == "json_schema":
        from parshall.scenario.schema import json_schema

        return json_schema
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
