"""A control of ten lines: it keeps the queueing delay near a target."""

import parshall


class Gentle(parshall.Control):
    target: float = 0.01

    def on_ack(self, ack: parshall.control.Ack) -> None:
        if not ack.may_grow:
            return
        error = (self.target - (ack.srtt - ack.min_rtt)) / self.target
        if self.cwnd < self.ssthresh and error > 0:
            self.open(ack.slow_start)
        else:
            self.ssthresh = min(self.ssthresh, self.cwnd)
            self.cwnd = max(2.0, self.cwnd + min(1.0, max(-1.0, error)) * ack.growth / self.cwnd)
