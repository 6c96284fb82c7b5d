//! Mean demand of applications.

use crate::scenario::{App, SelfSimilar, Transport, Variate, Web};
use crate::traffic::{apps, cbr_interval};
use crate::units::Time;

/// Demand of an application.
#[derive(Clone, Copy, Debug)]
pub struct Asks {
    /// Packets a second at most.
    pub pps: f64,
    /// Packets at most in all.
    pub packets: f64,
    /// Times that it hands something over, for each packet.
    pub writes: f64,
    /// Packets of one transfer, if it waits for the end of one before the next.
    pub transfer: Option<f64>,
}

impl Asks {
    /// The demand in so many seconds; the network takes `network` to deliver a transfer of so many packets if
    /// nobody else uses it.
    pub fn of(app: &App, transport: &Transport, seconds: f64, network: impl Fn(f64) -> f64) -> Self {
        let payload_bytes = transport.payload_bytes();
        let pps = |bps: f64| bps / (8.0 * f64::from(payload_bytes.max(1)));
        let at_rate = |pps: f64| Asks { pps, packets: f64::INFINITY, writes: 1.0, transfer: None };
        let in_all = |packets: f64, writes: f64| Asks {
            pps: packets / seconds.max(1e-12),
            packets,
            writes: writes / packets.max(1.0),
            transfer: None,
        };
        match app {
            App::Bulk {} => Asks { writes: 0.0, ..at_rate(f64::INFINITY) },
            App::Transfer(transfer) => in_all(f64::from(transfer.packets), 1.0),
            App::Cbr(cbr) => at_rate(1.0 / cbr_interval(cbr, payload_bytes).secs()),
            App::Vbr(vbr) => at_rate(pps(0.5 * (vbr.rates.0.bps() + vbr.rates.1.bps()))),
            App::OnOff(config) => {
                let interval = 1.0 / pps(config.rate.bps());
                let packets = (config.on.secs() / interval).max(1.0);
                at_rate(packets / (packets * interval + config.off.secs()))
            }
            App::SelfSimilar(config) => at_rate(pps(mean_rate(config))),
            App::Schedule(schedule) => {
                let end = Time::from_secs(seconds);
                let written = schedule.writes.iter().filter(|(at, _)| *at < end);
                let packets = written.clone().map(|&(_, packets)| f64::from(packets)).sum();
                in_all(packets, written.count() as f64)
            }
            App::TransferSequence(config) => {
                let transfers = config.transfers_at_most.map_or(f64::INFINITY, f64::from);
                one_by_one(number(&config.packets), &config.think, transfers, network)
            }
            App::Barrier(config) => {
                let rounds = config.rounds.map_or(f64::INFINITY, f64::from);
                one_by_one(f64::from(config.packets), &config.think, rounds, network)
            }
            App::Telnet(config) => {
                let packets = number(&config.packets);
                let typing = (packets - 1.0) * apps::mean(&config.interval);
                let session = typing + network(1.0) + apps::mean(&config.idle);
                let sessions = config.sessions.map_or(f64::INFINITY, f64::from);
                Asks {
                    pps: packets / session.max(1e-12),
                    packets: packets * sessions,
                    writes: 1.0,
                    transfer: Some(1.0),
                }
            }
            App::Web(config) => web(config, network),
            App::User(_) => unknown(transport),
        }
    }
}

/// A source of the caller's own, of which nothing is known: as much as TCP gives it, or a rate of 1 Mbit/s over UDP.
fn unknown(transport: &Transport) -> Asks {
    let (pps, writes) = match transport {
        Transport::Tcp(_) => (f64::INFINITY, 0.0),
        Transport::Udp(udp) => (1e6 / (8.0 * f64::from(udp.payload_bytes.max(1))), 1.0),
    };
    Asks { pps, packets: f64::INFINITY, writes, transfer: None }
}

/// The mean of a number of packets or other things, of which there is at least one.
pub fn number(law: &Variate) -> f64 {
    apps::mean(law).max(1.0)
}

/// Transfers of so many packets, one after the other.
fn one_by_one(packets: f64, think: &Variate, transfers: f64, network: impl Fn(f64) -> f64) -> Asks {
    let cycle = network(packets) + apps::mean(think);
    Asks {
        pps: packets / cycle.max(1e-12),
        packets: packets * transfers,
        writes: 1.0 / packets,
        transfer: Some(packets),
    }
}

fn web(config: &Web, network: impl Fn(f64) -> f64) -> Asks {
    let (packets, objects) = (number(&config.object_packets), number(&config.objects));
    // Objects that find no connection wait for one.
    let connections = f64::from(apps::slots(&scenario_of(config)).unwrap_or(1));
    let each = apps::mean(&config.inter_object).max(network(packets) / connections);
    let page = (objects - 1.0) * each + network(packets);
    let pages = number(&config.pages);
    let between = match &config.inter_session {
        Some(pause) => (apps::mean(&config.inter_page) * (pages - 1.0) + apps::mean(pause)) / pages,
        None => apps::mean(&config.inter_page),
    };
    let sessions = if config.inter_session.is_some() { f64::INFINITY } else { 1.0 };
    Asks {
        pps: objects * packets / (page + between).max(1e-12),
        packets: sessions * pages * objects * packets,
        writes: 1.0 / packets,
        transfer: Some(packets),
    }
}

fn scenario_of(config: &Web) -> App {
    App::Web(Box::new(config.clone()))
}

/// The mean of a rate that moves around another one, and is never below 0; see [`SelfSimilar`].
fn mean_rate(config: &SelfSimilar) -> f64 {
    let (rate, sd) = (config.rate.bps(), config.sd.bps());
    if sd == 0.0 {
        return rate;
    }
    let x = rate / sd;
    let density = libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * std::f64::consts::PI);
    let below = 0.5 * (1.0 + libm::erf(x / std::f64::consts::SQRT_2));
    rate * below + sd * density
}
