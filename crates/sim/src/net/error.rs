//! Errors between a network and its endpoints.

use std::fmt;

use crate::error::ScenarioError;
use crate::run::RunError;
use crate::units::Time;

/// The reason why a network could not be made, or why it takes no more datagrams. Its text is one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum NetworkError {
    /// The scenario cannot be read, or cannot be run.
    Scenario(String),
    /// The simulation ended before its end.
    Run(RunError),
    /// An endpoint did what it may not do.
    Endpoint(EndpointFailure),
}

/// An endpoint did something that it may not do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndpointFailure {
    /// Name of the endpoint.
    pub endpoint: String,
    /// Simulated time.
    pub at: Time,
    /// The call: `send`, `wake`, or a method of [`Endpoint`](super::Endpoint).
    pub call: &'static str,
    /// The value, and what was expected.
    pub fault: String,
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Scenario(fault) => f.write_str(fault),
            NetworkError::Run(error) => error.fmt(f),
            NetworkError::Endpoint(failure) => failure.fmt(f),
        }
    }
}

impl fmt::Display for EndpointFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EndpointFailure { endpoint, at, call, fault } = self;
        write!(f, "endpoint {endpoint}, {call} at {} s: {fault}", at.secs())
    }
}

// The text of what lies within is part of this one's.
impl std::error::Error for NetworkError {}

impl From<ScenarioError> for NetworkError {
    fn from(error: ScenarioError) -> Self {
        NetworkError::Scenario(error.to_string())
    }
}

impl From<RunError> for NetworkError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Scenario(error) => error.into(),
            other => NetworkError::Run(other),
        }
    }
}

impl From<EndpointFailure> for NetworkError {
    fn from(failure: EndpointFailure) -> Self {
        NetworkError::Endpoint(failure)
    }
}
