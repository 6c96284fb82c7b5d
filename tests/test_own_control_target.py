"""The control of tutorial, guide and ``examples/own_control.py`` holds its target, as all three say."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from parshall import Bulk, DropTail, Dumbbell, FlowGroup, Tcp, run

ROOT = Path(__file__).parents[1]
PLACES = [ROOT / "docs/tutorial/own-control.md", ROOT / "docs/guide/own-control.md"]


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "examples/own_control.py"))


@pytest.mark.parametrize("rate", [5e6, 10e6, 50e6])
@pytest.mark.parametrize("delay", [0.002, 0.019, 0.049])
@pytest.mark.parametrize("target", [0.005, 0.02])
def test_it_holds_its_target(rate: float, delay: float, target: float, example: dict[str, Any]) -> None:
    """Within the time of three packets, at any rate and round trip, once slow start is over."""
    packet = 1040 * 8 / rate
    room = round(2 * (2 * delay + target) / packet)
    bell = Dumbbell(
        duration="20 s",
        warm_up="5 s",
        rate=rate,
        delay=delay,
        access_rate="1 Gbit/s",
        access_delay="0.5 ms",
        queue=DropTail(limit_packets=max(20, room)),
        flows=[
            FlowGroup(
                name="f", transport=Tcp(recovery="sack", control=example["Gentle"](target=target)), app=Bulk()
            )
        ],
    )
    port = run(bell, seed=1).port("bottleneck")
    assert port.mean_delay == pytest.approx(target, abs=3 * packet)
    assert port.utilization > 0.99


def test_the_second_flow_drives_the_first_away(example: dict[str, Any]) -> None:
    """As the guide says of its picture, in the same network, and the queue doubles."""
    recording = run(example["network"](example["Gentle"]()).with_(warm_up="15 s"), seed=1)
    first, second = (recording.flow(name).goodput for name in ("first1", "second1"))
    assert second > 10 * first
    assert recording.port("bottleneck").mean_delay == pytest.approx(0.01, abs=0.002)


@pytest.mark.parametrize("page", PLACES, ids=lambda page: page.parent.name)
def test_pages_have_the_same_control(page: Path) -> None:
    def method(text: str) -> str:
        found = re.search(r"^class Gentle.*?(?=^[^\s#])", text, re.MULTILINE | re.DOTALL)
        assert found is not None
        (shown,) = ast.parse(found[0]).body
        (steps,) = [part.body for part in ast.walk(shown) if isinstance(part, ast.FunctionDef)]
        return "\n".join(map(ast.unparse, steps))

    assert method(page.read_text()) == method((ROOT / "examples/own_control.py").read_text())
