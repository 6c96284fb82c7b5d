"""The study of the fluid model: packets beside models, the claims on made-up numbers, and the page."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from parshall import run
from parshall.engine.measure import measure
from parshall.fluid import equilibria, stability
from parshall_studies import study as st
from parshall_studies.fluid import STUDY, measures
from parshall_studies.fluid.claims import TOPICS
from parshall_studies.fluid.measures import LOADS, busiest_frequency, networks, of_run, queue_of, rest
from parshall_studies.fluid.setting import CALM, CHAPTER, LADDER, Setting
from parshall_studies.study.claims import judge

GUIDE = Path(__file__).parents[1] / "docs" / "fluid.md"


def rest_of(setting: Setting, model: str) -> dict[str, float]:
    return rest(setting.model(model))


def packets(settings: list[Setting], seeds: int, duration: float, warm_up: float) -> list[dict[str, float]]:
    """What is measured of each setting, averaged over seeds."""
    scenarios = {
        place: each.scenario(duration, warm_up, sample_every=0.01) for place, each in enumerate(settings)
    }
    tables = ("flows", "ports", "port_series")
    found = measure(
        scenarios, range(1, seeds + 1), lambda place, one: of_run(settings[place], one), tables=tables
    )
    return [
        {name: float(np.mean([row[name] for row in rows])) for name in rows[0]} for rows in found.values()
    ]


# --- Beside packets -----------------------------------------------------------------------------------------


def test_the_model_of_whole_packets_rests_where_packets_do() -> None:
    loads = [CALM, CALM.with_(cbr=40), CALM.with_(cbr=20, elsewhere=0.02)]
    for setting, measured in zip(loads, packets(loads, 2, 30.0, 10.0), strict=True):
        whole, document = (rest_of(setting, name) for name in ("whole", "document"))
        assert whole["share"] == pytest.approx(measured["share"], abs=0.01)
        assert whole["queue"] == pytest.approx(measured["queue"], rel=0.2)
        assert whole["loss"] == pytest.approx(measured["loss"], rel=0.3)
        assert whole["window"] == pytest.approx(measured["window"], rel=0.1)
        # The document's constant asks for far more loss, as sqrt(2 / p) is above what TCP keeps.
        assert document["loss"] > 1.4 * measured["loss"]
        assert document["queue"] > 1.1 * measured["queue"]


def test_the_shares_of_the_chapter_are_those_of_packets() -> None:
    loads = [CHAPTER.with_(cbr=cbr) for cbr in (16, 22, 25)]
    found = packets(loads, 2, 40.0, 10.0)
    for setting, measured in zip(loads, found, strict=True):
        assert rest_of(setting, "whole")["share"] == pytest.approx(measured["share"], abs=0.035)
    # Counted against all that arrives the load is less than against the capacity, which is the document's.
    assert found[1]["share"] < 22 / 28 - 0.03
    assert rest_of(CHAPTER, "document")["share"] == pytest.approx(22 / 28)


def test_the_deviation_of_the_round_trip_is_that_of_the_samples() -> None:
    setting = CHAPTER.with_(cbr=8)
    recording = run(setting.scenario(8.0, 3.0, sample_every=0.01), 1)
    series = recording.columns("port_series")
    queue = np.asarray(series["backlog_packets"], dtype=float)[np.asarray(series["time"]) >= 3.0]
    round_trips = 0.1 + queue * 8000 / 28e6
    expected = 100 * round_trips.std() / round_trips.mean()
    assert of_run(setting, recording)["rtt_deviation"] == pytest.approx(expected)
    assert 1 < expected < 20


def test_packets_swing_near_the_frequency_of_the_rightmost_root() -> None:
    network = CALM.scenario(40.0, 0.0, sample_every=0.01)
    found = measure(
        {0: network}, range(1, 4), lambda _, one: queue_of(one).numbers["queue"], tables=("port_series",)
    )
    model = CALM.model("whole")
    root = stability(model, equilibria(model).found[0])
    assert root.stable
    frequency = np.mean([busiest_frequency(queue[1000:]) for queue in found[0]])
    assert frequency == pytest.approx(root.frequency, rel=0.25)


def test_the_busiest_frequency_of_a_sine_is_its_own() -> None:
    time = np.arange(0, 60, 0.01)
    noise = np.random.default_rng(1).normal(size=time.size)
    assert busiest_frequency(50 + 10 * np.sin(2 * np.pi * 2.3 * time) + noise) == pytest.approx(2.3, abs=0.1)


def test_a_model_without_rest_has_no_numbers() -> None:
    overloaded = CALM.with_(cbr=120, limit=10**9, most=0.0001).model("document")
    found = rest(overloaded.with_(limit=float("inf")))
    assert set(found) == set(rest_of(CALM, "document"))
    assert all(np.isnan(value) for value in found.values())


# --- Claims on made-up numbers ------------------------------------------------------------------------------

SEEDS = range(1, 13)


class World:
    """Measures in which packets do what the model with a pause does, but for what is changed."""

    def __init__(self) -> None:
        self.packets: dict[tuple[str, int, str], float] = {}
        self.models: dict[tuple[str, int, str], float] = {}
        self.growth = -1.0
        self.frequency = 2.0
        self.deviation = 20.0
        self.length = 1.0
        self.elsewhere = -50.0

    def measures(self) -> st.Measures:
        keys = list(networks())
        rng = np.random.default_rng(2)
        base = {
            "share": 0.5,
            "queue": 30.0,
            "loss": 5.0,
            "window": 4.0,
            "timeouts": 0.1,
            "rtt_deviation": 5.0,
        }
        packets_rows, models_rows = [], []
        for network, cbr, elsewhere in keys:
            own = {**base, "loss": base["loss"] + self.elsewhere * elsewhere}
            label = {"network": network, "cbr": cbr, "elsewhere": elsewhere}
            for seed in SEEDS:
                row = {name: self.packets.get((network, cbr, name), value) for name, value in own.items()}
                noisy = {name: value * (1 + 1e-4 * rng.standard_normal()) for name, value in row.items()}
                packets_rows.append({**label, "seed": seed, **noisy})
            solved = {
                **own,
                "round_trip": 100.0,
                "full": 0.0,
                "growth": -1.0,
                "swing": 9.0,
                "delay_margin": 200.0,
            }
            for name in LADDER:
                changed = {each: self.models.get((name, cbr, each), value) for each, value in solved.items()}
                models_rows.append({**label, "model": name, **changed})
        swings = [
            {"flows": flows, "seed": seed, "deviation": self.deviation * (1 + 1e-4 * rng.standard_normal()),
             "frequency": self.frequency * (1 + 1e-4 * rng.standard_normal())}
            for flows in measures.SWING_FLOWS for seed in SEEDS
        ]  # fmt: skip
        swings_of_models = [
            {"flows": flows, "model": name, "deviation": 40.0, "frequency": 2.0, "growth": 1.0}
            for flows in measures.SWING_FLOWS
            for name in measures.MOVING
        ]
        lengths = [
            {"seed": seed, "length": self.length * (1 + 1e-4 * rng.standard_normal())} for seed in SEEDS
        ]
        of_models = [{"model": name, "length": 1.0} for name in measures.MOVING]
        return {
            "packets": _tidy(packets_rows, ("network", "cbr", "elsewhere", "seed")),
            "models": _tidy(models_rows, ("network", "cbr", "elsewhere", "model")),
            "fixed_loss": _tidy(
                [{"loss": 0.1, "growth": -0.5}, {"loss": 0.2, "growth": self.growth}], ("loss",)
            ),
            "swings": _tidy(swings, ("flows", "seed")),
            "swings_of_models": _tidy(swings_of_models, ("flows", "model")),
            "cycle_lengths": _tidy(lengths, ("seed",)),
            "cycle_lengths_of_models": _tidy(of_models, ("model",)),
        }

    def verdicts(self) -> dict[str, st.Verdict]:
        return {each.claim.id: each.verdict for each in judge(TOPICS, st.Results(self.measures()))}


def _tidy(rows: list[dict[str, Any]], dims: tuple[str, ...]) -> Any:
    return st.tidy({name: [row[name] for row in rows] for name in rows[0]}, dims)


def test_where_models_are_right_everything_holds() -> None:
    found = World().verdicts()
    assert len(found) == 30
    assert set(found.values()) == {st.Verdict.HOLDS}


@pytest.mark.parametrize(
    ("id", "change"),
    [
        ("fixed-loss.stable", {"growth": 0.1}),
        ("figure-1.small-deviation", {"packets": {("chapter", 8, "rtt_deviation"): 11.0}}),
        ("document.share", {"models": {("document", 22, "share"): 0.53}}),
        ("rest.share.timeouts", {"models": {("timeouts", 0, "share"): 0.47}}),
        ("rest.queue.document", {"models": {("document", 27, "queue"): 40.0}}),
        ("rest.loss.whole", {"models": {("whole", 4, "loss"): 3.0}}),
        ("hops.less-here", {"elsewhere": 50.0}),
        ("hops.queue.whole", {"models": {("whole", 20, "queue"): 20.0}}),
        ("hops.loss.document", {"models": {("document", 20, "loss"): 50.0}}),
        ("red.stable.whole", {"models": {("whole", 12, "growth"): 0.5}}),
        ("swings.less-far.document", {"deviation": 50.0}),
        ("swings.frequency.whole", {"frequency": 3.0}),
        ("cycle.length.document", {"length": 0.5}),
    ],
)
def test_one_number_turns_one_claim(id: str, change: dict[str, Any]) -> None:
    world = World()
    for name, value in change.items():
        setattr(world, name, value)
    assert world.verdicts()[id] is st.Verdict.FAILS


def test_a_model_without_rest_leaves_its_claims_open() -> None:
    world = World()
    world.models = {("whole", 12, name): float("nan") for name in ("share", "queue", "loss", "growth")}
    found = world.verdicts()
    for id in ("rest.share.whole", "rest.queue.whole", "rest.loss.whole", "red.stable.whole"):
        assert found[id] is st.Verdict.OPEN, id


# --- End to end ---------------------------------------------------------------------------------------------


def test_a_small_study_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {
        "SWING_SPAN": (5.0, 12.0),
        "SWING_FLOWS": (20, 30, 40, 100),
        "RATES": (30e6,),
        "STEP": (8.0, 10.0, 12.0),
        "CYCLE": (3.0, 9.0),
        "GRID_FLOWS": np.geomspace(5, 300, 5),
        "GRID_DELAYS": np.geomspace(0.01, 0.4, 5),
        "_DURATION": 6.0,
        "_WARM_UP": 2.0,
    }
    for name, value in small.items():
        monkeypatch.setattr(measures, name, value)
    console = Console(file=io.StringIO(), width=100)
    done = st.reproduce(STUDY, seeds=10, out=tmp_path / "fluid", console=console)
    assert done.runs == 10 * (len(networks()) + 1 + 1 + len(measures.SWING_FLOWS)) + 1
    assert done.page.too_few == ""
    assert {"rest-over-load", "cycle", "swings", "step", "stability"} <= done.page.items.keys()
    records = json.loads((tmp_path / "fluid" / "claims.json").read_text())
    assert len(records) == 30
    (stable,) = (each for each in records if each["id"] == "fixed-loss.stable")
    assert (stable["verdict"], stable["true"]) == ("holds", 36)
    # A table of the report says what the model's functions say.
    whole = rest_of(CHAPTER, "whole")
    table = done.page.items["rest-chapter-22"]
    assert isinstance(table, st.Table)
    row = next(row for row in table.rows if row[0] == "whole packets, a pause")
    assert [str(cell) for cell in row[1:4]] == [
        f"{whole['share']:.3f}",
        f"{whole['queue']:.1f}",
        f"{whole['loss']:.2f}",
    ]
    text = re.sub(
        r"base64,[^\"]*|<script>.*?</script>",
        "",
        (tmp_path / "fluid" / "report.html").read_text(),
        flags=re.DOTALL,
    )
    assert not re.search(r"\bnan\b|\binf\b", text)
    # And again, with the words only.
    again = st.reproduce(STUDY, source=tmp_path / "fluid", out=tmp_path / "again", console=console)
    assert again.judged.to_json() == done.judged.to_json()


def test_every_setting_has_its_own_network() -> None:
    hashes = {each.scenario(10.0, 1.0).scenario().hash for each in networks().values()}
    assert len(hashes) == len(networks()) == len(LOADS) + 6


def test_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, "docs/fluid.md", "exec"), {})
    printed = capsys.readouterr().out.split()
    assert float(printed[0]) == pytest.approx(rest_of(CHAPTER, "document")["queue"])
