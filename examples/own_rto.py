"""A filter of timeouts of ten lines beside the library's, on the round trips of a congested link.

python examples/own_rto.py               prints what each costs
python examples/own_rto.py FIGURE.svg    draws early timeouts against waiting
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Literal

import parshall


class Peak(parshall.RtoFilter):
    """Stays near the greatest round trip of late, and ``margin`` times above it."""

    keep: float = 0.98
    margin: float = 1.5

    def on_sample(self, rtt: float) -> None:
        faded = rtt if math.isnan(self.srtt) else rtt + self.keep * (self.srtt - rtt)
        self.srtt = max(rtt, faded)

    def rto(self) -> float:
        return self.margin * self.srtt


def network(rto: parshall.RtoFilter | Literal["jacobson"] = "jacobson") -> parshall.Dumbbell:
    """Five long transfers whose round trips are recorded, among short ones that come and go."""
    tcp = parshall.Tcp(recovery="sack", control="cubic", rto=rto, min_rto="10 ms")
    web = parshall.Web(inter_page=0.5, objects=4)
    return parshall.Dumbbell(
        duration="60 s",
        rate="20 Mbit/s",
        delay="20 ms",
        access_rate="100 Mbit/s",
        access_delay="1 ms",
        queue=parshall.DropTail(limit_packets=80),
        flows=[
            parshall.FlowGroup(name="long", count=5, transport=tcp, app=parshall.Bulk()),
            parshall.FlowGroup(name="web", count=6, transport=tcp, app=web),
        ],
        record=parshall.Record(rtt=["long1"]),
    )


def compared() -> parshall.rto.RtoComparison:
    """The costs of each filter on the round trips of one transfer."""
    rtts = parshall.run(network(), seed=1).columns("rtt")["rtt"]
    return parshall.rto.compare(rtts, min_rto=0.01, filters={"Peak": Peak()})


def show() -> None:
    """Prints the costs, and what the filter does inside of TCP."""
    for name, costs in compared().rows.items():
        print(f"{name:16} {costs.spurious_share:8.3%} early, {1e3 * costs.mean_wait:6.1f} ms to wait")
    filters: list[parshall.RtoFilter | Literal["jacobson"]] = ["jacobson", Peak()]
    for rto in filters:
        flows = parshall.run(network(rto), seed=1).columns("flows")
        name = rto if isinstance(rto, str) else "Peak"
        timeouts, early = flows["timeouts"].sum(), flows["spurious_timeouts"].sum()
        print(f"{name:16} {timeouts} timeouts, {early} of them needless")


def draw(target: Path) -> None:
    """Draws early timeouts against waiting."""
    from parshall.rto.shown import svg_of

    title = "A filter of ten lines beside the library's"
    target.write_text(svg_of(compared(), title), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]))
    else:
        show()
