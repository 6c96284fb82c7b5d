"""Parts of one's own in other places: processes, Dask, captures that are read, the command."""

from __future__ import annotations

import dataclasses
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
from dataclasses import field
import parshall
from parshall.sweep import Sweep
{imported}

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
{decorate}

def group(name, app, control=None, rto=None):
    transport = parshall.Tcp(recovery="sack", min_rto="10 ms", control=control, rto=rto)
    return parshall.FlowGroup(name=name, transport=transport, app=app)

if __name__ == "__main__":
    network = dict(rate="4 Mbit/s", delay="20 ms", access_rate="50 Mbit/s", access_delay="2 ms")
    bell = parshall.Dumbbell(duration="6 s", **network, queue=parshall.DropTail(limit_packets=15), flows=[
        group("timed", parshall.Bulk(), rto=Twice()),
        group("told", parshall.Bulk(), control=parshall.ArimaVegas(forecaster=Last())),
        group("pages", Pages()),
    ])
    sweep = Sweep(bell.scenario(), {{"links[0].delay": ["1 ms", "9 ms"]}}, seeds=range(2))
    here = sweep.run(cache=None).to_pandas("flows")
{elsewhere}
    assert here.equals(there)
    print(len(here))
"""

FORKED = """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        there = sweep.run(executor=pool, cache=None).to_pandas("flows")
"""
DASK = """
    there = sweep.run(executor="dask", cache=None).to_pandas("flows")
"""
NATIVE = "Twice, Last, Pages = map(parshall.native, (Twice, Last, Pages))"


@pytest.mark.parametrize("elsewhere", [FORKED, DASK], ids=["processes", "dask"])
@pytest.mark.parametrize("decorate", ["", NATIVE], ids=["python", "numba"])
def test_parts_travel_to_other_processes(tmp_path: Path, elsewhere: str, decorate: str) -> None:
    if elsewhere == DASK:
        pytest.importorskip("distributed", reason="dask is not installed")
    # Numba's threads and forks do not go together unless it is loaded before.
    imported = "import numba; numba.njit(lambda: None)()" if decorate else ""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(elsewhere=elsewhere, decorate=decorate, imported=imported))
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


def test_the_command_weighs_a_filter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savetxt("rtts.txt", RTTS)
    (tmp_path / "jacobson_named.py").write_text((EXAMPLES / "jacobson.py").read_text())
    assert main(["rto", "rtts.txt", "--filter", "jacobson_named:Jacobson", "--json"]) == 0
    told = {each.pop("filter"): each for each in json.loads(capsys.readouterr().out)["filters"]}
    assert told["Jacobson"] == told["jacobson"] != told["median"]
    assert main(["rto", "rtts.txt", "--filter", "jacobson_named:Nothing"]) == 1
    error = capsys.readouterr().err
    assert "has no attribute 'Nothing'" in error
    assert error.count("\n") == 1
