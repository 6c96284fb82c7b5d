//! Optional state of a sender: a pacer, if a clock, and not ACKs alone, releases its packets; the path
//! measurement, if its control uses it; how far it has used its window; and when packets were sent, if its
//! control goes by round trips.

use super::core::Usage;
use super::pacer::Pacer;
use super::path::Path;
use super::sent_times::SentTimes;
use super::TcpOptions;
use crate::control::{Control, Window};
use crate::units::Time;

/// See the head of this file.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// True if a clock lets packets go.
    pub paces: bool,
    /// Says when the next packet may leave.
    pub pacer: Pacer,
    /// None if the control does not look at it.
    pub path: Option<Path>,
    /// None if each ACK tells by itself whether the window was used up.
    pub usage: Option<Usage>,
    /// None if the control does not go by round trips.
    pub times: Option<SentTimes>,
    /// True if packets spread a window over a round trip where the control asks for no rate.
    spreads_window: bool,
    /// Packets of data that leave before pacing begins.
    unpaced: u32,
    handshake: bool,
    /// True if packets that leave late make up for a part of it.
    credit: bool,
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Its number, and that of the first packet that has not been acknowledged.
    pub seq: i64,
    pub first: i64,
    /// True if the packet was sent before.
    pub again: bool,
    pub now: Time,
}

impl Extra {
    /// None for a sender that has nothing of this.
    pub fn new(options: &TcpOptions) -> Option<Box<Self>> {
        let control = &options.control;
        let (paces, timed) = (options.paced(), control.timed());
        (paces || timed || options.growth_by_usage).then(|| {
            Box::new(Extra {
                paces,
                usage: options.growth_by_usage.then(Usage::default),
                path: control.paced().then(Path::default),
                times: timed.then(SentTimes::default),
                // A control that is handed over asks for a rate, or ACKs let its packets go.
                spreads_window: options.pacing || !matches!(control, Control::User(_)),
                unpaced: options.unpaced_packets,
                handshake: options.handshake,
                credit: options.pacing_credit,
                ..Extra::default()
            })
        })
    }

    /// Returns whether pacing lets a packet go.
    pub fn allows(&self, now: Time) -> bool {
        !self.paces || self.pacer.allows(now)
    }

    /// A packet is sent, at the rate that the control asks for, or else a window in a round trip.
    pub fn on_send(&mut self, packet: Leaving, rate: Option<f64>, srtt: Option<f64>, window: &Window) {
        if let Some(times) = &mut self.times {
            times.on_send(&packet);
        }
        let syn = self.handshake && packet.seq == 0;
        if self.unpaced > 0 {
            self.unpaced -= u32::from(!syn);
            self.pacer.sent_unpaced(packet.now);
        } else if self.paces {
            self.pace(packet.now, rate, srtt, window);
        }
        if let Some(path) = &mut self.path {
            path.on_send(packet.seq, packet.now);
        }
    }

    fn pace(&mut self, now: Time, rate: Option<f64>, srtt: Option<f64>, window: &Window) {
        match (rate, srtt) {
            (Some(rate), _) => self.pacer.sent_at_rate(now, rate, self.credit),
            (None, Some(srtt)) if self.spreads_window => {
                self.pacer.sent(now, window.cwnd, srtt, window.in_slow_start())
            }
            (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of packets after the SYN that leave together.
    fn together(options: TcpOptions) -> u32 {
        let mut extra = Extra::new(&TcpOptions { pacing: true, ..options }).expect("it paces");
        let window = Window { cwnd: 20.0, ssthresh: f64::INFINITY };
        let mut seq = 0;
        while extra.allows(Time::ZERO) {
            let packet = Leaving { seq, first: 0, again: false, now: Time::ZERO };
            extra.on_send(packet, None, (seq > 0).then_some(0.1), &window);
            seq += 1;
        }
        seq as u32 - 1
    }

    #[test]
    fn linux_paces_from_the_tenth_packet_on() {
        assert_eq!(together(TcpOptions::linux()), 10);
        assert_eq!(together(TcpOptions::rfc()), 1);
    }
}
