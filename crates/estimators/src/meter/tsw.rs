//! Time sliding window markers (RFC 2859; two colours as in Clark and Fang 1998): an estimate of the rate, and colours
//! drawn so that each gets its share of it.

use super::bucket::{size, MeterClock};
use super::config::{Tsw2cmMeter, Tsw3cmMeter};
use super::{counted, Colour};
use crate::seconds::Seconds;

/// The rate of an aggregate, averaged over a window that slides with its packets (RFC 2859, section 3).
#[derive(Clone, Debug)]
pub struct TswRate {
    /// Bytes a second.
    rate: f64,
    window_s: f64,
    clock: MeterClock,
}

impl TswRate {
    /// An estimate that starts at so many bit/s at time zero.
    pub fn new(start_bps: f64, window_s: f64) -> Self {
        TswRate { rate: start_bps / 8.0, window_s, clock: MeterClock::default() }
    }

    /// The rate after a packet, in bytes/s.
    pub fn update(&mut self, now: impl Into<Seconds>, bytes: f64) -> f64 {
        let (then_s, now_s) = self.clock.advance(now.into().get());
        self.rate = (self.rate * self.window_s + size(bytes)) / (now_s - then_s + self.window_s);
        self.rate
    }

    /// The rate, in bytes/s.
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

/// Two colours: beyond the committed rate, the part of packets that exceeds it is red.
#[derive(Clone, Debug)]
pub struct Tsw2cm {
    rate: TswRate,
    cir: f64,
    colour_aware: bool,
}

impl Tsw2cm {
    /// A meter whose estimate starts at CIR.
    pub fn new(config: &Tsw2cmMeter) -> Self {
        Tsw2cm {
            rate: TswRate::new(config.cir, config.window),
            cir: config.cir / 8.0,
            colour_aware: config.colour_aware,
        }
    }

    /// The colour of a packet. It draws only where the rate exceeds CIR.
    pub fn colour(
        &mut self,
        now: impl Into<Seconds>,
        bytes: f64,
        arriving: Colour,
        uniform: impl FnOnce() -> f64,
    ) -> Colour {
        let rate = self.rate.update(now, bytes);
        let red = rate > self.cir && uniform() < (rate - self.cir) / rate;
        let drawn = if red { Colour::Red } else { Colour::Green };
        drawn.max(counted(arriving, self.colour_aware))
    }

    /// The estimated rate, in bytes/s.
    pub fn rate(&self) -> f64 {
        self.rate.rate()
    }
}

/// Three colours: the part beyond the peak rate is red, the part between both rates yellow (RFC 2859, section 4).
#[derive(Clone, Debug)]
pub struct Tsw3cm {
    rate: TswRate,
    cir: f64,
    pir: f64,
    colour_aware: bool,
}

impl Tsw3cm {
    /// A meter whose estimate starts at CIR.
    pub fn new(config: &Tsw3cmMeter) -> Self {
        Tsw3cm {
            rate: TswRate::new(config.cir, config.window),
            cir: config.cir / 8.0,
            pir: config.pir / 8.0,
            colour_aware: config.colour_aware,
        }
    }

    /// The colour of a packet. It draws only where the rate exceeds CIR.
    pub fn colour(
        &mut self,
        now: impl Into<Seconds>,
        bytes: f64,
        arriving: Colour,
        uniform: impl FnOnce() -> f64,
    ) -> Colour {
        let rate = self.rate.update(now, bytes);
        self.drawn(rate, uniform).max(counted(arriving, self.colour_aware))
    }

    fn drawn(&self, rate: f64, uniform: impl FnOnce() -> f64) -> Colour {
        if rate <= self.cir {
            return Colour::Green;
        }
        let red = ((rate - self.pir) / rate).max(0.0);
        let yellow = (rate.min(self.pir) - self.cir).max(0.0) / rate;
        let drawn = uniform();
        if drawn < red {
            Colour::Red
        } else if drawn < red + yellow {
            Colour::Yellow
        } else {
            Colour::Green
        }
    }

    /// The estimated rate, in bytes/s.
    pub fn rate(&self) -> f64 {
        self.rate.rate()
    }
}
