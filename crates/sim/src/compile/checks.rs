//! Checks of the fields of links and transports, one by one.

use std::sync::Arc;

use super::class_queues::check_diffserv;
use super::place::{quoted, Place};
use super::{own, Checked};
use crate::control::user::MOST_PACKETS;
use crate::control::Control;
use crate::error::ScenarioError;
use crate::network::treatment_settings;
use crate::queue::queue_settings;
use crate::scenario::{
    Capacity, CoDel, DropTail, Flow, FqCodel, Jitter, Loss, Pie, ProfileName, Queue, RecoveryName, Red,
    RedWeight, Scenario, Tcp, Transport, TreatmentLoss, TuneBy, Udp,
};
use crate::transport::TcpOptions;
use crate::units::{Rate, Time};

/// Most queues of one FQ-CoDel, as in Linux.
const MAX_QUEUES: u32 = 65_536;

/// Largest packet of IPv4, in bytes.
pub(super) const MAX_PACKET_BYTES: u32 = 65_535;

pub(super) fn check_durations(scenario: &Scenario) -> Checked<()> {
    if scenario.duration == Time::ZERO {
        return Err(ScenarioError::new("duration", "0 s", "a time above 0"));
    }
    if scenario.warm_up >= scenario.duration {
        return Err(ScenarioError::new(
            "warm_up",
            format!("{} s", scenario.warm_up.secs()),
            format!("less than the duration, {} s", scenario.duration.secs()),
        ));
    }
    Ok(())
}

pub(super) fn check_name(path: &Place<'_>, name: &str) -> Checked<()> {
    let allowed = |c: char| c.is_alphanumeric() || "_-./:".contains(c);
    if name.is_empty() || !name.chars().all(allowed) || name.contains("->") {
        return Err(ScenarioError::new(
            path,
            quoted(name),
            "a name of letters, digits and _ - . / : (without ->)",
        ));
    }
    Ok(())
}

/// At the least rate the largest packet takes as long as the longest run.
const LEAST_RATE: Rate = Rate::from_bps(8.0 * MAX_PACKET_BYTES as f64 / 1e7);

pub(super) fn check_rate(path: &Place<'_>, rate: Rate) -> Checked<Rate> {
    let refused = |expected: &str| {
        let value = format!("{} bit/s", rate.bps());
        Err(ScenarioError::new(path, value, expected))
    };
    match rate {
        _ if !(rate.bps() > 0.0 && rate.bps().is_finite()) => refused("a rate above 0"),
        _ if rate < LEAST_RATE => refused(&format!("at least {:.2} bit/s", LEAST_RATE.bps() + 0.005)),
        _ => Ok(rate),
    }
}

pub(super) fn check_queue(path: &Place<'_>, queue: Arc<Queue>, rate: Rate) -> Checked<Arc<Queue>> {
    match &*queue {
        Queue::Droptail(DropTail { limit_packets, limit_bytes }) => {
            check_limits(path, *limit_packets, *limit_bytes)
        }
        Queue::Red(red) => check_red(path, red, rate),
        Queue::Codel(codel) => check_codel(path, codel),
        Queue::Pie(pie) => check_pie(path, pie),
        Queue::FqCodel(fq) => check_fq_codel(path, fq),
        Queue::Diffserv(classes) => check_diffserv(path, classes),
        Queue::User(config) => own::found(path, config).map(drop),
    }?;
    Ok(queue)
}

fn check_limits(path: &Place<'_>, limit_packets: Option<u32>, limit_bytes: Option<u64>) -> Checked<()> {
    let checks = [
        (limit_packets != Some(0), "limit_packets", "packet"),
        (limit_bytes != Some(0), "limit_bytes", "byte"),
    ];
    for (holds, field, unit) in checks {
        if !holds {
            return Err(ScenarioError::new(format!("{path}.{field}"), 0, format!("at least 1 {unit}")));
        }
    }
    Ok(())
}

fn check_above_zero(path: &Place<'_>, durations: &[(&str, Time)]) -> Checked<()> {
    for (field, time) in durations {
        if *time == Time::ZERO {
            return Err(ScenarioError::new(format!("{path}.{field}"), "0 s", "a time above 0"));
        }
    }
    Ok(())
}

fn check_counts(path: &Place<'_>, counts: &[(&str, u32, &str)]) -> Checked<()> {
    for (field, count, unit) in counts {
        if *count == 0 {
            return Err(ScenarioError::new(format!("{path}.{field}"), 0, format!("at least 1 {unit}")));
        }
    }
    Ok(())
}

