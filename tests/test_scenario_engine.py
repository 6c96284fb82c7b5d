"""Classes, fields, kinds and choices of scenarios are those of the engine."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, get_args

import pytest

import parshall
from parshall import (
    Aimd,
    ArimaVegas,
    Barrier,
    Bbr,
    BernoulliLoss,
    Binomial,
    Bulk,
    Capacity,
    Cbr,
    ChoiceLaw,
    ClassQueue,
    CoDel,
    Conditioner,
    ConstantLaw,
    Copa,
    Cubic,
    Dctcp,
    DelayChange,
    DiffServ,
    DitherLoss,
    DropTail,
    Drr,
    Dual,
    Ecmp,
    ExponentialLaw,
    ExponentialPeriods,
    FairExcessMeter,
    FixedPointMethod,
    FixedWeight,
    Flow,
    FqCodel,
    GilbertElliottLoss,
    InputError,
    Jitter,
    KaczmarzMethod,
    KalmanMethod,
    Knowledge,
    Link,
    ListedLoss,
    LognormalLaw,
    LomaxLaw,
    LossChange,
    MedianRtoConfig,
    OnOff,
    Outage,
    ParetoLaw,
    ParetoPeriods,
    Pie,
    Precedence,
    Priority,
    QueueShareSeries,
    RateChange,
    Record,
    Red,
    Reordering,
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
    Stall,
    Tcp,
    TcpModelMeter,
    TcpTp,
    Telnet,
    TokenBucketMeter,
    Transfer,
    TransferSequence,
    TreatedGroup,
    TreatmentLoss,
    TrtcmMeter,
    Tsw2cmMeter,
    Tsw3cmMeter,
    Udp,
    UniformLaw,
    Vbr,
    VegasControl,
    Veno,
    Web,
    WeightFromRate,
    Wirr,
    Wrr,
)
from parshall.scenario.parts import Arima, forecaster
from parshall.scenario.schema import part_takes, parts


def rust_structs(source: str) -> dict[str, dict[str, str]]:
    """Fields and types of the public structs of a Rust file, and of the variants of its enums."""
    structs = {}
    for match in re.finditer(r"pub struct (\w+) \{(.*?)\n\}", source, re.DOTALL):
        structs[match[1]] = dict(re.findall(r"^    pub (\w+): (.+),$", match[2], re.MULTILINE))
    return structs


def rust_enum(source: str, name: str) -> list[str]:
    """Names of an enum's variants as they stand in a file."""
    body = re.search(rf"pub enum {name} \{{(.*?)\n\}}", source, re.DOTALL)
    assert body, name
    variants = re.findall(
        r'^(?:    #\[serde\(rename = "(.+)"\)\]\n)?    (\w+)(?:\(.*\)| \{.*|,)', body[1], re.MULTILINE
    )
    return [given or re.sub(r"(?<=[a-z])(?=[A-Z])", "-", variant).lower() for given, variant in variants]


def scenario_source(repository: Path) -> str:
    """The files of the engine's schema, but for what authors of own parts see."""
    files = sorted((repository / "crates/scenario/src/value").glob("*.rs"))
    return "".join(file.read_text() for file in files if not file.name.startswith("own_"))


MIRRORED = [Scenario, Link, Reverse, Capacity, Jitter, DropTail, Red, ListedLoss, BernoulliLoss]
MIRRORED += [
    GilbertElliottLoss,
    DitherLoss,
    Flow,
    Tcp,
    Udp,
    Transfer,
    Cbr,
    Vbr,
]
MIRRORED += [OnOff, SelfSimilar, Schedule, Record, Series, ShareSeries, QueueShareSeries]
MIRRORED += [KaczmarzMethod, RlsMethod, KalmanMethod, FixedPointMethod]
MIRRORED += [CoDel, Pie, FqCodel]
MIRRORED += [RateChange, DelayChange, LossChange, Outage, Stall, Reordering, Ecmp]
MIRRORED += [TransferSequence, Barrier, Telnet, Web]
MIRRORED += [TreatmentLoss, TreatedGroup]
MIRRORED += [
    Conditioner,
    Knowledge,
    SmallWindow,
    Rule,
    DiffServ,
    ClassQueue,
    Precedence,
    Priority,
    Wrr,
    Drr,
    Wirr,
]

