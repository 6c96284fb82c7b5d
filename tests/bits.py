"""Digests of what runs record and estimators find: ``python -m tests.bits`` prints them, one a line.

Of each kind of control, timeout, forecaster, queue, loss, application, law, meter and method there is a
scenario. A kind that is added to the package and needs more than its defaults needs a line in ``GIVEN``.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

import parshall
from parshall import (
    DropTail,
    Dumbbell,
    FlowGroup,
    Record,
    Red,
    Scenario,
    Series,
    ShareSeries,
    Tcp,
    Udp,
    _core,
    scenario,
)
from parshall.estimators import ArimaRto, MedianRto, QuantileRto, Responsiveness
from parshall.forecast import Forecaster, fit
from parshall.long_memory import METHODS, hurst, level_shifts, theoretical_autocovariance
from parshall.scenario import QueueShareSeries
from parshall.scenario.parts import (
    control,
    events,
    forecaster,
    laws,
    losses,
    meters,
    queue_share,
    queues,
    rto,
    traffic,
)
from parshall.sweep import LatinHypercube, Sweep
from parshall_dev.validate import load_folder
from parshall_dev.validate.rebuild import rebuild

REPOSITORY = Path(__file__).parent.parent
REFERENCES = [
    REPOSITORY / "tests" / "data" / "ns2",
    *(
        REPOSITORY.parent / "shared" / "reference" / name
        for name in ("ns2", "ns2-long", "ns2-diffserv", "ns2-diffserv-wrr")
    ),
]

RATES = {"cir": "500 kbit/s", "cbs_bytes": 9000}
GIVEN: Mapping[str, Mapping[str, Any]] = {
    "Binomial": {"k": 0.7, "l": 0.4, "alpha": 1.1, "beta": 0.4},
    "Constant": {"value": 0.1},
    "Ewma": {"gain": 0.3},
    "Holt": {"gain": 0.3, "trend_gain": 0.1},
    "Median": {"window": 5},
    "Lms": {"step": 0.001},
    "Red": {
        "min_threshold_packets": 5,
        "max_threshold_packets": 20,
        "limit_packets": 40,
        "weight": "from-rate",
    },
    "BernoulliLoss": {"probability": 0.01},
    "TreatmentLoss": {"groups": [{}], "budget": 0.5},
    "ListedLoss": {"arrivals": [50, 51, 500]},
    "GilbertElliottLoss": {"good_to_bad": 0.01, "bad_to_good": 0.3, "loss_bad": 0.5},
    "DitherLoss": {"floor": 0.05},
    "DelayChange": {"at": "1 s", "delay": "5 ms"},
    "LossChange": {"at": "1 s", "probability": 0.02},
    "RateChange": {"at": "1 s", "rate": "500 kbit/s"},
    "Outage": {"start": "1 s", "end": "1.2 s"},
    "Stall": {"start": "1 s", "end": "1.5 s"},
    "Reordering": {"start": "1 s", "delay": "30 ms", "probability": 0.05},
    "Transfer": {"packets": 300},
    "Cbr": {"rate": "300 kbit/s"},
    "Vbr": {"rates": ["100 kbit/s", "900 kbit/s"], "intervals": ["100 ms", "1 s"]},
    "OnOff": {"law": {"kind": "pareto", "shape": 1.5}, "rate": "800 kbit/s", "on": "300 ms", "off": "500 ms"},
    "SelfSimilar": {"rate": "500 kbit/s", "h": 0.8, "sd": "200 kbit/s", "interval": "10 ms"},
    "Schedule": {"writes": [(0, 50), ("3 s", 80)]},
    "TransferSequence": {"packets": {"kind": "pareto", "mean": 12, "shape": 1.2}, "think": "500 ms"},
    "Barrier": {"packets": 30, "think": "100 ms"},
    "ConstantLaw": {"value": 9},
    "ExponentialLaw": {"mean": 9},
    "ParetoLaw": {"mean": 9, "shape": 1.3},
    "LomaxLaw": {"mean": 9, "shape": 1.3},
    "UniformLaw": {"low": 1, "high": 20},
    "LognormalLaw": {"mean": 9, "sigma": 1.1},
    "ChoiceLaw": {"values": [2, 30], "weights": [0.7, 0.3]},
    "TokenBucketMeter": RATES,
    "SrtcmMeter": {**RATES, "ebs_bytes": 20000},
    "TrtcmMeter": {**RATES, "pir": "1 Mbit/s", "pbs_bytes": 9000},
    "Rfc4115Meter": {**RATES, "eir": "1 Mbit/s", "ebs_bytes": 9000},
    "Tsw3cmMeter": {"cir": "500 kbit/s", "pir": "1 Mbit/s"},
    **{
        name: {"cir": "500 kbit/s"}
        for name in ("Tsw2cmMeter", "RttAwareMeter", "RttRtoMeter", "TcpModelMeter", "FairExcessMeter")
    },
}
"""Values that a kind needs besides its defaults."""

RED, DROPTAIL = Red(**GIVEN["Red"]), DropTail(limit_packets=20)
"""Queues of those scenarios that are about something else."""

APART = {"UserApp", "UserControl", "UserForecaster", "UserMarker", "UserQueue", "UserRto", "DiffServ"}
"""Kinds that are somebody's own code, or there with every meter."""


