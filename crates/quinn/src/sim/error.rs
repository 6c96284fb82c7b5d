//! Errors of connections in simulated time.

use std::fmt;

use parshall_sim::net::NetworkError;

/// The reason why a pair could not be made, or why its run ended early. Its text is one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum SimError {
    /// The network, or an endpoint: a connection that was lost is a [`NetworkError::Endpoint`], which names the endpoint, the
    /// simulated time and the call.
    Network(NetworkError),
    /// A configuration that quinn does not take.
    Setup(String),
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimError::Network(error) => error.fmt(f),
            SimError::Setup(fault) => f.write_str(fault),
        }
    }
}

// The text of what lies within is part of this one's.
impl std::error::Error for SimError {}

impl From<NetworkError> for SimError {
    fn from(error: NetworkError) -> Self {
        SimError::Network(error)
    }
}
