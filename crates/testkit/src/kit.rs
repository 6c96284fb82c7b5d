//! A network to be: a scenario between a client and a server, and what a test changes about it.

use parshall_sim::control::Control;
use parshall_sim::net::{Builder, EndpointId, NetworkError, Protocol};
use parshall_sim::scenario::{Flow, ProfileName, Scenario, Series, Tcp};
use parshall_sim::units::{Rate, Time};

use crate::path::Path;
use crate::report::Setting;
use crate::Run;

/// Host where the stack under test is the client.
pub const CLIENT: &str = "client";
/// Host where the stack under test is the server.
pub const SERVER: &str = "server";
/// Name of the link that is the bottleneck.
pub const BOTTLENECK: &str = "bottleneck";

/// Name of the flow that the two endpoints under test are.
const STACK: &str = "stack";
/// Segments of cross traffic fill Ethernet frames, with time stamps: 1448 bytes of data and 52 of headers.
const SEGMENT: (u32, u32) = (1448, 52);
/// Samples of a series of cross traffic over a run.
const SAMPLES: u64 = 240;

/// A network to be, between the hosts `client` and `server`, for one pair of endpoints.
///
/// Functions such as [`dsl`](crate::dsl) make it, and [`Kit::new`] makes one of any scenario.
///
/// ```
/// use parshall_sim::units::Rate;
///
/// let mut kit = parshall_testkit::codel().seed(7).with_linux_cubic(2);
/// kit.scenario_mut().links[1].rate = Rate::mbit(50.0);
/// assert_eq!(kit.rate()?, Rate::mbit(50.0));
/// let run = kit.build()?;
/// assert_eq!(run.network.endpoint_name(run.client), "stack at client");
/// # Ok::<(), parshall_sim::net::NetworkError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kit {
    name: String,
    about: String,
    scenario: Scenario,
    seed: u64,
    upload: bool,
    path_mtu: Option<u16>,
    bleaches: bool,
    protocol: Protocol,
}

impl Kit {
    /// A network of a scenario of the caller's. It has the nodes `client` and `server`, and a link called `bottleneck` on the way
    /// between them, whose forward direction is that towards the client.
    pub fn new(name: impl Into<String>, scenario: Scenario) -> Self {
        Kit {
            name: name.into(),
            about: String::new(),
            scenario,
            seed: 1,
            upload: false,
            path_mtu: None,
            bleaches: false,
            protocol: Protocol::Udp,
        }
    }

    /// Sets the seed of all random numbers: of losses, jitter, queues and cross traffic. At first it is 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets how long the run lasts at most. Its first quarter is the warm-up, which goodput and delays do not count.
    #[must_use]
    pub fn lasting(mut self, duration: Time) -> Self {
        self.scenario.duration = duration;
        self.scenario.warm_up = Time::from_ps(duration.ps() / 4);
        self
    }

    /// Measures data from the client to the server. At first it is data from the server to the client.
    #[must_use]
    pub fn upload(mut self) -> Self {
        if !self.upload {
            let cross = self.scenario.flows.iter_mut().filter(|flow| is_cross(flow));
            cross.for_each(|flow| std::mem::swap(&mut flow.source, &mut flow.destination));
        }
        self.upload = true;
        self
    }

