"""Runs the scenarios of a folder one after the other and says of each whether it is exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from parshall.engine.run import run
from parshall.errors import InputError, ParshallError
from parshall_dev.validate.compare import TOLERANCE_S, Divergence, compare
from parshall_dev.validate.events import Event, recorded_events
from parshall_dev.validate.folder import Entry, Folder, load_trace
from parshall_dev.validate.rebuild import Rebuilt, rebuild
from parshall_dev.validate.state import StateDivergence, compare_state, load_state
from parshall_studies.study.rules import Verdict

if TYPE_CHECKING:
    from parshall.recording import Recording

__all__ = ["Compared", "validate"]


@dataclass(frozen=True)
class Compared:
    """Outcome of one scenario: exact, a divergence, or a fault of the input that kept it from being
    compared.
    """

    name: str
    rows: int
    """Events in the reference trace."""
    divergence: Divergence | None = None
    fault: str | None = None
    state: StateDivergence | None = None
    """Where buckets, rates or averages differ although no packet does."""

    @property
    def verdict(self) -> Verdict:
        """Holds if every event, and every state that the reference tells of, is as there."""
        if self.fault is not None:
            return Verdict.OPEN
        return Verdict.HOLDS if self.divergence is None and self.state is None else Verdict.FAILS

    @property
    def exact(self) -> bool:
        return self.verdict is Verdict.HOLDS

    def to_dict(self) -> dict[str, Any]:
        """As it stands in the JSON report."""
        return {"name": self.name, "exact": self.exact, "rows": self.rows, "divergence": self._divergence()}

    def _divergence(self) -> dict[str, Any] | None:
        if self.fault is not None:
            return {"fault": self.fault}
        if self.state is not None:
            return {"state": asdict(self.state)}
        if self.divergence is None:
            return None
        event = self.divergence.event
        return {
            "time_s": self.divergence.time_s,
            "place": event.place,
            "event": event.event,
            "kind": event.kind,
            "flow": event.flow,
            "index": self.divergence.index,
            "reference": _row(self.divergence.reference),
            "ours": _row(self.divergence.ours),
            "context": [
                {"reference": _row(pair.reference), "ours": _row(pair.ours)}
                for pair in self.divergence.context
            ],
        }


def validate(folder: Folder) -> Iterator[Compared]:
    """Compares one scenario after the other. A fault of one hides no other."""
    for entry in folder.entries:
        yield _judge(entry)


def _judge(entry: Entry) -> Compared:
    rows = 0
    try:
        rebuilt = _rebuilt(entry)
        scenario = rebuilt.scenario
        reference = load_trace(entry.trace, len(scenario.flows), rebuilt.colours)
        rows = len(reference)
        recording = run(scenario)
        ours = recorded_events(recording, rebuilt.flows, rebuilt.ports, rebuilt.classes)
        divergence = compare(reference, ours, scenario.duration)
        state = None if divergence else _state(entry, rebuilt, recording)
        return Compared(entry.name, rows, divergence, state=state)
    except ParshallError as error:
        return Compared(entry.name, rows, fault=" ".join(str(error).split()))


def _state(entry: Entry, rebuilt: Rebuilt, recording: Recording) -> StateDivergence | None:
    if not rebuilt.classes:
        return None
    rows = load_state(entry.trace.with_name(f"{entry.name}.state.csv.gz"))
    if rows is None:
        return None
    ports = {place: rebuilt.ports[place] for place in rebuilt.classes}
    end = rebuilt.scenario.duration - TOLERANCE_S
    return compare_state(rows, recording, rebuilt.flows, ports, end, rebuilt.slack)


def _rebuilt(entry: Entry) -> Rebuilt:
    fields = entry.fields()
    try:
        return rebuild(fields)
    except InputError as error:
        if error.path.startswith(entry.place):
            raise
        # Found by our scenario's own checks: say whose it is.
        raise InputError(f"{entry.place}: {error.path}", error.value, error.expected) from None


def _row(event: Event | None) -> dict[str, Any] | None:
    if event is None:
        return None
    row = asdict(event)
    # Where packets have no code points, nothing tells of them.
    return row if event.code_point else {name: row[name] for name in row if name != "code_point"}
