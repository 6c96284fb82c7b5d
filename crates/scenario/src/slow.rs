//! Rates at which a packet takes longer than the run: mostly a rate without its unit.

use crate::quantity::{duration_text, rate_text};
use crate::value::{Link, Scenario};

/// A sentence about links that send no packet in the time of the run; none where there are none.
pub fn slow_links(scenario: &Scenario) -> Option<String> {
    let largest = scenario.flows.iter().map(|flow| flow.transport.data_bytes()).max()?;
    let bits = 8.0 * f64::from(largest);
    let least = bits / scenario.duration.secs();
    let is_slow = |link: &&Link| link.capacity.is_none() && link.rate.bps() < least;
    let mut slow = scenario.links.iter().filter(is_slow);
    let first = slow.next()?;
    let name = match &first.name {
        Some(name) => name.to_string(),
        None => format!("{}->{}", first.between.0, first.between.1),
    };
    let more = match slow.count() {
        0 => String::new(),
        more => format!(", and so it is at {more} more"),
    };
    let rate = first.rate.bps();
    Some(format!(
        "links[{name}].rate is {}, at which a packet of {largest} bytes takes {}, more than the run{more}; a rate without a \
         unit is in bit/s, expected one such as \"5 Mbit/s\"",
        rate_text(rate),
        duration_text(bits / rate)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BELL: &str = "duration = 10\n[dumbbell]\nrate = RATE\ndelay = 0\naccess_rate = 8e6\naccess_delay = 0\n[[dumbbell.flows]]\ntransport = \"tcp\"\napp = \"bulk\"\n";

    fn warned(rate: &str) -> Option<String> {
        slow_links(&Scenario::from_toml(&BELL.replace("RATE", rate)).expect("a scenario"))
    }

    #[test]
    fn a_rate_without_its_unit_is_named() {
        let warning = warned("5").expect("a warning");
        assert!(warning
            .starts_with("links[bottleneck].rate is 5 bit/s, at which a packet of 1040 bytes takes 1664 s"));
        assert_eq!(warned("\"5 Mbit/s\""), None);
    }
}