    /// Adds `count` TCP flows in the direction that is measured, which always have data: Linux with this congestion control.
    /// They start within the first 100 ms.
    #[must_use]
    pub fn with_cross_traffic(mut self, control: Control, count: usize) -> Self {
        let (source, destination) = if self.upload { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
        let first = self.scenario.flows.iter().filter(|flow| is_cross(flow)).count() + 1;
        for number in first..first + count {
            let tcp = Tcp {
                profile: ProfileName::Linux,
                control: Some(control.clone()),
                payload_bytes: SEGMENT.0,
                header_bytes: SEGMENT.1,
                ack_bytes: SEGMENT.1,
                ..Tcp::default()
            };
            let mut flow = Flow::bulk(format!("cross{number}"), source, destination, tcp);
            flow.start_spread = Time::ms(100.0);
            self.scenario.flows.push(flow);
        }
        self
    }

    /// Adds `count` flows of Linux's CUBIC; see [`Kit::with_cross_traffic`].
    #[must_use]
    pub fn with_linux_cubic(self, count: usize) -> Self {
        let cubic: Control = "cubic-linux".parse().expect("a name of Control::NAMES");
        self.with_cross_traffic(cubic, count)
    }

    /// Sets the path MTU in bytes, in both directions: larger datagrams vanish.
    #[must_use]
    pub fn with_path_mtu(mut self, bytes: u16) -> Self {
        self.path_mtu = Some(bytes);
        self
    }

    /// Clears the ECN bits of the datagrams of both endpoints on the way, before the first queue.
    #[must_use]
    pub fn with_ecn_bleached(mut self) -> Self {
        self.bleaches = true;
        self
    }

    /// Sets what the datagrams count as where estimators and series tell TCP from UDP. At first it is UDP.
    #[must_use]
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// The scenario, to be changed.
    pub fn scenario_mut(&mut self) -> &mut Scenario {
        &mut self.scenario
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The name of the network, as in the function that makes it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A few words on what is special about the network.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The rate of the bottleneck at the start, in the direction that is measured; the mean of a recorded capacity.
    ///
    /// # Errors
    /// If the scenario has no way between client and server over a link called `bottleneck`.
    pub fn rate(&self) -> Result<Rate, NetworkError> {
        Ok(self.paths()?.0.rate())
    }

    /// The round-trip time of a small packet over empty queues at the start, without its transmission.
    ///
    /// # Errors
    /// As [`Kit::rate`].
    pub fn base_rtt(&self) -> Result<Time, NetworkError> {
        let (there, back) = self.paths()?;
        Ok(there.delay() + back.delay())
    }

    /// The name of the port in front of the bottleneck, in the direction that is measured, as recordings have it.
    ///
    /// # Errors
    /// As [`Kit::rate`].
    pub fn bottleneck(&self) -> Result<String, NetworkError> {
        Ok(self.paths()?.0.port().to_string())
    }

    /// The network, at rest.
    ///
    /// # Errors
    /// If the scenario cannot be run.
    pub fn build(mut self) -> Result<Run, NetworkError> {
        let cross: Vec<_> = self.scenario.flows.iter().filter(|flow| is_cross(flow)).cloned().collect();
        if self.scenario.record.flow_series.is_none() && !cross.is_empty() {
            let names = cross.iter().map(|flow| flow.name.as_str());
            let interval = Time::from_ps((self.scenario.duration.ps() / SAMPLES).max(1));
            self.scenario.record.flow_series = Some(Series::new(names, interval));
        }
        let (path, back) = self.paths()?;
        let setting = Setting {
            name: self.name.clone(),
            seed: self.seed,
            upload: self.upload,
            base_rtt: path.delay() + back.delay(),
            path,
            warm_up: self.scenario.warm_up,
            cross,
        };
        let (builder, [client, server]) = self.into_builder()?;
        Ok(Run::new(builder.build()?, [client, server], setting))
    }

    /// The network as a [`Builder`], with the client and the server attached, for those who need more of it than a [`Run`] does.
    /// It keeps a trace.
    ///
    /// # Errors
    /// If the scenario has no hosts `client` and `server`.
    pub fn into_builder(self) -> Result<(Builder, [EndpointId; 2]), NetworkError> {
        let mut builder = Builder::new(self.scenario).seed(self.seed).traced();
        // The source of the pair's flow sends what is measured: tables of the recording count it as data.
        let pair = if self.upload {
            builder.attach(STACK, CLIENT, SERVER)?
        } else {
            let [server, client] = builder.attach(STACK, SERVER, CLIENT)?;
            [client, server]
        };
        builder.set_protocol(pair[0], self.protocol);
        if let Some(bytes) = self.path_mtu {
            builder.set_path_mtu(pair[0], bytes);
        }
        if self.bleaches {
            pair.iter().for_each(|&endpoint| builder.bleach_ecn(endpoint));
        }
        Ok((builder, pair))
    }

    pub(crate) fn described(mut self, about: &str) -> Self {
        self.about = about.to_string();
        self
    }

    /// The ways of what is measured, and of its answers.
    fn paths(&self) -> Result<(Path, Path), NetworkError> {
        let (from, to) = if self.upload { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
        let fault = || {
            let links = self.scenario.links.len();
            let fault = format!(
                "network {}: {links} links, expected a way from {from} to {to} over one called {BOTTLENECK}",
                self.name
            );
            NetworkError::Scenario(fault)
        };
        let found = Path::of(&self.scenario, from, to).zip(Path::of(&self.scenario, to, from));
        found.ok_or_else(fault)
    }
}

/// True for a flow that [`Kit::with_cross_traffic`] has added.
fn is_cross(flow: &Flow) -> bool {
    flow.name.strip_prefix("cross").is_some_and(|number| number.parse::<usize>().is_ok())
}
