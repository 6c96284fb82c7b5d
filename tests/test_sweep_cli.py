"""``parshall sweep``, as somebody at a terminal meets it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.dataset
import pytest

from parshall import Dumbbell, ParshallError, ScenarioError
from parshall.engine.cache import Cache
from parshall.sweep import load_sweep
from parshall.sweep.schema import json_schema
from test_cli import Outcome, tomllib
from test_ensemble import Batches, batches
from test_startup import FOR_SCENARIOS, HEAVY, loaded

__all__ = ["batches"]

EXAMPLES = sorted((Path(__file__).parent.parent / "examples" / "sweeps").glob("*.toml"))

SWEEP = """\
seeds = 3
metrics = ["goodput", "port:bottleneck.mean_delay"]
scenario = "bell.toml"

[parameters]
rate = ["1 Mbit/s", "2 Mbit/s"]
limit = { path = "queue.limit_packets", values = [5, 20] }
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def schema() -> Any:
    """A judge of files, which takes longer to make than to use."""
    found = json_schema()
    judge = jsonschema.validators.validator_for(found)
    judge.check_schema(found)
    return judge(found)


@pytest.fixture
def file(bell: Dumbbell, tmp_path: Path) -> Path:
    (tmp_path / "bell.toml").write_text(bell.to_toml())
    path = tmp_path / "sweep.toml"
    path.write_text(SWEEP)
    return path


def test_a_sweep_is_run_once_and_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = Outcome(capsys, "sweep", file)
    assert (first.status, first.err) == (0, "")
    assert first.out.endswith(f"4 points, 12 runs, 12 done now. Tables: {Path('out') / 'sweep'}\n")
    result = load_sweep(file).run()
    interval = result.interval("goodput", result.points[0])
    assert re.search(rf"rate, Mbit/s.*\n.*\n +1 +5 +3 +{interval.mean / 1e6:.4g} ± ", first.out)
    rows = pyarrow.dataset.dataset("out/sweep/runs", format="parquet").to_table()
    assert rows.num_rows == 12
    assert {"rate", "limit", "seed", "goodput", "port:bottleneck.mean_delay"} == set(rows.column_names)
    manifest = json.loads(Path("out/sweep/sweep.json").read_text())
    assert manifest["tables"] == ["runs", "flows", "ports"]
    assert manifest["points"][1] == {
        "parameters": {"rate": 1e6, "limit": 20},
        "scenario": result.points[1].scenario.hash,
        "seeds": 3,
    }

    again = Outcome(capsys, "sweep", file, "--out", "there", "--partition", "seed", "--partition", "limit")
    assert "12 runs, 0 done now. Tables: there\n" in again.out
    assert Path("there/ports/seed-2/limit-5/part-0.parquet").exists()
    more = Outcome(capsys, "sweep", file, "--seeds", 4)
    assert "16 runs, 4 done now" in more.out
    without = Outcome(capsys, "sweep", file, "--no-cache", "--jobs", 1)
    assert "12 runs, 12 done now" in without.out


def test_a_dry_run_says_what_is_missing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load_sweep(file).run()
    outcome = Outcome(capsys, "sweep", file, "--seeds", 5, "--dry-run")
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    point = load_sweep(file).points[1]
    assert lines[1] == f"rate=1000000, limit=20  scenario {point.scenario.hash[:12]}"
    assert lines[-1] == "4 points, 20 runs, 8 missing"
    assert not Path("out").exists()


def test_a_failing_run_is_named_and_the_status_tells(
    file: Path, batches: Batches, capsys: pytest.CaptureFixture[str]
) -> None:
    batches.spoiled = {2}
    outcome = Outcome(capsys, "sweep", file)
    assert outcome.status == 1
    lines = outcome.err.splitlines()
    assert len(lines) == 4
    point = load_sweep(file).points[0]
    name = f"variant rate=1000000, limit=5 (scenario {point.scenario.hash[:12]})"
    assert f"parshall: run failed: {name}, seed 2: the engine failed in two lines" in lines
    assert "12 runs, 8 done now, 4 failed. Tables: " in outcome.out
    assert pyarrow.dataset.dataset("out/sweep/runs", format="parquet").count_rows() == 8
    failures = json.loads(Path("out/sweep/sweep.json").read_text())["failures"]
    assert failures[0]["seed"] == 2
    batches.spoiled = {1, 2, 3}
    nothing = Outcome(capsys, "sweep", file, "--out", "none", "--no-cache")
    assert nothing.status == 1
    assert nothing.err.endswith("parshall: every run failed: nothing is written\n")
    assert not Path("none").exists()


