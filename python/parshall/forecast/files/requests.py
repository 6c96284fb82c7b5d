"""Runs of a measuring program put one behind the other: a sample for each request, and what is to be said.

Runs are told apart by their first lines and their statistics. Without either, one begins where numbers begin
again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from parshall.errors import InputError, shown
from parshall.forecast.files.events import End, Event, Lost, Reply, Start, Warned
from parshall.forecast.files.measured import Measured
from parshall.forecast.files.plausible import plausible
from parshall.forecast.files.runs import Run
from parshall.forecast.files.stamps import rising

__all__ = ["put_together"]

_FEW = 5
"""A number that is there again this close to the newest one begins no run."""


def put_together(file: str, program: str, events: Iterable[Event], *, marks: bool = True) -> Measured:
    """The round-trip times of all runs, one behind the other. ``marks`` says that the program tells a second
    reply to a request by a word; otherwise a number that is there again is one.

    Raises InputError for several targets, and for two runs that were written at the same time.
    """
    happened = list(events)
    runs = [run for run in _runs(file, program, happened, marks=marks) if run.numbers()[0]]
    values: list[float] = []
    steps: list[float] = []
    times: list[float] = []
    timed = bool(runs)
    for run in runs:
        numbers, _ = run.numbers()
        values += [run.rtts.get(number, math.nan) for number in numbers]
        steps += [run.steps.get(number, 0.0) for number in numbers]
        stamps = _stamps(numbers, run)
        timed = timed and stamps is not None
        times += stamps or []
    remarks = _remarks(program, runs)
    warned = sum(isinstance(event, Warned) for event in happened)
    if warned:
        warnings = "warning" if warned == 1 else "warnings"
        remarks.append(
            f"{warned} {warnings} of {program} that its clock was set back: times near it may be wrong."
        )
    if any(run.stamps for run in runs) and not (timed and _rise(times)):
        timed = False
        remarks.append(
            "The times in front of the lines were left out: some are missing, unlike, or before others."
        )
    elif any(run.strange for run in runs):
        remarks.append("What stands in front of the lines is no time that is known, and was left out.")
    kept, said = plausible(values, steps, times if timed else None)
    return Measured(kept, times if timed else None, "ms", (*remarks, *said))


def _runs(file: str, program: str, events: Iterable[Event], *, marks: bool) -> list[Run]:
    runs = [Run()]
    target: str | None = None
    for event in events:
        run = runs[-1]
        if isinstance(event, Start):
            if target not in (None, event.target):
                expected = f"one target: {shown(target)}, as before"
                raise InputError(f"{file}:{event.line}", f"{program} to {shown(event.target)}", expected)
            target = event.target
            runs.append(Run(event))
        elif isinstance(event, End):
            run.end = event
        elif isinstance(event, Lost):
            if run.end is not None and event.number is None:
                runs.append(Run())
            runs[-1].lose(event)
        elif isinstance(event, Reply):
            _check_host(file, program, run, event)
            if _continues(run, event, marks=marks):
                run.take(event)
            else:
                runs.append(_next_run(file, run, event, marks=marks))
    return runs


def _continues(run: Run, reply: Reply, *, marks: bool) -> bool:
    """True if a reply belongs to the run that the lines before are of."""
    if run.end is not None:
        return run.expects(reply) or (run.has(reply) and (reply.again or not marks) and bool(reply.number))
    if not run.follows(reply):
        return False
    if not run.has(reply) or reply.again:
        return True
    return not marks and not run.overtaken(reply.number or 0)


def _next_run(file: str, run: Run, reply: Reply, *, marks: bool) -> Run:
    """A run that begins without a first line of its own."""
    number = reply.number or 0
    found = Run()
    if run.end is None and run.has(reply):
        back = run.overtaken(number)
        if marks and not back and number > 1 and run.newest - run.number_of(number) <= _FEW:  # type: ignore[operator]
            got = f"number {number} again, which is not called a duplicate"
            raise InputError(f"{file}:{reply.line}", got, "one run, and not two that write at the same time")
        run.give_back(back)
        for each in back:
            found.take(each)
    found.take(reply)
    return found


def _check_host(file: str, program: str, run: Run, reply: Reply) -> None:
    """Two programs that wrote into one file are told by who answered."""
    if None in (run.host, reply.host) or run.host == reply.host or reply.again:
        return
    expected = f"replies from {shown(run.host)}, as before: one series"
    raise InputError(f"{file}:{reply.line}", f"{program}'s reply from {shown(reply.host)}", expected)


def _remarks(program: str, runs: Sequence[Run]) -> list[str]:
    remarks = []
    if len(runs) > 1:
        sizes = [len(run.numbers()[0]) for run in runs]
        few = len(runs) <= 10 or min(sizes) == max(sizes)
        listed = ", ".join(map(str, sizes[:10])) if few else f"{min(sizes)} to {max(sizes)}"
        listed += ", ..." if few and len(runs) > 10 else ""
        remarks.append(f"{len(runs)} runs of {program}, one behind the other: {listed} requests.")
    untimed = sum(run.untimed for run in runs)
    if untimed:
        remarks.append(f"{untimed} replies have no time, and are left out as gaps.")
    for place, run in enumerate(runs, 1):
        remarks += _of_statistics(f" of run {place}" if len(runs) > 1 else "", run)
    return remarks


def _of_statistics(which: str, run: Run) -> list[str]:
    """Remarks where the statistics count more than the file has, or less."""
    if run.end is None:
        return []
    numbers, cut = run.numbers()
    sent, received = run.sent, run.received
    missing = sent > len(numbers) or received > len(run.rtts)
    if not cut and sent == len(numbers) and received == len(run.rtts):
        return []
    why = ""
    if missing:
        why = ": lines are missing from it" if run.numbered else ", and does not say where the others belong"
    said = [
        f"The statistics{which} count {sent} requests and {received} replies; the file has "
        f"{len(numbers)} and {len(run.rtts)}{why}."
    ]
    if cut:
        said.append(f"{cut} numbers{which} that are missing for that reason were not taken for losses.")
    return said


def _stamps(numbers: Sequence[int], run: Run) -> list[float] | None:
    """When each request was answered; that of a lost one lies between those around it."""
    in_order = rising(run.clock)
    if not run.stamps or len(run.stamps) != len(run.rtts) or in_order is None or not _rise(in_order):
        return None
    known = sorted(run.stamps)
    seconds = rising([run.stamps[number] for number in known]) or []
    filled: list[float] = []
    place = 0
    for number in numbers:
        while place + 1 < len(known) and known[place + 1] <= number:
            place += 1
        here, after = place, min(place + 1, len(known) - 1)
        distance = known[after] - known[here]
        share = (number - known[here]) / distance if distance else 0.0
        filled.append(seconds[here] + max(0.0, min(share, 1.0)) * (seconds[after] - seconds[here]))
    # Replies that overtook each other were answered in another order than they were asked in.
    for i in range(1, len(filled)):
        filled[i] = max(filled[i], filled[i - 1])
    return filled


def _rise(times: Sequence[float]) -> bool:
    return all(before <= after for before, after in pairwise(times))
