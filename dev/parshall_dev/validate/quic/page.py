"""The page of ``parshall validate quic``: tables, and what lies behind what parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from parshall.scenario import DropTail
from parshall_dev.validate.quic.transfers import (
    DELAY_OFF,
    DELAY_OFF_S,
    GOODPUT_OFF,
    JITTERS,
    SAME_DELAY_OFF,
    SAME_DELAY_OFF_S,
    SAME_GOODPUT_OFF,
    UNEVEN,
    Candidate,
    Compared,
    Measured,
    scenario,
    with_jitter,
)

__all__ = ["head", "page"]

_HEAD = """# QUIC over the relay, beside the simulator

Written by `parshall validate quic`. The scenario is `examples/quic/bottleneck.toml`: one flow over
{rate:g} Mbit/s, a round trip of {round_trip:g} ms and a queue of {packets} packets, \
{duration:g} s of which {warm_up:g} s are warm-up. First the
simulator; then quinn 0.11 over `parshall link`, in real time on one machine, each control once. Goodput is
the payload handed over in order, delay the mean time that packets wait in the queue, drops the share that
the queue drops. Late says how late the relay's departures were: 99 % of them no later.

Goodput within {goodput} and delay within {delay} or {delay_ms:g} ms is agreement.
"""


def head() -> str:
    """The text above the table, about the scenario and what agreement is."""
    network = scenario("cubic")
    (link,) = network.links
    assert isinstance(link.queue, DropTail)
    return _HEAD.format(
        rate=link.rate / 1e6,
        round_trip=2e3 * link.delay,
        packets=link.queue.limit_packets,
        duration=network.duration,
        warm_up=network.warm_up,
        goodput=f"{100 * GOODPUT_OFF:g} %",
        delay=f"{100 * DELAY_OFF:g} %",
        delay_ms=1e3 * DELAY_OFF_S,
    )


def page(results: Sequence[Compared], jittered: Mapping[Candidate, Measured]) -> Iterator[str]:
    """The page, line by line. ``jittered`` has transfers in simulated time whose ACKs jitter."""
    yield head()
    yield "| control | goodput, Mbit/s | by QUIC | | delay, ms | by QUIC | | drops | by QUIC | late, us | |"
    yield "| --- |" + " ---: |" * 9 + " --- |"
    for result in results:
        here, there = result.simulated, result.real
        verdict = ("agrees" if result.agrees else "parts") if result.candidate.is_same else "other code"
        yield (
            f"| {result.candidate.name} | {here.goodput / 1e6:.2f} | {there.goodput / 1e6:.2f} "
            f"| {100 * result.goodput_off:+.1f} % | {1e3 * here.delay:.1f} | {1e3 * there.delay:.1f} "
            f"| {1e3 * result.delay_off:+.1f} | {100 * here.lost:.2f} % | {100 * there.lost:.2f} % "
            f"| {1e6 * there.late:.0f} | {verdict} |"
        )
    yield ""
    yield from _parting([result for result in results if result.candidate.is_same and not result.agrees])
    yield from _timeless(results, jittered)
    yield "![Queueing delay over time by control, simulated and by QUIC](figures/quic.svg)"
    yield ""


_TIMELESS = """## quinn in simulated time

The same code of quinn over the same scenario without sockets and without a clock
(`parshall_quinn::sim`), beside quinn over the relay.
Goodput within {goodput:g} % and delay within {delay:g} % or {delay_ms:g} ms is the same network.
"""

_UNEVEN = """With ACKs that come up to {jitter} late, as on a machine, {name} has {goodput:.2f} Mbit/s,
{delay:.1f} ms and {lost:.2f} % drops in simulated time, too. It takes what an ACK acknowledges over the time
since the ACK before for the bandwidth, and keeps the largest.
"""


def _timeless(results: Sequence[Compared], jittered: Mapping[Candidate, Measured]) -> Iterator[str]:
    """Text about quinn in simulated time beside real time."""
    yield _TIMELESS.format(
        goodput=100 * SAME_GOODPUT_OFF, delay=100 * SAME_DELAY_OFF, delay_ms=1e3 * SAME_DELAY_OFF_S
    )
    yield "| control | goodput, Mbit/s | in real time | delay, ms | in real time | drops | in real time | |"
    yield "| --- |" + " ---: |" * 6 + " --- |"
    for result in results:
        here, there = result.timeless, result.real
        verdict = "same" if result.is_same_network else "parts"
        yield (
            f"| {result.candidate.name} | {here.goodput / 1e6:.2f} | {there.goodput / 1e6:.2f} "
            f"| {1e3 * here.delay:.1f} | {1e3 * there.delay:.1f} "
            f"| {100 * here.lost:.2f} % | {100 * there.lost:.2f} % | {verdict} |"
        )
    yield ""
    for candidate, measured in jittered.items():
        yield _UNEVEN.format(
            jitter=UNEVEN,
            name=candidate.name,
            goodput=measured.goodput / 1e6,
            delay=1e3 * measured.delay,
            lost=100 * measured.lost,
        )


_PARTS = """## What parts

A scheduler delivers ACKs late by fractions of a millisecond, which the scenario does not. The same
transfers in the simulator, with ACKs that come up to so much late, each by a time drawn evenly:
"""


def _parting(results: Sequence[Compared]) -> Iterator[str]:
    """Text about controls that part: goodput and delay in the simulator where ACKs are late."""
    if not results:
        return
    yield _PARTS
    yield f"| control | by QUIC | none | {' | '.join(JITTERS)} |"
    yield "| --- |" + " ---: |" * (2 + len(JITTERS))
    for result in results:
        cells = [
            f"{each.goodput / 1e6:.2f} Mbit/s, {1e3 * each.delay:.1f} ms"
            for each in (result.real, result.simulated, *with_jitter(result.candidate))
        ]
        yield f"| {result.candidate.name} | {' | '.join(cells)} |"
    yield ""
