"""One network as packets and as fluid, so that the two can be put side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from parshall.fluid import PERIODIC, ConstantRate, FluidModel, RedLoss, WithTimeouts, whole_packets

if TYPE_CHECKING:
    from parshall.scenario import Dumbbell, Scenario

PACKET_BYTES = 1000
CBR_RATE = 1e6
WEIGHT = 0.002
MIN_RTO = 1.0
TCP_HEADER, UDP_HEADER = 40, 28

LADDER = ("document", "drops", "periodic", "whole", "timeouts")
"""From the document's model on: drops that do not enter the queue and are spaced as RED spaces them; then
other response laws."""


@dataclass(frozen=True)
class Setting:
    """Long TCP flows and CBR flows of 1 Mbit/s through RED, packets of 1000 bytes."""

    tcp: int
    cbr: int
    rate: float
    """Rate of the bottleneck, bit/s."""
    round_trip: float
    """Without queueing, seconds."""
    low: float
    high: float
    most: float
    limit: int
    elsewhere: float = 0.0
    """Probability that a packet of TCP is lost behind the bottleneck."""

    @property
    def capacity(self) -> float:
        """Packets a second."""
        return self.rate / (8 * PACKET_BYTES)

    def with_(self, **changes: Any) -> Setting:
        """A copy with other values."""
        return replace(self, **changes)

    def model(self, name: str) -> FluidModel:
        """The fluid model of that name in :data:`LADDER`."""
        red = RedLoss(self.low, self.high, self.most)
        model = FluidModel(
            capacity=self.capacity,
            propagation_delay=self.round_trip,
            flows=self.tcp,
            loss=red,
            unresponsive=ConstantRate(self.cbr, CBR_RATE / (8 * PACKET_BYTES)),
            limit=self.limit,
            weight=WEIGHT,
            elsewhere=self.elsewhere,
        )
        if name == "document":
            return model
        counted = model.with_(loss=replace(red, spacing="wait"), count_drops=True)
        laws = {"periodic": PERIODIC, "whole": whole_packets(), "timeouts": WithTimeouts(MIN_RTO)}
        return counted.with_(response=laws[name]) if name in laws else counted

    def scenario(
        self,
        duration: float,
        warm_up: float,
        *,
        sample_every: float | None = None,
        cbr_between: tuple[float, float] | None = None,
    ) -> Dumbbell | Scenario:
        """The packets: SACK without delayed ACKs, a least RTO of 1 s. With ``cbr_between`` CBR flows are
        there from the one instant to the other, in seconds.
        """
        from parshall.scenario import Bulk, Cbr, Dumbbell, FlowGroup, Record, Red, Series, Tcp, Udp

        tcp = Tcp(
            recovery="sack",
            payload_bytes=PACKET_BYTES - TCP_HEADER,
            header_bytes=TCP_HEADER,
            delayed_ack=False,
            min_rto=MIN_RTO,
        )
        groups = [FlowGroup(name="tcp", count=self.tcp, transport=tcp, app=Bulk(), start_spread=1.0)]
        if self.cbr:
            payload = PACKET_BYTES - UDP_HEADER
            start, stop = cbr_between or (0.0, None)
            groups.append(
                FlowGroup(
                    name="cbr",
                    count=self.cbr,
                    transport=Udp(payload_bytes=payload, header_bytes=UDP_HEADER),
                    app=Cbr(rate=CBR_RATE * payload / PACKET_BYTES),
                    start=start,
                    stop=stop,
                    start_spread=8 * PACKET_BYTES / CBR_RATE,
                )
            )
        bell = Dumbbell(
            duration=duration,
            warm_up=warm_up,
            rate=self.rate,
            delay=self.round_trip / 2,
            queue=Red(
                min_threshold_packets=self.low,
                max_threshold_packets=self.high,
                max_probability=self.most,
                limit_packets=self.limit,
                weight=WEIGHT,
                mean_packet_bytes=PACKET_BYTES,
            ),
            access_rate=1e9,
            access_delay=0,
            flows=groups,
            record=Record(port_series=Series(of="bottleneck", interval=sample_every))
            if sample_every
            else Record(),
        )
        return self._losing(bell) if self.elsewhere else bell

    def _losing(self, bell: Dumbbell) -> Scenario:
        """With losses on the last links of TCP flows, which are those to the first hosts."""
        from parshall.scenario import BernoulliLoss

        network = bell.scenario()
        last = {("r1", f"d{number}") for number in range(1, self.tcp + 1)}
        loss = BernoulliLoss(probability=self.elsewhere, of="data")
        links = [link.replace("loss", loss) if link.between in last else link for link in network.links]
        return network.replace("links", links)


CHAPTER = Setting(tcp=35, cbr=22, rate=28e6, round_trip=0.1, low=15, high=45, most=0.1, limit=60)
"""Chapter II.C of the document."""

CALM = Setting(tcp=100, cbr=0, rate=100e6, round_trip=0.04, low=50, high=450, most=0.1, limit=1000)
"""A faster link with more flows, larger windows, and a RED with a long line: one that rests."""