def test_a_stop_rule_says_which_points_are_not_narrow_enough(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = '[stop]\nmetric = "goodput"\nhalf_width = 1.0\nmin_seeds = 2\nmax_seeds = 3\n'
    file.write_text(SWEEP + rule)
    outcome = Outcome(capsys, "sweep", file)
    assert "Not narrow enough after 3 seeds: 4 points.\n" in outcome.out
    refused = Outcome(capsys, "sweep", file, "--seeds", 4)
    refused.fails_with(r"--seeds: got 4, expected none: the stop rule of .*sweep\.toml decides", 1)
    listed = Outcome(capsys, "sweep", file, "--dry-run")
    assert listed.out.endswith("4 points, at least 8 runs, 0 missing\n")


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ('[design]\nkind = "list"\npoints = [{ rate = 1e6, delay = "5 ms" }, { rate = 2e6, delay = 0 }]', 2),
        (
            '[design]\nkind = "latin-hypercube"\nn = 5\n[parameters]\nrate = [1e6, 2e6]\n'
            'delay = { low = "1 ms", high = "9 ms" }',
            10,
        ),
        ("[parameters.load.set]\nlow = { rate = 1e6 }\nhigh = { rate = 2e6, delay = 0 }", 2),
        ("", 1),
    ],
)
def test_every_design_can_be_written_in_a_file(schema: Any, file: Path, text: str, points: int) -> None:
    file.write_text(f'scenario = "bell.toml"\n{text}\n')
    schema.validate(tomllib.loads(file.read_text()))
    sweep = load_sweep(file)
    assert len(sweep.points) == points
    assert all(point.scenario.flows for point in sweep.points)


# --- Interrupted ----------------------------------------------------------------------------------------


def started(*arguments: object) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", "import sys; from parshall.cli.main import main; sys.exit(main())"]
    return subprocess.Popen(
        [*program, "sweep", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_results(process: subprocess.Popen[str], cache: Path) -> None:
    """Until some runs are kept. The process is not supposed to end before."""
    deadline = time.monotonic() + 120
    never = threading.Event()
    while not list(cache.glob("v2/*/*-*/index.json")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        never.wait(0.02)


def test_control_c_keeps_what_is_finished(
    file: Path, own_cache: Path, capsys: pytest.CaptureFixture[str], bell: Dumbbell
) -> None:
    Path("bell.toml").write_text(bell.replace("duration", "20 s").to_toml())
    process = started(file, "--seeds", 20_000)
    wait_for_results(process, own_cache)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    said, last = (line for line in errors.splitlines() if line)
    assert last == "parshall: interrupted"
    told = re.fullmatch(r"parshall: ([\d,]+) of 80,000 runs are kept; the same command does the rest", said)
    assert told
    assert not Path("out").exists(), "tables are written when they are whole"
    kept = Cache().find(load_sweep(file).first_runs)
    assert kept
    assert int(told[1].replace(",", "")) >= len(kept)
    rest = Outcome(capsys, "sweep", file)
    assert f"12 runs, {12 - len(kept)} done now" in rest.out
    again = Outcome(capsys, "sweep", file, "--no-cache", "--out", "again")
    assert again.status == 0
    files = sorted(path.relative_to("again") for path in Path("again").rglob("*.parquet"))
    assert len(files) == 6
    for path in files:
        assert (Path("again") / path).read_bytes() == (Path("out/sweep") / path).read_bytes()


def test_a_killed_sweep_keeps_what_is_finished_too(file: Path, own_cache: Path, bell: Dumbbell) -> None:
    Path("bell.toml").write_text(bell.replace("duration", "20 s").to_toml())
    process = started(file, "--seeds", 20_000)
    wait_for_results(process, own_cache)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)
    kept = Cache().find(load_sweep(file).first_runs)
    assert load_sweep(file).run().executed == 12 - len(kept)


# --- Wrong input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("seeds = 3", "seeds = 0", "1: seeds: got 0, expected a whole number from 1 to 4294967295"),
        ("seeds = 3", "seeds = [1, 1]", "1: seeds[1]: got 1 twice, expected seeds that differ"),
        ("seeds = 3", "seds = 3", '1: seds: got an unknown key, expected the key "seeds"'),
        ('["goodput",', '["goodputs",', '2: metrics[0]: got "goodputs", expected a quantity of flows: .*'),
        ("bottleneck.mean", "x.mean", '2: metrics[1]: got "x", expected one of bottleneck, .*'),
        ('"bell.toml"', "7", "3: scenario: got 7, expected the name of a scenario file, or a table .*"),
        ("2 Mbit/s", "2 Mbit", '6: parameters.rate.values[1] (sets rate): got "2 Mbit", expected .*'),
        (
            'rate = ["',
            'rat = ["',
            "6: parameters.rat.values[0] (sets rat): got an unknown field, expected .*",
        ),
        ("[5, 20]", "[5, 0]", "7: parameters.limit.values[1] (sets queue.limit_packets): got 0, expected .*"),
        (
            "values = [5",
            "value = [5",
            '7: parameters.limit.value: got an unknown key, expected the key "values"',
        ),
        ("values = [5, 20]", "low = 5", "7: parameters.limit.high: got nothing, expected a value: .*"),
        (
            "limit =",
            "seed =",
            "7: parameters.seed: got the name of a column of results, expected another name",
        ),
        ("[parameters]", 'design = "sobo"\n[parameters]', '5: design: got "sobo", expected "grid" or .*'),
        ("[parameters]", "design = 3\n[parameters]", "5: design: got 3, expected a table with kind = .*"),
        (
            "[parameters]",
            '[design]\nkind = "sobol"\n[parameters]',
            "5: design.n: got nothing, expected a value: .*",
        ),
        (
            "[parameters]",
            '[stop]\nmetric = "goodput"\nrelative = -1\n[parameters]',
            "7: stop.relative: got -1, expected a number above 0",
        ),
        (
            "[parameters]",
            '[stop]\nmetric = "x"\nrelative = 1\n[parameters]',
            '6: stop.metric: got "x", expected .*',
        ),
        ("[parameters]", "[parameters", "5: got text that is not TOML: .*, expected a sweep file"),
    ],
)
def test_a_wrong_value_names_file_and_line(
    file: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, line: str
) -> None:
    assert old in SWEEP
    file.write_text(SWEEP.replace(old, new, 1))
    pattern = re.escape(line).replace(r"\.\*", ".*").replace(r"\ ", " ")
    separator = "" if line.startswith(":") else ":"
    Outcome(capsys, "sweep", file).fails_with(rf"{re.escape(str(file))}{separator}{pattern}", 1)


