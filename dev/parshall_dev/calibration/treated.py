"""Judges experiments on demand: bounds, labels and prices on drawn scenarios whose groups are known.

What was tried out to choose defaults are the kinds of :data:`DESIGN`; figures are of those of
:data:`JUDGING`, which has other controls, other deaf traffic and other queues.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import parshall
from parshall.scenario import TreatedGroup, TreatmentLoss
from parshall_dev.calibration import prior, replays

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall_dev.calibration.rhythms import Rhythm

SALT = 977
SECONDS = 150.0
GROUPS = ("r-*", "d-*")
"""Groups that respond, and that do not: a name of flows each."""
CLOSE = 0.02
"""Bounds may miss an effect by so much."""
LIMIT = TreatmentLoss(groups=[TreatedGroup()]).limit
"""Effect that parts groups."""
_RECORDED = 950_000
"""Number of the first scenario whose flows are replayed."""


class Kinds(NamedTuple):
    """Kinds of a set of scenarios."""

    responsive: tuple[str, ...]
    deaf: tuple[str, ...]
    """``replay of KIND`` sends as flows of that kind have sent elsewhere."""
    queues: tuple[str, ...]
    first: int
    """Number of its first scenario."""


DESIGN = Kinds(("sack", "linux", "paced"), ("vbr", "self-similar", "replay of sack"), ("red", "droptail"), 0)
JUDGING = Kinds(
    ("cubic", "bbr", "binomial", "window-limited"),
    ("cbr", "on-off", "replay of cubic", "replay of bbr"),
    ("pie", "codel", "red-ecn"),
    1000,
)
NAMES = {
    "cubic": "CUBIC",
    "bbr": "BBR",
    "binomial": "IIAD and SQRT",
    "window-limited": "limited by window",
    "cbr": "constant rate",
    "on-off": "on and off",
    "replay of cubic": "replays of CUBIC",
    "replay of bbr": "replays of BBR",
}


@dataclass(frozen=True)
class Treated(prior.Draw):
    """Scenario with a group that responds and one that does not, without an experiment."""

    @property
    def name(self) -> str:
        return f"treated/{self.number}"

    @property
    def duration(self) -> float:
        """Seconds."""
        return SECONDS


def scenarios(kinds: Kinds, count: int) -> list[Treated]:
    """The first ones of a set, the same for ever."""
    return [_scenario(kinds, kinds.first + place) for place in range(count)]


def _scenario(kinds: Kinds, number: int) -> Treated:
    rng = np.random.default_rng((SALT, number))
    deaf = kinds.deaf[number // len(kinds.responsive) % len(kinds.deaf)]
    rhythms = _rhythms(deaf.removeprefix("replay of ")) if deaf.startswith("replay") else ()
    return Treated(
        number=number,
        rate=float(f"{prior.between(rng, 4e6, 1.6e7):.3g}"),
        flows=round(prior.between(rng, 14, 50)),
        rtt=float(f"{prior.between(rng, 0.01, 0.08):.3g}"),
        spread=1.0 if rng.uniform() < 0.4 else float(rng.uniform(1, 3)),
        buffer=prior.between(rng, 0.5, 2.0),
        queue=kinds.queues[rng.integers(len(kinds.queues))],
        responsive=kinds.responsive[number % len(kinds.responsive)],
        deaf="replay" if rhythms else deaf,
        shape="steady",
        share=float(rng.uniform(0.2, 0.7)),
        rhythms=rhythms,
    )


@cache
def _rhythms(kind: str) -> tuple[Rhythm, ...]:
    place = prior.RESPONSIVE.index(kind)
    runs = range(_RECORDED + 10 * place, _RECORDED + 10 * place + 3)
    return tuple(rhythm for number in runs for rhythm in replays.recorded(kind, number))


def deaf_kind(each: Treated) -> str:
    """The kind of what does not respond, with that of what is replayed."""
    return f"replay of {each.rhythms[0].kind}" if each.rhythms else each.deaf


def asked(each: Treated, **changes: Any) -> Recording:
    """A run in which both groups are asked; ``seed`` among the changes is the run's."""
    seed = changes.pop("seed", 1)
    loss = TreatmentLoss(groups=[TreatedGroup(flows=[name]) for name in GROUPS], **changes)
    return parshall.run(_plain(each).with_({"loss": loss}), seed)


def _plain(each: Treated) -> Any:
    return each.network().with_({"record.responsiveness": None})


