"""P10: what a call of a part of one's own costs: ``python -m parshall_dev.bench.parts`` measures once.

Each kind does in each form what a part of the engine's does, on the same network with the same seed, and
all forms must count the same. A call costs the processor time of a run less that of the engine's own part,
divided by the calls that the engine makes. ``python -m parshall_dev.bench.parts --page`` writes the section
of docs/performance.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from parshall_dev.bench.process import ProcessError, run
from parshall_dev.checkout import ROOT

__all__ = ["lines", "measure", "summary"]

EXAMPLES = ROOT / "examples" / "parts"
OWN = Path(__file__).parent / "own"
SECONDS = 100.0
TURNS = 5
"""Runs of each form, in turns; the least time counts."""
PAGE = ROOT / "docs" / "performance.md"
BEGINS, ENDS = "<!-- parts of one's own: made by a command -->", "<!-- end of it -->"

_NAMES = {
    "rto": "`RtoFilter`",
    "forecaster": "`Forecaster`",
    "source": "`Source`",
    "queue": "`Queue`",
    "marker": "`Marker`",
}
_DOES = {
    "rto": "Jacobson's filter, `on_sample` and `rto` for each sample",
    "forecaster": "an EWMA in the timeout `arima`, `update` and `forecast` for each sample",
    "source": "a packet each millisecond over UDP, `on_time` for each",
    "queue": "step marking, `on_arrival` and `on_departure` for each packet and ACK",
    "marker": "a token bucket, `colour` for each packet",
}


@dataclass(frozen=True)
class Case:
    """A kind of parts."""

    forms: Callable[[Path], dict[str, Any]]
    """The engine's own part and that in each form."""
    network: Callable[[Any], Any]
    calls: Callable[[Any], int]
    """Calls of a part that the engine makes in a run."""


def measure() -> dict[str, Any]:
    """In a process of its own. Raises ProcessError."""
    done = run([sys.executable, "-m", "parshall_dev.bench.parts"], ROOT)
    try:
        figures: dict[str, Any] = json.loads(done.output)
    except ValueError:
        raise ProcessError(f"parshall_dev.bench.parts: not understood: {done.output[-200:]!r}") from None
    return figures


