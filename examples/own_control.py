"""A control of ten lines beside CUBIC and BBR: what two flows get, and what waits in the queue.

python examples/own_control.py               prints what each flow gets
python examples/own_control.py FIGURE.svg    draws it over time
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import parshall


class Gentle(parshall.Control):
    """Holds the queueing delay near ``target`` seconds: the window moves towards the one that would leave a
    queue of that length, about as far in a round trip as it has to go.
    """

    target: float = 0.005

    def on_ack(self, ack: parshall.control.Ack) -> None:
        if not ack.may_grow:
            return
        if self.cwnd < self.ssthresh and ack.srtt - ack.min_rtt < self.target:
            self.open(ack.slow_start)
        else:
            wanted = self.cwnd * (ack.min_rtt + self.target) / ack.rtt
            self.cwnd = self.ssthresh = max(2.0, self.cwnd + (wanted - self.cwnd) / self.cwnd)


CONTROLS = {"Gentle, ten lines": Gentle(), "CUBIC": parshall.Cubic.linux(), "BBR": parshall.Bbr()}
RATE = 10e6
STEP_S = 0.5


def network(control: Any) -> parshall.Dumbbell:
    """Two flows over a link with a buffer of two bandwidth-delay products; the second comes after ten
    seconds.
    """
    tcp = parshall.Tcp(recovery="sack", control=control)
    bulk = parshall.Bulk()
    return parshall.Dumbbell(
        duration="30 s",
        rate=RATE,
        delay="19 ms",
        access_rate="100 Mbit/s",
        access_delay="0.5 ms",
        queue=parshall.DropTail(limit_packets=96),
        flows=[
            parshall.FlowGroup(name="first", count=1, transport=tcp, app=bulk),
            parshall.FlowGroup(name="second", count=1, transport=tcp, app=bulk, start="10 s"),
        ],
        record=parshall.Record(
            port_series=parshall.Series(of="bottleneck", interval="50 ms"),
            flow_series=parshall.Series(of="*", interval=STEP_S),
        ),
    )


def show() -> None:
    """Prints goodputs and the queueing delay."""
    for name, control in CONTROLS.items():
        recording = parshall.run(network(control), seed=1)
        first, second = (recording.flow(flow).goodput / 1e6 for flow in ("first1", "second1"))
        delay = recording.port("bottleneck").mean_delay * 1e3
        print(f"{name:18} {first:5.2f} and {second:5.2f} Mbit/s, {delay:5.1f} ms in the queue")


def draw(target: Path) -> None:
    """Draws what the two flows get above, and what waits in the queue below."""
    from parshall.plot import drawing, legend_of, standalone, to_svg

    with drawing(3.6, rows=2, columns=3, width=7.2, sharex=True, sharey="row") as (figure, axes):
        for column, (name, control) in enumerate(CONTROLS.items()):
            recording = parshall.run(network(control), seed=1)
            above, below = axes[column], axes[column + 3]
            for flow in ("first1", "second1"):
                series = recording.flow(flow).series
                delivered = np.diff(series.packets_delivered) * 8e3 / STEP_S / 1e6
                above.plot(series.time[1:], delivered, label=f"the {flow.rstrip('1')} flow")
            queue = recording.port("bottleneck").series
            below.plot(queue.time, queue.backlog_bytes * 8 / RATE * 1e3, linewidth=0.9)
            above.set_title(name)
            below.set_xlabel("time, s")
        axes[0].set_ylabel("goodput, Mbit/s")
        axes[3].set_ylabel("queueing delay, ms")
        legend_of(figure, axes[:1], columns=2)
        title = "A control of ten lines beside CUBIC and BBR"
        about = "Goodput of two flows and queueing delay over time, for three congestion controls."
        target.write_text(standalone(to_svg(figure, "own-control", title, about)), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]))
    else:
        show()
