"""Facts in what a machine said: when packets were sent, which windows there were, what the settings are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from parshall_dev.emulated import EmulationError
from parshall_dev.validate.linux_versions.script import PACKET, SCENARIOS, Scenario

__all__ = ["Facts", "read"]

Facts = dict[str, str]
"""Values by name, as text; several are separated by spaces."""

_SILENCE_US = 100_000
_COUNTED_FROM_S = 4.0
_LINE_S = 0.2
"""Seconds between lines of ``tcp_flows``."""
_RELEASE = re.compile(r"^kernel (\S+) .*?Debian (\S+?)-", re.MULTILINE)


@dataclass(frozen=True)
class _Sent:
    us: int
    seq: int
    payload: int
    flags: int
    ecn: int


@dataclass
class _Connection:
    """Lines of ``watch_tcp``."""

    sent: list[_Sent] = field(default_factory=list)
    acks: list[tuple[int, int, int]] = field(default_factory=list)
    """Times, numbers and flags of ACKs."""
    windows: list[tuple[int, int, int]] = field(default_factory=list)
    """Times, congestion windows and thresholds; a threshold of -1 is infinite."""

    @property
    def data(self) -> list[_Sent]:
        return [packet for packet in self.sent if packet.payload]

    @property
    def syns(self) -> list[_Sent]:
        return [packet for packet in self.sent if packet.flags & 2]

    def window_at(self, second: float) -> int:
        return next(cwnd for us, cwnd, _ in reversed(self.windows) if us <= 1e6 * second)


def read(said: str, scenarios: Sequence[Scenario] = SCENARIOS) -> Facts:
    """Facts of a machine's output. ``EmulationError`` where a scenario is missing or said something else."""
    release = _RELEASE.search(said)
    if release is None:
        raise EmulationError(f"no kernel of Debian in the machine's output: {said[:200]!r}")
    pieces = re.split(r"^== (\S+)\n", said, flags=re.MULTILINE)
    parts = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    found = {"release": release[1], "version": release[2]}
    found |= {f"sysctl.{name}": value for name, value in _settings(parts["sysctls"])}
    for scenario in scenarios:
        try:
            lines = parts[scenario.name].splitlines()
            facts = _reader(scenario.name)(lines)
        except (LookupError, ValueError, StopIteration) as error:
            raise EmulationError(f"{scenario.name} said something else: {error!r}") from None
        found |= {f"{scenario.name}.{what}": value for what, value in facts.items()}
    return found


def _settings(part: str) -> list[tuple[str, str]]:
    lines = [line.split(maxsplit=2)[1:] for line in part.splitlines() if line.startswith("sysctl ")]
    return [(words[0], " ".join(words[1:]).strip()) for words in lines]


def _reader(name: str) -> Callable[[Sequence[str]], Facts]:
    """The reader of a scenario's lines, by the first word of its name."""
    readers: dict[str, Callable[[_Connection], Facts]] = {
        "syn": _handshake,
        "probe": _probe,
        "timeouts": _timeouts,
        "recovery": _recovery,
        "receiver": _receiver,
        "hystart": _slow_start,
    }
    kind = re.match(r"[a-z]+", name)
    assert kind is not None
    if kind[0] == "bbr":
        return _standing_queue
    if kind[0] == "ecn":
        return _ecn
    return lambda lines: readers[kind[0]](_connection(lines))


def _connection(lines: Sequence[str]) -> _Connection:
    found = _Connection()
    for line in lines:
        kind, *words = line.split()
        if kind == "sent":
            us, seq, payload = map(int, words[:3])
            found.sent.append(_Sent(us, seq, payload, int(words[3], 16), int(words[4])))
        elif kind == "ack":
            found.acks.append((int(words[0]), int(words[1]), int(words[2], 16)))
        elif kind == "cwnd":
            us, cwnd, threshold = map(int, words)
            found.windows.append((us, cwnd, threshold))
        elif kind != "refused":
            raise ValueError(line)
    return found


