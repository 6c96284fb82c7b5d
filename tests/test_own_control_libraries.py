"""Controls from shared libraries: their headers, what they are lent, what is refused."""

from __future__ import annotations

import shutil
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest
from tests.own_controls import assert_equal, bell, build, tables

import parshall
from parshall import Control, SharedControl
from parshall.errors import InputError, ScenarioError
from parshall.own import header
from parshall.own.kinds import KINDS


def test_estimators_are_lent_to_libraries(tmp_path: Path) -> None:
    text = """
#include "parshall_control.h"
typedef struct { parshall_window window; void *median; } state;
static int32_t on_start(void *flow) {
    state *own = flow;
    const parshall_host *host = own->window.host;
    own->median = host->estimator(own->window.flow, "median", 9);
    if (host->estimator(own->window.flow, "mean", 9)) return 1;
    if (host->estimator(own->window.flow, "ewma", 2)) return 1;
    return own->median ? 0 : 2;
}
static int32_t on_ack(void *flow, const parshall_ack *ack) {
    state *own = flow;
    const parshall_host *host = own->window.host;
    double median = host->update(own->median, ack->rtt);
    own->window.cwnd = median > 0.06 && host->value(own->median) == median ? 12.0 : 20.0;
    return 0;
}
static const parshall_control_table table = {
    .version = PARSHALL_CONTROL_VERSION, .name = "smoothed", .state_size = sizeof(state),
    .on_start = on_start, .on_ack = on_ack,
};
const parshall_control_table *parshall_control(void) { return &table; }
"""

    class Smoothed(Control):
        rtt: Any = field(init=False, default_factory=lambda: parshall.SlidingMedian(9))

        def on_ack(self, ack: parshall.control.Ack) -> None:
            self.cwnd = 12.0 if self.rtt.update(ack.rtt) > 0.06 else 20.0

    assert_equal(tables(bell(SharedControl(build(tmp_path, "smoothed", text)))), tables(bell(Smoothed())))


def test_the_headers_are_those_of_the_engine() -> None:
    for kind in KINDS.values():
        assert (header.INSTALLED / f"{kind.symbol}.h").read_text() == header.c_header(kind)
        assert (header.INSTALLED / f"{kind.symbol}.rs").read_text() == header.rust_header(kind)
    beside_quinn = Path(__file__).parents[1] / "crates" / "quinn" / "src" / "library" / "header.rs"
    assert beside_quinn.read_text() == header.rust_header(KINDS["control"])


def test_libraries_that_cannot_be_used_are_refused(tmp_path: Path, libraries: Path) -> None:
    start = '#include "parshall_control.h"\n'
    table = """
static const parshall_control_table t = {%s};
const parshall_control_table *parshall_control(void) { return &t; }
"""
    cases = {
        "nothing": ("int x;\n", r"parshall_control\(\)"),
        "null": (
            start + "const parshall_control_table *parshall_control(void) { return NULL; }\n",
            "not NULL",
        ),
        "newer": (
            start + table % '.version = 77, .name = "n", .state_size = 100',
            "interface 77, expected interface 1",
        ),
        "small": (start + table % '.version = 1, .name = "n", .state_size = 8', "a state of 8 bytes"),
        "nameless": (start + table % ".version = 1, .state_size = 100", "a name"),
    }
    for name, (text, message) in cases.items():
        with pytest.raises(InputError, match=message):
            SharedControl(build(tmp_path, name, text))
    with pytest.raises(InputError, match=r"no such file"):
        SharedControl(tmp_path / "absent.so")
    with pytest.raises(
        InputError, match=r"control\.speed: got 3, expected a parameter of .*: increase, left"
    ):
        SharedControl(libraries / "aimd.so", speed=3)
    with pytest.raises(InputError, match=r"control\.left: got \"half\", expected a number"):
        SharedControl(libraries / "aimd.so", left="half")  # type: ignore[arg-type]


def test_a_library_that_was_changed_is_not_run(tmp_path: Path, libraries: Path) -> None:
    path = tmp_path / "control.so"
    shutil.copy(libraries / "aimd.so", path)
    scenario = bell(SharedControl(path)).scenario()
    path.unlink()
    shutil.copy(libraries / "cubic.so", path)
    with pytest.raises(ScenarioError, match="with other content"):
        parshall.run(scenario)


def test_a_library_that_is_built_anew_is_the_new_one(tmp_path: Path) -> None:
    """The loader takes a file that it knows by its name or place for the one that it has."""

    def built(window: str) -> dict[str, Any]:
        text = f"""
#include "parshall_control.h"
typedef struct {{ parshall_window window; }} state;
static int32_t on_ack(void *flow, const parshall_ack *ack) {{
    ((state *)flow)->window.cwnd = {window};
    return ack->now < 0;
}}
static const parshall_control_table table = {{
    .version = PARSHALL_CONTROL_VERSION, .name = "fixed", .state_size = sizeof(state), .on_ack = on_ack,
}};
const parshall_control_table *parshall_control(void) {{ return &table; }}
"""
        return tables(bell(SharedControl(build(tmp_path, "fixed", text))))

    def of(window: float) -> dict[str, Any]:
        class Fixed(Control):
            def on_ack(self, ack: parshall.control.Ack) -> None:
                self.cwnd = window

        return tables(bell(Fixed()))

    assert_equal(built("20.0"), of(20.0))
    assert_equal(built("5.0"), of(5.0))
    assert_equal(built("20.0"), of(20.0))


@pytest.mark.parametrize("arguments", [["--help"], ["a", "b"]])
def test_headers_are_written_into_one_folder(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="expected one folder"):
        header.main(arguments)
    assert not list(tmp_path.iterdir())
    header.main(["made"])
    assert len(list((tmp_path / "made").iterdir())) == 2 * len(KINDS)
