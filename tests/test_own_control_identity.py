"""A control of a user is known by its code and parameters: cached, written to files, swept."""

from __future__ import annotations

import importlib.util
import math
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from tests.own_controls import bell, example, make

import parshall
from parshall import Control
from parshall.errors import InputError, ScenarioError
from parshall.own.identity import code_hash


def test_identity_is_the_code_and_what_it_refers_to() -> None:
    def hash_of(control: Control) -> str:
        return bell(control).scenario().hash

    limited, same, other = make(20), make(20), make(21)
    assert hash_of(limited()) == hash_of(same()) == hash_of(limited(gain=1.0)) == hash_of(limited(1.0))
    assert (
        len({hash_of(each) for each in (limited(), other(), limited(gain=2.0), example("aimd").Aimd())}) == 4
    )
    assert code_hash(limited, Control) != code_hash(parshall.native(make(22)), Control)


def test_identity_follows_what_other_functions_and_variables_are(tmp_path: Path) -> None:
    texts = {
        "a": "LIMIT = 20\ndef helper(x):\n    return min(x, LIMIT)\n",
        "b": "LIMIT = 21\ndef helper(x):\n    return min(x, LIMIT)\n",
        "c": "LIMIT = 20\ndef helper(x):\n    return max(x, LIMIT)\n",
        "d": "LIMIT = 20\nUNUSED = 4\ndef helper(x):\n    return min(x, LIMIT)\n",
    }
    body = """
class Own(Control):
    def on_ack(self, ack):
        self.cwnd = [helper(x) for x in (5.0,)][0]
"""
    codes = {}
    for name, text in texts.items():
        (tmp_path / f"own_{name}.py").write_text(f"from parshall import Control\n{text}{body}")
        spec = importlib.util.spec_from_file_location(f"own_{name}", tmp_path / f"own_{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        codes[name] = code_hash(module.Own, Control)
    assert codes["a"] == codes["d"]
    assert len(set(codes.values())) == 3


def test_an_attribute_is_no_variable_of_its_name() -> None:
    text = (
        "from parshall import Control\n\n\nclass Own(Control):\n    def on_ack(self, ack):\n        {body}\n"
    )

    def changes(body: str) -> bool:
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(text.format(body=body), names)
        before = code_hash(names["Own"], Control)
        names["limit"] = 5
        return code_hash(names["Own"], Control) != before

    assert not changes("self.limit = self.cwnd")
    assert not changes("self.cwnd = min(self.limit, [each.limit for each in (ack,)][0])")
    for body in (
        "self.cwnd = limit",
        "self.cwnd = self.limit + (lambda: limit)()",
        "self.cwnd = globals()['limit']",
        "import sys; self.cwnd = sys.modules[__name__].limit",
        "self.cwnd = eval('li' + 'mit') + self.limit",
    ):
        assert changes(body), body


@pytest.mark.parametrize(
    "value",
    [
        "sys.modules[__name__]",
        "load(__name__)",
        "inspect.getmodule(type(self))",
        "helper.me(__name__)",
        "vars(sys)['mod' + 'ules'][__name__]",
    ],
)
def test_a_module_as_a_value_is_followed(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    helper: Any = types.ModuleType("with_a_helper")
    monkeypatch.setitem(sys.modules, helper.__name__, helper)
    exec("import sys\ndef me(name):\n    return sys.modules[name]\n", helper.__dict__)
    module: Any = types.ModuleType("with_a_variable")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    text = f"""
import inspect, sys
import with_a_helper as helper
from dataclasses import field
from importlib import import_module as load
from parshall import Control

class Own(Control):
    module: object = field(init=False, default=None)
    def on_start(self, initial):
        self.module = {value}
    def on_ack(self, ack):
        self.cwnd = self.module.limit
"""
    exec(text, module.__dict__)
    module.limit, module.other = 5, 6
    first = code_hash(module.Own, Control)
    module.other = 7
    assert code_hash(module.Own, Control) == first
    module.limit = 6
    assert code_hash(module.Own, Control) != first


def test_runs_with_own_code_are_cached(tmp_path: Path) -> None:
    from parshall.engine.cache import Cache

    store = Cache(tmp_path)
    first = parshall.run_many({"a": bell(make(20)())}, [1, 2], cache=store)
    second = parshall.run_many({"a": bell(make(20)())}, [1, 2], cache=store)
    third = parshall.run_many({"a": bell(make(19)())}, [1, 2], cache=store)
    assert (first.executed, second.executed, third.executed) == (2, 0, 2)
    assert first.to_pandas().equals(second.to_pandas())


def test_a_file_names_what_it_needs_to_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
from parshall import Control
class Own(Control):
    size: float = 9.0
    def on_ack(self, ack):
        self.cwnd = self.size
"""
    (tmp_path / "own_module_for_files.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    import own_module_for_files as module  # type: ignore[import-not-found]

    scenario = bell(module.Own(size=11)).scenario()
    toml = scenario.to_toml()
    assert 'source = "own_module_for_files:Own"' in toml
    assert '"size" = 11' in toml
    again = parshall.loads(toml)
    assert again.hash == scenario.hash
    assert parshall.run(again).flow("f1").goodput == parshall.run(scenario).flow("f1").goodput

    other = toml.replace(scenario.flows[0].transport.control.code, "0" * 64)  # type: ignore[union-attr]
    with pytest.raises(
        ScenarioError,
        match=r"own_module_for_files:Own with other code, [0-9a-f]{12}, expected the code that was",
    ):
        parshall.loads(other)
    with pytest.raises(
        ScenarioError, match=r"control: got \"nowhere:Own\", expected a class of your own, code [0-9a-f]{12}"
    ):
        parshall.loads(
            toml.replace("own_module_for_files", "nowhere").replace(
                scenario.flows[0].transport.control.code, "1" * 64
            )
        )  # type: ignore[union-attr]


def test_parameters_are_swept_by_their_path() -> None:
    scenario = bell(make(30)(gain=1.0)).scenario()
    changed = scenario.replace("flows[*].transport.control.gain", 0.25)
    assert changed.hash == bell(make(30)(gain=0.25)).scenario().hash
    assert parshall.run(changed).flow("f1").packets_sent != parshall.run(scenario).flow("f1").packets_sent
    with pytest.raises(ScenarioError, match="parameters of Limited"):
        scenario.replace("flows[*].transport.control.gian", 1).check()


@pytest.mark.parametrize("value", [object(), math.nan, {"a": 1}])
def test_a_parameter_that_no_file_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(
        InputError, match=r"gain: got .*, expected a finite number, true or false, text, or a list"
    ):
        bell(make(20)(gain=value))


def test_a_class_in_place_of_an_instance_is_refused() -> None:
    with pytest.raises(InputError, match="expected"):
        bell(make(20))