def test_a_fault_in_the_scenarios_own_file_names_that_file(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (tmp_path / "bell.toml").read_text()
    (tmp_path / "bell.toml").write_text(text.replace('rate = "2 Mbit/s"', 'rate = "2 Mbits"'))
    Outcome(capsys, "sweep", file).fails_with(
        r'.*bell\.toml:\d+: dumbbell\.rate: got "2 Mbits", expected .*', 1
    )
    (tmp_path / "bell.toml").unlink()
    Outcome(capsys, "sweep", file).fails_with(r".*bell\.toml: no such file, expected a scenario file", 1)


def test_a_fault_in_a_scenario_inside_names_its_place(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = next(example for example in EXAMPLES if example.stem == "queues").read_text()
    file.write_text(text.replace('rate = "5 Mbit/s"', 'rate = "5 Mbits"', 1))
    where = text.splitlines().index('rate = "5 Mbit/s"') + 1
    pattern = rf'.*sweep\.toml:{where}: scenario\.dumbbell\.rate: got "5 Mbits", expected .*'
    Outcome(capsys, "sweep", file).fails_with(pattern, 1)


@pytest.mark.parametrize(
    ("arguments", "pattern", "status"),
    [
        (["--executor", "mpi"], r'executor: got "mpi", expected local, dask, or the address .*', 1),
        (["--executor", "dask", "--jobs", "2"], "jobs: got 2, expected none: the executor knows .*", 1),
        (["--partition", "x"], '--partition: got "x", expected one of rate, limit, seed', 1),
        (["--out", "sweep.toml/x"], ".*expected a folder, and .*sweep.toml is a file", 1),
        (["--jobs", "0"], r".*--jobs.*0.*", 2),
    ],
)
def test_a_wrong_option_is_one_line_before_anything_runs(
    file: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], pattern: str, status: int
) -> None:
    Outcome(capsys, "sweep", file, *arguments).fails_with(pattern, status)


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    Outcome(capsys, "sweep", "none.toml").fails_with("none.toml: no such file, expected a sweep file", 1)


# --- What else a user finds -----------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(schema: Any, example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Outcome(capsys, "sweep", example)
    assert (outcome.status, outcome.err) == (0, "")
    schema.validate(tomllib.loads(example.read_text()))


def test_the_schema_knows_what_the_reader_takes(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Outcome(capsys, "schema", "--sweep")
    schema: Any = json.loads(outcome.out)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(tomllib.loads(SWEEP))
    for old, new in [("seeds = 3", "seeds = 0"), ("values =", "value ="), ("metrics", "metric")]:
        wrong = SWEEP.replace(old, new)
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(tomllib.loads(wrong))
        file.write_text(wrong)
        with pytest.raises((ScenarioError, ParshallError)):
            load_sweep(file)


def test_help_loads_next_to_nothing() -> None:
    assert not loaded("sweep", "--help") & (HEAVY | FOR_SCENARIOS | {"parshall.scenario", "parshall.sweep"})
