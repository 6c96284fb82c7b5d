from .applications import (
    Barrier as Barrier,
    Telnet as Telnet,
    TransferSequence as TransferSequence,
    Web as Web,
)
from .class_queues import (
    AnyScheduler as AnyScheduler,
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
    AnyControl as AnyControl,
    ArimaVegas as ArimaVegas,
    Bbr as Bbr,
    Binomial as Binomial,
    Copa as Copa,
    Cubic as Cubic,
    Dctcp as Dctcp,
    Dual as Dual,
    TcpTp as TcpTp,
    VegasControl as VegasControl,
    Veno as Veno,
)
from .dumbbell import (
    Dumbbell as Dumbbell,
    FlowGroup as FlowGroup,
)
from .events import (
    AnyEvent as AnyEvent,
    DelayChange as DelayChange,
    LossChange as LossChange,
    Outage as Outage,
    RateChange as RateChange,
    Reordering as Reordering,
    Stall as Stall,
)
from .forecaster import (
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
)
from .laws import (
    AnyLaw as AnyLaw,
    ChoiceLaw as ChoiceLaw,
    ConstantLaw as ConstantLaw,
    ExponentialLaw as ExponentialLaw,
    LognormalLaw as LognormalLaw,
    LomaxLaw as LomaxLaw,
    ParetoLaw as ParetoLaw,
    UniformLaw as UniformLaw,
)
from .losses import (
    AnyLoss as AnyLoss,
    BernoulliLoss as BernoulliLoss,
    DitherLoss as DitherLoss,
    GilbertElliottLoss as GilbertElliottLoss,
    ListedLoss as ListedLoss,
    TreatedGroup as TreatedGroup,
    TreatmentLoss as TreatmentLoss,
)
from .meters import (
    AnyMeter as AnyMeter,
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
from .network import (
    AnyRouting as AnyRouting,
    Capacity as Capacity,
    Ecmp as Ecmp,
    Flow as Flow,
    Jitter as Jitter,
    Link as Link,
    Reverse as Reverse,
    Scenario as Scenario,
    ShortestPaths as ShortestPaths,
)
from .own import (
    UserApp as UserApp,
    UserControl as UserControl,
    UserForecaster as UserForecaster,
    UserMarker as UserMarker,
    UserQueue as UserQueue,
    UserRto as UserRto,
)
from .queue_share import (
    AnyMethod as AnyMethod,
    FixedPointMethod as FixedPointMethod,
    KaczmarzMethod as KaczmarzMethod,
    KalmanMethod as KalmanMethod,
    QueueShareSeries as QueueShareSeries,
    RlsMethod as RlsMethod,
)
from .queues import (
    AnyQueue as AnyQueue,
    CoDel as CoDel,
    DropTail as DropTail,
    FqCodel as FqCodel,
    Pie as Pie,
    Red as Red,
)
from .record import (
    Record as Record,
    Series as Series,
    ShareSeries as ShareSeries,
)
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
from .traffic import (
    AnyApp as AnyApp,
    AnyPeriods as AnyPeriods,
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
from .transport import (
    AnyTransport as AnyTransport,
    Tcp as Tcp,
    Udp as Udp,
)
from .weights import (
    AnyWeight as AnyWeight,
    FixedWeight as FixedWeight,
    WeightFromRate as WeightFromRate,
)
