"""Any change that changes what a control does changes its hash, and what cannot be seen is refused.

Classes are generated: a number reaches a method through some ways that Python has of referring to a value,
one after the other. Two classes that differ in the number and do something else must differ in their hash.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.own_controls import bell

import parshall
from parshall import Control
from parshall.errors import InputError, ParshallError
from parshall.own.identity import code_hash

_numbers = itertools.count()

WAYS: dict[str, tuple[str, str]] = {
    # What stands in the module, and how it is asked for; {v} is the value, {n} a number of its own.
    "literal": ("", "({v})"),
    "global": ("G{n} = {v}", "G{n}"),
    "list": ("L{n} = [0, [{v}]]", "L{n}[1][0]"),
    "dict": ("D{n} = {{'a': {v}}}", "D{n}['a']"),
    "key": ("D{n} = {{{v}: 1}}", "next(iter(D{n}))"),
    "set": ("S{n} = {{{v}}}", "next(iter(S{n}))"),
    "frozenset": ("S{n} = frozenset([{v}])", "next(iter(S{n}))"),
    "array": ("A{n} = np.array([1.0, {v}])", "float(A{n}[1])"),
    "objects": ("A{n} = np.array([None, {v}], dtype=object)", "A{n}[1]"),
    "deque": ("Q{n} = collections.deque([{v}])", "Q{n}[0]"),
    "default": ("def f{n}(x={v}): return x", "f{n}()"),
    "keyword": ("def f{n}(*, x={v}): return x", "f{n}()"),
    "lambda": ("f{n} = lambda: {v}", "f{n}()"),
    "closure": ("def m{n}(x):\n    def f(): return x\n    return f\nf{n} = m{n}({v})", "f{n}()"),
    "partial": ("f{n} = functools.partial(lambda x: x, {v})", "f{n}()"),
    "partial keyword": ("f{n} = functools.partial(lambda *, x: x, x={v})", "f{n}()"),
    "wrapper": (
        "def w{n}(f):\n    @functools.wraps(f)\n    def g(): return f() + ({v})\n    return g\n"
        "@w{n}\ndef f{n}(): return 0",
        "f{n}()",
    ),
    "cached": ("@functools.lru_cache\ndef f{n}(): return {v}", "f{n}()"),
    "state": (
        "class C{n}:\n    def __init__(self, x): self.x = x\n"
        "    def __call__(self): return self.x\nc{n} = C{n}({v})",
        "c{n}()",
    ),
    "slot": (
        "class C{n}:\n    __slots__ = ('x',)\n    def __init__(self, x): self.x = x\nc{n} = C{n}({v})",
        "c{n}.x",
    ),
    "hidden state": (
        "class C{n}:\n    def __init__(self, x): self.x = x\n"
        "    def __getstate__(self): return {{}}\nc{n} = C{n}({v})",
        "c{n}.x",
    ),
    "list of its own": ("class C{n}(list): pass\nc{n} = C{n}([{v}])", "c{n}[0]"),
    "class attribute": ("class C{n}:\n    x = {v}", "C{n}.x"),
    "base class": ("class B{n}:\n    x = {v}\nclass C{n}(B{n}): pass", "C{n}().x"),
    "metaclass": ("class M{n}(type):\n    x = {v}\nclass C{n}(metaclass=M{n}): pass", "C{n}.x"),
    "property": ("class C{n}:\n    @property\n    def x(self): return {v}", "C{n}().x"),
    "static": ("class C{n}:\n    @staticmethod\n    def x(): return {v}", "C{n}.x()"),
    "dataclass": (
        "@dataclasses.dataclass\nclass C{n}:\n    x: float = dataclasses.field(default_factory=lambda: {v})",
        "C{n}().x",
    ),
    "bound method": ("f{n} = [{v}].copy", "f{n}()[0]"),
    "bound method of its own": (
        "class C{n}:\n    def __init__(self, x): self.x = x\n"
        "    def get(self): return self.x\nf{n} = C{n}({v}).get",
        "f{n}()",
    ),
    "function attribute": ("def f{n}(): return f{n}.x\nf{n}.x = {v}", "f{n}()"),
    "handler": ("def f{n}():\n    try: raise KeyError\n    except KeyError: return {v}", "f{n}()"),
    "module": ("M{n} = types.ModuleType('m{n}')\nM{n}.x = {v}", "M{n}.x"),
    "module by text": ("M{n} = types.ModuleType('m{n}')\nM{n}.x = {v}", "getattr(M{n}, 'x')"),
    "module handed on": (
        "M{n} = types.ModuleType('m{n}')\nM{n}.y{n} = {v}\ndef f{n}(m): return m.y{n}",
        "f{n}(M{n})",
    ),
    "module imported": (
        "sys.modules['imported_{n}'] = types.ModuleType('imported_{n}')\n"
        "sys.modules['imported_{n}'].x = {v}\n"
        "def f{n}():\n    import imported_{n} as m\n    return m.x",
        "f{n}()",
    ),
    "name imported": (
        "sys.modules['imported_{n}'] = types.ModuleType('imported_{n}')\n"
        "sys.modules['imported_{n}'].x = {v}\n"
        "def f{n}():\n    from imported_{n} import x\n    return x",
        "f{n}()",
    ),
    "globals": ("G{n} = {v}", "globals()['G{n}']"),
    "shared list": ("P{n} = [0]\nQ{n} = P{n} if {v} > 0 else [0]\nP{n}[0] = 5", "Q{n}[0]"),
}
IMPORTS = """
import collections, dataclasses, functools, sys, types
import numpy as np
from parshall import Control
"""


def written(ways: list[str], value: float) -> str:
    """A module whose class ``Own`` has a method that returns a number that came by these ways."""
    lines, asked = [], repr(value)
    for number, way in enumerate(ways):
        stands, ask = WAYS[way]
        lines.append(stands.format(v=asked, n=number))
        asked = ask.format(n=number, v=asked)
    return (
        IMPORTS + "\n".join(lines) + f"\nclass Own(Control):\n    def number(self):\n        return {asked}\n"
    )


def made(text: str) -> tuple[str, str]:
    """Return value of a class's method, and the hash of the class."""
    module = types.ModuleType(f"written_{next(_numbers)}")
    sys.modules[module.__name__] = module
    try:
        exec(text, vars(module))
        return repr(module.Own().number()), code_hash(module.Own, Control)
    finally:
        del sys.modules[module.__name__]


