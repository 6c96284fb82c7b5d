"""Claims and studies: every rule of a verdict, and what is left behind when a study ends well or badly."""

from __future__ import annotations

import errno
import io
import json
import math
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from rich.console import Console

from parshall import claims, plot, study
from parshall.claims import Claim, Kind, Verdict
from parshall.errors import InputError, OutputError, ParshallError
from parshall.report import Assumption, Column, Document, Figure, Finding, Section, Table
from parshall.scenario import Bulk, Dumbbell, FlowGroup, Tcp

KEYS = ["id", "where", "statement", "paper", "ours", "low", "high", "n", "verdict"]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


# --- Verdicts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paper", "verdict"),
    [(100.0, Verdict.HOLDS), (81.0, Verdict.HOLDS), (70.0, Verdict.FAILS), (130.0, Verdict.FAILS)],
)
def test_a_printed_number_is_compared_with_single_runs_not_with_the_mean(
    rng: np.random.Generator, paper: float, verdict: Verdict
) -> None:
    values = rng.normal(100.0, 10.0, 100)
    claim = claims.printed("a", "Table I", "A number.", paper, values)
    assert claim.verdict is verdict
    assert claim.low is not None
    assert claim.high is not None
    # The interval shown is the mean's, far narrower than the one that decides.
    assert claim.low < np.mean(values) < claim.high
    assert claim.high - claim.low < 5
    assert claim.run is not None
    assert claim.run.contains(paper) is (verdict is Verdict.HOLDS)


@pytest.mark.parametrize(
    ("shift", "direction", "verdict"),
    [
        (1.0, "greater", Verdict.HOLDS),
        (1.0, "less", Verdict.FAILS),
        (-1.0, "less", Verdict.HOLDS),
        (-1.0, "greater", Verdict.FAILS),
        (0.0, "greater", Verdict.OPEN),
        (0.0, "less", Verdict.OPEN),
    ],
)
def test_a_comparison_is_decided_by_the_side_of_the_paired_interval(
    rng: np.random.Generator, shift: float, direction: claims.Direction, verdict: Verdict
) -> None:
    load = rng.normal(700.0, 50.0, 60)
    noise = rng.normal(0.0, 1.0, 60)
    claim = claims.compared("a", "text", "More.", direction, load + shift + noise - noise.mean(), load)
    assert claim.verdict is verdict
    assert claim.ours == pytest.approx(shift, abs=1e-9)


def test_equal_in_every_run_is_neither_more_nor_less() -> None:
    same = np.arange(20.0)
    for direction in ("greater", "less"):
        assert claims.compared("a", "text", "Differs.", direction, same, same).verdict is Verdict.FAILS


def _three(shifts: Sequence[float], rng: np.random.Generator) -> list[tuple[Any, Any]]:
    base = rng.normal(0.0, 5.0, 50)
    pairs = []
    for shift in shifts:
        noise = rng.normal(0.0, 1.0, 50)
        pairs.append((base + shift + noise - noise.mean(), base))
    return pairs


@pytest.mark.parametrize(
    ("shifts", "verdict", "shown"),
    [
        ((1.0, 2.0, 3.0), Verdict.HOLDS, 1.0),
        ((1.0, 0.0, 3.0), Verdict.OPEN, 0.0),
        ((1.0, 0.0, -3.0), Verdict.FAILS, -3.0),
    ],
)
def test_all_of_stands_and_falls_with_its_least_favourable_member(
    rng: np.random.Generator, shifts: Sequence[float], verdict: Verdict, shown: float
) -> None:
    claim = claims.all_compared("a", "text", "All more.", "greater", _three(shifts, rng))
    assert (claim.verdict, claim.ours) == (verdict, pytest.approx(shown, abs=1e-9))
    mirrored = [(base - (values - base), base) for values, base in _three(shifts, np.random.default_rng(7))]
    claim = claims.all_compared("a", "text", "All less.", "less", mirrored)
    assert claim.verdict is verdict
    assert claim.ours == pytest.approx(-shown, abs=1e-9)


def test_all_of_needs_more_than_each_alone(rng: np.random.Generator) -> None:
    # Just significant alone, at 95 % of two-sided t: not enough for one of ten.
    base = np.zeros(50)
    noise = rng.normal(0.0, 1.0, 50)
    values = base + noise - noise.mean() + 2.1 * np.std(noise, ddof=1) / math.sqrt(50)
    assert claims.compared("a", "text", "More.", "greater", values, base).verdict is Verdict.HOLDS
    assert claims.all_compared("a", "text", "All.", "greater", [(values, base)] * 10).verdict is Verdict.OPEN


