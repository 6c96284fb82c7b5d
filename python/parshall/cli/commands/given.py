"""Inputs of commands: a scenario in a file or on standard input, changes to it, and seeds."""

from __future__ import annotations

import difflib
import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parshall.engine.limits import MAX_SEED, MOST_SEEDS
from parshall.errors import InputError, ParshallError, ScenarioError, counted, shown

if TYPE_CHECKING:
    from parshall._core import ReadScenario
    from parshall.scenario import Dumbbell, Scenario
    from parshall.scenario.expected import Expected

__all__ = ["described", "in_a_line", "scenario_of", "seeds_of"]

_log = logging.getLogger("parshall")


def scenario_of(file: str, changes: Sequence[str] = ()) -> Scenario:
    """The scenario in a file, or on standard input where it is ``-``, after changes ``PATH=VALUE``; checked.

    Raises ScenarioError for a fault in it, ParshallError for a file that cannot be read, and InputError for a
    change that is none.
    """
    from parshall.scenario.gone import gone_options
    from parshall.scenario.slow import slow_links

    scenario = _scenario_of(file, changes)
    if (remark := gone_options(scenario)) is not None:
        _log.warning(remark)
    if (warning := slow_links(scenario)) is not None:
        _log.warning(warning)
    return scenario


def described(file: str) -> str:
    """The scenario in a file, or on standard input, in a line; checked. Raises as :func:`scenario_of`."""
    from parshall.scenario.expected import Expected
    from parshall.scenario.files import checked, placed, read_text

    name = "standard input" if file == "-" else file
    text = _standard_input() if file == "-" else read_text(file, "a scenario file")
    scenario = checked(name, text)
    expected = placed(lambda: Expected(*_checked(scenario)), name, text)
    if scenario.slow_links is not None:
        _log.warning(scenario.slow_links)
    return _line(scenario.counts, scenario.duration, expected, scenario.hash)


def in_a_line(scenario: Scenario) -> str:
    """A scenario in the words of :func:`described`. Raises ScenarioError."""
    parts = (scenario.hosts, scenario.routers, scenario.links, scenario.flows)
    return _line([len(part) for part in parts], scenario.duration, scenario.expected, scenario.hash)


def _line(counts: Sequence[int], duration: float, expected: Expected, digest: str) -> str:
    parts = zip(("host", "router", "link", "flow"), counts, strict=True)
    listed = ", ".join(counted(count, what) for what, count in parts)
    return f"ok, {listed}, {duration:g} s; {expected}; scenario {digest}"


def _checked(scenario: ReadScenario) -> tuple[float, float, float, float]:
    from parshall import _core
    from parshall.scenario.checking import engine_error

    try:
        return scenario.check()
    except (_core.ScenarioError, ValueError) as error:
        raise engine_error(error) from None


def _scenario_of(file: str, changes: Sequence[str]) -> Scenario:
    from parshall.scenario.files import parsed, placed
    from parshall.scenario.toml import load_model, model_of

    if file == "-":
        text = _standard_input()
        model = placed(lambda: model_of(parsed(text, "a scenario file")), "standard input", text)
    elif not changes:
        return load_model(file).scenario()
    else:
        model = load_model(file)
    for change in changes:
        path, value = _change(change)
        try:
            model = _changed(model, path, value)
        except ScenarioError as error:
            raise ScenarioError(error.path, error.value, error.expected, file="--set") from None
    return placed(lambda: model.scenario().check(), "standard input" if file == "-" else file, "")


def _changed(model: Scenario | Dumbbell, path: str, value: Any) -> Scenario | Dumbbell:
    """A copy with another value at a path: of a dumbbell's own fields, of the network it stands for, or of
    the transport of all flows with TCP, whose fields have short names here (``control=cubic``).
    """
    from parshall.scenario.parts import Tcp

    path = path.removeprefix("dumbbell.")
    first = path.split(".")[0].split("[")[0]
    if first in type(model).model_fields:
        return model.replace(path, value)
    network = model.scenario()
    if first in type(network).model_fields:
        return network.replace(path, value)
    if first in Tcp.model_fields and first != "kind":
        return model.replace(f"flows[*].transport.{path}", value)
    known = {*type(model).model_fields, *type(network).model_fields, *Tcp.model_fields}
    if close := difflib.get_close_matches(first, known, n=1):
        raise ScenarioError(first, "an unknown field", f'the key "{close[0]}"')
    return model.replace(path, value)


def seeds_of(text: str) -> list[int]:
    """Seeds as ``20``, their number (1 to 20), ``7-20`` or ``1,5,8-10``. Raises InputError."""
    numbers = text if any(sign in text for sign in ",-") else f"1-{text}"
    seeds: list[int] = []
    for part in numbers.split(","):
        first, dash, last = part.strip().partition("-")
        low, high = _seed(first, text), _seed(last if dash else first, text)
        if high < low or len(seeds) + high - low + 1 > MOST_SEEDS:
            raise _no_seeds(text)
        seeds += range(low, high + 1)
    if len(set(seeds)) < len(seeds):
        raise InputError("--seeds", shown(text), "seeds that differ")
    return seeds


def _seed(text: str, whole: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 19 and int(digits) <= MAX_SEED):
        raise _no_seeds(whole)
    return int(digits)


def _no_seeds(text: str) -> InputError:
    return InputError(
        "--seeds", shown(text), f"a number of seeds, or seeds such as 7-20 or 1,5,8-10, at most {MOST_SEEDS}"
    )


def _standard_input() -> str:
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParshallError(
            f"standard input: byte {error.start + 1} is not UTF-8, expected a scenario file"
        ) from None
    if not text.strip():
        raise ParshallError("standard input: is empty, expected a scenario file")
    return text


def _change(text: str) -> tuple[str, Any]:
    """Path and value of a change. A value is read as TOML where it is that, and is text otherwise."""
    from parshall.scenario.files import parsed

    path, sign, value = text.partition("=")
    if not (sign and path.strip() and value.strip()):
        raise InputError("--set", shown(text), 'PATH=VALUE, such as links[bottleneck].rate="5 Mbit/s"')
    try:
        return path.strip(), parsed(f"value = {value}", "")["value"]
    except ScenarioError:
        return path.strip(), value.strip()
