//! Checks what happens to a link: each event by itself, and those of a kind in their order.

use super::checks::{check_probabilities, check_rate};
use super::place::Place;
use super::Checked;
use crate::error::ScenarioError;
use crate::scenario::{LinkEvent, Reordering};
use crate::units::{Rate, Time};

/// Checks the events of one direction of a link, which may have a recorded capacity.
pub(super) fn check_events(
    at: &Place<'_>,
    events: Vec<LinkEvent>,
    recorded: bool,
) -> Checked<Vec<LinkEvent>> {
    let mut last_change: Option<(Time, Rate)> = None;
    let [mut last_delay, mut last_loss] = [None; 2];
    let mut stalled_until = Time::ZERO;
    for (index, event) in events.iter().enumerate() {
        let at = at.item(index);
        match event {
            LinkEvent::Rate(_) if recorded => {
                return Err(ScenarioError::new(&at, "a rate", "none on a link with a recorded capacity"));
            }
            LinkEvent::Rate(change) => {
                check_order(&at, change.at, last_change.map(|(time, _)| time))?;
                // At 0 the link stands.
                if change.rate.bps() != 0.0 {
                    check_rate(&at.field("rate"), change.rate)?;
                }
                last_change = Some((change.at, change.rate));
            }
            LinkEvent::Delay(change) => {
                check_order(&at, change.at, last_delay)?;
                last_delay = Some(change.at);
            }
            LinkEvent::Loss(change) => {
                check_order(&at, change.at, last_loss)?;
                check_probabilities(&at, &[("probability", change.probability)])?;
                last_loss = Some(change.at);
            }
            LinkEvent::Outage(outage) => check_end(&at, outage.start, outage.end)?,
            LinkEvent::Stall(stall) => {
                check_end(&at, stall.start, stall.end)?;
                if stall.start < stalled_until {
                    let expected = format!("{} s or later: stalls in order", stalled_until.secs());
                    return Err(ScenarioError::new(&at.field("start"), seconds(stall.start), expected));
                }
                stalled_until = stall.end;
            }
            LinkEvent::Reordering(reordering) => check_reordering(&at, reordering)?,
        }
    }
    match last_change {
        Some((_, rate)) if rate.bps() == 0.0 => {
            let expected = "a later change to a rate above 0: a link that stands goes on some time";
            Err(ScenarioError::new(at, "a last rate of 0 bit/s", expected))
        }
        _ => Ok(events),
    }
}

fn seconds(time: Time) -> String {
    format!("{} s", time.secs())
}

/// Changes of a kind come in order.
fn check_order(at: &Place<'_>, time: Time, last: Option<Time>) -> Checked<()> {
    match last.filter(|&before| before >= time) {
        None => Ok(()),
        Some(before) => {
            let expected = format!("later than the change before, {}", seconds(before));
            Err(ScenarioError::new(&at.field("at"), seconds(time), expected))
        }
    }
}

fn check_end(at: &Place<'_>, start: Time, end: Time) -> Checked<()> {
    if end > start {
        return Ok(());
    }
    let expected = format!("later than start, {}", seconds(start));
    Err(ScenarioError::new(&at.field("end"), seconds(end), expected))
}

fn check_reordering(at: &Place<'_>, reordering: &Reordering) -> Checked<()> {
    let Reordering { start, end, delay, every, probability, ref packets, .. } = *reordering;
    if let Some(end) = end {
        check_end(at, start, end)?;
    }
    if delay == Time::ZERO {
        return Err(ScenarioError::new(&at.field("delay"), "0 s", "a time above 0"));
    }
    let ways = [every.is_some(), probability.is_some(), !packets.is_empty()];
    if ways.iter().filter(|&&way| way).count() != 1 {
        let given = if ways.contains(&true) { "several" } else { "none" };
        return Err(ScenarioError::new(at, given, "one of every, probability and packets"));
    }
    if every == Some(0) {
        return Err(ScenarioError::new(&at.field("every"), 0, "1 or more"));
    }
    if let Some(probability) = probability.filter(|p| !(0.0..=1.0).contains(p)) {
        return Err(ScenarioError::new(&at.field("probability"), probability, "a probability from 0 to 1"));
    }
    if let Some(index) = packets.iter().position(|&packet| packet == 0) {
        return Err(ScenarioError::new(&at.field("packets").item(index), 0, "a number from 1 on"));
    }
    Ok(())
}