METERS = [TokenBucketMeter, SrtcmMeter, TrtcmMeter, Rfc4115Meter, Tsw2cmMeter, Tsw3cmMeter]
METERS += [RttAwareMeter, RttRtoMeter, TcpModelMeter, FairExcessMeter]

LAWS = [ConstantLaw, ExponentialLaw, ParetoLaw, LomaxLaw, UniformLaw, LognormalLaw, ChoiceLaw]

FORECASTERS = list(get_args(forecaster.ForecasterConfig))

CONTROLS = [Aimd, ArimaVegas, Bbr, Binomial, Copa, Cubic, Dctcp, Dual, TcpTp, VegasControl, Veno]


@pytest.mark.parametrize("model", MIRRORED, ids=lambda model: model.__name__)
def test_fields_are_those_of_the_engine(model: type, repository: Path) -> None:
    fields = rust_structs(scenario_source(repository))[model.__name__]
    ours = {name: field for name, field in model.model_fields.items() if name != "kind" and not field.exclude}
    assert list(ours) == list(fields)
    optional = {name for name, kind in fields.items() if kind.startswith("Option<")}
    assert optional == {name for name, field in ours.items() if field.default is None}


def test_every_struct_of_the_engine_is_mirrored(repository: Path) -> None:
    source = scenario_source(repository)
    assert set(rust_structs(source)) == {model.__name__ for model in MIRRORED}


@pytest.mark.parametrize("model", METERS, ids=lambda model: model.__name__)
def test_parameters_of_a_meter_are_those_of_the_engine(model: type, repository: Path) -> None:
    source = (repository / "crates/estimators/src/meter/config.rs").read_text()
    fields = rust_structs(source)[model.__name__]
    assert list(fields) == [name for name in model.model_fields if name != "kind"]


@pytest.mark.parametrize("model", CONTROLS, ids=lambda model: model.__name__)
def test_parameters_of_a_control_are_those_of_its_file(model: type, repository: Path) -> None:
    kind = model.model_fields["kind"].default.replace("-", "_")
    controls = repository / "crates/control/src"
    files = [*controls.glob(f"{kind}.rs"), *controls.glob(f"{kind}/*.rs")]
    source = "\n".join(file.read_text() for file in files)
    fields = rust_structs(source).get("Config", {})
    assert list(fields) == [name for name in model.model_fields if name != "kind"]


def test_every_control_of_the_engine_has_its_class(repository: Path) -> None:
    source = (repository / "crates/control/src/registry.rs").read_text()
    registered = re.findall(r"^    (\w+)::\w+,$", source, re.MULTILINE)
    assert registered == [model.model_fields["kind"].default.replace("-", "_") for model in CONTROLS]


@pytest.mark.parametrize(
    "model",
    [model for model in FORECASTERS if model is not forecaster.UserForecaster],
    ids=lambda model: model.__name__,
)
def test_parameters_of_a_forecaster_are_those_of_the_engine(model: type, repository: Path) -> None:
    source = (repository / "crates/estimators/src/forecast/config.rs").read_text()
    enum = re.search(r"pub enum ForecasterConfig \{(.*?)\n\}", source, re.DOTALL)[1]
    if named := re.search(rf"^    {model.__name__}\((\w+)\),", enum, re.MULTILINE):
        sources = (file.read_text() for file in (repository / "crates/estimators/src").rglob("*.rs"))
        fields = next(filter(None, (rust_structs(source).get(named[1]) for source in sources)))
    else:
        body = re.search(rf"^    {model.__name__} \{{(\}}|.*?^    \}}),", enum, re.DOTALL | re.MULTILINE)[1]
        fields = re.findall(r"^        (\w+): ", body, re.MULTILINE)
    assert list(fields) == [name for name in model.model_fields if name != "kind"]


