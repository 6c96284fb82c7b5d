//! Reasons why a relay does not run.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use parshall_sim::net::NetworkError;
use parshall_sim::RunError;

/// The reason why a relay does not run, or ended. Its text is one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// The scenario has a fault, or needs more memory than there is; or the simulation ended before its end.
    Scenario(RunError),
    /// The network refused what it was given.
    Network(NetworkError),
    /// The relay cannot listen at this address.
    Listen {
        /// The address.
        at: SocketAddr,
        /// The system's reason.
        reason: io::Error,
    },
    /// The relay cannot send to this address.
    To {
        /// The address.
        at: SocketAddr,
        /// The reason.
        reason: io::Error,
    },
    /// Real-time priority was asked for, and the system does not grant it.
    Priority(io::Error),
    /// The system refused something else.
    System(io::Error),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Scenario(error) => error.fmt(f),
            LinkError::Network(error) => error.fmt(f),
            LinkError::Listen { at, reason } => write!(f, "cannot listen at {at}: {}", said(reason)),
            LinkError::To { at, reason } => write!(f, "cannot send to {at}: {}", said(reason)),
            LinkError::Priority(reason) => {
                write!(
                    f,
                    "no real-time priority: {}; it takes root, CAP_SYS_NICE or an rtprio limit",
                    said(reason)
                )
            }
            LinkError::System(reason) => write!(f, "the relay failed: {}", said(reason)),
        }
    }
}

impl std::error::Error for LinkError {}

impl From<RunError> for LinkError {
    fn from(error: RunError) -> Self {
        LinkError::Scenario(error)
    }
}

impl From<NetworkError> for LinkError {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Run(error) => LinkError::Scenario(error),
            other => LinkError::Network(other),
        }
    }
}

/// The reason that a system gives, without its number.
fn said(reason: &io::Error) -> String {
    let text = reason.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_without_a_number() {
        let at: SocketAddr = "127.0.0.1:5000".parse().expect("an address");
        let taken = LinkError::Listen { at, reason: io::Error::from_raw_os_error(98) };
        assert_eq!(taken.to_string(), "cannot listen at 127.0.0.1:5000: address already in use");
        let own = LinkError::To { at, reason: io::Error::other("it is where the relay listens") };
        assert_eq!(own.to_string(), "cannot send to 127.0.0.1:5000: it is where the relay listens");
    }
}
