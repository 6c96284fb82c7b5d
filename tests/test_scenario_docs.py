"""The JSON Schema, the reference, the examples and the package say of scenarios what the classes do."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import jsonschema
import pytest
from tests.scenarios_written import BELL, FAULTS, NETWORK, schema_validator

import parshall
from parshall import ScenarioError, _core, loads
from parshall.scenario import reference
from parshall.scenario.schema import json_schema


def test_the_json_schema_accepts_and_refuses_as_the_classes_do() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(tomllib.loads(BELL))
    assert validator.is_valid(tomllib.loads(NETWORK))
    for right, (wrong, *_) in FAULTS.items():
        if "nan" not in wrong:  # JSON knows no NaN
            assert not validator.is_valid(tomllib.loads(BELL.replace(right, wrong, 1))), wrong


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('weight = "from-rate"', "weight = 2"),
        ("weight = 0.25", 'weight = "fixed"'),
        ('weight = { kind = "fixed", value = 1 }', 'weight = { kind = "fixed" }'),
        ('capacity = { mahimahi = "examples/two_speeds.trace" }', "capacity = { mahimahi = 5 }"),
        ("capacity = { times = [0, 0.5], period = 1 }", "capacity = { times = [], period = 1 }"),
        ('jitter = { most = "1 ms" }', "jitter = { reorder = true }"),
        ('app = { kind = "cbr", interval = 1 }', 'app = { kind = "cbr", interval = 1, rate = 1 }'),
        ('app = { kind = "cbr", rate = 1 }', 'app = { kind = "cbr" }'),
        ('app = "bulk"', 'app = "cbr"'),
        ('control = "cubic"', 'control = "binomial"'),
        (
            'control = { kind = "arima-vegas", forecaster = { kind = "ewma", gain = 0.5 } }',
            'control = { kind = "arima-vegas", forecaster = { kind = "ewma", gain = 2 } }',
        ),
        ('control = { kind = "arima-vegas", decide = "ack" }', 'control = "arima"'),
        ('control = { kind = "binomial", k = 1, l = 0 }', 'control = { kind = "cubic", beta = 1 }'),
        (
            'loss = { kind = "listed", arrivals = [1], of = "acks" }',
            'loss = { kind = "listed", of = "acks" }',
        ),
    ],
)
def test_the_json_schema_knows_every_form(
    right: str, wrong: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    validator = schema_validator()
    assert validator.is_valid(tomllib.loads(_bell_with(right)))
    loads(_bell_with(right))
    assert not validator.is_valid(tomllib.loads(_bell_with(wrong)))
    with pytest.raises(ScenarioError):
        loads(_bell_with(wrong))


def _bell_with(pair: str) -> str:
    """The dumbbell with one pair of a key and a value in its place."""
    key = pair.partition(" = ")[0]
    if key == "weight":
        limits = "min_threshold_packets = 5, max_threshold_packets = 15, limit_packets = 50"
        return BELL.replace('kind = "droptail", limit_packets = 40', f'kind = "red", {limits}, {pair}')
    if key == "control":
        return BELL.replace('kind = "tcp", ', f'kind = "tcp", {pair}, ')
    if key == "app":
        return BELL.replace('app = "bulk"', pair)
    return BELL.replace("access_rate", f"{pair}\naccess_rate", 1)


def test_every_field_is_described() -> None:
    for name, table in json_schema()["$defs"].items():
        for field, schema in table["properties"].items():
            assert schema.get("description") or "$ref" in schema, f"{name}.{field}"


def test_the_reference_is_that_of_the_classes(repository: Path) -> None:
    text = (repository / "docs/scenario.md").read_text()
    ours = text.partition(reference.BEGIN)[2].partition(reference.END)[0]
    again = "python -m parshall.scenario.reference docs/scenario.md"
    assert ours.strip() == reference.reference().strip(), f"made anew by {again}"


def blocks(file: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", file.read_text(), re.DOTALL)


def test_the_documentation_holds(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = repository / "docs/scenario.md"
    monkeypatch.chdir(repository)
    for text in blocks(page, "toml"):
        loads(text)
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec"), {})
    assert blocks(page, "toml")
    assert blocks(page, "python")


EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*"))


@pytest.mark.parametrize(
    "file", [file for file in EXAMPLES if file.suffix == ".toml"], ids=lambda file: file.name
)
def test_examples_run(file: Path) -> None:
    recording = parshall.run(parshall.load(file))
    assert sum(recording.flow(name).packets_delivered for name in recording.flows) > 100


@pytest.mark.parametrize(
    "file",
    # tests/test_sequence.py runs gallery.py.
    [file for file in EXAMPLES if file.suffix == ".py" and file.stem != "gallery"],
    ids=lambda file: file.name,
)
def test_programs_run(file: Path) -> None:
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert done.stdout
    assert not done.stderr


def test_the_package_offers_what_it_promises() -> None:
    for name in parshall.__all__:
        assert getattr(parshall, name) is not None
    assert set(parshall.scenario.__all__) - {"RtoConfig"} <= set(parshall.__all__)
    assert set(parshall.__all__) <= set(dir(parshall))
    with pytest.raises(AttributeError, match="No parshall attribute nothing"):
        parshall.nothing  # noqa: B018
    assert callable(parshall.run)


def test_the_stub_describes_the_engine(repository: Path) -> None:
    stub = ast.parse((repository / "python/parshall/_core.pyi").read_text())
    for item in stub.body:
        if isinstance(item, ast.FunctionDef):
            assert callable(getattr(_core, item.name))
        elif isinstance(item, ast.ClassDef) and not item.name.startswith("_"):
            methods = [part.name for part in item.body if isinstance(part, ast.FunctionDef)]
            assert [name for name in methods if not hasattr(getattr(_core, item.name), name)] == []
    described = {getattr(item, "name", None) for item in stub.body} | {"ENGINE_VERSION"}
    assert {name for name in dir(_core) if not name.startswith("__")} <= described


def test_imports_are_lazy(tmp_path: Path) -> None:
    """Modules that only figures, statistics or data frames need are not loaded for a run."""
    (tmp_path / "bell.toml").write_text(BELL)
    code = (
        "import sys\n"
        "from parshall.cli.main import main\n"
        "early = {name for name in sys.modules if '.' not in name}\n"
        f"main(['run', {str(tmp_path / 'bell.toml')!r}, '--out', {str(tmp_path / 'out')!r}])\n"
        "late = {name for name in sys.modules if '.' not in name}\n"
        "print(sorted(early & {'pydantic', 'numpy', 'pyarrow', 'rich'}))\n"
        "print(sorted(late & {'pandas', 'polars', 'matplotlib', 'scipy', 'jinja2'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["[]", "[]"]
