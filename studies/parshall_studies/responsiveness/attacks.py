"""Senders that know the method: what the share's estimator makes of them, and what it costs them.

Streams are made up, not simulated: a port drops one packet in a hundred at random, twenty honest flows halve
their rate after a drop and win it back, and twenty senders do not back off, or only seem to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parshall.estimators import Responsiveness
from parshall_studies import study as st
from parshall_studies.responsiveness import response, senders

if TYPE_CHECKING:
    from parshall_studies.study.values import Reals

_JUDGED_FROM = 30.0
_DROPPED = 0.01
_HONEST = 20
_SEEDS = 5


@dataclass(frozen=True)
class Attack:
    """A way to send without backing off."""

    label: str
    """For a reader."""
    price: str
    """Cost to the sender besides lost packets."""
    pause: float = 0.0
    """Seconds of silence after a drop, which the sender then makes good at twice its rate."""
    keys: Callable[[Reals, int, np.random.Generator], NDArray[np.int64]] | None = None
    """Keys of the packets of sender number n, if not that number."""
    buckets: int = 0
    """Number of keys that the router has for all flows, if it has few."""
    prefix: int = 0
    """Number of neighbours that the router takes for one, if it looks at prefixes; none mixes both kinds."""


def _each_second(times: Reals, sender: int, rng: np.random.Generator) -> NDArray[np.int64]:
    del rng
    return (1_000_000 * (sender + 1) + times).astype(np.int64)


def _each_packet(times: Reals, sender: int, rng: np.random.Generator) -> NDArray[np.int64]:
    del sender
    return rng.integers(10**6, 2**62, len(times))


def _borrowed(times: Reals, sender: int, rng: np.random.Generator) -> NDArray[np.int64]:
    del sender
    return rng.integers(0, _HONEST, len(times))


ATTACKS: Mapping[str, Attack] = {
    "none": Attack("goes on, under one key", "nothing"),
    "short-pause": Attack(
        "pauses 50 ms after a drop, then catches up", "feedback from the receiver", pause=0.05
    ),
    "long-pause": Attack("pauses 1 s after a drop, then catches up", "feedback, and delay", pause=1.0),
    "second": Attack("a new key each second", "ports or addresses of its own", keys=_each_second),
    "prefix": Attack(
        "the same; the router's keys are prefixes of ten senders",
        "more prefixes of its own",
        keys=_each_second,
        prefix=10,
    ),
    "packet": Attack("a new key for each packet", "ports, or spoofed addresses", keys=_each_packet),
    "borrowed": Attack("spoofs the keys of honest flows", "spoofed addresses", keys=_borrowed),
    "buckets": Attack("goes on; the router has eight keys", "nothing", buckets=8),
}


def measure(bench: st.Workbench) -> st.Measures:
    """The table ``attacks``: by attack and seed, what was read and what is true."""
    places = [(name, seed) for name in ATTACKS for seed in bench.seeds[:_SEEDS]]
    rows = bench.work("Attacks", places, lambda place: scored(ATTACKS[place[0]], place[1]))
    columns: dict[str, list[object]] = {
        "attack": [name for name, _ in places],
        "seed": [seed for _, seed in places],
    }
    for name in rows[0]:
        columns[name] = [row[name] for row in rows]
    return {"attacks": st.tidy(columns, ("attack", "seed"))}


def scored(attack: Attack, seed: int) -> Mapping[str, float]:
    """Means over the intervals of the second half of a stream."""
    times, keys, dropped, hostile = stream(attack, seed)
    found = Responsiveness().run(time=times, flow=keys, signalled=dropped)
    known = np.full(len(times), _DROPPED)
    dithered = Responsiveness().run(
        time=times,
        flow=keys,
        signalled=np.zeros(len(times), bool),
        dither_probability=known,
        dithered=dropped,
    )
    late = found.time > _JUDGED_FROM
    return {
        "share": float(found.share_or_middle[late].mean()),
        "share_lower": float(found.share_lower[late].mean()),
        "share_upper": float(found.share_upper[late].mean()),
        "truth": float(is_deaf(attack, seed) and hostile[times > _JUDGED_FROM].mean()),
        "flagged": 100 * float(np.isnan(found.share[late]).mean()),
        "share_dithered": float(dithered.share_or_middle[dithered.time > _JUDGED_FROM].mean()),
        "cost": 100 * (1 - float(hostile.sum()) / (_HONEST * senders.RATE * senders.DURATION)),
    }


def is_deaf(attack: Attack, seed: int) -> bool:
    """True if the sender sends as many packets where twice as many are dropped: its truth by response."""
    once, twice = (
        sum(len(senders.hostile(rng, drops, pause=attack.pause)[0]) for _ in range(_HONEST))
        for rng, drops in ((np.random.default_rng(seed), times * _DROPPED) for times in (1, 2))
    )
    return bool(np.log2(once / twice) < response.DEAF_BELOW)


def stream(attack: Attack, seed: int) -> senders.Packets:
    """Times, keys and drops of all packets, and which of them are hostile, in the order of their times."""
    rng = np.random.default_rng(seed)
    parts = []
    for sender in range(_HONEST):
        times, dropped = senders.honest(rng, _DROPPED)
        key = sender // max(attack.prefix, 1)
        parts.append((times, np.full(len(times), key), dropped, np.zeros(len(times), bool)))
    for sender in range(_HONEST):
        times, dropped = senders.hostile(rng, _DROPPED, pause=attack.pause)
        own = np.full(len(times), (_HONEST + sender) // max(attack.prefix, 1))
        made_up = None if attack.prefix else attack.keys
        keys = own if made_up is None else made_up(times, sender, rng)
        parts.append((times, keys, dropped, np.ones(len(times), bool)))
    times, keys, dropped, hostile = senders.merged(parts)
    if attack.buckets:
        keys = rng.integers(0, attack.buckets, 2 * _HONEST)[keys]
    return times, keys, dropped, hostile