class Judged(NamedTuple):
    """Result of an experiment with a group, and its price."""

    kind: str
    responds: bool
    label: int
    """As :class:`parshall.estimators.FlowLabel`."""
    held: bool
    """True if the bounds held the effect after every pair."""
    truth: float
    """The effect, as far as it is known."""
    effect: float
    width: float
    pairs: int
    seconds: float
    """Time of the label; NaN without one."""
    signals: float
    """Part of the group's packets that the treatment took."""
    price: float
    throughput: float
    """Part of the link's throughput that the experiments of both groups cost."""


def judged(each: Treated, **changes: Any) -> list[Judged]:
    """Both groups of a scenario. A deaf group's effect is 0; a responsive one's is what an experiment of
    another seed finds that asks from beginning to end, whatever it costs, up to an eighth of the width of its
    bounds: about a standard error.
    """
    run, plain = asked(each, **changes), parshall.run(_plain(each), 1)
    lost = 1 - run.port("bottleneck").bytes_departed / plain.port("bottleneck").bytes_departed
    long = asked(each, **(changes | {"seed": 2, "budget": 1.0, "goes_on": True}))
    found = []
    for group, kind in enumerate((each.responsive, deaf_kind(each))):
        own, other = (_rows(which, group) for which in (run, long))
        truth = float(other["effect"][-1]) if group == 0 and len(other["effect"]) else 0.0
        doubt = _eighth(other) if group == 0 else 0.0
        if len(own["time"]) == 0:
            found.append(Judged(kind, group == 0, 0, True, truth, np.nan, 2.0, 0, np.nan, 0.0, 0.0, lost))
            continue
        held = (own["lower"] <= truth + CLOSE + doubt) & (own["upper"] >= truth - CLOSE - doubt)
        labelled = np.flatnonzero(own["label"])
        last = {name: column[-1] for name, column in own.items()}
        found.append(
            Judged(
                kind,
                group == 0,
                int(last["label"]),
                bool(held.all()),
                truth,
                float(last["effect"]),
                float(last["upper"] - last["lower"]),
                int(last["pairs"]),
                float(own["time"][labelled[0]]) if len(labelled) else np.nan,
                float(last["signals"] / max(last["packets"], 1)),
                float(last["price"]),
                lost,
            )
        )
    return found


def _eighth(rows: Mapping[str, Any]) -> float:
    """An eighth of the width of the last bounds."""
    return float(rows["upper"][-1] - rows["lower"][-1]) / 8 if len(rows["time"]) else 1.0


def _rows(run: Recording, group: int) -> Mapping[str, Any]:
    rows = run.columns("treatment")
    own = rows["group"] == group
    return {name: column[own] for name, column in rows.items()}


def lines(kinds: Kinds, count: int, **changes: Any) -> Iterator[str]:
    """A table in Markdown, a row a kind."""
    found = [row for each in scenarios(kinds, count) for row in judged(each, **changes)]
    yield (
        "| Group | Experiments | Responds | Unknown | Does not | Label right by protocol, % of labels | "
        "By effect, % | Bounds hold, % | Median width | Label after, s | Taken, % | Price, % | "
        "Throughput, % |"
    )
    yield "|" + "---|" * 13
    groups: dict[str, list[Judged]] = {}
    for row in found:
        groups.setdefault(NAMES.get(row.kind, row.kind), []).append(row)
    for name, rows in sorted(groups.items(), key=lambda item: not item[1][0].responds):
        yield _line(name, rows)
    yield _line("all that respond", [row for row in found if row.responds])
    yield _line("all that do not", [row for row in found if not row.responds])


def _right(labels: Iterable[bool]) -> str:
    found = list(labels)
    return f"{100 * np.mean(found):.0f}" if found else ""


def _line(name: str, rows: Sequence[Judged]) -> str:
    labels = np.array([row.label for row in rows])
    by_protocol = _right(row.label == (-1 if row.responds else 1) for row in rows if row.label != 0)
    by_effect = _right(row.label == (-1 if row.truth >= LIMIT else 1) for row in rows if row.label != 0)
    prices = np.array([row.price for row in rows])
    after = [row.seconds for row in rows if np.isfinite(row.seconds)]
    cells = [
        name,
        str(len(rows)),
        *(str(int((labels == label).sum())) for label in (-1, 0, 1)),
        by_protocol,
        by_effect,
        f"{100 * np.mean([row.held for row in rows]):.0f}",
        f"{np.median([row.width for row in rows]):.2f}",
        f"{np.median(after):.0f}" if after else "",
        f"{100 * np.mean([row.signals for row in rows]):.1f}",
        f"{100 * prices.mean():.1f} (at most {100 * prices.max():.1f})",
        f"{round(100 * float(np.mean([row.throughput for row in rows])), 1) + 0.0:.1f}",
    ]
    return f"| {' | '.join(cells)} |"
