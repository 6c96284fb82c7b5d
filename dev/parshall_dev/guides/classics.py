"""Draws the figures of docs/guide/classics.md: python -m parshall_dev.guides.classics [NAME ...]."""

import sys
from runpy import run_path

import numpy as np

from parshall.plot import INK, MARKERS, SERIES, drawing, legend_of, log_axis, standalone, to_svg
from parshall.stats import mean_interval
from parshall.sweep.file import load_sweep
from parshall.theory import random_loss_window
from parshall_dev.checkout import ROOT

EXAMPLES = ROOT / "examples/classics"
FIGURES = ROOT / "docs/figures"


def measured(name):
    """The result of an example."""
    if (script := EXAMPLES / f"{name}.py").exists():
        return run_path(str(script))["sweep"].run()
    return load_sweep(EXAMPLES / f"{name}.toml").run()


def means(result, metric, x, factor=1.0, **chosen):
    """A parameter's values at the points with these labels, the means of a metric there and half of their
    intervals.
    """
    points = [p for p in result.points if all(p.parameters[name] == label for name, label in chosen.items())]
    found = [result.interval(metric, point) for point in points]
    places = np.array([float(point.parameters[x]) for point in points])
    return (
        places,
        np.array([i.mean for i in found]) * factor,
        np.array([i.half_width for i in found]) * factor,
    )


def curve(axis, number, label, values):
    """Means with their intervals, joined by lines."""
    places, middle, half = values
    axis.errorbar(
        places, middle, yerr=half, fmt=MARKERS[number], linestyle="-", color=SERIES[number], markersize=4,
        capsize=2, linewidth=1.2, label=label,
    )  # fmt: skip


def law(axis, label, places, values, style="--"):
    """Draws a published law."""
    axis.plot(places, values, linestyle=style, color=INK, linewidth=1.0, label=label)


def mathis(axis):
    """Goodput over the loss rate, beside the law."""
    result = measured("mathis")
    losses = np.geomspace(2e-4, 0.015, 50)
    for number, (acks, acked) in enumerate((("an ACK for each packet", 1), ("an ACK for two", 2))):
        curve(axis, number, acks, means(result, "rate", "loss", 1e-6, acks=acks))
        constant = random_loss_window(0.5, acked) * np.sqrt(0.5)
        style = "--" if number == 0 else ":"
        law(axis, f"{constant:.2f} MSS / (RTT √p)", losses, 8e-3 * constant / (0.1 * np.sqrt(losses)), style)
    log_axis(axis.xaxis, [2e-4, 0.015])
    log_axis(axis.yaxis, [0.4, 7])
    axis.set(xlabel="loss rate p", ylabel="goodput (Mbit/s)")
    return "Mathis' law", "Goodput over the loss rate, beside the law."


def incast(axis):
    """Goodput over the number of servers."""
    result = measured("incast")
    for number, (least, label) in enumerate(((0.2, "least RTO 200 ms"), (0.001, "least RTO 1 ms"))):
        points = [point for point in result.points if point.parameters["least"] == least]
        servers = np.array([float(point.parameters["servers"]) for point in points])
        lasts = [np.array(list(result.values("last", point).values())) for point in points]
        rates = [mean_interval(8e-6 * 176 * 1460 * n / last) for n, last in zip(servers, lasts, strict=True)]
        middle, half = ([getattr(rate, name) for rate in rates] for name in ("mean", "half_width"))
        curve(axis, number, label, (servers, middle, half))
    law(axis, "a tenth of the link", [1, 48], [100, 100])
    log_axis(axis.xaxis, [1, 48])
    axis.set_ylim(0, 1200)
    axis.set(xlabel="servers", ylabel="goodput of the block (Mbit/s)")
    return "Incast", "Goodput over the number of servers, for two least timeouts."


def bbr_cubic(axis):
    """BBR's part over the number of flows of CUBIC."""
    result = measured("bbr_cubic")
    flows, bbr, half = means(result, "bbr", "flows")
    both = bbr + means(result, "cubic", "flows")[1]
    curve(axis, 0, "one flow of BBR", (flows, 100 * bbr / both, 100 * half / both))
    law(axis, "40 %, up to 16 flows (Ware et al.)", [1, 16], [40, 40])
    law(axis, "its equal part", flows, 100 / (1 + flows), ":")
    log_axis(axis.xaxis, [1, 16])
    axis.set_ylim(0, 60)
    axis.set(xlabel="flows of CUBIC", ylabel="part of the goodput (%)")
    return "BBR beside CUBIC", "BBR's part of the goodput over the number of flows of CUBIC."


def rtt_unfairness(axis):
    """Goodputs over round trips, as ratios of two flows."""
    result = measured("rtt_unfairness")
    delay, near, _ = means(result, "near", "delay")
    far = means(result, "far", "delay")[1]
    ratio = (10 + 4000 * delay) / 30
    axis.plot(ratio, near / far, MARKERS[0], linestyle="-", color=SERIES[0], markersize=4, label="measured")
    trips = np.geomspace(1, 5, 20)
    law(axis, "RTT ratio", trips, trips, ":")
    law(axis, "its square", trips, trips**2)
    log_axis(axis.xaxis, [1, 5])
    log_axis(axis.yaxis, [0.9, 27])
    axis.set(xlabel="ratio of the round trips", ylabel="ratio of the goodputs")
    return "RTT unfairness", "Ratio of the goodputs of two flows over that of their round trips."


