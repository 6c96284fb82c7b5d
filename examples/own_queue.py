"""A queue of ten lines beside the engine's: the first packets of each flow go first.

python examples/own_queue.py               prints how long short transfers take
python examples/own_queue.py FIGURE.svg    draws the distributions
"""

from __future__ import annotations

import sys
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

import parshall
from parshall.own import DROP, PASS


class YoungFirst(parshall.Queue):
    """Two classes: the first ``young`` packets of each flow, and all others, which wait for those."""

    young: int = 30
    limit: int = 100
    seen: dict[int, int] = field(init=False, default_factory=dict)

    def on_arrival(self, packet: parshall.own.QueuedPacket) -> int:
        seen = self.seen[packet.flow] = self.seen.get(packet.flow, 0) + 1
        self.into = 0 if seen <= self.young else 1
        return DROP if packet.packets >= self.limit else PASS


QUEUES = {
    "YoungFirst, ten lines": YoungFirst(),
    "FQ-CoDel": parshall.FqCodel(limit_packets=100),
    "DropTail": parshall.DropTail(limit_packets=100),
}


def network(queue: Any) -> parshall.Dumbbell:
    """Two long transfers, and a hundred short ones of 20 packets that come while these are under way."""
    tcp = parshall.Tcp(recovery="sack", control="cubic")
    short = parshall.Transfer(packets=20)
    return parshall.Dumbbell(
        duration="60 s",
        rate="10 Mbit/s",
        delay="19 ms",
        access_rate="100 Mbit/s",
        access_delay="0.5 ms",
        queue=queue,
        flows=[
            parshall.FlowGroup(name="long", count=2, transport=tcp, app=parshall.Bulk()),
            parshall.FlowGroup(
                name="short", count=100, transport=tcp, app=short, start="5 s", start_spread="50 s"
            ),
        ],
    )


def times(queue: Any) -> tuple[np.ndarray[Any, Any], float]:
    """Seconds that each short transfer takes, in ascending order, and Mbit/s that the long ones get."""
    recording = parshall.run(network(queue), seed=1)
    flows = {name: recording.flow(name) for name in recording.flows}
    short = [flow.completion_time for name, flow in flows.items() if name.startswith("short")]
    long = [flow.goodput / 1e6 for name, flow in flows.items() if name.startswith("long")]
    return np.sort(short), sum(long)


def show() -> None:
    """Prints how long short transfers take, and what is left for the long ones."""
    for name, queue in QUEUES.items():
        took, rest = times(queue)
        median, tail = np.quantile(took, [0.5, 0.95])
        print(f"{name:22} {median:5.2f} s, one in twenty {tail:5.2f} s or more; long ones {rest:5.2f} Mbit/s")


def draw(target: Path) -> None:
    """Draws the distribution of the times that short transfers take."""
    from parshall.plot import drawing, legend_of, standalone, to_svg

    with drawing(3.0) as (figure, axes):
        for name, queue in QUEUES.items():
            took, _ = times(queue)
            axes[0].step(took, np.arange(1, len(took) + 1) / len(took), where="post", label=name)
        axes[0].set_xlabel("time of a transfer of 20 packets, s")
        axes[0].set_ylabel("share of transfers")
        axes[0].set_xlim(left=0)
        legend_of(figure, axes[:1], columns=2)
        title = "A queue of ten lines beside FQ-CoDel and DropTail"
        about = "Distribution of the times of short transfers that share a link with two long ones."
        target.write_text(standalone(to_svg(figure, "own-queue", title, about)), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]))
    else:
        show()