def summary(turns: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Medians, for the JSON and the table."""
    if not turns:
        return None
    return {
        kind: {form: median(turn[kind][form] for turn in turns) for form in turns[0][kind]}
        for kind in turns[0]
    }


def lines(figures: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """A table in Markdown."""
    yield "| part | what it does | Python | Numba | C |"
    yield "|---|---|---:|---:|---:|"
    for kind, ns in figures.items():
        cells = " | ".join(f"{ns[form]:.0f} ns" for form in ("python", "numba", "c"))
        yield f"| {_NAMES[kind]} | {_DOES[kind]} | {cells} |"


def _built(source: Path, folder: Path) -> Path:
    from parshall.own import header

    library = folder / f"{source.stem}.so"
    command = ["cc", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-I", str(header.INSTALLED)]
    subprocess.run([*command, str(source), "-o", str(library)], check=True)
    return library


def _filters(folder: Path) -> dict[str, Any]:
    import jacobson

    from parshall import SharedRtoFilter

    library = _built(EXAMPLES / "jacobson.c", folder)
    forms = {
        "python": jacobson.Jacobson(),
        "numba": jacobson.CompiledJacobson(),
        "c": SharedRtoFilter(library),
    }
    return {"engine": "jacobson", **forms}


def _forecasters(folder: Path) -> dict[str, Any]:
    import ewma

    from parshall import ArimaRtoConfig, SharedForecaster, forecast

    forms: dict[str, Any] = {
        "engine": forecast.Ewma(gain=1 / 8),
        "python": ewma.Ewma(),
        "numba": ewma.CompiledEwma(),
        "c": SharedForecaster(_built(EXAMPLES / "ewma.c", folder)),
    }
    return {form: ArimaRtoConfig(forecaster=each) for form, each in forms.items()}


def _sources(folder: Path) -> dict[str, Any]:
    from parshall import Cbr, SharedSource
    from parshall_dev.bench.own.steady import CompiledSteady, Steady

    library = _built(OWN / "steady.c", folder)
    forms = {"python": Steady(), "numba": CompiledSteady(), "c": SharedSource(library)}
    return {"engine": Cbr(interval="1 ms"), **forms}


def _queues(folder: Path) -> dict[str, Any]:
    import step_mark

    from parshall import Red, SharedQueue

    given = {"mark_from": 20, "limit": 60}
    step: dict[str, Any] = {
        "min_threshold_packets": 20,
        "max_threshold_packets": 20,
        "limit_packets": 60,
        "weight": 1,
    }
    return {
        "engine": Red(**step, gentle=False, ecn=True, hard_drop=False),
        "python": step_mark.StepMark(**given),
        "numba": step_mark.CompiledStepMark(**given),
        "c": SharedQueue(_built(EXAMPLES / "step_mark.c", folder), **given),
    }


def _markers(folder: Path) -> dict[str, Any]:
    import token_bucket

    from parshall import SharedMarker, TokenBucketMeter

    given: dict[str, Any] = {"cir": 16e6, "cbs_bytes": 40_000}
    return {
        "engine": TokenBucketMeter(**given),
        "python": token_bucket.TokenBucket(**given),
        "numba": token_bucket.CompiledTokenBucket(**given),
        "c": SharedMarker(_built(EXAMPLES / "token_bucket.c", folder), **given),
    }


def _bell(transport: Any, app: Any) -> Any:
    from parshall import DropTail, Dumbbell, FlowGroup

    return Dumbbell(
        duration=SECONDS,
        rate="40 Mbit/s",
        delay="20 ms",
        access_rate="100 Mbit/s",
        access_delay="1 ms",
        queue=DropTail(limit_packets=60),
        flows=[FlowGroup(name="f", count=4, transport=transport, app=app, start_spread="1 s")],
    ).scenario()


def _with_rto(rto: Any) -> Any:
    from parshall import Bulk, Tcp

    return _bell(Tcp(recovery="sack", rto=rto, rtt_sampling="timestamps"), Bulk())


def _with_source(app: Any) -> Any:
    from parshall import Udp

    return _bell(Udp(payload_bytes=1000), app)


def _with_queue(queue: Any) -> Any:
    from parshall import Bulk, Tcp

    return _bell(Tcp(recovery="sack", ecn=True), Bulk()).replace("links[bottleneck].queue", queue)


def _with_marker(marker: Any) -> Any:
    from parshall import Cbr, Conditioner, Rule, Udp

    rule = Rule(flows="*", meter=marker, if_green="AF11", if_red="AF12")
    bell = _bell(Udp(payload_bytes=1000), Cbr(interval="1 ms"))
    return bell.replace("links[bottleneck].conditioner", Conditioner(rules=[rule]))


def _at_the_queues(flows: Any) -> int:
    """Calls for packets one way, and for ACKs the other way."""
    return 2 * int(flows["packets_sent"].sum() + flows["acks_received"].sum())


CASES = {
    "rto": Case(_filters, _with_rto, lambda flows: 2 * int(flows["rtt_samples"].sum())),
    "forecaster": Case(_forecasters, _with_rto, lambda flows: 2 * int(flows["rtt_samples"].sum())),
    "source": Case(_sources, _with_source, lambda flows: int(flows["packets_offered"].sum())),
    "queue": Case(_queues, _with_queue, _at_the_queues),
    "marker": Case(_markers, _with_marker, lambda flows: int(flows["packets_sent"].sum())),
}


def _measured() -> dict[str, dict[str, float]]:
    sys.path.insert(0, str(EXAMPLES))
    with tempfile.TemporaryDirectory() as folder:
        return {kind: _cost(case, Path(folder)) for kind, case in CASES.items()}


def _cost(case: Case, folder: Path) -> dict[str, float]:
    """Nanoseconds of a call in each form."""
    from parshall import run as simulate

    networks = {form: case.network(part) for form, part in case.forms(folder).items()}
    recordings = {form: simulate(network, seed=1) for form, network in networks.items()}
    for form, recording in recordings.items():
        if different := _different(recording, recordings["engine"]):
            raise SystemExit(f"{form} has other numbers than the engine's own: {', '.join(different)}")
    spent = {form: float("inf") for form in networks}
    for _ in range(TURNS):
        for form, network in networks.items():
            spent[form] = min(spent[form], _processor_seconds(network.to_json()))
    calls = case.calls(recordings["engine"].columns("flows"))
    return {
        form: (seconds - spent["engine"]) / calls * 1e9 for form, seconds in spent.items() if form != "engine"
    }


def _different(own: Any, engines: Any) -> list[str]:
    """Counters at the end of a run that are not those of another."""
    return [
        f"{table}.{column}"
        for table in engines.tables
        for column, values in engines.columns(table).items()
        if not np.array_equal(own.columns(table)[column], values, equal_nan=True)
    ]


def _processor_seconds(scenario: str) -> float:
    """Time of a run in the engine alone, in which others count less than by the clock on the wall."""
    from parshall import _core

    before = time.process_time()
    _core.engine_seconds(scenario, [1], 1)
    return time.process_time() - before


def _write_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGINS)
    _, _, after = rest.partition(ENDS)
    section = "\n".join([BEGINS, "", *lines(_measured()), "", ENDS])
    PAGE.write_text(f"{before}{section}{after}", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--page"]:
        _write_page()
    elif sys.argv[1:]:
        sys.exit(f"got {' '.join(sys.argv[1:])}, expected nothing or --page")
    else:
        print(json.dumps(_measured()))