fn check_codel(path: &Place<'_>, codel: &CoDel) -> Checked<()> {
    check_above_zero(path, &[("target", codel.target), ("interval", codel.interval)])?;
    check_counts(path, &[("mtu_bytes", codel.mtu_bytes, "byte")])?;
    check_limits(path, codel.limit_packets, codel.limit_bytes)
}

fn check_fq_codel(path: &Place<'_>, fq: &FqCodel) -> Checked<()> {
    check_above_zero(path, &[("target", fq.target), ("interval", fq.interval)])?;
    let counts = [
        ("queues", fq.queues, "queue"),
        ("quantum_bytes", fq.quantum_bytes, "byte"),
        ("drop_batch", fq.drop_batch, "packet"),
        ("mtu_bytes", fq.mtu_bytes, "byte"),
    ];
    check_counts(path, &counts)?;
    if fq.queues > MAX_QUEUES {
        let expected = format!("at most {MAX_QUEUES} queues");
        return Err(ScenarioError::new(format!("{path}.queues"), fq.queues, expected));
    }
    check_limits(path, Some(fq.limit_packets), fq.limit_bytes)
}

fn check_pie(path: &Place<'_>, pie: &Pie) -> Checked<()> {
    check_above_zero(path, &[("target", pie.target), ("update", pie.update)])?;
    for (field, value) in [("alpha", pie.alpha), ("beta", pie.beta)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(ScenarioError::new(format!("{path}.{field}"), value, "a number above 0"));
        }
    }
    check_probabilities(path, &[("mark_below", pie.mark_below)])?;
    check_counts(path, &[("mean_packet_bytes", pie.mean_packet_bytes, "byte")])?;
    check_limits(path, pie.limit_packets, pie.limit_bytes)
}

fn check_red(path: &Place<'_>, red: &Red, rate: Rate) -> Checked<()> {
    let weight = match red.weight {
        RedWeight::Fixed { value } => value,
        RedWeight::FromRate {} => 1.0,
    };
    let (low, high) = (red.min_threshold_packets, red.max_threshold_packets);
    let probability = red.max_probability;
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let checks = [
        (positive(low), "min_threshold_packets", low, "a number above 0".to_string()),
        (
            positive(high) && high >= low,
            "max_threshold_packets",
            high,
            format!("at least min_threshold_packets, {low}"),
        ),
        (
            positive(probability) && probability <= 1.0,
            "max_probability",
            probability,
            "a probability above 0, at most 1".into(),
        ),
        (positive(weight) && weight <= 1.0, "weight.value", weight, "a number above 0, at most 1".into()),
        (red.limit_packets > 0, "limit_packets", f64::from(red.limit_packets), "at least 1 packet".into()),
        (
            red.mean_packet_bytes > 0,
            "mean_packet_bytes",
            f64::from(red.mean_packet_bytes),
            "at least 1 byte".into(),
        ),
    ];
    for (holds, field, value, expected) in checks {
        if !holds {
            return Err(ScenarioError::new(format!("{path}.{field}"), value, expected));
        }
    }
    check_probabilities(path, &[("tune_above", red.tune_above), ("tune_band", red.tune_band)])?;
    check_above_zero(path, &[("tune_interval", red.tune_interval)])?;
    if red.tune_by != Some(TuneBy::Nonresponsive) {
        return Ok(());
    }
    let Some(rtt) = red.tune_rtt else {
        return Err(ScenarioError::new(
            format!("{path}.tune_rtt"),
            "nothing",
            "a round-trip time to tune by",
        ));
    };
    check_above_zero(path, &[("tune_rtt", rtt)])?;
    queue_settings(red, rate).map(drop).map_err(|error| {
        let value = format!("{} s, which makes {} of {}", rtt.secs(), error.field, error.value);
        ScenarioError::new(format!("{path}.tune_rtt"), value, error.expected)
    })
}