@pytest.mark.parametrize(
    ("paper", "verdict"), [(60.0, Verdict.HOLDS), (-60.0, Verdict.HOLDS), (5.0, Verdict.FAILS)]
)
def test_a_printed_difference_is_noise_when_another_seed_makes_as_much(
    rng: np.random.Generator, paper: float, verdict: Verdict
) -> None:
    # Two runs with deviation 10 differ by less than 27.7 in 95 % of pairs.
    baseline = rng.normal(0.0, 10.0, 100)
    assert claims.beyond_noise("a", "noise", "More.", paper, baseline).verdict is verdict
    bound = claims.beyond_noise("a", "noise", "More.", paper, baseline).ours
    assert claims.beyond_noise("a", "noise", "More.", bound or 0.0, baseline).verdict is Verdict.OPEN


def test_never_is_refuted_by_one_occurrence() -> None:
    assert claims.never("a", "text", "Never.", [False] * 99 + [True]).verdict is Verdict.FAILS
    unseen = claims.never("a", "text", "Never.", [False] * 100)
    assert unseen.verdict is Verdict.HOLDS
    assert unseen.high is not None
    assert 0.02 < unseen.high < 0.05


@pytest.mark.parametrize("n", [1, 2, claims.FEWEST_SEEDS - 1])
def test_nothing_but_a_refutation_can_be_told_from_too_few_seeds(rng: np.random.Generator, n: int) -> None:
    few = rng.normal(100.0, 1.0, n)
    made = [
        claims.printed("a", "t", "s", 100.0, few),
        claims.printed("b", "t", "s", 1e9, few),
        claims.compared("c", "t", "s", "greater", few, few - 50),
        claims.all_compared("d", "t", "s", "greater", [(few, few - 50), (few, few - 60)]),
        claims.beyond_noise("e", "t", "s", 1e9, few),
        claims.never("f", "t", "s", [False] * n),
    ]
    assert {claim.verdict for claim in made} == {Verdict.OPEN}


def test_every_kind_of_claim_has_its_rule() -> None:
    assert set(claims.RULES) == set(Kind)


# --- claims.json --------------------------------------------------------------------------------------------


def _strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_records_have_exactly_the_agreed_keys_and_no_nan() -> None:
    made = [
        claims.printed("a", "Table I", "A number.", 3.0, [1.0]),
        claims.compared("b", "text", "More.", "greater", [float("nan")] * 12, [0.0] * 12),
    ]
    records = _strict(claims.to_json(made))
    assert [list(record) for record in records] == [KEYS, KEYS]
    assert records[0] == {
        "id": "a",
        "where": "Table I",
        "statement": "A number.",
        "paper": 3.0,
        "ours": 1.0,
        "low": None,
        "high": None,
        "n": 1,
        "verdict": "cannot be told",
    }
    assert (records[1]["ours"], records[1]["n"]) == (None, 0)


def test_an_id_that_occurs_twice_is_refused() -> None:
    claim = claims.printed("twice", "t", "s", 1.0, [1.0, 2.0])
    with pytest.raises(ValueError, match="'twice'"):
        claims.to_json([claim, claim])


# --- A study from end to end --------------------------------------------------------------------------------


class ToyStudy:
    """Measures the seeds themselves."""

    name = "toy"
    title = "A toy"
    document = Document("On Seeds", "A. Nobody")
    seeds = 12
    assumptions: Sequence[Assumption] = (Assumption("Seeds", "Nothing.", "They are numbers.", "They are."),)

    def __init__(self, during: Callable[[study.Workbench], None] = lambda bench: None) -> None:
        self.during = during

    def scenarios(self) -> Mapping[str, Dumbbell]:
        transport, app = Tcp(), Bulk()
        group = FlowGroup(transport=transport, app=app)
        return {
            "one": Dumbbell(
                duration=1, rate=1e6, delay=0.01, access_rate=1e7, access_delay=0.001, flows=[group]
            )
        }

    def measure(self, bench: study.Workbench) -> study.Measures:
        self.during(bench)
        values = [float(seed) for seed in bench.track("Seeds", list(bench.seeds))]
        return {"values": pa.table({"seed": list(bench.seeds), "value": values})}

    def claims(self, measures: study.Measures) -> list[Claim]:
        values = measures["values"]["value"].to_numpy()
        return [
            claims.printed("mean", "Page 1", "The <mean> seed.", 6.5, values, unit="seeds"),
            claims.compared("positive", "Page 1", "Seeds are above zero.", "greater", values, 0 * values),
            replace(claims.never("zero", "Beyond", "No seed is zero.", list(values == 0)), of_document=False),
        ]

    def sections(self, measures: study.Measures, made: Sequence[Claim]) -> list[Section]:
        with plot.drawing() as (canvas, (axis,)):
            axis.plot(measures["values"]["value"].to_numpy())
            svg = plot.to_svg(canvas, "fig-1", "Seeds", "A line that rises.")
        figure = Figure("fig-1", "Seeds", "The seeds.", svg, data=measures["values"])
        table = Table(
            "tab-1", "Verdicts", "", (Column("Claim"), Column("Verdict")), (("one", made[0].verdict),)
        )
        return [Section("all", "All", ("Text.",), (figure, table))]

    def findings(self, measures: study.Measures, made: Sequence[Claim]) -> list[Finding]:
        return [Finding("Seeds", f"There are {measures['values'].num_rows}.")]


