"""Random dumbbells that can be run in a moment: flows of all kinds, queues, losses, and links that change."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from parshall import (
    BernoulliLoss,
    Bulk,
    Capacity,
    Cbr,
    CoDel,
    DelayChange,
    DropTail,
    Dumbbell,
    FlowGroup,
    FqCodel,
    Jitter,
    LossChange,
    OnOff,
    Outage,
    Pie,
    RateChange,
    Record,
    Reordering,
    Series,
    Tcp,
    Telnet,
    Transfer,
    TransferSequence,
    Udp,
)

DURATION = 3.0
queues = st.sampled_from(
    [
        DropTail(limit_packets=5),
        DropTail(limit_packets=60),
        CoDel(),
        FqCodel(),
        FqCodel(limit_packets=20, queues=4),
        Pie(),
        {
            "kind": "red",
            "min_threshold_packets": 3,
            "max_threshold_packets": 9,
            "limit_packets": 30,
            "ecn": True,
        },
    ]
)
rates = st.sampled_from([0.5, 1.0, 2.0, 5.0, 12.0]).map(lambda rate: 1e6 * rate)
instants = st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.234, 2.0, 2.5])
warm_ups = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.7, 2.2])
losses = st.sampled_from([None, None, BernoulliLoss(probability=0.01), BernoulliLoss(probability=0.1)])
capacities = st.sampled_from(
    [
        None,
        None,
        Capacity(times=[0.001, 0.002, 0.002, 0.009, 0.02], period=0.02),
        Capacity(times=[0.5], period=0.5),
    ]
)
jitters = st.sampled_from([None, None, Jitter(most="3 ms"), Jitter(most="20 ms", reorder=True)])


@st.composite
def rate_changes(draw: Any) -> list[RateChange]:
    """Changes in order of time; a link that stands goes on again."""
    times = sorted(draw(st.sets(instants, max_size=3)))
    found = [RateChange(at=at, rate=draw(st.one_of(st.just(0.0), rates))) for at in times]
    return [*found, RateChange(at=2.7, rate=2e6)] if found else []


other_events = st.lists(
    st.sampled_from(
        [
            Outage(start=0.4, end=0.8),
            Outage(start=1.5, end=2.5, of="acks"),
            Reordering(start=0.2, delay="15 ms", every=7),
            Reordering(start=0.9, end=1.9, delay="40 ms", probability=0.2),
        ]
    ),
    max_size=2,
)
late_events = st.sampled_from(
    [
        [],
        [],
        [DelayChange(at=1.0, delay="35 ms"), DelayChange(at=1.5, delay="2 ms")],
        [LossChange(at=1.1, probability=0.05)],
    ]
)
tcps = st.builds(
    Tcp,
    profile=st.sampled_from(["rfc", "linux", "ns2"]),
    control=st.sampled_from([None, "cubic", "bbr", "vegas", "copa"]),
)
groups = st.one_of(
    st.builds(
        FlowGroup,
        transport=tcps,
        app=st.just(Bulk()),
        count=st.integers(1, 4),
        start_spread=st.sampled_from([0.0, 0.4]),
    ),
    st.builds(
        FlowGroup, transport=tcps, app=st.builds(Transfer, packets=st.integers(1, 400)), start=instants
    ),
    st.builds(
        FlowGroup,
        transport=tcps,
        app=st.builds(
            TransferSequence,
            packets=st.just(20),
            think=st.just(0.05),
            connection=st.sampled_from(["new", "persistent"]),
            requests=st.booleans(),
        ),
    ),
    st.builds(FlowGroup, transport=tcps, app=st.just(Telnet(packets=3, interval=0.03, idle=0.1))),
    st.builds(
        FlowGroup,
        transport=st.just(Udp(payload_bytes=500)),
        app=st.builds(Cbr, rate=st.sampled_from([64e3, 3e6])),
    ),
    st.builds(
        FlowGroup, transport=st.just(Udp()), app=st.just(OnOff(law="exponential", rate=2e6, on=0.1, off=0.1))
    ),
)


@st.composite
def dumbbells(draw: Any) -> Dumbbell:
    """A dumbbell whose tables and series are recorded."""
    events = [*draw(other_events), *draw(late_events)]
    capacity = draw(capacities)
    if capacity is None:
        events += draw(rate_changes())
    drawn = draw(st.lists(groups, min_size=1, max_size=3))
    return Dumbbell(
        duration=DURATION,
        warm_up=draw(warm_ups),
        rate=draw(rates),
        delay=draw(st.sampled_from([0.001, 0.02, 0.08])),
        access_rate=draw(st.sampled_from([4e6, 100e6])),
        access_delay=0.001,
        queue=draw(queues),
        loss=draw(losses),
        capacity=capacity,
        jitter=draw(jitters),
        events=events,
        flows=[group.replace("name", f"group{number}-") for number, group in enumerate(drawn)],
        record=Record(
            flow_series=Series(of=["*"], interval=0.05),
            port_series=Series(of=["*"], interval=0.1),
            transfers=["*"],
        ),
    )
