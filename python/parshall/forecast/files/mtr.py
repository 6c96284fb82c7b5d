"""Output of ``mtr --raw``: a line for each probe and each reply, of every hop of a path."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parshall.errors import InputError, shown
from parshall.forecast.files.measured import Measured
from parshall.forecast.files.plausible import plausible

__all__ = ["is_mtr_raw", "read_mtr_raw"]

_PROBE = re.compile(r"x (\d+) (\d+)$")
_REPLY = re.compile(r"p (\d+) (\d+)(?: (\d+))?$")
_HOST = re.compile(r"h (\d+) (\S+)$")
_OTHER = re.compile(r"[dt] \d+ \S+|[mk] \d+ .*|\s*$")


def is_mtr_raw(lines: Sequence[str]) -> bool:
    """Returns true for what ``mtr --raw`` prints."""
    begun = [line for line in lines if line.strip()][:3]
    return len(begun) == 3 and all(form.match(line) for form, line in zip((_PROBE,) * 2, begun, strict=False))


def read_mtr_raw(file: str, lines: Sequence[str]) -> Measured:
    """The round trips of the last hop: one for each probe that was sent to it. Raises InputError."""
    hosts: dict[int, str] = {}
    sent: list[tuple[int, int]] = []
    seconds: dict[tuple[int, int], float] = {}
    for number, line in enumerate(lines, 1):
        if found := _PROBE.match(line):
            sent.append((int(found[1]), int(found[2])))
        elif found := _REPLY.match(line):
            hop = int(found[1])
            if found[3] is None:
                raise InputError(
                    f"{file}:{number}", shown(line), "a reply with its probe, as mtr 0.88 and later print"
                )
            seconds.setdefault((hop, int(found[3])), float(found[2]) / 1e6)
        elif found := _HOST.match(line):
            hosts.setdefault(int(found[1]), found[2])
        elif not _OTHER.match(line):
            raise InputError(f"{file}:{number}", shown(line), "a line of mtr --raw")
    if not hosts:
        raise InputError(file, "no reply to mtr's probes", "a path that answers")
    # Before the first reply mtr probes hops beyond the target, which the target answers.
    target = hosts[max(hosts)]
    last = min(hop for hop, host in hosts.items() if host == target)
    values = [seconds.get(probe, float("nan")) for probe in sent if probe[0] == last]
    kept, remarks = plausible(values, [1e-6] * len(values), None)
    said = f"Round trips of the last hop that answered, {shown(target)} at hop {last + 1}."
    return Measured(kept, None, "ms", (said, *remarks))
