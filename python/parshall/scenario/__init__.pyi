from .applications import (
    Barrier as Barrier,
    Telnet as Telnet,
    TransferSequence as TransferSequence,
    Web as Web,
)
from .capacity import Capacity as Capacity
from .class_queues import (
    ClassQueue as ClassQueue,
    DiffServ as DiffServ,
    Drr as Drr,
    Precedence as Precedence,
    Priority as Priority,
    RoundRobin as RoundRobin,
    Wirr as Wirr,
    Wrr as Wrr,
)
from .conditioner import (
    Conditioner as Conditioner,
    Knowledge as Knowledge,
    Rule as Rule,
    SmallWindow as SmallWindow,
)
from .control import (
    Aimd as Aimd,
    ArimaVegas as ArimaVegas,
    Bbr as Bbr,
    Binomial as Binomial,
    Copa as Copa,
    Cubic as Cubic,
    Dctcp as Dctcp,
    Dual as Dual,
    TcpTp as TcpTp,
    UserControl as UserControl,
    VegasControl as VegasControl,
    Veno as Veno,
)
from .dumbbell import Dumbbell as Dumbbell, FlowGroup as FlowGroup
from .events import (
    DelayChange as DelayChange,
    LossChange as LossChange,
    Outage as Outage,
    RateChange as RateChange,
    Reordering as Reordering,
    Stall as Stall,
)
from .flow import Flow as Flow
from .laws import (
    ChoiceLaw as ChoiceLaw,
    ConstantLaw as ConstantLaw,
    ExponentialLaw as ExponentialLaw,
    LognormalLaw as LognormalLaw,
    LomaxLaw as LomaxLaw,
    ParetoLaw as ParetoLaw,
    UniformLaw as UniformLaw,
)
from .leaf_spine import leaf_spine as leaf_spine
from .losses import (
    BernoulliLoss as BernoulliLoss,
    DitherLoss as DitherLoss,
    GilbertElliottLoss as GilbertElliottLoss,
    ListedLoss as ListedLoss,
)
from .meters import (
    FairExcessMeter as FairExcessMeter,
    Rfc4115Meter as Rfc4115Meter,
    RttAwareMeter as RttAwareMeter,
    RttRtoMeter as RttRtoMeter,
    SrtcmMeter as SrtcmMeter,
    TcpModelMeter as TcpModelMeter,
    TokenBucketMeter as TokenBucketMeter,
    TrtcmMeter as TrtcmMeter,
    Tsw2cmMeter as Tsw2cmMeter,
    Tsw3cmMeter as Tsw3cmMeter,
)
from .model import Scenario as Scenario
from .network import Jitter as Jitter, Link as Link, Reverse as Reverse
from .parking_lot import parking_lot as parking_lot
from .queue_share import (
    FixedPointMethod as FixedPointMethod,
    KaczmarzMethod as KaczmarzMethod,
    KalmanMethod as KalmanMethod,
    QueueShareSeries as QueueShareSeries,
    RlsMethod as RlsMethod,
)
from .queues import CoDel as CoDel, DropTail as DropTail, FqCodel as FqCodel, Pie as Pie, Red as Red
from .record import Record as Record, Series as Series, ShareSeries as ShareSeries
from .routing import Ecmp as Ecmp, Route as Route, ShortestPaths as ShortestPaths
from .rto import (
    ArimaRtoConfig as ArimaRtoConfig,
    JacobsonRtoConfig as JacobsonRtoConfig,
    JacobsonTicksRtoConfig as JacobsonTicksRtoConfig,
    LinuxRtoConfig as LinuxRtoConfig,
    MedianRtoConfig as MedianRtoConfig,
    QuantileRtoConfig as QuantileRtoConfig,
    RtoConfig as RtoConfig,
    WeightedMedianRtoConfig as WeightedMedianRtoConfig,
)
from .schema import json_schema as json_schema
from .toml import load as load, loads as loads
from .traffic import (
    Bulk as Bulk,
    Cbr as Cbr,
    ExponentialPeriods as ExponentialPeriods,
    OnOff as OnOff,
    ParetoPeriods as ParetoPeriods,
    Schedule as Schedule,
    SelfSimilar as SelfSimilar,
    Transfer as Transfer,
    Vbr as Vbr,
)
from .transport import Tcp as Tcp, Udp as Udp
from .weights import FixedWeight as FixedWeight, WeightFromRate as WeightFromRate
