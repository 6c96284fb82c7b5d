//! Choosing among the paths between two hosts.

use serde::{Deserialize, Serialize};

/// Choice of paths. All have the fewest links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Routing {
    /// The one with the least propagation delay, then the one whose links come first.
    Shortest {},
    /// At each node a hash of the connection chooses among the next hops.
    Ecmp(Ecmp),
}

impl Default for Routing {
    fn default() -> Self {
        Routing::Shortest {}
    }
}

/// See [`Routing::Ecmp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ecmp {
    /// Another seed, other paths.
    #[serde(default)]
    pub hash_seed: u32,
}
