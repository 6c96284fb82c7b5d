//! The one bottleneck of a network, and what its flows pass besides.

use crate::compile::{FlowPlan, Plan, PortPlan};
use crate::error::ScenarioError;
use crate::network::Hop;
use crate::queue::decides_by_class;
use crate::scenario::{Loss, Queue};
use crate::units::Time;

/// The port that holds up all flows of a network.
#[derive(Clone, Debug)]
pub(super) struct Bottleneck {
    /// Index of the port that data crosses; ACKs cross the other direction of its link.
    pub port: u32,
    /// The rest of each flow's way, there and back.
    pub beyond: Vec<[Beyond; 2]>,
}

/// The other links on a way, which only take time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Beyond {
    delay: Time,
    ps_per_byte: f64,
}

impl Beyond {
    /// The time that a packet of this size takes there.
    pub fn time(&self, bytes: u16) -> Time {
        self.delay + Time::from_ps((f64::from(bytes) * self.ps_per_byte + 0.5) as u64)
    }
}

impl Bottleneck {
    /// Finds the bottleneck of a network.
    ///
    /// # Errors
    /// If flows have different ones, if another link on their way does more than take time, or if the bottleneck does
    /// what a relay cannot.
    pub fn of(plan: &Plan) -> Result<Self, ScenarioError> {
        let mut found = Bottleneck { port: 0, beyond: Vec::new() };
        for (index, flow) in plan.named_flows().enumerate() {
            let way = Way { plan, flow, index };
            let port = way.slowest()?;
            if index > 0 && port != found.port {
                let expected = format!("{} as for flows[0]: a relay has one", plan.name(found.port));
                return Err(way.fault(format!("the bottleneck {}", plan.name(port)), expected));
            }
            found.port = port;
            found.beyond.push([way.beyond(flow.data_hops, port)?, way.beyond(flow.ack_hops, port ^ 1)?]);
        }
        plan.check_relayed(found.port)?;
        plan.check_relayed(found.port ^ 1)?;
        Ok(found)
    }
}

impl Plan {
    /// Refuses what a relay cannot do at its bottleneck.
    fn check_relayed(&self, port: u32) -> Result<(), ScenarioError> {
        let PortPlan { queue, loss, .. } = &self.ports[port as usize];
        let fault = |field: &str, value: &str, expected| {
            Err(ScenarioError::new(format!("{}.{field}", self.place(port)), value, expected))
        };
        self.check_unconditioned(port)?;
        if decides_by_class(queue) {
            return fault("queue", "diffserv", "another queue: a relay knows no code points");
        }
        if let Queue::User(config) = &**queue {
            let expected = "one of the engine's: a relay runs no code of your own yet";
            return fault("queue", &config.source, expected);
        }
        if let Some(Loss::Treatment(_)) = loss.as_deref() {
            return fault("loss", "treatment", "another loss: a relay makes no experiments");
        }
        Ok(())
    }

    /// Refuses a conditioner, with meters of the engine's or markers of the caller's own.
    fn check_unconditioned(&self, port: u32) -> Result<(), ScenarioError> {
        if self.conditioners.iter().all(|conditioner| conditioner.port != port) {
            return Ok(());
        }
        let expected = "none: a relay knows no code points";
        Err(ScenarioError::new(format!("{}.conditioner", self.place(port)), "one", expected))
    }

    fn name(&self, port: u32) -> &str {
        &self.names.ports[port as usize]
    }

    /// The path of a port in its scenario.
    fn place(&self, port: u32) -> String {
        let reverse = if port & 1 == 1 { ".reverse" } else { "" };
        format!("links[{}]{reverse}", port / 2)
    }
}

/// A flow that looks for its bottleneck.
struct Way<'a> {
    plan: &'a Plan,
    flow: &'a FlowPlan,
    index: usize,
}