@pytest.mark.parametrize(
    ("config", "refusal"),
    [
        (lambda: Arima(ar=[1.2, 0.1]), "ar: got 1.2, 0.1, expected coefficients of a stationary model"),
        (lambda: Arima(d=1, ma=[-1]), "ma: got -1, expected coefficients of an invertible model"),
        (lambda: Arima(ar=6 * [0.0]), "ar: got [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], expected a list of at most 5"),
        (lambda: Arima(ar=[0.1, "x"]), 'ar[1]: got "x", expected a finite number'),
        (lambda: Arima(d=3), "d: got 3, expected a whole number from 0 to 2"),
        (lambda: Arima(d=1, mean=2), "mean: got 2, expected a finite number, and 0 where d is above 0"),
        (lambda: forecaster.Constant(value=math.inf), "value: got inf, expected a finite number"),
        (lambda: forecaster.Ewma(gain=0), "gain: got 0, expected a number above 0, at most 1"),
        (lambda: forecaster.Holt(gain=0.1, trend_gain=2), "trend_gain: got 2, expected a number .*"),
        (lambda: forecaster.Median(window=0), "window: got 0, expected a whole number from 1 .*"),
    ],
)
def test_a_forecaster_that_cannot_be_is_one_line(config: Any, refusal: str) -> None:
    with pytest.raises(InputError, match=f"^{refusal.replace('[', chr(92) + '[')}$"):
        config()


def test_a_constant_takes_any_number_or_a_duration() -> None:
    assert forecaster.Constant(value="120 ms") == forecaster.Constant(value=0.12)
    assert forecaster.Constant(value=-3).value == -3.0


def test_the_documents_model_is_a_named_one() -> None:
    made = Arima(ar=[-0.36251, 0.17573], d=1, ma=[-0.95108])
    assert Arima.jeyasekar_2014() == made
    assert made.canonical() == {"kind": "arima", "ar": [-0.36251, 0.17573], "d": 1, "ma": [-0.95108]}


@pytest.mark.parametrize(
    ("enum", "file", "members"),
    [
        (
            "Queue",
            "scenario/src/value/queues.rs",
            [DropTail, Red, CoDel, Pie, FqCodel, DiffServ, parshall.UserQueue],
        ),
        ("Scheduler", "scenario/src/value/diffserv.rs", [Priority, RoundRobin, Wrr, Drr, Wirr]),
        ("MeterConfig", "estimators/src/meter/config.rs", METERS),
        ("RedWeight", "scenario/src/value/queues.rs", [FixedWeight, WeightFromRate]),
        (
            "Loss",
            "scenario/src/value/losses.rs",
            [ListedLoss, BernoulliLoss, GilbertElliottLoss, DitherLoss, TreatmentLoss],
        ),
        ("Transport", "scenario/src/value/transport.rs", [Tcp, Udp]),
        (
            "App",
            "scenario/src/value/traffic.rs",
            [
                *(Bulk, Transfer, Cbr, Vbr, OnOff, SelfSimilar, Schedule),
                *(TransferSequence, Barrier, Telnet, Web, parshall.UserApp),
            ],
        ),
        ("Variate", "scenario/src/value/apps.rs", LAWS),
        ("Law", "scenario/src/value/traffic.rs", [ExponentialPeriods, ParetoPeriods]),
        (
            "ShareMethod",
            "scenario/src/value/record.rs",
            [KaczmarzMethod, RlsMethod, KalmanMethod, FixedPointMethod],
        ),
        ("RtoConfig", "estimators/src/rto/config.rs", list(get_args(parshall.scenario.RtoConfig))),
        ("ForecasterConfig", "estimators/src/forecast/config.rs", FORECASTERS),
    ],
)
def test_kinds_are_those_of_the_engine(enum: str, file: str, members: list[type], repository: Path) -> None:
    source = (repository / "crates" / file).read_text()
    assert [member.model_fields["kind"].default for member in members] == rust_enum(source, enum)


