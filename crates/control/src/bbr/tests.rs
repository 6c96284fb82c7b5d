//! Effects of timeouts and stays in ProbeRTT on BBR's model.

use super::*;
use crate::samples::{ack, loss, start};

const RTT: f64 = 0.05;

/// A sender to which one packet a round trip is delivered that was sent after the last one was: each ACK begins a round.
struct Sender {
    bbr: Bbr,
    window: Window,
    now: f64,
    delivered: u64,
}

impl Sender {
    fn new() -> Self {
        let mut bbr = Bbr::new(&Config::default(), &start());
        let window = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
        bbr.on_begin(&window, Time::from_secs(100.0), Some(RTT));
        Sender { bbr, window, now: 0.0, delivered: 0 }
    }

    /// An ACK comes after a round trip, and reports `packets` that were held back from within or not.
    fn ack(&mut self, packets: u32, app_limited: bool) {
        self.now += RTT;
        let prior_delivered = self.delivered;
        self.delivered += u64::from(packets);
        let path = PathSample {
            srtt: RTT,
            min_rtt: RTT,
            in_flight: 4,
            delivered: self.delivered,
            newly_delivered: packets,
            newly_lost: 0,
            prior_delivered,
            delivery_rate: f64::from(packets) / RTT,
            app_limited,
            in_recovery: false,
            held_for: 0.0,
        };
        // The queue is never quite empty again, so the least round trip grows old.
        let ack =
            AckSample { path: Some(&path), ..ack(self.now, if self.now < 0.1 { RTT } else { 1.1 * RTT }) };
        self.bbr.on_ack(&mut self.window, &ack);
    }

    fn time_out(&mut self) {
        let loss = loss(self.window.cwnd);
        self.bbr.after_timeout(&self.window, &loss);
        self.bbr.on_timeout(&loss);
        self.window.cwnd = 1.0;
    }
}

#[test]
fn timeouts_that_an_ack_proves_needless_leave_the_window() {
    let mut sender = Sender::new();
    [10, 20, 40, 80].into_iter().for_each(|packets| sender.ack(packets, false));
    let before = sender.window.cwnd;
    assert!(before > 100.0, "{before}");
    sender.time_out();
    sender.time_out();
    sender.ack(1, true);
    assert!(sender.window.cwnd >= before, "{} of {before}", sender.window.cwnd);
}

#[test]
fn low_rates_in_probe_rtt_are_no_sign_of_a_full_pipe() {
    let mut sender = Sender::new();
    while sender.bbr.phase == Phase::Startup {
        sender.ack(10, true);
    }
    assert!(sender.bbr.phase == Phase::ProbeRtt && sender.now > least_rtt::MIN_RTT_S);
    while sender.bbr.phase == Phase::ProbeRtt {
        sender.ack(4, false);
    }
    assert!(sender.bbr.phase == Phase::Startup && !sender.bbr.pipe_is_full);
}
