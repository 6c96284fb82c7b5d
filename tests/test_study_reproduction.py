"""`parshall reproduce`: what a study leaves behind when it ends well, and when it does not."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet
from rich.console import Console
from tests.toy_study import STUDY, toy
from tests.undrawn import undrawn
from threadpoolctl import threadpool_info, threadpool_limits

from parshall.errors import InputError, OutputError, ParshallError
from parshall.support.results import digest
from parshall_studies import study as st
from parshall_studies.study.provenance import read
from parshall_studies.study.reproduction import Reproduction

DOCUMENTED = Path(__file__).parents[1] / "docs" / "studies.md"


def reproduce(study: st.Study = STUDY, **options: Any) -> tuple[Reproduction, str]:
    stream = io.StringIO()
    done = st.reproduce(study, console=Console(file=stream, width=100), **{"cache": False, **options})
    return done, stream.getvalue()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def drawn() -> None:
    """Figures are drawn, which takes most of the time, only where a test asks for it."""


@pytest.fixture(autouse=True)
def one_date(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Equal bytes need an equal date."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    if "drawn" not in request.fixturenames:
        undrawn(monkeypatch)


# --- What is left -------------------------------------------------------------------------------------------


def test_a_study_leaves_report_claims_figures_tables_and_where_they_come_from(
    tmp_path: Path, drawn: None
) -> None:
    done, printed = reproduce(out=tmp_path / "deep" / "out")
    figures = {f"figures/{id}.svg" for id in ("growth", "view-s", "view-ms")}
    expected = {"report.html", "claims.json", "provenance.json", "seeds.parquet", *figures}
    assert set(contents(done.out)) == expected
    records = json.loads((done.out / "claims.json").read_text())
    assert records == [each.record() for each in done.judged]
    assert parquet.read_table(done.out / "seeds.parquet").equals(done.measures["seeds"])
    assert (done.out / "figures" / "growth.svg").read_text().startswith("<svg xmlns=")
    origin = json.loads((done.out / "provenance.json").read_text())
    assert set(origin["files"]) == expected
    assert (origin["study"], origin["seeds"], origin["date"]) == ("toy", [1, 12], "2023-11-14 22:13 UTC")
    assert origin["versions"].keys() >= {"Parshall", "engine", "Python", "numpy"}
    # The terminal has the answer, the findings and the counts, and no list of claims.
    plain = " ".join(printed.split())
    assert "The mean seed is 6.5 s" in plain
    assert "Doubling. It holds." in plain
    assert "Claims of the document: holds 2, does not hold 1, cannot be told apart 1" in plain
    assert "Questions beyond it: holds 1" in plain
    assert "Twice is more" not in plain


def test_verbose_shows_every_claim_with_the_interval_that_decided_it(tmp_path: Path) -> None:
    done, printed = reproduce(out=tmp_path, verbose=True)
    for each in done.judged:
        assert each.claim.text.split()[0] in printed
    (line,) = (line for line in printed.splitlines() if "seed, twice" in line)
    run = done.judged["table-1.twice"].outcome.run
    assert run is not None
    assert f"single runs \N{MINUS SIGN}{abs(run.low):.1f} to {run.high:.1f} s" in line
    assert "99" in line
    assert line.rstrip().endswith("does not hold")


def test_the_same_study_gives_the_same_bytes_for_any_number_of_jobs(tmp_path: Path, drawn: None) -> None:
    for name, jobs in (("a", 1), ("b", 3)):
        reproduce(out=tmp_path / name, jobs=jobs)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_linear_algebra_takes_no_threads_beside_those_of_the_study(tmp_path: Path) -> None:
    def counted(bench: st.Workbench) -> None:
        counts.update(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")

    counts: set[int] = set()
    with threadpool_limits(2, "blas"):
        reproduce(toy(counted), out=tmp_path, seeds=20)
    assert counts == {1}


def test_where_out_goes_unless_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done, _ = reproduce()
    assert done.out == Path("out/toy")
    assert (tmp_path / "out" / "toy" / "report.html").is_file()


def test_progress_shows_how_far_and_the_time_left(tmp_path: Path) -> None:
    stream = io.StringIO()
    st.reproduce(STUDY, out=tmp_path, console=Console(file=stream, force_terminal=True, width=100))
    for part in ("Seeds", "12/12", "left"):
        assert part in stream.getvalue()


def test_too_few_seeds_are_said_once_and_constants_hold_with_any_number(tmp_path: Path) -> None:
    constant = st.Claim("setting", "Section 2", "The setting is 3.", st.Exactly(st.Printed("3"), 3.0))
    topics = (*STUDY.loaded.topics, st.Topic("Settings", (constant,)))
    done, printed = reproduce(toy(topics=topics), out=tmp_path, seeds=3)
    assert printed.count("oo few seeds to tell (3; 10 needed)") == 1
    assert "Doubling" not in printed
    assert done.judged["setting"].verdict is st.Verdict.HOLDS
    others = [each for each in done.judged if each.claim.id != "setting"]
    assert {each.verdict for each in others} == {st.Verdict.OPEN}
    assert {each.outcome.tally.false for each in others} == {0}


# --- Again, from the tables ---------------------------------------------------------------------------------


def test_too_few_seeds_are_said_before_anything_runs(tmp_path: Path) -> None:
    def stopped(_: st.Workbench) -> st.Measures:
        raise KeyboardInterrupt

    study = replace(STUDY, content=replace(STUDY.loaded, measure=stopped), minutes=24.0, seeds=12)
    stream = io.StringIO()
    for seeds, said in (
        (3, "3 seeds are too few for verdicts: 10 are needed, which take about 20 minutes on two cores."),
        (1, "1 seed is too few for verdicts: 10 are needed, which take about 20 minutes on two cores."),
        (12, "All runs take about 24 minutes on two cores."),
    ):
        with pytest.raises(KeyboardInterrupt):
            st.reproduce(study, seeds=seeds, out=tmp_path, console=Console(file=stream, width=100))
        assert stream.getvalue().rstrip("\n").endswith(said)


def test_a_quick_answer_is_preliminary_and_has_its_uncertainty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drawn: None
) -> None:
    monkeypatch.chdir(tmp_path)
    done, printed = reproduce(quick=True)
    assert done.out == Path("out/toy-quick")
    assert done.provenance.quick
    plain = " ".join(printed.split())
    assert "Preliminary: 10 seeds of a part of the study; parshall reproduce toy runs all of it." in plain
    assert "The mean seed is 5.5 s (3.3 to 7.7)." in plain
    # What was not run is neither judged nor shown.
    assert {each.claim.id for each in done.judged} == {"text.positive", "table-1.once", "zero"}
    assert set(done.page.items) == {"growth"}
    assert "Preliminary: 10 seeds" in (done.out / "report.html").read_text(encoding="utf-8")
    assert "reproduce toy --seeds 10 --quick" in (done.out / "report.html").read_text(encoding="utf-8")
    again, _ = reproduce(source=done.out, out="again")
    assert contents(again.out) == contents(done.out)
    _, printed = reproduce(quick=True, seeds=2)
    assert "2 seeds are too few for verdicts" in printed
    assert "The mean seed is 1.5 s" in " ".join(printed.split())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"full": True}, "false"),
        ({"source": "out"}, "false: the tables have been made"),
        ({}, "false: toy has no quick form"),
    ],
)
def test_a_quick_answer_that_cannot_be_given(options: dict[str, Any], expected: str) -> None:
    study = replace(STUDY, content=replace(STUDY.loaded, quick=None))
    with pytest.raises(InputError, match=expected):
        reproduce(study, quick=True, **options)


def test_the_report_is_made_again_from_its_tables_without_running(tmp_path: Path, drawn: None) -> None:
    first, _ = reproduce(out=tmp_path / "a")

    def never(bench: st.Workbench) -> None:
        raise AssertionError("it ran")

    again, printed = reproduce(toy(never), source=tmp_path / "a", out=tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert again.runs == 0
    assert "runs in" not in printed
    assert first.judged.to_json() == again.judged.to_json()


def test_other_words_are_put_to_the_same_numbers_in_place(tmp_path: Path) -> None:
    reproduce(out=tmp_path)
    before = contents(tmp_path)
    page = STUDY.loaded.page.replace("The mean seed", "The average seed")
    reproduce(toy(page=page), source=tmp_path)
    after = contents(tmp_path)
    assert "The average seed" in after["report.html"].decode()
    assert {name for name in before if before[name] != after[name]} == {"report.html"}


def test_from_a_folder_that_holds_something_else(tmp_path: Path) -> None:
    reproduce(out=tmp_path / "toy")
    (tmp_path / "empty").mkdir()
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "provenance.json").write_text("{")
    for source, said in (
        ("nowhere", r"nowhere: no provenance\.json, expected a folder that reproduce has written"),
        ("empty", r"empty: no provenance\.json, expected a folder that reproduce has written"),
        ("torn", r"torn/provenance\.json: .*, expected what reproduce has written"),
    ):
        with pytest.raises(ParshallError, match=said) as caught:
            reproduce(source=tmp_path / source)
        assert "\n" not in str(caught.value)
    with pytest.raises(ParshallError, match="holds the study toy, expected other"):
        reproduce(replace(STUDY, name="other"), source=tmp_path / "toy")
    with pytest.raises(InputError, match="seeds: got 5, expected none: the tables have theirs"):
        reproduce(source=tmp_path / "toy", seeds=5)
    with pytest.raises(InputError, match=r"data: got .*, expected none: the tables have been made"):
        reproduce(source=tmp_path / "toy", data=tmp_path)
    for field in ("out", "source", "data"):
        with pytest.raises(InputError, match=r'(out|from|data): got "", expected a folder'):
            reproduce(**{field: ""})
    (tmp_path / "toy" / "seeds.parquet").write_bytes(b"PAR1")
    with pytest.raises(ParshallError, match=r"seeds\.parquet: its checksum is wrong, expected a table"):
        reproduce(source=tmp_path / "toy")
    (tmp_path / "toy" / "seeds.parquet").unlink()
    with pytest.raises(ParshallError, match=r"seeds\.parquet.*, expected a table of the study"):
        reproduce(source=tmp_path / "toy")


@pytest.mark.parametrize(
    "changed",
    [
        {"seeds": [1]},
        {"seeds": ["a", 2]},
        {"versions": None},
        {"versions": {"numpy": 2}},
        {"runs": "x"},
        {"tables": 3},
        {"machine": None},
    ],
)
def test_a_provenance_that_is_damaged_is_said_in_a_line(tmp_path: Path, changed: dict[str, Any]) -> None:
    reproduce(out=tmp_path)
    file = tmp_path / "provenance.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changed}))
    with pytest.raises(
        ParshallError, match=r"provenance\.json: .*, expected what reproduce has written"
    ) as caught:
        reproduce(source=tmp_path)
    assert "\n" not in str(caught.value)


def test_tables_of_another_version_are_said_in_a_line(tmp_path: Path) -> None:
    reproduce(out=tmp_path)
    table = parquet.read_table(tmp_path / "seeds.parquet")
    for other in (table.drop_columns(["value"]), table.slice(0, 1), table.replace_schema_metadata({})):
        parquet.write_table(other, tmp_path / "seeds.parquet")
        origin = json.loads((tmp_path / "provenance.json").read_text())
        origin["sha256"]["seeds.parquet"] = digest((tmp_path / "seeds.parquet").read_bytes())
        (tmp_path / "provenance.json").write_text(json.dumps(origin))
        with pytest.raises(ParshallError, match="expected the tables of this version of toy") as caught:
            reproduce(source=tmp_path)
        assert "\n" not in str(caught.value)
    file = tmp_path / "provenance.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "tables": []}))
    with pytest.raises(ParshallError, match="no table seeds, expected those of the study toy"):
        reproduce(source=tmp_path)


def test_tables_stay_as_they_are_when_the_report_is_made_again_in_place(tmp_path: Path) -> None:
    reproduce(out=tmp_path)
    before = (tmp_path / "seeds.parquet").stat().st_mtime_ns
    reproduce(source=tmp_path)
    assert (tmp_path / "seeds.parquet").stat().st_mtime_ns == before


def test_a_claim_about_a_table_that_nobody_measures_is_an_error_unless_it_is_optional(tmp_path: Path) -> None:
    claim = st.Claim("lost", "T", "It is there.", st.Quantity("nowhere", "value") > 0.0)
    topics = (*STUDY.loaded.topics, st.beyond("Lost", [claim]))
    with pytest.raises(LookupError, match="study toy: claims are about a table nowhere"):
        reproduce(toy(topics=topics), out=tmp_path)
    done, _ = reproduce(toy(topics=topics, optional=frozenset({"nowhere"})), out=tmp_path)
    assert "lost" not in done.judged


# --- A second report in the same place ----------------------------------------------------------------------


def test_what_an_earlier_report_had_and_this_one_has_not_is_taken_away(tmp_path: Path) -> None:
    reproduce(out=tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "figures" / "mine.svg").write_text("mine")
    page = re.sub(r"### Two views.*?## Details", "## Details", STUDY.loaded.page, flags=re.DOTALL)
    fewer = toy(page=page, shown=STUDY.loaded.shown[:-1])
    reproduce(fewer, out=tmp_path, seeds=20)
    left = contents(tmp_path)
    assert not {"figures/view-s.svg", "figures/view-ms.svg"} & left.keys()
    assert {"notes.txt", "figures/mine.svg", "figures/growth.svg"} <= left.keys()
    assert len(parquet.read_table(tmp_path / "seeds.parquet")) == 40
    assert not list(tmp_path.glob(".parshall-*"))


def test_a_list_of_files_cannot_reach_outside_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    reproduce(out=out)
    (tmp_path / "mine.txt").write_text("mine")
    origin = json.loads((out / "provenance.json").read_text())
    origin["files"] += ["../mine.txt", str(tmp_path / "mine.txt")]
    (out / "provenance.json").write_text(json.dumps(origin))
    reproduce(out=out)
    assert (tmp_path / "mine.txt").read_text() == "mine"


# --- What is refused, and what is left behind ---------------------------------------------------------------


@pytest.mark.parametrize("field", ["seeds", "jobs"])
@pytest.mark.parametrize("value", [0, -3, 2.5, True, "many"])
def test_counts_must_be_whole_and_positive(tmp_path: Path, field: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"{field}: got .*, expected a whole number from 1 to"):
        reproduce(out=tmp_path / "out", **{field: value})
    assert not (tmp_path / "out").exists()


def test_an_output_folder_that_is_a_file_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")

    def never(bench: st.Workbench) -> None:
        raise AssertionError("the work was done")

    for out in (tmp_path / "taken", tmp_path / "taken" / "below"):
        with pytest.raises(OutputError, match=r"expected a folder, and .*taken is a file"):
            reproduce(toy(never), out=out)


@pytest.mark.parametrize("error", [ParshallError("no"), KeyboardInterrupt(), ZeroDivisionError()])
def test_a_study_that_does_not_end_leaves_nothing(tmp_path: Path, error: BaseException) -> None:
    def fail(bench: st.Workbench) -> None:
        raise error

    with pytest.raises(type(error)):
        reproduce(toy(fail), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_full_disk_leaves_the_earlier_result_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduce(out=tmp_path / "out")
    before = contents(tmp_path / "out")
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
            reproduce(out=out, seeds=30)
        assert "\n" not in str(caught.value)
    monkeypatch.undo()
    assert contents(tmp_path / "out") == before
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes to be set")
def test_a_limit_of_the_system_on_file_sizes_leaves_nothing(tmp_path: Path) -> None:
    program = f"""
