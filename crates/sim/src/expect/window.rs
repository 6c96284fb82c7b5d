//! Limits that its window sets to a TCP sender: growth from the start, and losses.

use crate::control::Control;
use crate::scenario::{Loss, LossOf, RecoveryName};
use crate::transport::TcpOptions;

/// Packets that a sender has sent after so many round trips if nothing is ever lost: by slow start, and from ssthresh on one
/// more in each.
pub fn sent_after(rounds: f64, options: &TcpOptions) -> f64 {
    let every_ack = options.delayed_ack.is_none() || options.slow_start_counts_packets;
    let growth = match (by_delay(options), every_ack) {
        // Every other round trip.
        (true, _) => std::f64::consts::SQRT_2,
        (false, true) => 2.0,
        (false, false) => 1.5,
    };
    let most = options.max_window.min(options.initial_ssthresh);
    let (mut left, mut window, mut sent) = (rounds, options.initial_window.max(1.0), 0.0);
    while left > 0.0 && window < most && sent < 1e18 {
        sent += window * left.min(1.0);
        window *= growth;
        left -= 1.0;
    }
    let left = left.max(0.0);
    sent + window.min(options.max_window) * left + 0.5 * left * left
}

/// Round trips that a transfer of so many packets takes, the last of them half.
pub fn rounds_of(packets: f64, options: &TcpOptions) -> f64 {
    let mut rounds = 1.0;
    while rounds < 64.0 && sent_after(rounds, options) < packets {
        rounds += 1.0;
    }
    rounds - 0.5
}

fn by_delay(options: &TcpOptions) -> bool {
    let own = options.recovery == RecoveryName::Vegas;
    own || matches!(options.control, Control::Vegas(_) | Control::ArimaVegas(_))
}

/// The probability that a packet of data is lost by a link's own losses.
pub fn loss_probability(loss: &Loss) -> f64 {
    let (probability, of) = match loss {
        Loss::Listed(_) | Loss::Treatment(_) => return 0.0,
        Loss::Bernoulli(config) => (config.probability, config.of),
        Loss::GilbertElliott(config) => {
            let change = config.good_to_bad + config.bad_to_good;
            let bad = if change > 0.0 { config.good_to_bad / change } else { 0.0 };
            (bad * config.loss_bad + (1.0 - bad) * config.loss_good, config.of)
        }
        Loss::Dither(config) => (config.floor, config.of),
    };
    if of == LossOf::Acks {
        0.0
    } else {
        probability.clamp(0.0, 1.0)
    }
}

/// Packets a second that losses of this probability leave (Padhye, Firoiu, Towsley and Kurose 1998, equation 30; for CUBIC, RFC
/// 9438, section 5.1, if that is more).
pub fn rate_with_losses(probability: f64, rtt: f64, options: &TcpOptions) -> f64 {
    if probability <= 0.0 || matches!(options.control, Control::Bbr(_) | Control::Copa(_)) {
        return f64::INFINITY;
    }
    let packets_an_ack = if options.delayed_ack.is_some() { 2.0 } else { 1.0 };
    let p = probability;
    let timeout = options.rto_rules.min_s.max(2.0 * rtt);
    let in_recovery = rtt * (2.0 * packets_an_ack * p / 3.0).sqrt();
    let at_timeouts =
        timeout * (3.0 * (3.0 * packets_an_ack * p / 8.0).sqrt()).min(1.0) * p * (1.0 + 32.0 * p * p);
    let reno = 1.0 / (in_recovery + at_timeouts);
    match options.control {
        Control::Cubic(_) => reno.max(1.054 / (libm::pow(rtt, 0.25) * libm::pow(p, 0.75))),
        _ => reno,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_grows_by_slow_start_and_then_by_one() {
        let options = TcpOptions {
            delayed_ack: None,
            initial_window: 10.0,
            initial_ssthresh: 40.0,
            ..TcpOptions::rfc()
        };
        let sent = |rounds: f64| sent_after(rounds, &options);
        assert_eq!([1.0, 2.0, 2.5].map(sent), [10.0, 30.0, 50.125]);
        assert_eq!(sent(6.0), 30.0 + 4.0 * 40.0 + 8.0);
        assert_eq!(rounds_of(30.0, &options), 1.5);
        assert_eq!(rounds_of(1.0, &options), 0.5);
    }

    #[test]
    fn a_tenth_of_a_percent_leaves_39_packets_a_round_trip() {
        // sqrt(3 / (2 p)) without timeouts and with an ACK a packet; timeouts take a hundredth.
        let options = TcpOptions { delayed_ack: None, ..TcpOptions::rfc() };
        let window = 0.1 * rate_with_losses(0.001, 0.1, &options);
        assert!((35.0..38.8).contains(&window), "{window}");
    }
}