pub(super) fn check_loss(path: &Place<'_>, loss: Option<Arc<Loss>>) -> Checked<Option<Arc<Loss>>> {
    match loss.as_deref() {
        None => return Ok(None),
        Some(Loss::Bernoulli(config)) => {
            check_probabilities(path, &[("probability", config.probability)])?;
        }
        Some(Loss::Dither(config)) => {
            check_probabilities(path, &[("floor", config.floor), ("part", config.part)])?
        }
        Some(Loss::Treatment(config)) => check_treatment(path, config)?,
        Some(Loss::GilbertElliott(config)) => check_probabilities(
            path,
            &[
                ("good_to_bad", config.good_to_bad),
                ("bad_to_good", config.bad_to_good),
                ("loss_good", config.loss_good),
                ("loss_bad", config.loss_bad),
            ],
        )?,
        Some(Loss::Listed(config)) => {
            if let Some(i) = config.arrivals.iter().position(|&arrival| arrival == 0) {
                let path = format!("{path}.arrivals[{i}]");
                return Err(ScenarioError::new(path, 0, "an arrival number, 1 or more"));
            }
        }
    }
    Ok(loss)
}

fn check_treatment(path: &Place<'_>, config: &TreatmentLoss) -> Checked<()> {
    if config.groups.is_empty() {
        return Err(ScenarioError::new(format!("{path}.groups"), "none", "at least one group"));
    }
    treatment_settings(config, 0).validate().map_err(|error| {
        let field = if error.field == "block_s" { "block" } else { error.field };
        ScenarioError::new(format!("{path}.{field}"), error.value, error.expected)
    })
}

/// Probabilities by the names of their fields.
pub(super) fn check_probabilities(path: &Place<'_>, probabilities: &[(&str, f64)]) -> Checked<()> {
    for (field, probability) in probabilities {
        if !(0.0..=1.0).contains(probability) {
            let path = format!("{path}.{field}");
            return Err(ScenarioError::new(path, probability, "a probability from 0 to 1"));
        }
    }
    Ok(())
}

pub(super) fn check_jitter(path: &Place<'_>, jitter: Option<Jitter>) -> Checked<Option<Jitter>> {
    match jitter {
        Some(Jitter { most: Time::ZERO, .. }) => {
            Err(ScenarioError::new(format!("{path}.most"), "0 s", "a time above 0"))
        }
        _ => Ok(jitter),
    }
}

pub(super) fn check_capacity(
    path: &Place<'_>,
    capacity: Option<Arc<Capacity>>,
) -> Checked<Option<Arc<Capacity>>> {
    let Some(given) = &capacity else {
        return Ok(None);
    };
    let Some(&last) = given.times.last() else {
        return Err(ScenarioError::new(format!("{path}.times"), "none", "at least one time"));
    };
    if let Some(i) = given.times.windows(2).position(|pair| pair[1] < pair[0]) {
        let (path, value) = (format!("{path}.times[{}]", i + 1), given.times[i + 1].secs());
        return Err(ScenarioError::new(path, format!("{value} s"), "times in ascending order"));
    }
    if given.period < last || given.period == Time::ZERO {
        let expected = format!("at least the last of the times, {} s, and above 0", last.secs());
        return Err(ScenarioError::new(
            format!("{path}.period"),
            format!("{} s", given.period.secs()),
            expected,
        ));
    }
    if given.bytes == 0 {
        return Err(ScenarioError::new(format!("{path}.bytes"), 0, "at least 1 byte"));
    }
    Ok(capacity)
}

pub(super) fn check_transport(at: &Place<'_>, flow: &Flow) -> Checked<Option<TcpOptions>> {
    let at = &at.field("transport");
    match &flow.transport {
        Transport::Udp(udp) => check_udp(at, udp).map(|()| None),
        Transport::Tcp(tcp) => check_tcp(at, tcp).map(Some),
    }
}

fn check_sizes(at: &Place<'_>, payload_bytes: u32, header_bytes: u32) -> Checked<()> {
    if payload_bytes == 0 {
        let path = format!("{at}.payload_bytes");
        return Err(ScenarioError::new(path, 0, "at least 1 byte"));
    }
    let total = payload_bytes.saturating_add(header_bytes);
    if total > MAX_PACKET_BYTES {
        return Err(ScenarioError::new(
            format!("{at}.payload_bytes"),
            payload_bytes,
            format!("at most {MAX_PACKET_BYTES} bytes with the header"),
        ));
    }
    Ok(())
}

fn check_udp(at: &Place<'_>, udp: &Udp) -> Checked<()> {
    check_sizes(at, udp.payload_bytes, udp.header_bytes)
}

