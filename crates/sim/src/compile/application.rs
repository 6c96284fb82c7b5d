//! Checks of what a flow sends: its application, field by field.

use super::checks::{check_rate, MAX_PACKET_BYTES};
use super::place::{quoted, Place};
use super::{own, Checked};
use crate::error::ScenarioError;
use crate::scenario::{App, Cbr, Flow, Law, SelfSimilar, Transport};
use crate::traffic::{self_similar_intervals, MOST_INTERVALS};
use crate::units::Time;

/// An application fits its flow: its times, its transport and its own fields.
pub(super) fn check_app(at: &Place<'_>, flow: &Flow, duration: Time) -> Checked<()> {
    if flow.start > duration {
        return Err(ScenarioError::new(
            format!("{at}.start"),
            format!("{} s", flow.start.secs()),
            format!("at most the duration, {} s", duration.secs()),
        ));
    }
    if flow.stop.is_some_and(|stop| stop <= flow.start) {
        return Err(ScenarioError::new(
            format!("{at}.stop"),
            format!("{} s", flow.stop.unwrap_or_default().secs()),
            format!("later than the start, {} s", flow.start.secs()),
        ));
    }
    let at = &at.field("app");
    let udp = matches!(flow.transport, Transport::Udp(_));
    match &flow.app {
        App::Bulk {} if udp => Err(needs_tcp(at, "bulk")),
        App::Transfer(_) if udp => Err(needs_tcp(at, "transfer")),
        App::Bulk {} => Ok(()),
        App::Transfer(transfer) if transfer.packets == 0 || transfer.packets == u32::MAX => {
            Err(ScenarioError::new(
                format!("{at}.packets"),
                transfer.packets,
                "at least 1 packet and less than 2^32 - 1",
            ))
        }
        App::Transfer(_) => Ok(()),
        App::Cbr(cbr) => check_cbr(at, cbr),
        App::Vbr(vbr) => {
            check_rate(&at.field("rates").item(0), vbr.rates.0)?;
            let ordered = vbr.rates.0 <= vbr.rates.1 && vbr.rates.1.bps().is_finite();
            if !ordered {
                let value = format!("{} bit/s", vbr.rates.1.bps());
                let path = format!("{at}.rates[1]");
                return Err(ScenarioError::new(path, value, "at least rates[0]"));
            }
            let intervals = vbr.intervals;
            if intervals.0 == Time::ZERO || intervals.0 > intervals.1 {
                return Err(ScenarioError::new(
                    format!("{at}.intervals"),
                    format!("[{} s, {} s]", intervals.0.secs(), intervals.1.secs()),
                    "two times above 0, the lower one first",
                ));
            }
            Ok(())
        }
        App::OnOff(config) => {
            check_rate(&at.field("rate"), config.rate)?;
            for (field, time) in [("on", config.on), ("off", config.off)] {
                if time == Time::ZERO {
                    let path = format!("{at}.{field}");
                    return Err(ScenarioError::new(path, "0 s", "a time above 0"));
                }
            }
            match config.law {
                Law::Pareto { shape } if !(shape > 1.0 && shape.is_finite()) => Err(ScenarioError::new(
                    format!("{at}.law.shape"),
                    shape,
                    "a number above 1, so that the mean exists",
                )),
                _ => Ok(()),
            }
        }
        App::SelfSimilar(config) => check_self_similar(at, config, flow, duration),
        App::User(config) if own::found(at, config)?.requests() && udp => {
            let value = "a source whose destination asks for what it gets";
            Err(ScenarioError::new(at.to_string(), value, "one without requests, as the transport is udp"))
        }
        App::User(_) => Ok(()),
        // Checked when they were given their members.
        App::TransferSequence(_) | App::Barrier(_) | App::Telnet(_) | App::Web(_) => Ok(()),
        App::Schedule(schedule) => {
            if let Some(i) = schedule.writes.iter().position(|&(_, packets)| packets == u32::MAX) {
                let path = format!("{at}.writes[{i}][1]");
                return Err(ScenarioError::new(path, u32::MAX, "less than 2^32 - 1 packets"));
            }
            for (i, pair) in schedule.writes.windows(2).enumerate() {
                if pair[1].0 < pair[0].0 {
                    return Err(ScenarioError::new(
                        format!("{at}.writes[{}][0]", i + 1),
                        format!("{} s", pair[1].0.secs()),
                        "times in ascending order",
                    ));
                }
            }
            check_payloads(at, flow)
        }
    }
}

fn check_payloads(at: &Place<'_>, flow: &Flow) -> Checked<()> {
    let list = at.field("payloads");
    for (index, payload) in super::payloads(flow).enumerate() {
        let Transport::Udp(udp) = &flow.transport else {
            let expected = "none, as the transport is tcp";
            return Err(ScenarioError::new(list.to_string(), "a list", expected));
        };
        if payload == 0 || payload.saturating_add(udp.header_bytes) > MAX_PACKET_BYTES {
            let expected = format!("1 to {} bytes", MAX_PACKET_BYTES - udp.header_bytes);
            return Err(ScenarioError::new(list.item(index).to_string(), payload, expected));
        }
    }
    Ok(())
}

fn check_cbr(at: &Place<'_>, cbr: &Cbr) -> Checked<()> {
    match (cbr.rate, cbr.interval) {
        (Some(rate), None) => check_rate(&at.field("rate"), rate).map(drop),
        (None, Some(Time::ZERO)) => {
            Err(ScenarioError::new(format!("{at}.interval"), "0 s", "a time above 0"))
        }
        (None, Some(_)) => Ok(()),
        (None, None) => Err(ScenarioError::new(format!("{at}.rate"), "none", "a rate or an interval")),
        (Some(_), Some(interval)) => Err(ScenarioError::new(
            format!("{at}.interval"),
            format!("{} s", interval.secs()),
            "a rate or an interval, not both",
        )),
    }
}

fn check_self_similar(at: &Place<'_>, config: &SelfSimilar, flow: &Flow, duration: Time) -> Checked<()> {
    check_rate(&at.field("rate"), config.rate)?;
    check_rate(&at.field("sd"), config.sd)?;
    if !(config.h > 0.0 && config.h < 1.0) {
        let expected = "a number between 0 and 1, both excluded";
        return Err(ScenarioError::new(format!("{at}.h"), config.h, expected));
    }
    let wrong = |value: Time, expected: &str| {
        Err(ScenarioError::new(format!("{at}.interval"), format!("{} s", value.secs()), expected))
    };
    if config.interval == Time::ZERO {
        return wrong(config.interval, "a time above 0");
    }
    if self_similar_intervals(flow, config, duration) > MOST_INTERVALS {
        return wrong(config.interval, "at most 2^22 intervals in the run");
    }
    Ok(())
}

fn needs_tcp(at: &Place<'_>, app: &str) -> ScenarioError {
    ScenarioError::new(
        format!("{at}.kind"),
        quoted(app),
        "an application with a rate of its own, as the transport is udp",
    )
}
