//! Checks queues that tell classes apart: their thresholds, code points and schedulers.

use super::place::{error, quoted, Place};
use super::Checked;
use crate::error::ScenarioError;
use crate::queue::CODE_POINTS;
use crate::scenario::{ClassQueue, DiffServ, DiffServProfile, DropperKind, Precedence, RedWeight, Scheduler};

/// ns-2's dsRED has no more queues, and so has no one else.
const MOST_QUEUES: usize = 64;

/// Checks that a code point is in range.
pub(super) fn check_dscp(place: &Place<'_>, field: &str, dscp: u8) -> Checked<()> {
    if usize::from(dscp) < CODE_POINTS {
        return Ok(());
    }
    error(place, field, dscp, "a code point from 0 to 63")
}

/// The queues of a port: their thresholds, code points and scheduler.
pub(super) fn check_diffserv(place: &Place<'_>, config: &DiffServ) -> Checked<()> {
    if config.queues.is_empty() || config.queues.len() > MOST_QUEUES {
        return error(place, "queues", config.queues.len(), format!("1 to {MOST_QUEUES} queues"));
    }
    if config.mean_packet_bytes == 0 {
        return error(place, "mean_packet_bytes", 0, "at least 1 byte");
    }
    let list = place.field("queues");
    let mut taken = [false; CODE_POINTS];
    for (index, queue) in config.queues.iter().enumerate() {
        check_class_queue(&list.item(index), queue, config.profile, &mut taken)?;
    }
    check_scheduler(&place.field("scheduler"), config)
}

fn check_class_queue(
    place: &Place<'_>,
    queue: &ClassQueue,
    profile: DiffServProfile,
    taken: &mut [bool; CODE_POINTS],
) -> Checked<()> {
    if queue.limit_packets == 0 {
        return error(place, "limit_packets", 0, "at least 1 packet");
    }
    if queue.precedences.is_empty() || queue.precedences.len() > CODE_POINTS {
        return error(
            place,
            "precedences",
            queue.precedences.len(),
            format!("1 to {CODE_POINTS} precedences"),
        );
    }
    let list = place.field("precedences");
    for (index, precedence) in queue.precedences.iter().enumerate() {
        let at = list.item(index);
        check_precedence(&at, precedence, queue.dropper, profile)?;
        let codes = at.field("dscp");
        for (index, &dscp) in precedence.dscp.iter().enumerate() {
            check_dscp(&at, "dscp", dscp)?;
            if std::mem::replace(&mut taken[usize::from(dscp)], true) {
                let path = codes.item(index).to_string();
                return Err(ScenarioError::new(path, dscp, "a code point that no other precedence names"));
            }
        }
    }
    Ok(())
}

fn check_precedence(
    place: &Place<'_>,
    precedence: &Precedence,
    dropper: DropperKind,
    profile: DiffServProfile,
) -> Checked<()> {
    let (low, high) = (precedence.min_threshold_packets, precedence.max_threshold_packets);
    if let Some(low) = low.filter(|low| !(*low >= 0.0 && low.is_finite())) {
        return error(place, "min_threshold_packets", low, "a number of at least 0");
    }
    if dropper != DropperKind::DropTail {
        let Some(low) = low else {
            return error(place, "min_threshold_packets", "none", "a number of at least 0");
        };
        match high {
            Some(high) if high >= low && high.is_finite() => {}
            high => {
                let value = high.map_or("none".to_string(), |high| high.to_string());
                return error(
                    place,
                    "max_threshold_packets",
                    value,
                    format!("at least min_threshold_packets, {low}"),
                );
            }
        }
    }
    let most = if profile == DiffServProfile::Ns2 { f64::MAX } else { 1.0 };
    let probability = precedence.max_probability;
    if !(probability > 0.0 && probability <= most) {
        return error(place, "max_probability", probability, "a probability above 0, at most 1");
    }
    match precedence.weight {
        RedWeight::Fixed { value } if !(value > 0.0 && value <= 1.0) => {
            error(place, "weight.value", value, "a number above 0, at most 1")
        }
        _ => Ok(()),
    }
}

fn check_scheduler(place: &Place<'_>, config: &DiffServ) -> Checked<()> {
    let queues = config.queues.len();
    let weights = match &config.scheduler {
        Scheduler::Wrr(wrr) => &wrr.weights,
        Scheduler::Drr(drr) if drr.quantum_bytes == 0 => {
            return error(place, "quantum_bytes", 0, "at least 1 byte")
        }
        Scheduler::Drr(drr) => &drr.weights,
        Scheduler::Wirr(_) if config.profile != DiffServProfile::Ns2 => {
            return error(place, "kind", quoted("wirr"), "another scheduler, or the profile \"ns2\"");
        }
        Scheduler::Wirr(wirr) => &wirr.weights,
        Scheduler::RoundRobin {} => return Ok(()),
        Scheduler::Priority(priority) if priority.max_rates.is_empty() => return Ok(()),
        Scheduler::Priority(_) if config.profile != DiffServProfile::Ns2 => {
            return error(place, "max_rates", "rates", "none, or the profile \"ns2\"");
        }
        Scheduler::Priority(priority) if priority.max_rates.len() != queues => {
            let expected = format!("{queues} rates, one for each queue");
            return error(place, "max_rates", priority.max_rates.len(), expected);
        }
        Scheduler::Priority(_) => return Ok(()),
    };
    if weights.len() != queues {
        let value = format!("{} weights", weights.len());
        return error(place, "weights", value, format!("{queues} weights, one for each queue"));
    }
    if let Some(index) = weights.iter().position(|&weight| weight == 0) {
        return error(place, &format!("weights[{index}]"), 0, "a whole number above 0");
    }
    Ok(())
}
