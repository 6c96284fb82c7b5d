//! Equal-cost paths: of the next hops on paths with the fewest links, the one with the greatest weight is taken at each
//! node, and a hash makes the weights (highest random weight: RFC 2991, section 4; Thaler and Ravishankar 1998).
//!
//! Each next hop is as likely as the others, the choices at two nodes are independent, and if one is taken
//! away, only those that chose it choose anew. The order of links does not matter.

use super::routes::Router;

/// End of a path: a host, behind routers that reach it at once, or a router.
struct End {
    node: u32,
    /// The routers, and how many links lie behind them.
    gates: Vec<u32>,
    behind: u32,
}

impl Router<'_> {
    /// Adds the ports from `source` to `destination` to `ports`, as `weight` chooses them, unless there is no way; says
    /// whether there is.
    pub fn spread_path(
        &mut self,
        source: usize,
        destination: usize,
        weight: impl Fn(u32) -> u64,
        ports: &mut Vec<u32>,
    ) -> bool {
        let topology = self.topology;
        let end = self.end(destination as u32);
        let mut at = source as u32;
        while at != end.node {
            if let Some(port) = topology.port(at, end.node) {
                ports.push(port);
                return true;
            }
            // By links to go, then by weight.
            let mut best = None;
            for (port, next) in topology.neighbours(at) {
                let Some(links) = self.links_to(next, &end) else { continue };
                let offer = (links, std::cmp::Reverse(weight(port)), port, next);
                if best.is_none_or(|best| offer < best) {
                    best = Some(offer);
                }
            }
            let Some((_, _, port, next)) = best else {
                return false;
            };
            ports.push(port);
            at = next;
        }
        true
    }

    fn end(&self, node: u32) -> End {
        if self.topology.forwards(node as usize) {
            return End { node, gates: vec![node], behind: 0 };
        }
        let gates = self.topology.neighbours(node).map(|(_, near)| near);
        let gates = gates.filter(|&near| self.topology.forwards(near as usize)).collect();
        End { node, gates, behind: 1 }
    }

    /// Number of links between a node and the end, over routers; none if there is no way, or the node is a host.
    fn links_to(&mut self, node: u32, end: &End) -> Option<u32> {
        self.topology.router(node)?;
        end.gates.iter().filter_map(|&gate| self.links(node, gate)).min().map(|links| links + end.behind)
    }
}

#[cfg(test)]
mod tests {
    use super::super::routes::Topology;
    use super::*;
    use crate::random::mix;
    use crate::units::Time;

    fn topology(nodes: &str, links: &[(u32, u32)]) -> Topology {
        let mut topology = Topology::default();
        for kind in nodes.chars() {
            topology.add_node(kind == 'r');
        }
        for (number, &(from, to)) in (0..).zip(links) {
            // Delays do not decide.
            topology.add_link((from, to), [Time::from_ps(number); 2]);
        }
        topology.sort_ports();
        topology
    }

    fn path(topology: &Topology, (source, destination): (usize, usize), key: u64) -> Option<Vec<u32>> {
        let mut ports = Vec::new();
        let weight = |port: u32| mix(key ^ mix(u64::from(port)));
        Router::new(topology).spread_path(source, destination, weight, &mut ports).then_some(ports)
    }

    #[test]
    fn all_paths_of_a_leaf_and_spine_are_as_likely() {
        // h0 - r2 - {r3, r4, r5} - r6 - h1
        let t = topology("hhrrrrr", &[(0, 2), (2, 3), (2, 4), (2, 5), (3, 6), (4, 6), (5, 6), (6, 1)]);
        let mut counts = [0u32; 3];
        for key in 0..3000 {
            let ports = path(&t, (0, 1), mix(key)).expect("a way");
            assert_eq!((ports.len(), ports[0], ports[3]), (4, 0, 14));
            assert_eq!(ports[2] - ports[1], 6, "{ports:?}");
            counts[ports[1] as usize / 2 - 1] += 1;
        }
        // Standard deviation: sqrt(3000 / 3 * 2 / 3) = 26.
        assert!(counts.iter().all(|&count| count.abs_diff(1000) < 104), "{counts:?}");
    }

    #[test]
    fn choices_at_two_nodes_are_independent() {
        // h0 - r2 - {r3, r4} - r5 - {r6, r7} - r8 - h1
        let links = [(0, 2), (2, 3), (2, 4), (3, 5), (4, 5), (5, 6), (5, 7), (6, 8), (7, 8), (8, 1)];
        let t = topology("hhrrrrrrr", &links);
        let mut counts = [[0u32; 2]; 2];
        for key in 0..4000 {
            let ports = path(&t, (0, 1), mix(key)).expect("a way");
            counts[usize::from(ports[1] == 2)][usize::from(ports[3] == 10)] += 1;
        }
        // Standard deviation: sqrt(4000 * 3 / 16) = 27.
        assert!(counts.as_flattened().iter().all(|&count| count.abs_diff(1000) < 108), "{counts:?}");
    }

    #[test]
    fn a_host_with_two_links_uses_both_and_longer_ways_are_not_taken() {
        // h0 - {r2, r3} - h1, and h0 - r4 - r2.
        let t = topology("hhrrr", &[(0, 2), (0, 3), (2, 1), (3, 1), (0, 4), (4, 2)]);
        let found: std::collections::HashSet<_> =
            (0..100).filter_map(|key| path(&t, (0, 1), mix(key))).collect();
        assert_eq!(found, [vec![0, 4], vec![2, 6]].into());
    }

    #[test]
    fn what_is_next_door_or_out_of_reach_needs_no_choice() {
        let t = topology("hhhrr", &[(0, 1), (1, 2), (3, 4), (1, 3)]);
        assert_eq!(path(&t, (1, 0), 1), Some(vec![1]));
        assert_eq!(path(&t, (0, 2), 1), None);
        assert_eq!(path(&t, (1, 4), 1), Some(vec![6, 4]));
        assert_eq!(path(&t, (4, 3), 1), Some(vec![5]));
    }

    #[test]
    fn a_next_hop_that_goes_moves_only_those_that_took_it() {
        let links = [(0, 2), (2, 3), (2, 4), (3, 5), (4, 5), (5, 1), (2, 6), (6, 5)];
        let (all, less) = (topology("hhrrrrr", &links), topology("hhrrrrr", &links[..6]));
        for key in 0..500 {
            let [before, after] = [&all, &less].map(|t| path(t, (0, 1), mix(key)).expect("a way"));
            assert!(before == after || before[1] == 12, "{before:?} {after:?}");
        }
    }
}
