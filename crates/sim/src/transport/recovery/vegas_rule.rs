//! The window rule of ns-2's Vegas: how many of its packets a flow has in queues, and what follows for its window. Stock, or
//! by a forecast of the next round trip (Jeyasekar et al. 2014); everything else of Vegas stays as it is.

use crate::control::arima_vegas::{Decide, SlowStart};
use crate::control::{vegas, Artt, Control};
use crate::transport::Core;

/// Least window.
pub(super) const LEAST: f64 = 2.0;

/// Findings of a round trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trip {
    /// Mean round-trip time, in seconds.
    pub rtt: f64,
    /// The least so far.
    pub base: f64,
    /// Packets sent.
    pub sent: i64,
}

/// Method that estimates the backlog.
#[derive(Clone, Debug)]
enum Backlog {
    /// As stock Vegas does, in whole packets.
    Stock,
    /// By a forecast, how often, and what ends slow start.
    Forecast(Box<Artt>, Decide, SlowStart),
}

/// The rule and what it has decided.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    bounds: vegas::Config,
    backlog: Backlog,
    /// The last round trip that was measured, for decisions with each ACK.
    trip: Option<Trip>,
    /// Added to cwnd by each ACK of this round.
    increase: f64,
    /// Slow start grows in every other round.
    growing_round: bool,
}

impl Rule {
    /// The rule that a control of these names asks for; stock Vegas with any other.
    pub fn new(control: &Control) -> Self {
        let (bounds, backlog) = match control {
            Control::Vegas(config) => (*config, Backlog::Stock),
            Control::ArimaVegas(config) => {
                let artt = Box::new(Artt::new(&config.forecaster));
                (config.bounds(), Backlog::Forecast(artt, config.decide, config.slow_start))
            }
            _ => (vegas::Config::default(), Backlog::Stock),
        };
        Rule { bounds, backlog, trip: None, increase: 0.0, growing_round: true }
    }

    /// Takes in the round-trip time of a packet, before what its ACK decides.
    #[inline]
    pub fn on_sample(&mut self, rtt: f64) {
        if let Backlog::Forecast(artt, ..) = &mut self.backlog {
            artt.on_sample(rtt);
        }
    }

    /// A round has ended: compares the throughput there is with the one that an empty queue would give, or a forecast.
    pub fn end_round(&mut self, core: &mut Core, trip: Trip) {
        self.trip = Some(trip);
        if core.window.in_slow_start() {
            self.growing_round = !self.growing_round;
        }
        if !self.by_ack() {
            self.decide(core, trip);
        }
    }

    /// Returns whether each ACK decides.
    fn by_ack(&self) -> bool {
        matches!(self.backlog, Backlog::Forecast(_, Decide::Ack, _))
    }

    /// An ACK of new data opens the window by what this round allows, if the window is in use. `base` is the least
    /// round-trip time by now.
    #[inline]
    pub fn open(&mut self, core: &mut Core, base: f64) {
        if self.by_ack() {
            self.decide_again(core, base);
        }
        let window = &mut core.window;
        if self.increase == 1.0 && window.cwnd >= window.ssthresh {
            self.increase = 0.0;
        }
        if window.cwnd - ((core.next_seq - core.high_ack) as f64) <= 2.0 {
            window.cwnd += self.increase;
        }
    }

    /// Decides on the last round trip that was measured.
    #[inline(never)]
    fn decide_again(&mut self, core: &mut Core, base: f64) {
        if let Some(trip) = self.trip {
            self.decide(core, Trip { base, ..trip });
        }
    }

    fn decide(&mut self, core: &mut Core, trip: Trip) {
        self.increase = 0.0;
        if core.window.in_slow_start() && !self.growing_round {
            return;
        }
        let queued = self.queued(core, trip);
        let window = &mut core.window;
        if window.in_slow_start() {
            if queued > self.bounds.gamma {
                window.ssthresh = LEAST;
                window.cwnd = (window.cwnd - window.cwnd / 8.0).max(LEAST);
            } else {
                self.increase = 1.0;
            }
        } else if queued > self.bounds.beta {
            window.cwnd = (window.cwnd - 1.0).max(LEAST);
        } else if queued < self.bounds.alpha {
            self.increase = 1.0 / window.cwnd;
        }
    }

    /// Packets in queues: whole ones as ns-2 counts them, or N of equation 33 with its fraction.
    fn queued(&self, core: &Core, trip: Trip) -> f64 {
        match &self.backlog {
            Backlog::Stock => stock(core, trip),
            Backlog::Forecast(_, _, SlowStart::Stock) if core.window.in_slow_start() => stock(core, trip),
            Backlog::Forecast(artt, ..) => artt.backlog(core.window.cwnd, trip.rtt, trip.base),
        }
    }
}

/// The backlog of stock Vegas.
fn stock(core: &Core, trip: Trip) -> f64 {
    let actual = trip.sent as f64 / trip.rtt;
    let expected = (core.next_seq - core.high_ack) as f64 / trip.base;
    (((expected - actual) * trip.base + 0.5) as i64) as f64
}