def _seconds(times: Sequence[int], since: int) -> str:
    return " ".join(f"{1e-6 * (us - since):.3f}" for us in times)


def _handshake(connection: _Connection) -> Facts:
    """Times of the SYNs; the packets that go out before any of them is acknowledged."""
    syns = connection.syns
    facts = {"times": _seconds([packet.us for packet in syns], syns[0].us)}
    answers = [us for us, number, flags in connection.acks if not flags & 2 and number > 1]
    if answers:
        facts["initial_window"] = str(sum(packet.us < answers[0] for packet in connection.data))
    return facts


def _probe(connection: _Connection) -> Facts:
    """Times from a lone packet, which is lost, to what is sent after it."""
    lone, *again = connection.data[1:]
    return {"times": _seconds([packet.us for packet in again], lone.us)}


def _timeouts(connection: _Connection) -> Facts:
    """Times from the last ACK to what is sent after a silence."""
    last = connection.acks[-1][0]
    late = [packet for packet in connection.data if packet.us > last]
    before = [last, *(packet.us for packet in late)]
    silent = [packet.us for packet, us in zip(late, before, strict=False) if packet.us - us > 50_000]
    return {"times": _seconds(silent, last)}


def _recovery(connection: _Connection) -> Facts:
    """Time from the packets behind a loss to the repair of the loss, and probes before it."""
    lost = connection.data[1]
    again = next(packet for packet in connection.data[2:] if packet.seq == lost.seq)
    behind = [packet for packet in connection.data[2:] if packet.us < again.us]
    probes = sum(packet.us - behind[0].us > _SILENCE_US for packet in behind)
    return {"repaired_after": _seconds([again.us], behind[0].us), "probes": str(probes)}


def _ecn(lines: Sequence[str]) -> Facts:
    """Flags of the SYN and of its answer, and the ECN field of data."""
    connection = _connection(lines)
    refused = any(line.startswith("refused tcp_ecn") for line in lines)
    answer = next(flags for _, _, flags in connection.acks if flags & 2)
    flags = f"{_named(connection.syns[0].flags)} {_named(answer)}"
    field_ = ("not-ECT", "ECT(1)", "ECT(0)", "CE")[connection.data[0].ecn]
    return {"flags": flags, "data": field_, "refused": str(int(refused))}


def _named(flags: int) -> str:
    """Flags of ECN that are set, such as AE+CWR+ECE."""
    names = [name for bit, name in ((0x100, "AE"), (0x080, "CWR"), (0x040, "ECE")) if flags & bit]
    return "+".join(names) or "none"


def _receiver(connection: _Connection) -> Facts:
    """ACKs that acknowledge one packet each among the first 100; where slow start ends."""
    size = max(packet.payload for packet in connection.data)
    numbers = [number for _, number, flags in connection.acks if not flags & 2]
    steps = [(after - before) // size for before, after in zip([1, *numbers], numbers, strict=False)]
    single = next((i for i, step in enumerate(steps) if step > 1), len(steps))
    return {
        "single_of_100": str(sum(step == 1 for step in steps[:100])),
        "single_at_first": str(single),
        **_slow_start(connection),
    }


def _slow_start(connection: _Connection) -> Facts:
    """The window at which slow start ends, and windows at later times."""
    end = next(threshold for _, _, threshold in connection.windows if threshold >= 0)
    later = " ".join(str(connection.window_at(second)) for second in (0.5, 1.0, 2.0))
    return {"ends_at": str(end), "cwnd": later}


def _standing_queue(lines: Sequence[str]) -> Facts:
    """Goodput in Mbit/s and the mean bytes that wait, from 4 s on."""
    rows = [list(map(int, line.split()[1:])) for line in lines if line.startswith("at ")]
    counted = rows[round(_COUNTED_FROM_S / _LINE_S) :]
    waiting = sum(row[0] for row in counted) / len(counted)
    taken = sum(row[4] for row in counted)
    return {
        "goodput": f"{8e-6 * taken / (_LINE_S * len(counted)):.3f}",
        "waiting_packets": f"{waiting / PACKET:.2f}",
    }
