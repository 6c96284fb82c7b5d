//! A network in operation, with the endpoints of the test.

use parshall_sim::net::{Endpoint, EndpointId, Network, NetworkError};

use crate::report::{Report, Setting};

/// A network in operation: [`Kit::build`](crate::Kit::build) makes it.
///
/// [`Run::drive`] is the loop for two [`Endpoint`]s. A stack that wants a loop of its own uses the network itself.
#[derive(Debug)]
pub struct Run {
    /// The network.
    pub network: Network,
    /// The endpoint at the host `client`.
    pub client: EndpointId,
    /// The endpoint at the host `server`.
    pub server: EndpointId,
    setting: Setting,
}

impl Run {
    pub(crate) fn new(network: Network, [client, server]: [EndpointId; 2], setting: Setting) -> Self {
        Run { network, client, server, setting }
    }

    /// Drives two endpoints until both are done, or to the end of the scenario.
    ///
    /// # Errors
    /// As [`Network::run`]: if an endpoint panics, or does what it may not do.
    pub fn drive(
        &mut self,
        client: &mut dyn Endpoint,
        server: &mut dyn Endpoint,
    ) -> Result<(), NetworkError> {
        self.network.run(&mut [(self.client, client), (self.server, server)])
    }

    /// Ends the run at the instant that it has come to.
    ///
    /// # Errors
    /// If memory runs low.
    pub fn finish(self) -> Result<Report, NetworkError> {
        let ends = if self.setting.upload { [self.client, self.server] } else { [self.server, self.client] };
        Report::of(self.network, ends, self.setting)
    }
}