@pytest.mark.parametrize(
    ("enum", "file", "model", "field"),
    [
        ("ProfileName", "scenario/src/value/transport.rs", Tcp, "profile"),
        ("RecoveryName", "scenario/src/value/transport.rs", Tcp, "recovery"),
        ("QueueUnit", "scenario/src/value/queues.rs", Red, "unit"),
        ("TuneBy", "scenario/src/value/queues.rs", Red, "tune_by"),
        ("PieDelay", "scenario/src/value/queues.rs", Pie, "delay"),
        ("QueueVariant", "scenario/src/value/queues.rs", CoDel, "variant"),
        ("QueueVariant", "scenario/src/value/queues.rs", Pie, "variant"),
        ("QueueVariant", "scenario/src/value/queues.rs", FqCodel, "variant"),
        ("LossOf", "scenario/src/value/losses.rs", ListedLoss, "of"),
        ("LossOf", "scenario/src/value/losses.rs", BernoulliLoss, "of"),
        ("LossOf", "scenario/src/value/losses.rs", GilbertElliottLoss, "of"),
        ("LossOf", "scenario/src/value/losses.rs", DitherLoss, "of"),
        ("LossOf", "scenario/src/value/losses.rs", Rule, "of"),
        ("MeteredBytes", "scenario/src/value/diffserv.rs", Rule, "count"),
        ("KnowledgeSource", "scenario/src/value/diffserv.rs", Knowledge, "source"),
        ("DiffServProfile", "scenario/src/value/diffserv.rs", Conditioner, "profile"),
        ("DiffServProfile", "scenario/src/value/diffserv.rs", DiffServ, "profile"),
        ("DropperKind", "scenario/src/value/diffserv.rs", ClassQueue, "dropper"),
        ("ConnectionUse", "scenario/src/value/apps.rs", TransferSequence, "connection"),
        ("ConnectionUse", "scenario/src/value/apps.rs", Telnet, "connection"),
        ("WebRequests", "scenario/src/value/apps.rs", Web, "requests"),
        ("ReduceFrom", "scenario/src/value/transport.rs", Tcp, "reduce_from"),
        ("RttSampling", "scenario/src/value/transport.rs", Tcp, "rtt_sampling"),
        ("BackoffReset", "scenario/src/value/transport.rs", Tcp, "backoff_reset"),
        ("IdleRestart", "scenario/src/value/transport.rs", Tcp, "idle_restart"),
        ("FastRetransmitGuard", "scenario/src/value/transport.rs", Tcp, "fast_retransmit_guard"),
        ("PartialAckTimer", "scenario/src/value/transport.rs", Tcp, "partial_ack_timer"),
        ("HyStartRule", "control/src/hystart.rs", Cubic, "hystart"),
        ("Variant", "control/src/cubic/config.rs", Cubic, "variant"),
        ("Variant", "control/src/bbr/config.rs", Bbr, "variant"),
        ("Decide", "control/src/arima_vegas.rs", ArimaVegas, "decide"),
        ("SlowStart", "control/src/arima_vegas.rs", ArimaVegas, "slow_start"),
        ("Estimate", "control/src/veno.rs", Veno, "backlog"),
        ("Decide", "control/src/tcp_tp.rs", TcpTp, "decide"),
        ("Backoff", "control/src/dual.rs", Dual, "backoff"),
        ("RoundTrip", "control/src/tcp_tp.rs", TcpTp, "rtt"),
        ("Deviation", "estimators/src/rto/config.rs", MedianRtoConfig, "deviation"),
        ("Signals", "scenario/src/value/record.rs", ShareSeries, "signals"),
        ("Form", "estimators/src/nonresponsive/settings.rs", QueueShareSeries, "form"),
    ],
)
def test_choices_are_those_of_the_engine(
    enum: str, file: str, model: type, field: str, repository: Path
) -> None:
    assert part_takes(model.__name__)[field]["choice"] == rust_enum(
        (repository / "crates" / file).read_text(), enum
    )


def test_kinds_and_fields_share_no_name() -> None:
    """Errors tell a union's tag from a field by its name."""
    fields = {field["name"] for part in parts().values() for field in part["fields"]}
    kinds = {part["kind"] for part in parts().values()} - {None}
    assert not fields & kinds
