//! Names of what is recorded, turned into numbers of flows and ports.

use rustc_hash::{FxHashMap, FxHashSet};

use super::apps::{with_members, AppPlan};
use super::nonresponsive::queue_observers;
use super::place::quoted;
use super::{Checked, Directory, PortPlan};
use crate::error::ScenarioError;
use crate::record::{CaptureOptions, Estimated, Watch};
use crate::scenario::{Record, Series, ShareSeries};
use crate::units::Time;

/// Most rows of a series: a column of them takes 34 GB.
const MOST_ROWS: u64 = 1 << 32;

/// Checks that a series of `of` flows or ports stays within that limit.
fn check_rows(path: &str, interval: Time, duration: Time, of: usize) -> Checked<()> {
    let rows = duration.ps().div_ceil(interval.ps()).saturating_mul(of as u64);
    if rows <= MOST_ROWS {
        return Ok(());
    }
    let expected = format!("an interval that asks for at most {MOST_ROWS} rows, not {rows}");
    Err(ScenarioError::new(path, format!("{} s", interval.secs()), expected))
}

/// Properties of flows that are known when their names are read.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub flows: &'a FxHashMap<&'a str, u32>,
    pub owners: &'a [u32],
    pub apps: &'a [AppPlan],
}

/// Numbers of the flows and ports that are recorded, in place of their names.
pub(super) fn watch(
    record: &Record,
    duration: Time,
    known: Known<'_>,
    directory: &Directory<'_>,
    ports: &[PortPlan],
) -> Checked<Watch> {
    let flows = known.flows;
    let flow_number = |name: &str| flows.get(name).copied();
    let port_number = |name: &str| directory.port(name);
    let flow = |field: &str, list: &[String]| select(field, list, flows.len(), flow_number, "flow");
    let members =
        |field: &str, list: &[String]| Ok::<_, ScenarioError>(with_members(flow(field, list)?, known.owners));
    let port = |field: &str, list: &[String]| select(field, list, ports.len(), port_number, "port or link");
    let series = |field: &str, series: &Option<Series>, of_flows: bool| match series {
        None => Ok(None),
        Some(series) => {
            if series.interval == Time::ZERO {
                let path = format!("record.{field}.interval");
                return Err(ScenarioError::new(path, "0 s", "a time above 0"));
            }
            let list = format!("{field}.of");
            let of = if of_flows { flow(&list, &series.of)? } else { port(&list, &series.of)? };
            check_rows(&format!("record.{field}.interval"), series.interval, duration, of.len())?;
            Ok(Some((of, series.interval)))
        }
    };
    Ok(Watch {
        rtt: members("rtt", &record.rtt)?,
        window: members("window", &record.window)?,
        flow_series: series("flow_series", &record.flow_series, true)?,
        port_series: series("port_series", &record.port_series, false)?,
        responsiveness: match &record.responsiveness {
            None => None,
            Some(asked) => {
                let ShareSeries { of, interval, signals, deaf, evidence_every } = asked.clone();
                let deaf = flow("responsiveness.deaf", &deaf)?;
                let series = series("responsiveness", &Some(Series { of, interval }), false)?;
                let estimated =
                    |(ports, interval)| Estimated { ports, interval, signals, deaf, evidence_every };
                series.map(estimated)
            }
        },
        nonresponsive: match &record.nonresponsive {
            None => None,
            Some(asked) => {
                let observed = port("nonresponsive.of", &asked.of)?;
                Some(queue_observers(asked, &observed, ports, &directory.port_names)?)
            }
        },
        packets: port("packets", &record.packets)?,
        deliveries: members("deliveries", &record.deliveries)?,
        pcap: port("pcap", &record.pcap)?,
        captures: CaptureOptions {
            format: record.pcap_format,
            both_directions: record.pcap_both_directions,
            handshakes: record.pcap_handshakes,
        },
        class_state: port("class_state", &record.class_state)?,
        edges: series("edges", &record.edges, false)?,
        transfers: transfers(&record.transfers, flow("transfers", &record.transfers)?, known)?,
        classes: false,
    })
}

/// Those of the flows in a list that have transfers; one that is named must have them.
fn transfers(list: &[String], flows: Vec<u32>, known: Known<'_>) -> Checked<Option<Vec<u32>>> {
    let together = known.apps.iter().filter(|app| app.together);
    let grouped = together.flat_map(|app| app.slots.iter().map(|&(data, _)| data));
    let having: FxHashSet<u32> = known.apps.iter().map(|app| app.flow).chain(grouped).collect();
    let has = |flow: u32| having.contains(&flow);
    for (i, name) in list.iter().enumerate().filter(|(_, name)| *name != "*") {
        if !has(known.flows[name.as_str()]) {
            let expected = "a flow whose application is a transfer-sequence, barrier, telnet or web";
            return Err(ScenarioError::new(format!("record.transfers[{i}]"), quoted(name), expected));
        }
    }
    let kept = flows.into_iter().filter(|&flow| has(flow)).collect();
    Ok((!list.is_empty()).then_some(kept))
}

/// The numbers of what is named in a list, of `count` that there are.
fn select(
    field: &str,
    list: &[String],
    count: usize,
    number: impl Fn(&str) -> Option<u32>,
    what: &str,
) -> Checked<Vec<u32>> {
    let mut indices = Vec::new();
    for (i, name) in list.iter().enumerate() {
        if name == "*" {
            indices.extend(0..count as u32);
        } else if let Some(index) = number(name) {
            indices.push(index);
        } else {
            return Err(ScenarioError::new(
                format!("record.{field}[{i}]"),
                quoted(name),
                format!("the name of a {what}, or \"*\" for all"),
            ));
        }
    }
    indices.sort_unstable();
    indices.dedup();
    Ok(indices)
}
