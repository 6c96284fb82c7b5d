//! Checks of what depends on several fields of a part.

use parshall_estimators::forecast::ForecasterConfig;
use serde_json::Value;

use crate::fault::Fault;
use crate::part::Fields;
use crate::parts::{CLASS_QUEUE, PRECEDENCE};
use crate::quantity::{duration_text, rate_text};
use crate::shown::{brief, shown, shown_number, shown_text};

type Checked = Result<(), Fault>;

/// Thresholds of RED come in order.
pub(crate) fn red(red: &Fields<'_>) -> Checked {
    let (low, high) = (red.number("min_threshold_packets"), red.number("max_threshold_packets"));
    at_least("max_threshold_packets", high, "min_threshold_packets", low)
}

/// A part of the user's own whose code is named by its hash has its form.
pub(crate) fn form(part: &Fields<'_>) -> Checked {
    if part.given("form").is_some() {
        return Ok(());
    }
    Err(Fault::new("form", "nothing", "\"python\", \"numba\" or \"library\""))
}

/// Bounds of a backlog come in order.
pub(crate) fn ordered(control: &Fields<'_>) -> Checked {
    at_least("beta", control.number("beta"), "alpha", control.number("alpha"))
}

fn at_least(field: &str, value: Option<f64>, other: &str, least: Option<f64>) -> Checked {
    match (value, least) {
        (Some(value), Some(least)) if value < least => {
            Err(Fault::new(field, shown_number(value), format!("at least {other}, {}", brief(least))))
        }
        _ => Ok(()),
    }
}

/// Either a rate or an interval is given.
pub(crate) fn rate_or_interval(cbr: &Fields<'_>) -> Checked {
    match (cbr.number("rate"), cbr.number("interval")) {
        (None, None) => Err(Fault::new("rate", "nothing", "a rate or an interval")),
        (Some(_), Some(interval)) => {
            Err(Fault::new("interval", shown_number(interval), "a rate or an interval, not both"))
        }
        _ => Ok(()),
    }
}

/// A recorded capacity does not repeat before its end.
pub(crate) fn repeats_after_the_last(capacity: &Fields<'_>) -> Checked {
    let last = capacity.items("times").last().and_then(Value::as_f64);
    match (capacity.number("period"), last) {
        (Some(period), Some(last)) if period < last => {
            let expected = format!("at least the last of the times, {} s", shown_number(last));
            Err(Fault::new("period", shown_number(period), expected))
        }
        _ => Ok(()),
    }
}

/// An end comes later than its start.
pub(crate) fn ends_later(span: &Fields<'_>) -> Checked {
    match (span.number("start"), span.number("end")) {
        (Some(start), Some(end)) if end <= start => {
            let value = shown_text(&duration_text(end));
            Err(Fault::new("end", value, format!("later than start, {}", duration_text(start))))
        }
        _ => Ok(()),
    }
}

/// Packets that are overtaken are chosen one way.
pub(crate) fn chooses_one_way(reordering: &Fields<'_>) -> Checked {
    let chooses = |name| reordering.given(name).is_some();
    let ways = ["every", "probability", "packets"].into_iter().filter(|name| chooses(name)).count();
    if ways != 1 {
        let given = if ways == 0 { "none" } else { "several" };
        return Err(Fault::new("every", given, "one of every, probability and packets"));
    }
    ends_later(reordering)
}

/// Coefficients and sizes of a forecaster fit together.
pub(crate) fn forecaster(forecaster: &Fields<'_>) -> Checked {
    let config: ForecasterConfig = serde_json::from_value(Value::Object(forecaster.values.clone()))
        .map_err(|error| Fault::new("", error.to_string(), "a forecaster"))?;
    match config.try_build() {
        Ok(_) => Ok(()),
        Err(error) => Err(Fault::new(error.field, error.value, error.expected)),
    }
}

/// Drop precedences have thresholds where the dropper goes by them.
pub(crate) fn thresholds(queue: &Fields<'_>) -> Checked {
    if queue.text("dropper") == Some("drop-tail") {
        return Ok(());
    }
    let precedences = queue.items("precedences").iter().filter_map(|value| Fields::of(&PRECEDENCE, value));
    for (index, precedence) in precedences.enumerate() {
        let place = format!("precedences[{index}]");
        let Some(low) = precedence.number("min_threshold_packets") else {
            let path = format!("{place}.min_threshold_packets");
            return Err(Fault::new(path, "nothing", "a number of at least 0"));
        };
        let high = precedence.number("max_threshold_packets");
        if high.is_none_or(|high| high < low) {
            let value = high.map_or("nothing".to_owned(), shown_number);
            let expected = format!("at least min_threshold_packets, {}", brief(low));
            return Err(Fault::new(format!("{place}.max_threshold_packets"), value, expected));
        }
    }
    Ok(())
}

/// A scheduler has a weight for each queue, and probabilities are some unless ns-2 takes them.
pub(crate) fn weights_and_probabilities(queues: &Fields<'_>) -> Checked {
    let count = queues.items("queues").len();
    let weights = queues.given("scheduler").and_then(|scheduler| scheduler.get("weights"));
    if let Some(weights) = weights.filter(|weights| weights.as_array().is_none_or(|list| list.len() != count))
    {
        let expected = format!("{count} weights, one for each queue");
        return Err(Fault::new("scheduler.weights", shown(&weights.into()), expected));
    }
    if queues.text("profile") != Some("rfc") {
        return Ok(());
    }
    for (number, queue) in queues.items("queues").iter().enumerate() {
        let Some(queue) = Fields::of(&CLASS_QUEUE, queue) else { continue };
        let precedences = queue.items("precedences").iter();
        for (index, precedence) in precedences.filter_map(|value| Fields::of(&PRECEDENCE, value)).enumerate()
        {
            let Some(most) = precedence.number("max_probability").filter(|most| *most > 1.0) else {
                continue;
            };
            let place = format!("queues[{number}].precedences[{index}].max_probability");
            return Err(Fault::new(place, shown_number(most), "a number above 0, at most 1"));
        }
    }
    Ok(())
}

/// An experiment has groups.
pub(crate) fn groups(loss: &Fields<'_>) -> Checked {
    if loss.items("groups").is_empty() {
        return Err(Fault::new("groups", "none", "at least one group"));
    }
    Ok(())
}

/// A conditioner has rules, whose meters have a peak that is no less than what is committed (RFC 2698 and 2859).
pub(crate) fn rules(conditioner: &Fields<'_>) -> Checked {
    let rules = conditioner.items("rules");
    if rules.is_empty() {
        return Err(Fault::new("rules", "none", "at least one rule"));
    }
    if conditioner.text("profile") != Some("rfc") {
        return Ok(());
    }
    for (index, rule) in rules.iter().enumerate() {
        let Some(meter) = rule.get("meter") else { continue };
        if !matches!(meter["kind"].as_str(), Some("trtcm" | "tsw3cm")) {
            continue;
        }
        let (Some(peak), Some(committed)) = (meter["pir"].as_f64(), meter["cir"].as_f64()) else { continue };
        if peak < committed {
            let path = format!("rules[{index}].meter.pir");
            return Err(Fault::new(path, rate_text(peak), format!("at least cir, {}", rate_text(committed))));
        }
    }
    Ok(())
}