impl Way<'_> {
    fn fault(&self, value: impl std::fmt::Display, expected: impl Into<String>) -> ScenarioError {
        ScenarioError::new(format!("flows[{}]", self.index), value, expected)
    }

    /// The port with a recorded capacity, or else the slowest.
    fn slowest(&self) -> Result<u32, ScenarioError> {
        let rate = |port: u32| {
            let PortPlan { rate, capacity, .. } = &self.plan.ports[port as usize];
            if capacity.is_some() {
                0.0
            } else {
                rate.bps()
            }
        };
        let mut ports: Vec<u32> = self.plan.path(self.flow.data_hops).iter().map(|hop| hop.port).collect();
        ports.sort_by(|&a, &b| rate(a).total_cmp(&rate(b)));
        match ports[..] {
            [first, second, ..] if rate(first) == rate(second) => {
                let names = [first, second].map(|port| self.plan.name(port));
                let value = format!("two bottlenecks, {} and {}", names[0], names[1]);
                Err(self.fault(value, "one link slower than all others on its way"))
            }
            _ => Ok(ports[0]),
        }
    }

    /// The links on a way besides this port.
    fn beyond(&self, first: u32, port: u32) -> Result<Beyond, ScenarioError> {
        let path = self.plan.path(first);
        if !path.iter().any(|hop| hop.port == port) {
            let expected = format!("a way over {}: a relay has one link", self.plan.name(port));
            return Err(self.fault("another way back", expected));
        }
        let mut beyond = Beyond::default();
        for other in path.iter().map(|hop: &Hop| hop.port).filter(|&other| other != port) {
            self.check_plain(other, port)?;
            let PortPlan { delay, rate, .. } = &self.plan.ports[other as usize];
            beyond.delay += *delay;
            beyond.ps_per_byte += rate.ps_per_byte();
        }
        Ok(beyond)
    }

    /// Refuses a link beside the bottleneck that does more than take time.
    fn check_plain(&self, other: u32, port: u32) -> Result<(), ScenarioError> {
        let (plan, bottleneck) = (&self.plan.ports[other as usize], &self.plan.ports[port as usize]);
        let slower = bottleneck.capacity.is_none() && plan.rate.bps() < bottleneck.rate.bps();
        let present = [
            ("rate", slower),
            ("loss", plan.loss.is_some()),
            ("jitter", plan.jitter.is_some()),
            ("capacity", plan.capacity.is_some()),
            ("events", !plan.events.is_empty()),
        ];
        let Some((field, _)) = present.into_iter().find(|(_, present)| *present) else {
            return self.plan.check_unconditioned(other);
        };
        let path = format!("{}.{field}", self.plan.place(other));
        let expected = format!("that of {} alone: a relay has one bottleneck", self.plan.name(port));
        let value = if slower { "less than the bottleneck's" } else { "one" };
        Err(ScenarioError::new(path, value, expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::Folding;
    use crate::scenario::Scenario;

    fn found(toml: &str) -> Result<Bottleneck, String> {
        let scenario = Scenario::from_toml(toml).expect("a scenario");
        let plan = Plan::new(&scenario, Folding::Off).expect("a plan");
        Bottleneck::of(&plan).map_err(|fault| fault.to_string())
    }

    const DUMBBELL: &str = r#"
        duration = "10 s"
        [dumbbell]
        rate = "10 Mbit/s"
        delay = "10 ms"
        access_rate = "1 Gbit/s"
        access_delay = "1 ms"
        [[dumbbell.flows]]
        count = 2
        transport = { kind = "tcp" }
        app = "bulk"
    "#;

    #[test]
    fn the_links_around_a_bottleneck_take_time() {
        let found = found(DUMBBELL).expect("one bottleneck");
        assert_eq!(found.beyond.len(), 2);
        // Two access links of 1 ms, and 8 ns a byte on each.
        assert_eq!(found.beyond[0], found.beyond[1]);
        assert_eq!(found.beyond[0].map(|way| way.time(1000).ps()), [2_000_000_000 + 16_000_000; 2]);
    }

    fn line(links: &str) -> String {
        format!(
            r#"
            duration = "10 s"
            hosts = ["a", "b"]
            routers = ["r"]
            {links}
            [[flows]]
            name = "f"
            source = "a"
            destination = "b"
            transport = {{ kind = "tcp" }}
            app = {{ kind = "bulk" }}
            "#
        )
    }

    fn links(first: &str, second: &str) -> String {
        line(&format!(
            "links = [{{ between = [\"a\", \"r\"], {first} }}, {{ between = [\"r\", \"b\"], {second} }}]"
        ))
    }

    #[test]
    fn a_second_bottleneck_is_a_fault() {
        let fast = r#"rate = "1 Gbit/s", delay = "1 ms""#;
        let slow = r#"rate = "1 Mbit/s", delay = "1 ms""#;
        let edge = |link: &str| format!("{link}, conditioner = {{ rules = [{{ if_green = 10 }}] }}");
        for (first, second, fault) in [
            (slow, slow, "flows[0]: got two bottlenecks, a->r and r->b, expected one link slower than all others on its way"),
            (
                &format!("{fast}, jitter = {{ most = \"1 ms\" }}"),
                slow,
                "links[0].jitter: got one, expected that of r->b alone: a relay has one bottleneck",
            ),
            (
                &format!("{fast}, reverse = {{ rate = \"1 kbit/s\" }}"),
                slow,
                "links[0].reverse.rate: got less than the bottleneck's, expected that of b->r alone: a relay has one bottleneck",
            ),
            (&edge(fast), slow, "links[0].conditioner: got one, expected none: a relay knows no code points"),
            (fast, &edge(slow), "links[1].conditioner: got one, expected none: a relay knows no code points"),
        ] {
            assert_eq!(found(&links(first, second)).expect_err("two"), fault);
        }
        assert_eq!(found(&links(fast, slow)).expect("one").port, 2);
    }
}
