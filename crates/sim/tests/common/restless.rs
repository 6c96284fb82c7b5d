//! Random scenarios in which senders act ahead of time as often as something comes between.

use std::sync::Arc;

use parshall_sim::scenario::{App, Flow, Record, Scenario, Series, Transfer, Transport};
use proptest::prelude::*;
use proptest::sample::select;

use super::{apart, direct, scenario, seconds};

/// Where flows end.
#[derive(Clone, Copy, Debug)]
enum Ends {
    /// At hosts that others may share.
    Shared,
    /// At hosts of their own.
    Apart,
    /// At two hosts with one link between them.
    Direct,
}

/// Timers that expire while ACKs are on their last links, and what keeps a sender from acting before its time.
#[derive(Clone, Debug)]
struct Restless {
    initial_rto: Option<f64>,
    rto_between: (Option<f64>, Option<f64>),
    clock_tick: Option<f64>,
    /// True if the receiver acknowledges at once and nothing is paced.
    plain: bool,
    /// An application in place of the one that there is.
    app: Option<App>,
    stop: Option<f64>,
}

fn restless_flow() -> impl Strategy<Value = Restless> {
    let between = select(vec![
        (None, None),
        (Some(0.001), None),
        (Some(0.001), Some(0.02)),
        (Some(0.02), Some(0.02)),
        (Some(0.05), Some(0.2)),
    ]);
    let app = select(vec![
        None,
        Some(App::Bulk {}),
        Some(App::Bulk {}),
        Some(App::Transfer(Transfer { packets: 40 })),
        Some(App::Transfer(Transfer { packets: 200 })),
    ]);
    (
        select(vec![None, None, Some(0.003), Some(0.03), Some(0.1)]),
        between,
        select(vec![None, Some(0.0), Some(0.001), Some(0.1)]),
        select(vec![true, true, true, false]),
        app,
        select(vec![None, None, None, None, None, Some(0.6), Some(1.3)]),
    )
        .prop_map(|(initial_rto, rto_between, clock_tick, plain, app, stop)| Restless {
            initial_rto,
            rto_between,
            clock_tick,
            plain,
            app,
            stop,
        })
}

impl Restless {
    fn change(self, flow: &mut Flow) {
        let Transport::Tcp(tcp) = &mut flow.transport else {
            return;
        };
        let tcp = Arc::make_mut(tcp);
        tcp.initial_rto = self.initial_rto.map(seconds);
        (tcp.min_rto, tcp.max_rto) = (self.rto_between.0.map(seconds), self.rto_between.1.map(seconds));
        tcp.clock_tick = self.clock_tick.map(seconds);
        if self.plain {
            (tcp.pacing, tcp.delayed_ack) = (false, Some(false));
        }
        flow.app = self.app.unwrap_or(flow.app.clone());
        flow.stop = self.stop.map(seconds);
    }
}

/// Recorded quantities of flows, or of the ports of the first one's host.
#[derive(Clone, Copy, Debug)]
enum Looks {
    Nothing,
    Series,
    /// RTT samples of the first flow, or of all: then rows of different flows mix.
    Rtt(bool),
    Window(bool),
    Deliveries,
    FirstPort,
    LastPort,
    Everything,
}

fn looks(looks: Looks, scenario: &Scenario) -> Record {
    let host = &scenario.flows[0].source;
    let link = scenario.links.iter().find(|link| link.between.0 == *host || link.between.1 == *host);
    let (a, b) = &link.expect("a host's link").between;
    let other = if a == host { b } else { a };
    let first = || vec!["f0".to_string()];
    let all = || vec!["*".to_string()];
    let at = |port: String| Record { packets: vec![port.clone()], pcap: vec![port], ..Record::default() };
    match looks {
        Looks::Nothing => Record::default(),
        Looks::Series => {
            Record { flow_series: Some(Series { of: all(), interval: seconds(0.01) }), ..Record::default() }
        }
        Looks::Rtt(of_all) => Record { rtt: if of_all { all() } else { first() }, ..Record::default() },
        Looks::Window(of_all) => Record { window: if of_all { all() } else { first() }, ..Record::default() },
        Looks::Deliveries => Record { deliveries: first(), ..Record::default() },
        Looks::FirstPort => at(format!("{host}->{other}")),
        Looks::LastPort => at(format!("{other}->{host}")),
        Looks::Everything => Record {
            rtt: all(),
            window: all(),
            deliveries: all(),
            port_series: Some(Series { of: all(), interval: seconds(0.05) }),
            ..Record::default()
        },
    }
}

/// Networks in which senders act ahead of time as often as something comes between: timers that are shorter than the
/// way of an ACK, ends of the warm-up and of applications, paced flows, links that reorder, and all that can be recorded.
pub fn restless() -> impl Strategy<Value = Scenario> {
    use Looks::*;
    let ends = select(vec![Ends::Shared, Ends::Apart, Ends::Apart, Ends::Apart, Ends::Direct]);
    let of = select(vec![
        Nothing,
        Nothing,
        Nothing,
        Series,
        Series,
        Rtt(false),
        Rtt(true),
        Window(false),
        Window(true),
        Deliveries,
        FirstPort,
        LastPort,
        Everything,
    ]);
    let flows = prop::collection::vec(restless_flow(), 6);
    let warm_up = select(vec![0.0, 0.05, 0.2, 0.712_345_678_901]);
    let turned = prop::collection::vec(any::<bool>(), 24);
    (scenario(), flows, ends, of, warm_up, turned).prop_map(
        |(mut scenario, changes, ends, of, warm_up, turned)| {
            for (flow, change) in scenario.flows.iter_mut().zip(changes) {
                change.change(flow);
            }
            scenario.warm_up = seconds(warm_up);
            let mut scenario = match ends {
                Ends::Shared => scenario,
                Ends::Apart => apart(scenario),
                Ends::Direct => direct(scenario),
            };
            // What has jitter or a recorded capacity in one direction has it in the other then.
            for (link, _) in scenario.links.iter_mut().zip(turned).filter(|(_, turned)| *turned) {
                link.between = (link.between.1.clone(), link.between.0.clone());
            }
            scenario.record = looks(of, &scenario);
            scenario
        },
    )
}
