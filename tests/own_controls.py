"""Examples, networks and comparisons of tables for the tests of users' controls."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import parshall
from parshall import Control, Dumbbell, FlowGroup, Tcp
from parshall.control import header

EXAMPLES = Path(__file__).parents[1] / "examples" / "controls"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def bell(control: Any, **options: Any) -> Dumbbell:
    values: dict[str, Any] = {
        "duration": "8 s",
        "rate": "4 Mbit/s",
        "delay": "20 ms",
        "access_rate": "50 Mbit/s",
        "access_delay": "2 ms",
        "queue": parshall.DropTail(limit_packets=15),
        "flows": [
            FlowGroup(name="f", count=2, transport=Tcp(recovery="sack", control=control), app=parshall.Bulk())
        ],
    }
    return Dumbbell(**{**values, **options})


def group(control: Any, app: Any = None, **options: Any) -> list[FlowGroup]:
    tcp = Tcp(**{"recovery": "sack", **options}, control=control)
    return [FlowGroup(name="f", count=3, transport=tcp, app=app or parshall.Bulk(), start_spread="0.5 s")]


NETWORKS: dict[str, Any] = {
    "full queue": lambda control: bell(control, flows=group(control)),
    "random loss, Tahoe": lambda control: bell(
        control, loss=parshall.BernoulliLoss(probability=0.01), flows=group(control, recovery="tahoe")
    ),
    "marks, delayed ACKs, NewReno": lambda control: bell(
        control,
        queue=parshall.CoDel(limit_packets=60, ecn=True),
        flows=group(control, recovery="newreno", ecn=True, delayed_ack=True),
    ),
    "as in Linux": lambda control: bell(control, flows=group(control, profile="linux")),
    "paced, with pauses, as in ns-2": lambda control: bell(
        control,
        flows=group(
            control,
            app=parshall.OnOff(law="exponential", rate="3 Mbit/s", on="0.5 s", off="0.5 s"),
            profile="ns2",
            recovery="reno",
            pacing=True,
        ),
    ),
}
"""Each makes losses; what repairs them and what is told of them differs."""


def tables(scenario: Dumbbell, seed: int = 3) -> dict[str, dict[str, Any]]:
    recording = parshall.run(scenario.replace("record", parshall.Record(window=["f1"], rtt=["f2"])), seed)
    return {name: dict(recording.columns(name)) for name in ("flows", "ports", "window", "rtt")}


def assert_equal(ours: dict[str, dict[str, Any]], theirs: dict[str, dict[str, Any]]) -> None:
    for name, columns in theirs.items():
        for column, values in columns.items():
            np.testing.assert_array_equal(ours[name][column], values, err_msg=f"{name}.{column}")


def one(control: Any) -> list[FlowGroup]:
    return [
        FlowGroup(name="f", count=1, transport=Tcp(recovery="sack", control=control), app=parshall.Bulk())
    ]


def make(limit: float) -> type[Control]:
    class Limited(Control):
        gain: float = 1.0

        def on_ack(self, ack: parshall.control.Ack) -> None:
            self.cwnd = min(self.cwnd + self.gain, limit)

    return Limited


def build(folder: Path, name: str, text: str) -> Path:
    (folder / f"{name}.c").write_text(text)
    made = folder / f"{name}.so"
    command = [
        "cc",
        "-fPIC",
        "-shared",
        "-I",
        str(header.INSTALLED),
        str(folder / f"{name}.c"),
        "-o",
        str(made),
    ]
    subprocess.run(command, check=True)
    return made


def build_examples(folder: Path) -> None:
    """Builds the examples' shared libraries as their first lines say."""
    include = str(header.INSTALLED)
    for name in ("aimd", "vegas", "cubic"):
        build = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-ffp-contract=off"]
        source, made = str(EXAMPLES / f"{name}.c"), str(folder / f"{name}.so")
        subprocess.run([*build, "-I", include, source, "-o", made], check=True)
    shutil.copy(EXAMPLES / "aimd.rs", folder)
    shutil.copy(header.INSTALLED / "parshall_control.rs", folder)
    build = ["rustc", "-O", "--edition", "2021", "--crate-type", "cdylib", "-D", "warnings"]
    subprocess.run([*build, "aimd.rs", "-o", "libaimd.so"], check=True, cwd=folder)