@pytest.mark.parametrize("way", WAYS)
def test_each_way_counts(way: str) -> None:
    one, same, other = (made(written([way], value)) for value in (1.0, 1.0, -2.0))
    assert one == same
    assert one[0] != other[0]
    assert one[1] != other[1]


@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(sorted(WAYS)), min_size=1, max_size=4), st.data())
def test_what_changes_the_result_changes_the_hash(ways: list[str], data: st.DataObject) -> None:
    drawn = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, 1e300]) | st.floats(-10, 10)
    values = data.draw(st.tuples(drawn, drawn))
    first, second = (made(written(ways, value)) for value in values)
    if first[0] != second[0]:
        assert first[1] != second[1]
    if repr(values[0]) == repr(values[1]):
        assert first[1] == second[1]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(sorted(WAYS)), min_size=1, max_size=3),
    st.lists(st.sampled_from(sorted(WAYS)), min_size=1, max_size=3),
)
def test_other_ways_are_other_code(first: list[str], second: list[str]) -> None:
    one, other = (made(written(ways, 1.5)) for ways in (first, second))
    if one[0] != other[0]:
        assert one[1] != other[1]


@pytest.mark.parametrize(
    "value", [threading.Lock(), (x for x in ()), sys.stdout.buffer, np.frompyfunc(abs, 1, 1)]
)
def test_a_state_that_cannot_be_seen_is_refused(value: Any) -> None:
    class Own(Control):
        def number(self) -> Any:
            return value

    with pytest.raises(InputError, match=r"value: got .*, expected one whose state can be seen"):
        bell(Own())


# --- Code that changes while a session runs -----------------------------------------------------------------


def test_the_code_that_is_loaded_counts_and_not_its_file(tmp_path: Path) -> None:
    script = f"""
import sys, importlib
from pathlib import Path
sys.path.insert(0, {str(tmp_path)!r})
file = Path({str(tmp_path)!r}, "edited_while_running.py")
text = "from parshall import Control\\nclass Own(Control):\\n    def on_ack(self, ack): self.cwnd = 20.0\\n"
file.write_text(text)
import edited_while_running as module
from parshall.own.identity import code_hash
before = code_hash(module.Own, module.Control)
file.write_text(text.replace("20.0", "5.0"))
print(code_hash(module.Own, module.Control) == before)
importlib.invalidate_caches()
sys.dont_write_bytecode = True
module = importlib.reload(module)
print(code_hash(module.Own, module.Control) != before)
"""
    done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


def test_a_class_that_has_changed_since_it_was_described_does_not_run() -> None:
    scope: dict[str, Any] = {"__name__": "changed_later"}
    exec(f"{IMPORTS}G = 20.0\nclass Own(Control):\n    def on_ack(self, ack): self.cwnd = G\n", scope)
    scenario = bell(scope["Own"]())
    first = parshall.run(scenario).flow("f1").packets_sent
    scope["G"] = 4.0
    with pytest.raises(
        ParshallError, match=r"which has become [0-9a-f]{12}, expected the code that was meant"
    ):
        parshall.run(scenario)
    assert parshall.run(bell(scope["Own"]())).flow("f1").packets_sent < first
    scope["G"] = 20.0
    assert parshall.run(scenario).flow("f1").packets_sent == first


def test_compiled_code_follows_the_variables_that_it_was_compiled_with() -> None:
    numba = pytest.importorskip("numba", reason="numba is not installed")
    scope: dict[str, Any] = {"__name__": "compiled_anew", "numba": numba, "native": parshall.native}
    text = """
G, H = 20.0, 1.0
@numba.njit
def helper():
    return H
@native
class Own(Control):
    def on_ack(self, ack): self.cwnd = G * helper()
"""
    exec(IMPORTS + text, scope)

    def sent() -> int:
        return int(parshall.run(bell(scope["Own"]())).flow("f1").packets_sent)

    found = {}
    for values in ((20.0, 1.0), (4.0, 1.0), (20.0, 0.2), (20.0, 1.0)):
        scope["G"], scope["H"] = values
        found.setdefault(values, []).append(sent())
    assert found[20.0, 1.0][0] == found[20.0, 1.0][1] > found[4.0, 1.0][0]
    assert found[4.0, 1.0] == found[20.0, 0.2]
