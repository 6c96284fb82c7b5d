"""The claims of the playground's lessons, over seeds 1 to 3: each in direction and order of magnitude.

Scenarios, variants and sliders are those of the page (`play/site/lessons`, `lessons.mjs`). The bounds leave
room for other seeds and say no more than the lesson does.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import Recording, play

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="no node, which reads the lessons")

SITE = Path(play.__file__).with_name("site")
SEEDS = (1, 2, 3)
AF11, AF13 = 10, 14


class Lesson:
    """A lesson of the page, which runs as its buttons and its slider leave it."""

    def __init__(self, told: dict[str, Any], folder: Path) -> None:
        self.slider: list[str | int] = told["slider"]["path"]
        self.range: list[float] = told["slider"]["range"]
        self.variants = {each["label"]: each["changes"] for each in told["variants"]}
        self.text = (SITE / "lessons" / f"{told['id']}.toml").read_text(encoding="utf-8")
        self.file = folder / "lesson.json"

    def runs(self, *pressed: str, slide: float | None = None) -> list[Recording]:
        """Recordings, one for each seed, after these variants were pressed and the slider was moved."""
        data = tomllib.loads(self.text)
        for path, value in (change for label in pressed for change in self.variants[label]):
            _change(data, path, value)
        if slide is not None:
            assert self.range[0] <= slide <= self.range[1]
            _change(data, self.slider, slide)
        self.file.write_text(json.dumps(data))
        scenario = parshall.load(self.file)
        return [parshall.run(scenario, seed=seed) for seed in SEEDS]


def _change(data: Any, path: list[str | int], value: Any) -> None:
    for step in path[:-1]:
        data = data[step]
    if value is None:
        data.pop(path[-1], None)
    else:
        data[path[-1]] = value


@pytest.fixture(scope="module")
def told() -> dict[str, dict[str, Any]]:
    done = subprocess.run(
        ["node", Path(__file__).parent / "play_node.mjs", SITE],
        input='{"ask": "lessons"}\n',
        capture_output=True,
        text=True,
        check=True,
    )
    return {each["id"]: each for each in json.loads(done.stdout)["answer"]}


@pytest.fixture
def lesson(told: dict[str, dict[str, Any]], tmp_path: Path, request: pytest.FixtureRequest) -> Lesson:
    """The lesson that the test is named after."""
    name = request.node.originalname.removeprefix("test_")
    return Lesson(told[name.replace("_", "-")], tmp_path)


def goodputs(run: Recording) -> dict[str, float]:
    """Goodput of each flow, in Mbit/s."""
    return {name: run.flow(name).goodput / 1e6 for name in run.flows}


def total(run: Recording) -> float:
    return sum(goodputs(run).values())


def delay(run: Recording) -> float:
    """Mean queueing delay at the bottleneck, in ms."""
    return 1e3 * run.port("bottleneck").mean_delay


def share(run: Recording, name: str) -> float:
    """Part of one flow in the goodput of all."""
    return goodputs(run)[name] / total(run)


def timeouts(runs: list[Recording]) -> tuple[int, int]:
    """Timeouts and spurious ones, of all flows in all runs."""
    flows = [run.flow(name) for run in runs for name in run.flows]
    return sum(flow.timeouts for flow in flows), sum(flow.spurious_timeouts for flow in flows)


def test_every_lesson_has_its_claims(told: dict[str, dict[str, Any]]) -> None:
    tests = {name.removeprefix("test_").replace("_", "-") for name in globals() if name.startswith("test_")}
    assert len(told) == 9
    assert set(told) <= tests


@pytest.mark.parametrize(
    ("name", "said", "times"),
    [
        ("bufferbloat", "the 48 that the path itself holds", 1),
        ("bbr", "some 200 packets, twice what the path holds", 2),
    ],
)
def test_what_the_path_holds_is_said_in_packets_as_they_are_on_the_wire(
    name: str, said: str, times: int, told: dict[str, dict[str, Any]]
) -> None:
    bell = tomllib.loads((SITE / "lessons" / f"{name}.toml").read_text(encoding="utf-8"))["dumbbell"]
    rate = parshall.units.parse_rate(bell["rate"])
    delay, access = (parshall.units.parse_duration(bell[key]) for key in ("delay", "access_delay"))
    tcp = parshall.Tcp()
    path = rate * 2 * (delay + 2 * access) / (8 * (tcp.payload_bytes + tcp.header_bytes))
    assert said in " ".join(told[name]["text"])
    (number,) = map(int, re.findall(r"\d+", said))
    assert number == pytest.approx(times * path, rel=0.05)


def test_bufferbloat(lesson: Lesson) -> None:
    """Half a second of delay for no goodput; 40 packets or an AQM carry as much with 25 ms or less."""
    large = lesson.runs()
    small = lesson.runs(slide=40)
    assert all(400 < delay(run) < 700 for run in large)
    assert all(18 < delay(run) < 33 for run in small)
    for kept in (small, *(lesson.runs(label) for label in ("CoDel", "FQ-CoDel", "PIE"))):
        assert all(delay(run) < 33 for run in kept)
        assert all(total(own) > 0.97 * total(run) for own, run in zip(kept, large, strict=True))
    # Half of what the path holds is too little for all of the goodput; so the slider has a best place.
    assert all(total(own) < 0.96 * total(run) for own, run in zip(lesson.runs(slide=5), small, strict=True))


@pytest.mark.parametrize("version", ["BBR, version 1", "bounded, as version 3"])
def test_bbr(lesson: Lesson, version: str) -> None:
    """Nearly all for BBR over a shallow buffer, drops for both; half at twice the path; little beyond."""
    shallow = lesson.runs(version)
    assert all(share(run, "bbr1") > 0.9 for run in shallow)
    assert all(run.flow(name).packets_dropped > 0 for run in shallow for name in run.flows)
    alone = lesson.runs(version, "CUBIC instead")
    drops = [[run.port("bottleneck").packets_dropped for run in runs] for runs in (shallow, alone)]
    assert all(with_bbr > 3 * without for with_bbr, without in zip(*drops, strict=True))
    assert all(0.4 < share(run, "bbr1") < 0.7 for run in lesson.runs(version, slide=200))
    deep = lesson.runs(version, slide=1000)
    assert all(share(run, "bbr1") < 0.3 for run in deep)
    assert all(delay(run) > 200 for run in deep)


@pytest.mark.parametrize("control", ["AIMD", "CUBIC"])
def test_rtt_unfairness(lesson: Lesson, control: str) -> None:
    """More for the near flow, the further away the other is; with a queue for each its half at most."""
    placed = {at: lesson.runs(control, "Drop-tail", slide=at) for at in (0.01, 0.02, 0.05)}
    near = {at: [share(run, "near1") for run in runs] for at, runs in placed.items()}
    assert max(near[0.01]) < min(near[0.02])
    assert max(near[0.02]) < min(near[0.05])
    assert min(near[0.01]) > 0.6
    for at, runs in placed.items():
        fair = lesson.runs(control, "FQ-CoDel", slide=at)
        assert all(goodputs(run)["near1"] < 5.5 for run in fair), "half of the link, and 10 % of it"
        assert all(
            goodputs(own)["far1"] > 1.4 * goodputs(run)["far1"] for own, run in zip(fair, runs, strict=True)
        )
    assert all(share(run, "near1") < 0.6 for run in lesson.runs(control, "FQ-CoDel"))


def test_phase(lesson: Lesson) -> None:
    """Shares that jump within half a millisecond, which delays at random end."""
    steps = (5e-3, 6.5e-3, 7e-3, 7.5e-3, 9e-3)
    by_random = {
        label: {at: [share(run, "second1") for run in lesson.runs(label, slide=at)] for at in steps}
        for label in lesson.variants
    }
    nothing = by_random["nothing random"]
    assert all(len(set(shares)) == 1 for shares in nothing.values())
    assert 0.85 < nothing[7e-3][0] < 0.95
    assert all(nothing[at][0] < 0.7 for at in steps if at != 7e-3)
    assert max(max(shares) for shares in by_random["10 ms at random"].values()) < 0.8
    assert all(0.4 < own < 0.65 for shares in by_random["40 ms at random"].values() for own in shares)


def test_timeout_median(lesson: Lesson) -> None:
    """Mean and median within a quarter of each other; a low floor repeats in vain, a high one waits."""
    found = {
        (label, floor): lesson.runs(label, slide=floor)
        for label in ("Mean (RFC 6298)", "Median of 5")
        for floor in (0.02, 0.2, 1.0)
    }
    for floor in (0.02, 0.2, 1.0):
        mean, median = (timeouts(found[label, floor]) for label in ("Mean (RFC 6298)", "Median of 5"))
        assert all(
            abs(one - other) <= 0.25 * max(one, other) for one, other in zip(mean, median, strict=True)
        )
    low, middle, high = (found["Mean (RFC 6298)", floor] for floor in (0.02, 0.2, 1.0))
    assert timeouts(low)[1] > 0.6 * timeouts(low)[0]
    assert timeouts(low)[1] > 5 * timeouts(middle)[1]
    assert timeouts(high)[1] == 0
    assert all(total(own) < 0.97 * total(run) for own, run in zip(high, middle, strict=True))


@pytest.mark.parametrize("queue", ["RED", "Drop-tail", "PIE"])
def test_share(lesson: Lesson, queue: str) -> None:
    """An estimate within a point, the truth within its bounds; with PIE at most one TCP flow is mistaken."""
    most = 0.1 if queue == "PIE" else 0.01
    for video in (1, 4, 8, 16):
        for run in lesson.runs(queue, slide=video):
            found = run.to_pandas("responsiveness").dropna(subset=["share"])
            truth = found.packets_udp / found.packets
            assert len(found) > 30, "of 60 intervals"
            assert np.median(np.abs(found.share - truth)) < most
            assert truth.mean() == pytest.approx(video / 20, abs=0.05)
            if queue != "PIE":
                assert ((found.share_lower <= truth) & (truth <= found.share_upper)).mean() > 0.9


def test_arima(lesson: Lesson) -> None:
    """The queue of CUBIC with or without the forecast, and half of it or less with stock Vegas."""
    found = {label: [delay(run) for run in lesson.runs(label)] for label in lesson.variants}
    for own, last, cubic, vegas in zip(
        *(found[label] for label in ("CA-ARTT", "last value for forecast", "CUBIC", "Vegas")), strict=True
    ):
        assert 0.8 * cubic < own < 1.05 * cubic
        assert last == pytest.approx(own, rel=0.15)
        assert vegas < 0.6 * own
    assert all(delay(run) > 0.8 * min(found["CUBIC"]) for beta in (1, 30) for run in lesson.runs(slide=beta))


def test_throughput(lesson: Lesson) -> None:
    """Less queue than AIMD has, at any load, for at most an eighth of the goodput."""
    for rate, part in ((0.5e6, 0.4), (3e6, 0.4), (6e6, 0.6), (9e6, 1.0)):
        pairs = zip(lesson.runs("TCP-TP", slide=rate), lesson.runs("AIMD", slide=rate), strict=True)
        for own, aimd in pairs:
            assert delay(own) < part * delay(aimd)
            assert 0.875 * total(aimd) < total(own) < 1.01 * total(aimd)


def test_precedences(lesson: Lesson) -> None:
    """Gold has what it paid for, green packets are spared; equal at 1 Mbit/s, and no effect in drop-tail."""
    for run in lesson.runs():
        found = goodputs(run)
        assert found["gold"] == pytest.approx(6, rel=0.1)
        assert found["silver"] < 2.4
        green, others = _dropped(run, AF11), _dropped(run, AF13)
        assert others > 30
        assert green < 0.3 * others
    for run in lesson.runs(slide=1e6):
        assert goodputs(run)["gold"] == pytest.approx(goodputs(run)["silver"], rel=0.15)
    without = [goodputs(lesson.runs("without: drop-tail", slide=rate)[0]) for rate in (1e6, 6e6)]
    assert without[0] == without[1]
    assert without[0]["gold"] == pytest.approx(without[0]["silver"], rel=0.25)


def _dropped(run: Recording, dscp: int) -> int:
    """Packets of a code point that the core dropped."""
    classes = run.to_pandas("classes")
    own = classes[classes.dscp == dscp]
    return int((own.early_drops + own.forced_drops).sum())
