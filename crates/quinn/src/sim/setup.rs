//! Makes a pair from a network and configurations of quinn.

use std::sync::Arc;

use parshall_sim::net::{Builder, EndpointId};
use parshall_sim::units::Time;
use quinn_proto::{ClientConfig, EndpointConfig, ServerConfig, TransportConfig};

use super::{configs, peers, Pair, SimError};

/// Name of the flow that a pair is, where the scenario has none for it.
const NAME: &str = "quic";

/// A pair to be: a network, the place of client and server in it, and configurations of quinn, which are quinn's defaults at first.
pub struct Setup {
    network: Builder,
    ends: [EndpointId; 2],
    seed: u64,
    warm_up: Time,
    client: ClientConfig,
    server: ServerConfig,
    endpoint: EndpointConfig,
}

impl Setup {
    /// A client and a server at two hosts. In tables they are the flow `quic`, whose source is the client.
    ///
    /// # Errors
    /// As [`Builder::attach`].
    pub fn between(mut network: Builder, client: &str, server: &str) -> Result<Self, SimError> {
        let ends = network.attach(NAME, client, server)?;
        Setup::at(network, ends)
    }

    /// A client and a server in the place of a flow of the scenario, the client at its source.
    ///
    /// # Errors
    /// As [`Builder::replace`].
    pub fn replacing(mut network: Builder, flow: &str) -> Result<Self, SimError> {
        let ends = network.replace(flow)?;
        Setup::at(network, ends)
    }

    fn at(mut network: Builder, ends: [EndpointId; 2]) -> Result<Self, SimError> {
        let (client, server) = configs()?;
        let warm_up = network.scenario_mut().warm_up;
        Ok(Setup { network, ends, seed: 1, warm_up, client, server, endpoint: EndpointConfig::default() })
    }

    /// Sets the seed of the network and of quinn's random numbers. At first it is 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the transport parameters of both sides, congestion control included.
    #[must_use]
    pub fn transport(self, transport: TransportConfig) -> Self {
        let transport = Arc::new(transport);
        self.client_transport(transport.clone()).server_transport(transport)
    }

    /// Sets the transport parameters of the client.
    #[must_use]
    pub fn client_transport(mut self, transport: Arc<TransportConfig>) -> Self {
        self.client.transport_config(transport);
        self
    }

    /// Sets the transport parameters of the server.
    #[must_use]
    pub fn server_transport(mut self, transport: Arc<TransportConfig>) -> Self {
        self.server.transport_config(transport);
        self
    }

    /// Sets all of both sides, such as [`configs`] makes it, in place of what was set before. The server's certificate has to be good for
    /// [`SERVER_NAME`](super::SERVER_NAME).
    #[must_use]
    pub fn configs(mut self, client: ClientConfig, server: ServerConfig) -> Self {
        (self.client, self.server) = (client, server);
        self
    }

    /// Sets the parameters of both endpoints.
    #[must_use]
    pub fn endpoint_config(mut self, endpoint: EndpointConfig) -> Self {
        self.endpoint = endpoint;
        self
    }

    /// Sets the path MTU in bytes: larger datagrams, with 28 bytes of headers, vanish on the way.
    #[must_use]
    pub fn path_mtu(mut self, bytes: u16) -> Self {
        self.network.set_path_mtu(self.ends[0], bytes);
        self
    }

    /// Makes the pair, at rest.
    ///
    /// # Errors
    /// If the scenario cannot be run, or quinn refuses a configuration.
    pub fn build(self) -> Result<Pair, SimError> {
        let network = self.network.seed(self.seed).traced().build()?;
        let (mut client, mut server) = peers(self.client, self.server, self.endpoint, self.seed)?;
        client.count_from(self.warm_up);
        server.count_from(self.warm_up);
        Ok(Pair { network, ends: self.ends, warm_up: self.warm_up, client, server })
    }
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("network", &self.network)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
