"""Faults of a user's control are told in one line, and leave other runs alone."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.own_controls import bell, example

import parshall
from parshall import Control
from parshall.errors import RunError, ScenarioError


class Script(Control):
    """Does one wrong thing after two seconds."""

    what: str = "nothing"
    time_limit = 1.0

    def on_ack(self, ack: parshall.control.Ack) -> None:  # noqa: PLR0912 - one branch for each mistake
        if ack.now < 2:
            return
        match self.what:
            case "nan":
                self.cwnd = math.nan
            case "negative":
                self.cwnd = -1.0
            case "huge":
                self.cwnd = 1e12
            case "silent":
                self.cwnd = 0.2
            case "rate":
                self.pacing_rate = -5.0
            case "nan rate":
                self.pacing_rate = math.nan
            case "stopped":
                self.pacing_rate = 1e-9
            case "past":
                self.wake_at = ack.now - 1
            case "ssthresh":
                self.ssthresh = math.nan
            case "raises":
                raise ValueError("this is\nwrong")
            case "for ever":
                while True:
                    pass

    def on_loss(self, loss: parshall.control.Loss) -> Any:
        return {"none": None, "text": "half", "below": -3.0}.get(self.what, loss.in_use / 2)


PLACE = r"Script\.on_ack, flow f\d, 2\.\d+ s: "


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("nan", PLACE + r"cwnd is NaN, expected 1 to 16777216 packets"),
        ("negative", PLACE + r"cwnd is -1, expected"),
        ("huge", PLACE + r"cwnd is 1000000000000, expected"),
        ("silent", PLACE + r"cwnd is 0\.2, expected"),
        ("rate", PLACE + r"pacing_rate is -5, expected"),
        ("nan rate", PLACE + r"pacing_rate is NaN, expected"),
        ("stopped", PLACE + r"pacing_rate is 0\.000000001, expected a packet an hour"),
        ("past", PLACE + r"wake_at is \d\.\d+, expected a time to come"),
        ("ssthresh", PLACE + r"ssthresh is NaN, expected 0 packets or more"),
        ("raises", PLACE + r"ValueError: this is wrong \(test_own_control_faults\.py, line \d+\)"),
        ("for ever", PLACE + r"DoesNotReturn \(test_own_control_faults\.py, line \d+\)"),
        (
            "none",
            r"Script\.on_loss, flow f\d, \d\.\d+ s: returned None, expected the window after it, in packets",
        ),
        ("text", r"Script\.on_loss, .*: returned 'half', expected the window"),
        ("below", r"Script\.on_loss, .*: window after it is -3, expected 0 to 16777216 packets"),
    ],
)
def test_what_a_control_does_wrong_is_one_line(what: str, message: str) -> None:
    with pytest.raises(RunError, match=message) as caught:
        parshall.run(bell(Script(what=what), queue=parshall.DropTail(limit_packets=5)))
    assert "\n" not in str(caught.value)
    if what in ("raises", "for ever"):
        assert caught.value.__cause__ is not None
        assert caught.value.__cause__.__traceback__ is not None


class NativeScript(Control):
    """Script, compiled."""

    what: int = 0
    time_limit = 1.0

    def on_ack(self, ack: parshall.control.Ack) -> None:
        if ack.now > 2 and self.what == 1:
            raise ValueError("no")
        while ack.now > 2 and self.what == 2:
            self.cwnd = 7.0
        if ack.now > 2 and self.what == 3:
            self.cwnd = math.nan


NativeScript = parshall.native(NativeScript)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("what", "message"), [(1, "raised an exception"), (2, r"does not return for [2-9] s"), (3, "cwnd is NaN")]
)
def test_what_a_compiled_control_does_wrong_is_one_line(what: int, message: str) -> None:
    with pytest.raises(RunError, match=rf"NativeScript\.on_ack, flow f\d, 2\.\d+ s: {message}"):
        parshall.run(bell(NativeScript(what=what)))


@pytest.mark.parametrize("hangs", [Script(what="for ever"), NativeScript(what=2)])
def test_a_run_that_fails_leaves_the_others_alone(hangs: Control) -> None:
    variants = {"good": bell("aimd"), "bad": bell(hangs), "other": bell(example("aimd").Aimd())}
    ensemble = parshall.run_many(variants, [1, 2, 3], cache=None, jobs=2)
    assert [(each.variant, each.seed) for each in ensemble.failures] == [("bad", 1), ("bad", 2), ("bad", 3)]
    flows = ensemble.table("flows").to_pandas()
    good = flows[flows.variant == "good"].drop(columns="variant").reset_index(drop=True)
    assert good.equals(flows[flows.variant == "other"].drop(columns="variant").reset_index(drop=True))


def test_what_numba_cannot_compile_is_told() -> None:
    class Odd(Control):
        def on_ack(self, ack: parshall.control.Ack) -> None:
            self.cwnd = input("file")

    class Texts(Control):
        name: str = "a"

    parshall.native(Odd)
    parshall.native(Texts)
    with pytest.raises(
        ScenarioError,
        match=r"Odd\.on_ack: got what Numba cannot compile, .*input.* "
        r"\(test_own_control_faults\.py, line \d+\)",
    ):
        parshall.run(bell(Odd()))
    with pytest.raises(ScenarioError, match=r'Texts\.name: got "a", expected a number, a flag, or an array'):
        parshall.run(bell(Texts()))