fn check_tcp(at: &Place<'_>, tcp: &Tcp) -> Checked<TcpOptions> {
    check_sizes(at, tcp.payload_bytes, tcp.header_bytes)?;
    for (field, bytes) in [("header_bytes", tcp.header_bytes), ("ack_bytes", tcp.ack_bytes)] {
        if bytes == 0 || bytes > MAX_PACKET_BYTES {
            let expected = format!("1 to {MAX_PACKET_BYTES} bytes");
            return Err(ScenarioError::new(format!("{at}.{field}"), bytes, expected));
        }
    }
    check_control(at, tcp)?;
    let options = TcpOptions::resolve(tcp);
    check_recovery(at, tcp, &options)?;
    options
        .rto
        .validate()
        .map_err(|e| ScenarioError::new(format!("{at}.rto.{}", e.field), &e.value, e.expected))?;
    if options.initial_window > MOST_PACKETS {
        let (path, value) = (format!("{at}.initial_window_packets"), options.initial_window);
        return Err(ScenarioError::new(path, value, format!("at most {MOST_PACKETS} packets")));
    }
    let seconds = |s: f64| format!("{s} s");
    let rules = &options.rto_rules;
    let checks = [
        (
            options.initial_window >= 1.0,
            "initial_window_packets",
            options.initial_window.to_string(),
            "at least 1 packet",
        ),
        (
            options.max_window >= 1.0,
            "max_window_packets",
            options.max_window.to_string(),
            "at least 1 packet",
        ),
        (
            options.initial_ssthresh >= 1.0,
            "initial_ssthresh_packets",
            options.initial_ssthresh.to_string(),
            "at least 1 packet",
        ),
        (
            options.dupack_threshold >= 1,
            "dupack_threshold",
            options.dupack_threshold.to_string(),
            "at least 1",
        ),
        (rules.initial_s > 0.0, "initial_rto", seconds(rules.initial_s), "a time above 0"),
        (rules.min_s > 0.0, "min_rto", seconds(rules.min_s), "a time above 0"),
        (rules.max_s >= rules.min_s, "max_rto", seconds(rules.max_s), "at least min_rto"),
        (options.delayed_ack != Some(Time::ZERO), "delayed_ack_timer", "0 s".into(), "a time above 0"),
        (
            tcp.quick_acks.is_none() || tcp.receive_buffer.is_none(),
            "quick_acks",
            tcp.quick_acks.unwrap_or_default().to_string(),
            "quick_acks or receive_buffer, not both",
        ),
    ];
    for (holds, field, value, expected) in checks {
        if !holds {
            return Err(ScenarioError::new(format!("{at}.{field}"), value, expected));
        }
    }
    Ok(options)
}

/// A profile may have these options for flows with SACK; a flow that asks for one must be able to use it.
fn check_recovery(at: &Place<'_>, tcp: &Tcp, options: &TcpOptions) -> Checked<()> {
    let sack = options.sack;
    let sack1 = tcp.profile == ProfileName::Ns2 && tcp.rack != Some(true);
    let vegas = tcp.recovery == Some(RecoveryName::Vegas);
    for (field, asked, possible, expected) in [
        ("rack", tcp.rack, sack, "false, or the recovery sack"),
        ("frto", tcp.frto, !vegas, "false, or another recovery than vegas"),
        ("frto", tcp.frto, !sack || !sack1, "false: ns-2's Sack1 knows nothing after a timeout"),
        ("dsack", tcp.dsack, sack, "false, or the recovery sack"),
        ("dsack", tcp.dsack, !sack1, "false: ns-2's Sack1 knows no reports of what has come twice"),
        ("prr", tcp.prr, sack, "false, or the recovery sack"),
        ("prr", tcp.prr, !sack1, "false: ns-2's Sack1 counts its pipe down by ACKs"),
    ] {
        if asked == Some(true) && !possible {
            return Err(ScenarioError::new(format!("{at}.{field}"), "true", expected));
        }
    }
    Ok(())
}

fn check_control(at: &Place<'_>, tcp: &Tcp) -> Checked<()> {
    let Some(control) = &tcp.control else { return Ok(()) };
    if control.needs_marks() && !tcp.ecn {
        return Err(ScenarioError::new(
            at.field("ecn").to_string(),
            "false",
            "true: this control goes by marks",
        ));
    }
    let at = at.field("control");
    if let Control::User(config) = control {
        own::found(&at, config)?;
    }
    control
        .check()
        .map_err(|error| ScenarioError::new(format!("{at}.{}", error.field), error.value, error.expected))
}
