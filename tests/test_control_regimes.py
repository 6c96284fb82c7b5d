"""Controls beyond the first seconds of a flow: a late start, silence, a timeout, few packets in flight.

Each number here is worked out from the document that is named, not from a run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import parshall
from parshall import (
    Bbr,
    Bulk,
    Cubic,
    DropTail,
    Flow,
    Link,
    ListedLoss,
    MedianRtoConfig,
    Record,
    Recording,
    Scenario,
    Schedule,
    Tcp,
    Transfer,
)

# Variables and options differ in type.
Options = dict[str, Any]


def alone(
    tcp: Tcp,
    app: Any = None,
    *,
    rate: str = "1 Gbit/s",
    delay: str = "50 ms",
    seconds: float = 12.0,
    start: float = 0.0,
    warm_up: float = 0.0,
    lost: range | None = None,
    limit: int | None = None,
) -> Recording:
    """A flow from a to b over one link, which loses the data packets that arrive as these."""
    loss = None if lost is None else ListedLoss(arrivals=tuple(lost), of="data")
    queue = DropTail(limit_packets=limit)
    link = Link(between=("a", "b"), rate=rate, delay=delay, queue=queue, loss=loss)
    flow = Flow(name="f", source="a", destination="b", start=start, transport=tcp, app=app or Bulk())
    scenario = Scenario(
        duration=start + seconds,
        warm_up=warm_up,
        hosts=["a", "b"],
        links=[link],
        flows=[flow],
        record=Record(window=["f"]),
    )
    return parshall.run(scenario, seed=1)


class Windows:
    """The window of flow f, over time."""

    def __init__(self, recording: Recording) -> None:
        columns = recording.columns("window")
        self.time: npt.NDArray[np.float64] = columns["time"]
        self.cwnd: npt.NDArray[np.float64] = columns["cwnd"]
        self.ssthresh: npt.NDArray[np.float64] = columns["ssthresh"]
        self.backoff: npt.NDArray[np.float64] = columns["backoff"].astype(float)
        self.high_ack, self.max_seq = columns["high_ack"], columns["max_seq"]

    def at(self, time: float) -> float:
        return float(self.cwnd[np.searchsorted(self.time, time) - 1])

    def most(self, start: float, end: float) -> float:
        return float(self.cwnd[(self.time >= start) & (self.time < end)].max())

    @property
    def expiry(self) -> int:
        """The row in which the timer expires for the first time."""
        return int(np.argmax(self.backoff > 1))


# --- A late start -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("control", [Bbr(), Bbr.linux(), Bbr(bounds=True)], ids=["draft", "linux", "bounds"])
def test_bbr_takes_as_long_whenever_it_starts(control: Bbr) -> None:
    """draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.1: the least round trip is no older than
    the flow.
    """

    def took(start: float) -> float:
        tcp = Tcp(recovery="sack", control=control)
        run = alone(tcp, Transfer(packets=100), rate="10 Mbit/s", delay="20 ms", seconds=5, start=start)
        return run.flow("f").completed_at - start

    assert [round(took(start), 9) for start in (9.0, 11.0, 100.0)] == [round(took(0.0), 9)] * 3
    # Slow start over 40 ms: a handshake, then 10, 20, 40 and the rest.
    assert took(0.0) < 0.34


@pytest.mark.parametrize("recovery", ["tahoe", "reno", "newreno", "sack"])
@pytest.mark.parametrize("control", [Bbr(variant="draft"), Bbr.linux()], ids=["draft", "linux"])
def test_bbr_does_not_take_the_jump_behind_a_hole_for_a_rate(recovery: Any, control: Bbr) -> None:
    """Without SACK a packet that arrives beyond a hole is delivered when its duplicate ACK tells of it. The
    window is at most 2.89 times what fills the path, 310 packets, while it looks for the rate, and three
    times the 18 that leave at once.
    """
    tcp = Tcp(profile="linux", recovery=recovery, control=control)
    run = alone(tcp, rate="50 Mbit/s", delay="25 ms", seconds=8, limit=400)
    assert Windows(run).cwnd.max() < 2.89 * 310 + 3 * 18 + 10
    # Startup overflows the queue once.
    assert run.flow("f").packets_dropped < 500


# --- CUBIC --------------------------------------------------------------------------------------------------

CUBICS = pytest.mark.parametrize("control", [Cubic(), Cubic.linux()], ids=["rfc", "linux"])


def cubic(control: Cubic, **options: Any) -> Tcp:
    more: Options = {"recovery": "sack", "delayed_ack": False, "initial_ssthresh_packets": 400.0} | options
    return Tcp(control=control, **more)


@CUBICS
@pytest.mark.parametrize("pause", [1.0, 57.0])
# [RFC 9438 4.2-a]
def test_time_does_not_pass_on_cubics_curve_while_nothing_is_sent(control: Cubic, pause: float) -> None:
    """RFC 9438, sections 4.2 and 5.8. One of 403 packets is lost, so K = cbrt(0.3 * 403 / 0.4) = 6.7 s; 2 s
    later the flow falls silent. For 4 s after it the window is below W_max.
    """
    end = 3.0 + pause
    app = Schedule(writes=[(0, 8000), (end, 60000)])
    tcp = cubic(control, idle_restart="never")
    windows = Windows(alone(tcp, app, seconds=end + 6, lost=range(1500, 1501)))
    before = windows.most(0, 3)
    assert windows.most(end, end + 3) <= 1.1 * before
    assert windows.at(end + 5.9) > 0.9 * before


@pytest.mark.parametrize(("control", "every"), [(Cubic(), 0.1), (Cubic.linux(), 0.15)], ids=["rfc", "linux"])
def test_time_does_not_pass_on_cubics_curve_while_the_window_is_not_used(
    control: Cubic, every: float
) -> None:
    """RFC 9438, section 5.8: 10 packets now and then for 30 s do not use a window of 300. Linux's clock
    stands still only while nothing is in flight.
    """
    writes = [(0.0, 8000), *((3.0 + k * every, 10) for k in range(round(30 / every))), (33.0, 60000)]
    tcp = cubic(control, idle_restart="never")
    windows = Windows(alone(tcp, Schedule(writes=writes), seconds=37, lost=range(1500, 1501)))
    assert windows.most(33, 36) <= 1.1 * windows.most(0, 3)


@pytest.mark.parametrize(
    ("control", "out", "later", "grown"),
    [(Cubic(), 403, 3, 16), (Cubic.linux(), 456, 1, 200)],
    ids=["rfc", "linux"],
)
def test_cubic_forgets_the_window_before_a_timeout(
    control: Cubic, out: int, later: float, grown: float
) -> None:
    """RFC 9438, section 4.8: K = 0 and W_max = cwnd. The line of Reno, 0.529 packets a round trip of 100 ms,
    is above the curve, 0.4 * 3^3. Linux, without a W_max, grows by 5 % in a round trip (bictcp_update()).
    """
    windows = Windows(alone(cubic(control, idle_restart="never"), lost=range(1500, 1500 + out)))
    ssthresh, after = windows.ssthresh[windows.expiry], slice(windows.expiry, None)
    end = windows.time[after][np.argmax(windows.cwnd[after] >= ssthresh)]
    assert ssthresh == pytest.approx(0.7 * windows.cwnd[windows.expiry - 1], abs=1)
    assert windows.at(end + later) == pytest.approx(ssthresh + grown, rel=0.02)


@pytest.mark.parametrize("recovery", ["newreno", "sack"])
# [RFC 9406 4.3-g]
def test_hystart_plus_plus_is_for_the_initial_slow_start(recovery: Any) -> None:
    """RFC 9406, section 4.3: the slow start after a timeout, to 143, takes no longer with it."""

    def slow_start(hystart: Any) -> tuple[float, float]:
        links = [
            Link(between=("a", "r"), rate="1 Gbit/s", delay="1 ms"),
            Link(
                between=("r", "b"),
                rate="10 Mbit/s",
                delay="24 ms",
                loss=ListedLoss(arrivals=tuple(range(1200, 1404)), of="data"),
            ),
        ]
        tcp = cubic(
            Cubic(hystart=hystart), recovery=recovery, initial_ssthresh_packets=200.0, handshake=False
        )
        flow = Flow(name="f", source="a", destination="b", transport=tcp, app=Bulk())
        scenario = Scenario(
            duration="6 s",
            hosts=["a", "b"],
            routers=["r"],
            links=links,
            flows=[flow],
            record=Record(window=["f"]),
        )
        windows = Windows(parshall.run(scenario, seed=1))
        at, ssthresh = windows.expiry, windows.ssthresh[windows.expiry]
        ended = (windows.cwnd[at + 1 :] >= ssthresh) | (windows.ssthresh[at + 1 :] < ssthresh - 0.1)
        end = at + 1 + int(np.argmax(ended))
        return float(windows.time[end] - windows.time[at]), float(windows.cwnd[end])

    (plain, window), (plus, with_plus) = slow_start("none"), slow_start("plus-plus")
    assert plus <= plain + 0.06
    assert with_plus >= window - 2


# --- Controls that go by delay ------------------------------------------------------------------------------

DELAY_BASED = ("vegas", "arima-vegas", "veno", "dual", "copa", "bbr")


@pytest.mark.parametrize("control", DELAY_BASED)
@pytest.mark.parametrize("profile", ["rfc", "linux"])
@pytest.mark.parametrize(("rate", "delay", "product"), [(10e6, 0.02, 48), (50e6, 0.04, 480), (2e6, 0.01, 5)])
def test_the_round_trip_of_a_syn_is_not_that_of_data(
    control: Any, profile: Any, rate: float, delay: float, product: int
) -> None:
    """A SYN is shorter than any packet, so that full ones seem to wait: alone on a link a control that goes
    by the difference leaves a part of it empty for good.
    """
    seconds = 30.0

    def share(handshake: bool) -> float:
        tcp = Tcp(profile=profile, recovery="sack", control=control, handshake=handshake)
        limits: Options = {"rate": rate, "delay": delay, "limit": max(product, 10)}
        run = alone(tcp, seconds=seconds, warm_up=10.0, **limits)
        return run.flow("f").bytes_delivered * 8 * 1.04 / (20 * rate)

    assert share(True) > 0.85
    assert share(True) == pytest.approx(share(False), abs=0.06)


@pytest.mark.parametrize("control", ["vegas", "arima-vegas", "veno", "dual"])
@pytest.mark.parametrize("recovery", ["tahoe", "newreno", "sack"])
@pytest.mark.parametrize("profile", ["rfc", "linux"])
def test_rounds_begin_anew_after_a_timeout(control: Any, recovery: Any, profile: Any) -> None:
    """Brakmo and Peterson 1995, section 3.3: Vegas doubles its window in every other round trip of 80 ms, so
    that 300 packets are there after 17 and sent after twice as many. With the round of before the timeout it
    takes 300.
    """
    tcp = Tcp(
        profile=profile,
        recovery=recovery,
        control=control,
        initial_ssthresh_packets=400.0,
        max_window_packets=1000,
    )
    limits: Options = {"rate": "50 Mbit/s", "delay": "40 ms", "seconds": 20.0}
    windows = Windows(alone(tcp, lost=range(600, 1600), **limits))
    out = int(windows.max_seq[windows.expiry] - windows.high_ack[windows.expiry])
    windows = Windows(alone(tcp, lost=range(600, 600 + out), **limits))
    last = windows.max_seq[windows.expiry]
    repaired = windows.time[np.argmax(windows.high_ack >= last)] - windows.time[windows.expiry]
    assert 0 < repaired < 2.0


@pytest.mark.parametrize("control", ["vegas", "arima-vegas"])
@pytest.mark.parametrize("recovery", ["tahoe", "reno", "newreno", "sack"])
def test_two_packets_are_the_least_window_of_vegas(control: Any, recovery: Any) -> None:
    """ns-2's VegasTcpAgent and Linux's tcp_vegas_cong_avoid(). With one packet a round trip its ACK waits for
    the receiver's timer, which looks like a queue for ever.
    """
    tcp = Tcp(recovery=recovery, control=control, rto=MedianRtoConfig())
    lost = range(5769, 5781)
    run = alone(tcp, rate="4 Mbit/s", seconds=58, warm_up=43, lost=lost, limit=60)
    assert run.flow("f").bytes_delivered * 8 / 15 / 4e6 > 0.33