def each(union: Any) -> Iterator[Any]:
    """One of each kind of a union of models."""
    if not isinstance(union, type):
        for part in get_args(union):
            yield from each(part)
    elif union is not type(None) and union.__name__ not in APART:
        yield union(**GIVEN.get(union.__name__, {}))


def bell(queue: Any = DROPTAIL, group: Mapping[str, Any] | None = None, **more: Any) -> Scenario:
    """A small network, of which everything is recorded; `group` changes its TCP flows."""
    udp = Udp(payload_bytes=500, header_bytes=0)
    record = Record(
        rtt="*",
        window="*",
        flow_series=Series(of="*", interval="100 ms"),
        port_series=Series(of="*", interval="100 ms"),
        packets=["bottleneck"],
        responsiveness=ShareSeries(of=["bottleneck"], interval="700 ms", signals="both"),
    )
    flows = [
        FlowGroup(
            **{
                "name": "tcp",
                "count": 3,
                "start_spread": "1 s",
                "transport": Tcp(recovery="sack"),
                "app": "bulk",
            }
            | dict(group or {})
        ),
        FlowGroup(
            name="call",
            transport=udp,
            app=traffic.OnOff(law="exponential", rate="400 kbit/s", on="1 s", off="1 s"),
        ),
    ]
    values = {"record": record, "access_rate": "20 Mbit/s", "access_delay": "3 ms"} | more
    return Dumbbell(
        duration="20 s", rate="2 Mbit/s", delay="20 ms", queue=queue, flows=flows, **values
    ).scenario()


def kinds() -> Iterator[tuple[str, Scenario]]:
    """A scenario for one of each kind, by its name."""
    sack = Tcp(recovery="sack")
    for one in each(control.AnyControl):
        marks = one.kind == "dctcp"
        queue = Red(**GIVEN["Red"], ecn=True) if marks else DROPTAIL
        yield f"control {one.kind}", bell(queue, {"transport": Tcp(recovery="sack", control=one, ecn=marks)})
    for one in each(rto.RtoConfig):
        yield f"timeout {one.kind}", bell(RED, {"transport": Tcp(rto=one, min_rto="1 ms")})
    for one in each(forecaster.ForecasterConfig):
        yield (
            f"forecaster {one.kind}",
            bell(RED, {"transport": Tcp(rto=rto.ArimaRtoConfig(forecaster=one), min_rto="1 ms")}),
        )
    for one in each(queues.AnyQueue):
        yield f"queue {one.kind}", bell(one)
    for one in each(losses.AnyLoss):
        yield f"loss {one.kind}", bell(RED, loss=one)
    for one in each(events.AnyEvent):
        yield f"event {one.kind}", bell(RED, events=[one])
    for one in each(traffic.AnyApp):
        udp = one.kind in ("cbr", "vbr", "on-off", "self-similar", "schedule")
        yield (
            f"application {one.kind}",
            bell(group={"app": one, "transport": Udp(payload_bytes=500) if udp else sack}),
        )
    for one in each(laws.AnyLaw):
        yield f"law {one.kind}", bell(group={"app": traffic.Telnet(packets=one, interval=one)})
    known = Record(class_state=["bottleneck"])
    for one in each(meters.AnyMeter):
        rules = [
            scenario.Rule(flows=[flow], of="data", meter=one, if_yellow="drop", if_red="drop")
            for flow in ("tcp1", "*")
        ]
        conditioner = scenario.Conditioner(rules=rules)
        yield (
            f"meter {one.kind}",
            bell(RED, record=known).replace("links[bottleneck].conditioner", conditioner),
        )
    for one in each(queue_share.AnyMethod):
        shares = QueueShareSeries(of=["bottleneck"], sampling="10 ms", propagation="40 ms", method=one)
        yield f"method {one.kind}", bell(RED, record=Record(nonresponsive=shares))
    tuned = Red(**GIVEN["Red"] | {"weight": 0.002, "gentle": True}, tune_by="responsiveness")
    yield "tuned RED", bell(tuned)


