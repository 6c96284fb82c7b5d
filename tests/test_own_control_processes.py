"""Controls of users in programs of their own: interrupted, sent elsewhere, and as the guide has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.own_controls import EXAMPLES

SCRIPT = """
import sys, time
import parshall
from parshall import Control, Dumbbell, FlowGroup, Tcp

def hang():
    print("hangs", flush=True)
    while True: pass

class Own(Control):
    hangs: bool = False
    def on_ack(self, ack):
        if self.hangs and ack.now > 1: hang()
        self.cwnd = 12.0
{decorate}

def bell(control):
    tcp = Tcp(recovery="sack", control=control)
    flows = [FlowGroup(name="f", count=2, transport=tcp, app=parshall.Bulk())]
    network = dict(rate="4 Mbit/s", delay="20 ms", access_rate="50 Mbit/s", access_delay="2 ms")
    return Dumbbell(duration="8 s", **network,
        queue=parshall.DropTail(limit_packets=15), flows=flows)

if __name__ == "__main__":
{main}
"""


def script(tmp_path: Path, main: str, decorate: str = "") -> Path:
    path = tmp_path / "script.py"
    indented = "\n".join(f"    {line}" for line in main.splitlines())
    path.write_text(SCRIPT.format(main=indented, decorate=decorate))
    return path


@pytest.mark.parametrize(
    "main",
    [
        "parshall.run(bell(Own(hangs=True)))",
        "parshall.run_many({'a': bell(Own(hangs=True))}, [1], cache=None)",
    ],
)
def test_ctrl_c_ends_a_control_that_does_not_return(tmp_path: Path, main: str) -> None:
    import signal
    import time

    process = subprocess.Popen(
        [sys.executable, str(script(tmp_path, main))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "hangs\n"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0
    assert time.monotonic() - began < 30


def test_the_guide_runs() -> None:
    page = (Path(__file__).parents[1] / "docs" / "guide" / "own-control.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in page.split("```python\n")[1:]]
    assert len(blocks) == 3
    names: dict[str, Any] = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, "docs/guide/own-control.md", "exec", dont_inherit=True), names)
    assert names["recording"].flow("f1").goodput > 9e6
    assert names["recording"].port("bottleneck").mean_delay < 0.03


def test_the_example_draws_its_figure(tmp_path: Path) -> None:
    target = tmp_path / "own.svg"
    script = EXAMPLES.parent / "own_control.py"
    subprocess.run([sys.executable, str(script), str(target)], check=True)
    shown = Path(__file__).parents[1] / "docs" / "figures" / "own-control.svg"
    assert target.read_text().count("<path") == shown.read_text().count("<path")
