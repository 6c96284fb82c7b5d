"""The command ``link``: a relay in real time, until its time is over or Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import logging
import signal
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from parshall.cli.commands.given import scenario_of
from parshall.engine.link import Relay, checked_address
from parshall.errors import InputError, ScenarioError
from parshall.scenario.files import placed
from parshall.support.terminal import echo

if TYPE_CHECKING:
    from parshall.engine.link import Relayed
    from parshall.scenario import Scenario

__all__ = ["link_file"]

_log = logging.getLogger("parshall")


def link_file(
    file: str,
    *,
    listen: str,
    to: str,
    seed: int,
    changes: Sequence[str],
    duration: str | None,
    realtime: bool | None,
    form: str,
    out: str | None,
) -> None:
    """Relays over the scenario in a file, with ``changes``, and prints or writes what was recorded."""
    if out == "":
        raise InputError("--out", '""', "a folder")
    addresses = checked_address("--listen", listen, 0), checked_address("--to", to, 1)
    scenario = scenario_of(file, changes)
    if duration is not None:
        scenario = _lasting(scenario, duration)
    given: dict[str, Any] = {"seed": seed, "realtime": realtime}
    name = "standard input" if file == "-" else file
    start = partial(Relay, scenario, listen=addresses[0], to=addresses[1], **given)
    with _terminated_as_by_ctrl_c(), placed(start, name, "") as relay:
        with contextlib.suppress(KeyboardInterrupt):
            _wait(relay, addresses[1])
        relayed = relay.finish()
    _show(relayed, form, out)


def _lasting(scenario: Scenario, duration: str) -> Scenario:
    """The scenario with another duration. Raises ScenarioError, at the option."""
    try:
        return scenario.replace("duration", duration)
    except ScenarioError as error:
        path = "" if error.path == "duration" else error.path
        raise ScenarioError(path, error.value, error.expected, file="--duration") from None


def _wait(relay: Relay, to: str) -> None:
    """Waits for the end."""
    from parshall.support.progress import relayed

    priority = "real-time" if relay.realtime else "normal"
    said = f"relaying from {relay.listening} to {to} with {priority} priority"
    echo(f"parshall: {said}; the first datagram starts the clock, Ctrl-C ends it", err=True)
    with relayed(relay.scenario.duration) as progress:
        while not relay.wait(0.1):
            progress(relay.elapsed or 0.0)


@contextlib.contextmanager
def _terminated_as_by_ctrl_c() -> Iterator[None]:
    """Lets a request to terminate be as Ctrl-C, so that results are kept."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _show(relayed: Relayed, form: str, out: str | None) -> None:
    from parshall.recording.summary import print_summary

    recording = relayed.recording
    written = recording.save(out) if out is not None else None
    if form == "json":
        from dataclasses import fields

        from parshall.cli.commands.outcome import recording_as_json

        own = {field.name: getattr(relayed, field.name) for field in fields(relayed)[1:]}
        shown = {**recording_as_json(recording), "link": own}
        echo(json.dumps(shown, ensure_ascii=False, allow_nan=False))
    else:
        print_summary(recording)
        echo(relayed.lateness)
        if written is not None:
            echo(f"{', '.join(recording.tables)} written to {written}")
    for warning in relayed.warnings():
        _log.warning(warning)
