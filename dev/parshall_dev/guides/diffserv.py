"""Draws the pictures of docs/guide/diffserv.md: python -m parshall_dev.guides.diffserv."""

import numpy as np

import parshall
from parshall import (
    Cbr,
    ClassQueue,
    Conditioner,
    DiffServ,
    Drr,
    Flow,
    Link,
    OnOff,
    Precedence,
    Priority,
    Record,
    Rule,
    Scenario,
    SrtcmMeter,
    TrtcmMeter,
    Tsw3cmMeter,
    Udp,
    Wrr,
)
from parshall.plot import MARKERS, SERIES, drawing, legend_of, standalone, to_svg
from parshall_dev.checkout import ROOT

FIGURES = ROOT / "docs/figures"
COLOURS = {"AF11": "green", "AF12": "yellow", "AF13": "red"}
CODES = {10: "green", 12: "yellow", 14: "red"}
INKS = {"green": SERIES[2], "yellow": SERIES[4], "red": SERIES[1]}
SHAPES = dict(zip(INKS, MARKERS, strict=False))
THRESHOLDS = {"AF11": (40, 55, 0.02), "AF12": (25, 40, 0.05), "AF13": (10, 25, 0.1)}


def rule(meter):
    """Colours that become drop precedences of AF1."""
    return Rule(meter=meter, if_green="AF11", if_yellow="AF12", if_red="AF13")


def network(flows, queue=None, conditioner=None, record=None, duration=10.0):
    """Hosts behind a router each, and one link of 4 Mbit/s, called core, after the conditioned one."""
    core = {"queue": queue} if queue is not None else {}
    links = [
        Link(between=("in", "a"), name="edge", rate="100 Mbit/s", delay="1 ms", conditioner=conditioner),
        Link(between=("a", "b"), name="core", rate="4 Mbit/s", delay="1 ms", **core),
        Link(between=("b", "out"), rate="100 Mbit/s", delay="1 ms"),
    ]
    return Scenario(
        duration=duration,
        hosts=["in", "out"],
        routers=["a", "b"],
        links=links,
        flows=flows,
        record=record or Record(),
    )


def udp(name, app, dscp="DF"):
    """A flow of packets of 1000 bytes on the wire."""
    transport = Udp(payload_bytes=972, header_bytes=28)
    return Flow(name=name, source="in", destination="out", transport=transport, app=app, dscp=dscp)


def meters():
    """Tokens of a meter, and the colours of packets, over time."""
    meter = SrtcmMeter(cir="1 Mbit/s", cbs_bytes=20_000, ebs_bytes=40_000)
    flow = udp("f", OnOff(law="exponential", rate="4 Mbit/s", on="300 ms", off="700 ms"))
    scenario = network([flow], None, Conditioner(rules=[rule(meter)]), Record(class_state="edge"))
    state = parshall.run(scenario, seed=2).columns("class_state")
    shown = state["time"] < 4.0
    time, codes = state["time"][shown], state["dscp"][shown]
    with drawing(4.4, rows=2, width=7.4, sharex=True) as (canvas, axes):
        for name, label, line in (
            ("committed_bytes", "committed bucket", "-"),
            ("excess_bytes", "excess bucket", "--"),
        ):
            axes[0].plot(
                time, state[name][shown] / 1000, line, color=SERIES[0], label=label, drawstyle="steps-post"
            )
        axes[0].set_ylabel("tokens (kB)")
        legend_of(canvas, [axes[0]], columns=2)
        for row, (code, colour) in enumerate(CODES.items()):
            own = codes == code
            axes[1].plot(time[own], np.full(own.sum(), row), SHAPES[colour], color=INKS[colour], markersize=4)
        axes[1].set_yticks(range(3), list(INKS))
        axes[1].set_ylim(-0.5, 2.5)
        axes[1].set_xlabel("time (s)")
        axes[1].set_ylabel("colour of a packet")
        return "meters", to_svg(canvas, "diffserv-meters", "A meter at work", "Tokens and colours over time.")


