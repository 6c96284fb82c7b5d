"""A parking lot: a flow across several bottlenecks beside one at each.

python examples/classics/parking_lot.py
"""

from parshall import Red, Scenario, Tcp, parking_lot
from parshall.sweep import Sweep


def build(hops: int) -> Scenario:
    """All flows have a round trip of 60 ms, so that only the number of bottlenecks tells."""
    return parking_lot(
        hops,
        duration="200 s",
        warm_up="50 s",
        rate="10 Mbit/s",
        delay="4 ms",
        access_rate="100 Mbit/s",
        access_delay=(0.030 - 0.004 * hops) / 2,
        cross_access_delay=(0.030 - 0.004) / 2,
        queue=Red(min_threshold_packets=10, max_threshold_packets=50, limit_packets=200, gentle=True),
        transport=Tcp(recovery="sack"),
        start_spread="1 s",
    )


sweep = Sweep(
    build,
    {"hops": [1, 2, 3, 4, 5, 6]},
    seeds=4,
    metrics={"long": "flow:long1.goodput", "cross": "flow:cross*.goodput.mean"},
    title="A flow across several bottlenecks",
)

if __name__ == "__main__":
    result = sweep.run()
    print(result.summary().to_pandas())
    result.plot().savefig("parking_lot.svg")
