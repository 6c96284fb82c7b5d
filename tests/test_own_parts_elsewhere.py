"""Parts of one's own in other places: processes, Dask, captures that are read, the command."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.own_controls import bell
from tests.test_own_parts import EXAMPLES, RTTS, example

import parshall
from parshall.capture import Capture
from parshall.cli.main import main

SCRIPT = """
from concurrent.futures import ProcessPoolExecutor
from dataclasses import field
from multiprocessing import get_context
import parshall
from parshall.own import DROP, GREEN, PASS, RED
from parshall.sweep import Sweep
{imported}

class Gentle(parshall.Control):
    gain: float = 0.5
    def on_ack(self, ack):
        if ack.may_grow:
            self.cwnd += self.gain / self.cwnd * ack.growth

class Twice(parshall.RtoFilter):
    factor: float = 2.5
    def on_sample(self, rtt):
        self.srtt = rtt
    def rto(self):
        return self.factor * self.srtt

class Last(parshall.Forecaster):
    x: float = field(init=False, default=0.0)
    def update(self, x):
        self.x = x
    def forecast(self):
        return self.x

class Pages(parshall.Source):
    requests = True
    def on_time(self, now):
        self.write(25)
    def on_done(self, done):
        self.wake_in = 0.1 + 0.2 * self.random()

class Short(parshall.Queue):
    limit: int = 15
    def on_arrival(self, packet):
        return DROP if packet.packets >= self.limit else PASS

class Now(parshall.Marker):
    part: float = 0.01
    def colour(self, packet):
        return RED if self.random() < self.part else GREEN
{decorate}

def group(name, app, control=None, rto=None):
    transport = parshall.Tcp(recovery="sack", min_rto="10 ms", control=control, rto=rto)
    return parshall.FlowGroup(name=name, transport=transport, app=app)

if __name__ == "__main__":
    network = dict(rate="4 Mbit/s", delay="20 ms", access_rate="50 Mbit/s", access_delay="2 ms")
    bell = parshall.Dumbbell(duration="6 s", **network, queue=Short(), flows=[
        group("timed", parshall.Bulk(), control=Gentle(), rto=Twice()),
        group("told", parshall.Bulk(), control=parshall.ArimaVegas(forecaster=Last())),
        group("pages", Pages()),
    ])
    edge = parshall.Conditioner(rules=[parshall.Rule(meter=Now(), if_red="drop")])
    marked = bell.scenario().with_({{"links[0].conditioner": edge}})
    meter = "links[0].conditioner.rules[0].meter.part"
    limit = "links[0].queue.limit"
    sweep = Sweep(marked, {{limit: [5, 15], meter: [0.01, 0.1]}}, seeds=[1])
    here = sweep.run(cache=None).to_pandas("flows")
    assert here.groupby([limit, meter]).packets_dropped.sum().nunique() == 4
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        assert here.equals(sweep.run(executor=pool, cache=None).to_pandas("flows"))
    if {dask}:
        assert here.equals(sweep.run(executor="dask", cache=None).to_pandas("flows"))
    print(len(here))
"""

PARTS = "Gentle, Twice, Last, Pages, Short, Now"
NATIVE = f"{PARTS} = map(parshall.native, ({PARTS}))"


@pytest.mark.parametrize("decorate", ["", NATIVE], ids=["python", "numba"])
def test_parts_travel_to_other_processes(tmp_path: Path, decorate: str) -> None:
    # Numba's threads and forks do not go together unless it is loaded before.
    imported = "import numba; numba.njit(lambda: None)()" if decorate else ""
    dask = importlib.util.find_spec("distributed") is not None
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(decorate=decorate, imported=imported, dask=dask))
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout) == (0, "12\n"), done.stderr


@pytest.mark.parametrize("compiled", [False, True])
def test_a_capture_is_replayed_through_a_filter(compiled: bool, tmp_path: Path) -> None:
    flows = [parshall.FlowGroup(name="f", transport=parshall.Tcp(recovery="sack"), app=parshall.Bulk())]
    record = parshall.Record(pcap=["bottleneck"], pcap_both_directions=True)
    recording = parshall.run(bell("aimd", flows=flows).with_(record=record), seed=1)
    (content,) = recording.pcap.values()
    file = tmp_path / "bottleneck.pcap"
    file.write_bytes(content)
    module = example("jacobson")
    own = (module.CompiledJacobson if compiled else module.Jacobson)()
    bare = {"bare": own.with_rules(min_rto=0.0), "theirs": parshall.JacobsonRto(min_rto=0.0)}
    replayed = Capture.read(file).replay({"mine": own, **bare})
    found = {each.filter: dataclasses.replace(each, filter="") for each in replayed}
    assert found["mine"].samples > 100
    # A least timeout of 200 ms hides all filters of this path; without it they differ.
    assert found["mine"] == found["jacobson"] != found["bare"] == found["theirs"]


UNFIT = """import parshall

class Nan(parshall.RtoFilter):
    def rto(self): return float("nan")

class Needs(Nan):
    gain: float

class Breaks(Nan):
    def __init__(self):
        self.gain = 1 / 0
"""


def test_the_command_weighs_a_filter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savetxt("rtts.txt", RTTS)
    (tmp_path / "jacobson_named.py").write_text((EXAMPLES / "jacobson.py").read_text())
    assert main(["rto", "rtts.txt", "--filter", "jacobson_named:Jacobson", "--json"]) == 0
    told = {each.pop("filter"): each for each in json.loads(capsys.readouterr().out)["filters"]}
    assert told["Jacobson"] == told["jacobson"] != told["median"]
    (tmp_path / "filters_named.py").write_text(UNFIT)
    for name, told in (
        ("jacobson_named:Nothing", "has no attribute 'Nothing'"),
        ("filters_named:Needs", "expected parameters of Needs (missing a required argument: 'gain')"),
        ("filters_named:Breaks", "(ZeroDivisionError: division by zero (filters_named.py, line 11)"),
        ("filters_named:Nan", "Nan.rto: it is NaN, expected seconds"),
    ):
        assert main(["rto", "rtts.txt", "--filter", name]) == 1
        error = capsys.readouterr().err
        assert told in error
        assert error.count("\n") == 1