def _reproduce(toy: study.Study, out: Path, **options: Any) -> tuple[study.Reproduction, str]:
    stream = io.StringIO()
    console = Console(file=stream, width=100)
    done = study.reproduce(toy, out=out, cache=False, console=console, **options)
    return done, stream.getvalue()


def test_a_study_leaves_report_claims_figures_and_tables(tmp_path: Path) -> None:
    done, printed = _reproduce(ToyStudy(), tmp_path / "deep" / "out")
    found = {str(path.relative_to(done.out)) for path in done.out.rglob("*") if path.is_file()}
    assert found == {"report.html", "claims.json", "values.parquet", "figures/fig-1.svg"}
    records = _strict((done.out / "claims.json").read_text())
    assert [record["id"] for record in records] == ["mean", "positive", "zero"]
    assert records == [claim.record() for claim in done.claims]
    assert parquet.read_table(done.out / "values.parquet").equals(done.measures["values"])
    assert "There are 12." in (done.out / "report.html").read_text()
    assert (done.out / "figures" / "fig-1.svg").read_text().startswith("<svg xmlns=")
    # Only the document's claims stand in the terminal's table; all are counted.
    assert "The <mean> seed." in printed
    assert "No seed is zero." not in printed
    assert "Of the document's claims: holds 2, does not hold 0, cannot be told 0." in printed
    assert "Beyond the document: holds 1, does not hold 0, cannot be told 0." in printed


def test_the_same_study_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        _reproduce(ToyStudy(), tmp_path / name)
    for path in sorted((tmp_path / "a").rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes(), path


def test_a_second_run_replaces_the_first_and_leaves_other_files_alone(tmp_path: Path) -> None:
    _reproduce(ToyStudy(), tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    _reproduce(ToyStudy(), tmp_path, seeds=20)
    assert len(parquet.read_table(tmp_path / "values.parquet")) == 20
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert not list(tmp_path.glob(".parshall-*"))


def test_where_out_goes_unless_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = study.reproduce(ToyStudy(), console=Console(file=io.StringIO()))
    assert done.out == Path("out/toy")
    assert (tmp_path / "out" / "toy" / "report.html").is_file()


def test_progress_shows_how_far_and_the_time_left(tmp_path: Path) -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100)
    study.reproduce(ToyStudy(), out=tmp_path, console=console)
    assert "Seeds" in stream.getvalue()
    assert "12/12" in stream.getvalue()
    assert "left" in stream.getvalue()


def test_the_workbench_runs_scenarios_over_its_seeds(tmp_path: Path) -> None:
    toy = ToyStudy()
    ensembles = []
    toy.during = lambda bench: ensembles.append(bench.run("Runs", toy.scenarios(), tables=("flows",)))
    done, _ = _reproduce(toy, tmp_path, seeds=3, jobs=1)
    assert done.runs == 3
    assert ensembles[0].table("flows")["seed"].to_pylist() == [1, 2, 3]
    assert "Runs</dt><dd>3</dd>" in (tmp_path / "report.html").read_text()


# --- What is refused, and what is left behind ---------------------------------------------------------------


def test_an_unknown_study_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r'study: got "tcp-tp2", expected one of .*median-rto'):
        study.reproduce("tcp-tp2")


def test_every_listed_study_can_be_found_and_says_what_it_is() -> None:
    listed = study.list_studies()
    assert [each.name for each in listed] == sorted(each.name for each in listed)
    for each in listed:
        assert study.find_study(each.name) is each
        assert each.title
        assert each.document.title
        assert each.assumptions
        networks = [scenario.scenario() for scenario in each.scenarios().values()]
        small = [network for network in networks if len(network.flows) < 500]  # thousands take long to hash
        assert small
        assert all(network.hash for network in small)