def phase(axis):
    """The second flow's part over the ratio of round trips."""
    result = measured("phase")
    for number, (noise, label) in enumerate(
        ((1e-6, "no noise"), (0.01, "noise up to 10 ms"), (0.04, "up to 40 ms"))
    ):
        delay, second, half = means(result, "second", "delay", noise=noise)
        both = second + means(result, "first", "delay", noise=noise)[1]
        ratio = (220 + 4 * (1000 * delay - 5)) / 220
        curve(axis, number, label, (ratio, 100 * second / both, 100 * half / both))
    law(axis, "half", [1, 1.09], [50, 50], ":")
    axis.set_ylim(0, 100)
    axis.set(xlabel="round trip of the second flow over the first's", ylabel="the second's part (%)")
    return "Phase effects", "The second flow's part of the goodput over the ratio of the round trips."


def dctcp(axis):
    """Queues of TCP and DCTCP."""
    result = measured("dctcp")
    for number, point in enumerate(result.points):
        middle, most = (result.interval(name, point) for name in ("queue", "most"))
        axis.barh(number, middle.mean, color=SERIES[number], height=0.5)
        axis.plot(most.mean, number, "|", color=INK, markersize=14)
        rate = result.interval("goodput", point).mean / 1e6
        axis.annotate(
            f"{rate:.0f} Mbit/s", (most.mean, number), xytext=(6, 0), textcoords="offset points", va="center"
        )
    axis.axvline(20, color=INK, linestyle="--", linewidth=1.0, label="K = 20")
    axis.set_yticks(range(len(result.points)), [point.parameters["sender"] for point in result.points])
    axis.set_xlim(0, 620)
    axis.invert_yaxis()
    axis.set(xlabel="queue (packets): median, and 99 % as a stroke")
    return "DCTCP", "Queues of TCP and DCTCP at the same goodput."


def codel(axis):
    """Delay over the size of the buffer."""
    result = measured("codel")
    for number, queue in enumerate(("droptail", "codel")):
        curve(axis, number, queue, means(result, "delay", "buffer", 1e3, queue=queue))
    sizes = np.array([50, 1000])
    law(axis, "full buffer", sizes, sizes * 1040 * 8 / 10e3, ":")
    law(axis, "CoDel's target, 5 ms", sizes, [5, 5])
    log_axis(axis.xaxis, [50, 1000])
    log_axis(axis.yaxis, [4, 900])
    axis.set(xlabel="buffer (packets)", ylabel="mean delay (ms)")
    return "CoDel against bufferbloat", "Delay over the size of the buffer, with and without CoDel."


def parking_lot(axis):
    """The long flow's part over the number of bottlenecks."""
    result = measured("parking_lot")
    hops, long, half = means(result, "long", "hops")
    both = long + means(result, "cross", "hops")[1]
    curve(axis, 0, "measured", (hops, 100 * long / both, 100 * half / both))
    law(axis, "1 / (1 + √n), from Mathis' law", hops, 100 / (1 + np.sqrt(hops)))
    law(axis, "1 / (1 + n), proportional fairness", hops, 100 / (1 + hops), ":")
    axis.set_ylim(0, 55)
    axis.set(xlabel="bottlenecks n", ylabel="the long flow's part (%)")
    return "A parking lot", "The part of a flow across n bottlenecks."


def red(axis):
    """Throughput over delay."""
    result = measured("red")
    for number, queue in enumerate(("droptail", "red")):
        points = [point for point in result.points if point.parameters["queue"].startswith(queue)]
        delay, used = (
            [result.interval(name, point).mean for point in points] for name in ("delay", "throughput")
        )
        axis.plot(
            1e3 * np.array(delay), 100 * np.array(used), MARKERS[number], linestyle="-", color=SERIES[number],
            markersize=4, label=queue,
        )  # fmt: skip
    log_axis(axis.xaxis, [0.4, 20])
    axis.set_ylim(50, 102)
    axis.set(xlabel="mean delay (ms)", ylabel="throughput (% of the link)")
    return "RED", "Throughput over delay, for three sizes of drop-tail and RED."


def cellular(axis):
    """Delays of two queues."""
    result = measured("cellular")
    for number, point in enumerate(result.points):
        delay, goodput = (result.interval(name, point) for name in ("delay", "goodput"))
        axis.barh(number, delay.mean, color=SERIES[number], height=0.5)
        time = f"{delay.mean:.1f} s" if delay.mean > 1 else f"{1e3 * delay.mean:.0f} ms"
        text = f"{time}, {goodput.mean / 1e6:.1f} Mbit/s"
        axis.annotate(text, (delay.mean, number), xytext=(6, 0), textcoords="offset points", va="center")
    axis.set_yticks(range(len(result.points)), [point.parameters["queue"] for point in result.points])
    axis.set_xlim(0, 12)
    axis.invert_yaxis()
    axis.set(xlabel="95 % of the packets wait at most (s)")
    return "A cellular link", "Delays and goodput on a link of changing rate."


FIGURES_OF = (mathis, incast, bbr_cubic, rtt_unfairness, phase, dctcp, codel, parking_lot, red, cellular)


def draw(function):
    """Writes the figure of a result."""
    flat = function in (dctcp, cellular)
    with drawing(1.6 if flat else 2.9) as (canvas, (axis,)):
        title, description = function(axis)
        legend_of(canvas, [axis], columns=2)
        svg = to_svg(canvas, f"classics-{function.__name__}", title, description)
    (FIGURES / f"classics-{function.__name__.replace('_', '-')}.svg").write_text(standalone(svg))


if __name__ == "__main__":
    for function in FIGURES_OF:
        if len(sys.argv) == 1 or function.__name__ in sys.argv[1:]:
            draw(function)