import io, resource, signal, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from rich.console import Console
from parshall.errors import OutputError
from parshall_studies.study import reproduce
from tests.toy_study import STUDY
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    reproduce(STUDY, out={str(tmp_path / "out")!r}, console=Console(file=io.StringIO()))
except OutputError as error:
    sys.stdout.write(str(error))
"""
    ended = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith(str(tmp_path / "out"))
    assert "too large" in ended.stdout
    assert not (tmp_path / "out").exists()


# --- Measured data ------------------------------------------------------------------------------------------

NUMBERS = st.Data("extra/numbers.csv", hashlib.sha256(b"1 2 3\n").hexdigest(), "Numbers")


def test_nothing_is_looked_for_unless_a_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared" / "data" / "extra").mkdir(parents=True)
    (tmp_path / "shared" / "data" / "extra" / "numbers.csv").write_bytes(b"1 2 3\n")
    (tmp_path / "main").mkdir()
    monkeypatch.chdir(tmp_path / "main")
    monkeypatch.delenv("PARSHALL_DATA", raising=False)
    done, printed = reproduce(toy(data=[NUMBERS]), out=tmp_path / "out")
    assert "extra" not in done.measures
    said = "Numbers: no folder of data was named (give one with --data or PARSHALL_DATA)."
    assert f"Left out: {said}" in " ".join(printed.split())
    assert said in (tmp_path / "out" / "report.html").read_text()
    assert read(tmp_path / "out").lacking == (said,)


@pytest.mark.parametrize("by_variable", [True, False])
def test_data_is_found_in_the_folders_that_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_variable: bool
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "data" / "extra").mkdir(parents=True)
    (tmp_path / "data" / "extra" / "numbers.csv").write_bytes(b"1 2 3\n")
    options: dict[str, Any] = {}
    if by_variable:
        monkeypatch.setenv("PARSHALL_DATA", f"{tmp_path / 'other'}:{tmp_path / 'data'}")
    else:
        options["data"] = [tmp_path / "other", tmp_path / "data"]
    done, printed = reproduce(toy(data=[NUMBERS]), out=tmp_path / "out", **options)
    assert done.measures["extra"]["number"].to_pylist() == [1.0, 2.0, 3.0]
    assert "Measured data was there." in (tmp_path / "out" / "report.html").read_text()
    assert "Left out" not in printed


def test_another_file_of_that_name_is_not_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "numbers.csv").write_bytes(b"1 2 4\n")
    done, printed = reproduce(toy(data=[NUMBERS]), out=tmp_path / "out", data=tmp_path)
    assert "extra" not in done.measures
    assert "is not the file that the study was written for (its checksum differs)" in " ".join(
        printed.split()
    )


def test_absent_data_is_said_with_the_folders_that_were_searched(tmp_path: Path) -> None:
    _, printed = reproduce(toy(data=[NUMBERS]), out=tmp_path / "out", data=str(tmp_path))
    assert f"Left out: Numbers: no extra/numbers.csv in {tmp_path}." in " ".join(printed.split())


def test_a_data_folder_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"data: got .*nowhere.*, expected a folder"):
        reproduce(out=tmp_path / "out", data=tmp_path / "nowhere")
    monkeypatch.setenv("PARSHALL_DATA", "/nowhere")
    with pytest.raises(InputError, match='PARSHALL_DATA: got "/nowhere", expected a folder'):
        reproduce(out=tmp_path / "out")


def test_every_declared_file_is_the_one_at_hand() -> None:
    """Where measured data lies beside the checkout it is what the studies were written for."""
    shared = Path(__file__).parents[2] / "shared"
    if not shared.is_dir():
        pytest.skip("the measured data is not at hand")
    for study in st.list_studies():
        for data in study.loaded.data:
            places = [shared / "data" / data.path, shared / "reference" / "baselines" / data.path]
            (file,) = (place for place in places if place.is_file())
            assert hashlib.sha256(file.read_bytes()).hexdigest() == data.sha256, data.path


# --- The example in the documentation -----------------------------------------------------------------------


def test_the_documented_study_runs_and_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = DOCUMENTED.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    assert len(example.splitlines()) <= 60
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/studies.md", "exec"), {"__name__": "__main__"})
    records = {each["id"]: each["verdict"] for each in json.loads(Path("out/window/claims.json").read_text())}
    assert records == {
        "text.more": "holds",
        "text.twice": "does not hold",
        "table-1.5": "holds",
        "table-1.10": "does not hold",
        "table-1.20": "holds",
    }
    assert "A window of 20 packets delivers" in capsys.readouterr().out