@pytest.mark.parametrize("field", ["seeds", "jobs"])
@pytest.mark.parametrize("value", [0, -3, 2.5, True, "many"])
def test_counts_must_be_whole_and_positive(tmp_path: Path, field: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"{field}: got .*, expected a whole number of at least 1"):
        study.reproduce(ToyStudy(), out=tmp_path / "out", **{field: value})
    assert not (tmp_path / "out").exists()


def test_an_output_folder_that_is_a_file_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")

    def never(bench: study.Workbench) -> None:
        raise AssertionError("the work was done")

    for out in (tmp_path / "taken", tmp_path / "taken" / "below"):
        with pytest.raises(OutputError, match=r"expected a folder, and .*taken is a file"):
            _reproduce(ToyStudy(never), out)


@pytest.mark.parametrize("error", [ParshallError("no"), KeyboardInterrupt(), ZeroDivisionError()])
def test_a_study_that_does_not_end_leaves_nothing(tmp_path: Path, error: BaseException) -> None:
    def fail(bench: study.Workbench) -> None:
        raise error

    with pytest.raises(type(error)):
        _reproduce(ToyStudy(fail), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_full_disk_leaves_the_earlier_result_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _reproduce(ToyStudy(), tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    opened = Path.open
    written: list[Path] = []

    def fill_up(path: Path, mode: str = "r", *args: Any, **options: Any) -> Any:
        if "w" in mode:
            written.append(path)
            if len(written) == 3:
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return opened(path, mode, *args, **options)

    monkeypatch.setattr(Path, "open", fill_up)
    for out in (tmp_path / "out", tmp_path / "new"):
        written.clear()
        with pytest.raises(OutputError, match="the disk is full") as caught:
            _reproduce(ToyStudy(), out, seeds=30)
        assert "\n" not in str(caught.value)
    monkeypatch.undo()
    after = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert after == before
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes to be set")
def test_a_limit_of_the_system_on_file_sizes_leaves_nothing(tmp_path: Path) -> None:
    program = f"""
import io, resource, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from rich.console import Console
from parshall import study
from parshall.errors import OutputError
from test_study_framework import ToyStudy
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    study.reproduce(ToyStudy(), out={str(tmp_path / "out")!r}, console=Console(file=io.StringIO()))
except OutputError as error:
    sys.stdout.write(str(error))
"""
    ended = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith(str(tmp_path / "out"))
    assert "too large" in ended.stdout
    assert not (tmp_path / "out").exists()


# --- Measured data ------------------------------------------------------------------------------------------


def test_absent_data_is_said_in_the_report_and_in_the_terminal(tmp_path: Path) -> None:
    found: list[Path] = []
    toy = ToyStudy(lambda bench: found.extend(bench.data_files("rtt/*.csv.gz", "Measured RTTs")))
    _, printed = _reproduce(toy, tmp_path / "out", data=tmp_path)
    assert found == []
    note = "Left out: Measured RTTs: the data folder has no rtt/*.csv.gz"
    assert note in " ".join(printed.split())
    assert note in (tmp_path / "out" / "report.html").read_text()


def test_data_is_found_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rtt").mkdir()
    for name in ("b.csv.gz", "a.csv.gz"):
        (tmp_path / "rtt" / name).touch()
    monkeypatch.setenv("PARSHALL_DATA", str(tmp_path))
    found: list[Path] = []
    toy = ToyStudy(lambda bench: found.extend(bench.data_files("rtt/*.csv.gz", "Measured RTTs")))
    _reproduce(toy, tmp_path / "out")
    assert [path.name for path in found] == ["a.csv.gz", "b.csv.gz"]


def test_a_data_folder_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"data: got .*nowhere.*, expected a folder"):
        _reproduce(ToyStudy(), tmp_path / "out", data=tmp_path / "nowhere")
    monkeypatch.setenv("PARSHALL_DATA", "/nowhere")
    with pytest.raises(InputError, match='PARSHALL_DATA: got "/nowhere", expected a folder'):
        _reproduce(ToyStudy(), tmp_path / "out")


# --- The example in the documentation ---------------------------------------------------------------------


def test_the_documented_study_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[1] / "docs" / "studies.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/studies.md", "exec"), {"__name__": "example"})
    records = _strict(Path("out/window/claims.json").read_text())
    assert [record["verdict"] for record in records] == ["holds"]
    assert "Twice the window sends more." in capsys.readouterr().out
