//! The ways of flows: the shortest, those by way of routers, and those that a hash chooses among equal ones.

use super::place::{quoted, Place};
use super::{Checked, Directory, Paths};
use crate::error::ScenarioError;
use crate::network::Router;
use crate::random::{fnv1a, mix};
use crate::scenario::{Flow, Routing};

/// Finds the ways of flows.
pub(super) struct Routes<'a> {
    directory: &'a Directory<'a>,
    router: Router<'a>,
    routing: Routing,
}

impl<'a> Routes<'a> {
    /// The ways through a network whose links are all there.
    pub fn new(directory: &'a Directory<'a>, routing: Routing) -> Self {
        Routes { directory, router: Router::new(&directory.topology), routing }
    }

    /// Adds the ports that the flow's data and its ACKs cross. A flow that is not `named` is a connection of another one.
    pub fn add(&mut self, at: &Place<'_>, flow: &Flow, named: bool, paths: &mut Paths) -> Checked<()> {
        let source = self.directory.host(&at.field("source"), &flow.source)?;
        let via = at.field("via");
        let at = at.field("destination");
        let destination = self.directory.host(&at, &flow.destination)?;
        if source == destination {
            return Err(ScenarioError::new(&at, quoted(&flow.destination), "another host than the source"));
        }
        let connection = connection(&flow.name, named);
        let [there, back] = [(&flow.source, &flow.destination), (&flow.destination, &flow.source)];
        if !flow.via.is_empty() {
            return self.by_way(&via, flow, (source, destination), self.key(connection, there), paths);
        }
        if !self.path(source, destination, self.key(connection, there), &mut paths.ports) {
            let expected = format!("a host that {} can reach over routers", quoted(&flow.source));
            return Err(ScenarioError::new(&at, quoted(&flow.destination), expected));
        }
        paths.end();
        // Links are full duplex, so there is a way back.
        self.path(destination, source, self.key(connection, back), &mut paths.ports);
        paths.end();
        Ok(())
    }

    /// The key that a router hashes of the packets of a connection in one direction; none where nothing is hashed.
    fn key(&self, connection: &str, (from, to): (impl AsRef<str>, impl AsRef<str>)) -> Option<u64> {
        match self.routing {
            Routing::Shortest {} => None,
            Routing::Ecmp(ecmp) => {
                let name = format!("{}/{}/{connection}", from.as_ref(), to.as_ref());
                Some(mix(mix(u64::from(ecmp.hash_seed)) ^ fnv1a(&name)))
            }
        }
    }

    /// Adds the ports from one node to another, unless there is no way; says whether there is.
    fn path(&mut self, from: usize, to: usize, key: Option<u64>, ports: &mut Vec<u32>) -> bool {
        let Some(key) = key else {
            return self.router.path(from, to, ports);
        };
        let names = &self.directory.port_names;
        self.router.spread_path(from, to, |port| mix(key ^ fnv1a(&names[port as usize])), ports)
    }

    /// Adds the paths of a flow that names routers on its way.
    fn by_way(
        &mut self,
        at: &Place<'_>,
        flow: &Flow,
        (source, destination): (usize, usize),
        key: Option<u64>,
        paths: &mut Paths,
    ) -> Checked<()> {
        let Directory { nodes, topology, .. } = self.directory;
        let mut stops = Vec::with_capacity(flow.via.len() + 2);
        stops.push(source);
        for (index, name) in flow.via.iter().enumerate() {
            let known = nodes.number(name).map(|node| node as usize);
            let found = known.filter(|&node| topology.forwards(node) && !stops.contains(&node));
            let expected = "the name of a router that the flow has not passed";
            stops.push(found.ok_or_else(|| ScenarioError::new(&at.item(index), quoted(name), expected))?);
        }
        stops.push(destination);
        let start = paths.ports.len();
        for (index, leg) in stops.windows(2).enumerate() {
            if !self.path(leg[0], leg[1], key, &mut paths.ports) {
                let index = index.min(flow.via.len() - 1);
                let expected =
                    "a router that the flow can reach, and from which it can reach its destination";
                return Err(ScenarioError::new(&at.item(index), quoted(&flow.via[index]), expected));
            }
        }
        let mut passed = paths.ports[start..].to_vec();
        passed.sort_unstable();
        if passed.windows(2).any(|pair| pair[0] == pair[1]) {
            let names = flow.via.join(", ");
            let expected = "a way that takes no link twice in a direction";
            return Err(ScenarioError::new(at, quoted(&names), expected));
        }
        // Links are full duplex: the way back is the same one.
        let back = paths.ports[start..].iter().rev().map(|port| port ^ 1).collect::<Vec<_>>();
        paths.end();
        paths.ports.extend(back);
        paths.end();
        Ok(())
    }
}

/// The name of a flow's connection: requests and what they ask for are one, which is called after the latter.
fn connection(flow: &str, named: bool) -> &str {
    if named {
        return flow;
    }
    let own = flow.strip_suffix(".requests").unwrap_or(flow);
    own.strip_suffix("#0").unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::connection;

    #[test]
    fn requests_belong_to_the_connection_of_their_answers() {
        let named = ["a", "a#0.requests"].map(|name| connection(name, true));
        assert_eq!(named, ["a", "a#0.requests"]);
        let others = ["a#0.requests", "a#1", "a#1.requests"].map(|name| connection(name, false));
        assert_eq!(others, ["a", "a#1", "a#1"]);
    }
}