def markers():
    """Parts of each colour over the rate of an aggregate."""
    rates = np.arange(0.5, 6.01, 0.5)
    kinds = {
        "TSW3CM, 2 and 3 Mbit/s": Tsw3cmMeter(cir=2e6, pir=3e6),
        "trTCM, 2 and 3 Mbit/s": TrtcmMeter(cir=2e6, cbs_bytes=20_000, pir=3e6, pbs_bytes=20_000),
    }
    with drawing(3.2, columns=2, width=7.4, sharey=True) as (canvas, axes):
        for axis, (title, meter) in zip(axes, kinds.items(), strict=True):
            parts = []
            for rate in rates:
                flow = udp("f", Cbr(rate=0.972e6 * rate))
                scenario = network([flow], None, Conditioner(rules=[rule(meter)]), duration=20.0)
                table = parshall.run(scenario, seed=1).columns("aggregates")
                counts = np.array([float(table[f"packets_{colour}"][0]) for colour in INKS])
                parts.append(100 * counts / counts.sum())
            for place, colour in enumerate(INKS):
                values = [part[place] for part in parts]
                axis.plot(rates, values, color=INKS[colour], marker=SHAPES[colour], label=colour)
            axis.set_title(title)
            axis.set_xlabel("rate of the aggregate (Mbit/s)")
        axes[0].set_ylabel("part of its packets (%)")
        legend_of(canvas, [axes[0]], columns=3)
        return "markers", to_svg(
            canvas, "diffserv-markers", "Colours over the rate", "Parts of three colours."
        )


def queues():
    """Drop probability over the average for each precedence, and averages over time."""
    precedences = [
        Precedence(dscp=dscp, min_threshold_packets=low, max_threshold_packets=high, max_probability=most)
        for dscp, (low, high, most) in THRESHOLDS.items()
    ]
    queue = DiffServ(queues=[ClassQueue(precedences=precedences, limit_packets=100, dropper="rio-c")])
    flows = [
        udp(dscp, OnOff(law="exponential", rate="4 Mbit/s", on="200 ms", off="300 ms"), dscp)
        for dscp in THRESHOLDS
    ]
    recording = parshall.run(network(flows, queue, record=Record(class_state="core")), seed=1)
    state, averages = recording.columns("class_state"), recording.columns("averages")
    with drawing(3.2, columns=2, width=7.4) as (canvas, axes):
        for place, (dscp, (low, high, most)) in enumerate(THRESHOLDS.items()):
            colour = COLOURS[dscp]
            style = {
                "color": INKS[colour],
                "linestyle": ("-", "--", ":")[place],
                "label": f"{dscp}, {colour}",
            }
            axes[0].plot([0, low, high, high, 70], [0, 0, 100 * most, 100, 100], **style)
            own = averages["precedence"] == place
            axes[1].plot(
                state["time"][averages["arrival"][own].astype(int)], averages["average"][own], **style
            )
        axes[0].set_yscale("symlog", linthresh=10)
        axes[0].set_yticks([0, 2, 5, 10, 100], ["0", "2", "5", "10", "100"])
        axes[0].set_xlabel("average that it goes by (packets)")
        axes[0].set_ylabel("dropped early (%)")
        axes[1].set_xlabel("time (s)")
        axes[1].set_ylabel("averages of RIO-C (packets)")
        legend_of(canvas, [axes[0]], columns=3)
        return "queues", to_svg(canvas, "diffserv-queues", "Three precedences", "Probabilities and averages.")


def schedulers():
    """Rates of three classes that each want more than a third of the link."""
    classes = {"EF": "first queue", "AF11": "second", "DF": "third"}
    kinds = {
        "priority": Priority(),
        "WRR 1:1:1": Wrr(weights=[1, 1, 1]),
        "WRR 4:2:1": Wrr(weights=[4, 2, 1]),
        "DRR 5:3:2": Drr(weights=[5, 3, 2]),
    }
    own = [ClassQueue(precedences=[Precedence(dscp=dscp)], limit_packets=30) for dscp in classes]
    flows = [udp(dscp, Cbr(rate="2.2 Mbit/s"), dscp) for dscp in classes]
    shares = []
    for scheduler in kinds.values():
        recording = parshall.run(network(flows, DiffServ(queues=own, scheduler=scheduler)), seed=1)
        table = recording.columns("classes")
        forward = table["port"] == recording.scenario.ports.index("a->b")
        sent = dict(zip(table["dscp"][forward], table["bytes_sent"][forward].astype(float), strict=True))
        total = sum(sent.values())
        shares.append([100 * sent[code] / total for code in (46, 10, 0)])
    places = np.arange(len(kinds))
    with drawing(3.0, width=7.4) as (canvas, axes):
        for column, label in enumerate(classes.values()):
            values = [share[column] for share in shares]
            hatch = ("", "//", "..")[column]
            axes[0].bar(
                places + 0.26 * (column - 1),
                values,
                0.24,
                color=SERIES[column],
                hatch=hatch,
                edgecolor="#fdfdfe",
                label=label,
            )
        axes[0].set_xticks(places, list(kinds))
        axes[0].set_ylabel("part of the link (%)")
        legend_of(canvas, axes, columns=3)
        return "schedulers", to_svg(canvas, "diffserv-schedulers", "Schedulers", "Parts of the link.")


if __name__ == "__main__":
    for draw in (meters, markers, queues, schedulers):
        name, svg = draw()
        (FIGURES / f"diffserv-{name}.svg").write_text(standalone(svg))