def runs() -> Iterator[tuple[str, Scenario]]:
    """Scenarios by name: the examples, those of ns-2 as far as they are here, and one of each kind."""
    for path in sorted((REPOSITORY / "examples").glob("*.toml")):
        yield path.stem, parshall.load(path)
    for folder in filter(Path.is_dir, REFERENCES):
        for entry in load_folder(folder).entries:
            yield f"{folder.name} {entry.name}", rebuild(entry.fields()).scenario
    yield from kinds()


def found() -> Iterator[tuple[str, Any]]:
    """Results of estimators on round trips, on noise and on a port's packets, by name."""
    rtts = [0.1 + 0.001 * (37 * i % 53) + (0.2 if i % 41 == 7 else 0.0) for i in range(600)]
    for order in ((2, 1, 1), (1, 0, 2), (0, 1, 1)):
        yield f"fit {order}", fit(rtts, order)
    for model in each(forecaster.ForecasterConfig):
        yield f"forecast {model.kind}", Forecaster(model).run(rtts)
    for timeout in (
        ArimaRto(min_rto=0),
        MedianRto(min_rto=0),
        QuantileRto(min_rto=0),
        QuantileRto(risk=0.001, min_rto=0),
    ):
        yield f"timeout {type(timeout).__name__}", timeout.run(rtts)
    # Uniform draws are whole numbers that are scaled. NumPy's normal ones are of the C library now and then.
    generator = _core.PathGenerator("fgn", 0.8, 4000)
    noise = generator.path((np.random.default_rng(7).random(generator.normals) - 0.5) * 12**0.5)
    yield "noise", noise
    for method in METHODS:
        yield f"hurst {method}", hurst(noise, method)
    yield "level shifts", level_shifts(noise)
    yield "covariances", [theoretical_autocovariance(family, 0.7, 50) for family in ("fgn", "farima")]
    sampled = {"links[bottleneck].queue.max_probability": {"low": 0.001, "high": 0.9, "scale": "log"}}
    points = Sweep(bell(RED), sampled, design=LatinHypercube(n=500)).points
    yield "sampled design", [list(point.parameters.values()) for point in points]
    times = np.arange(6000) * 0.01
    yield (
        "share",
        Responsiveness(interval=1.0).run(
            time=times, flow=np.arange(6000) % 7, signalled=np.arange(6000) % 31 == 0
        ),
    )


def platform() -> Iterator[tuple[str, Any]]:
    """Results of Python's own functions that call the C library."""
    points = [0.001 + i / 97 for i in range(2000)]
    for function in (math.exp, math.log, math.sin, math.tanh, math.log1p):
        yield f"platform {function.__name__}", [function(point) for point in points]
    yield "platform pow", [point**1.7 for point in points]


def recorded(recording: parshall.Recording) -> list[Any]:
    """All that a run has recorded."""
    tables = [
        [(name, recording.columns(table)[name]) for name in recording.columns(table)]
        for table in recording.tables
    ]
    return [tables, sorted(recording.pcap.items()), recording.events]


def digest(value: Any) -> str:
    """A digest of all bits of a value, in whatever it is."""
    sha = hashlib.sha256()
    feed(sha, value)
    return sha.hexdigest()[:16]


def feed(sha: Any, value: Any) -> None:
    """Hands a value to the digest, numbers by their bits and parts in their order."""
    if isinstance(value, np.ndarray):
        sha.update(str(value.dtype).encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (float, np.floating)):
        sha.update(float(value).hex().encode())
    elif isinstance(value, frozenset):
        feed(sha, sorted(value))
    elif isinstance(value, (list, tuple)):
        sha.update(b"[")
        for part in value:
            feed(sha, part)
    elif is_dataclass(value):
        feed(sha, [getattr(value, field.name) for field in fields(value)])
    else:
        sha.update(repr(value).encode())


def main() -> None:
    for name, value in (*platform(), *found()):
        print(f"{name}: {digest(value)}")
    for name, one in runs():
        print(f"{name}: {digest(recorded(parshall.run(one, 1)))}", flush=True)


if __name__ == "__main__":
    main()
