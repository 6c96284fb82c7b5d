//! Shortest paths: fewest links first, then the least propagation delay, then the order of the scenario.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::units::Time;

/// One direction of a link.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    delay: Time,
}

/// Nodes and full-duplex links. The two directions of link number i are ports 2 i and 2 i + 1.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// By port.
    edges: Vec<Edge>,
    /// For each node its number among the routers, if it is one.
    routers: Vec<Option<u32>>,
    router_count: u32,
    by_node: PortsByNode,
}

impl Topology {
    /// An empty one with room for so many nodes and links.
    pub fn with_capacity(nodes: usize, links: usize) -> Self {
        Topology {
            edges: Vec::with_capacity(2 * links),
            routers: Vec::with_capacity(nodes),
            ..Topology::default()
        }
    }

    /// Adds a node; a host does not forward. Returns its index.
    pub fn add_node(&mut self, forwards: bool) -> usize {
        self.routers.push(forwards.then_some(self.router_count));
        self.router_count += u32::from(forwards);
        self.routers.len() - 1
    }

    /// Adds a link between two nodes, and its delays there and back.
    pub fn add_link(&mut self, (from, to): (u32, u32), [there, back]: [Time; 2]) {
        self.edges.push(Edge { from, to, delay: there });
        self.edges.push(Edge { from: to, to: from, delay: back });
    }

    /// Sorts the ports by the node that they lead away from: once, after all links have been added, and before anything
    /// is looked for.
    pub fn sort_ports(&mut self) {
        self.by_node = PortsByNode::new(self.routers.len(), &self.edges);
    }

    /// Returns whether a node forwards.
    pub fn forwards(&self, node: usize) -> bool {
        self.routers[node].is_some()
    }

    /// The number of a node among the routers, if it is one.
    pub(super) fn router(&self, node: u32) -> Option<usize> {
        self.routers[node as usize].map(|number| number as usize)
    }

    /// The ports that lead away from a node, and the node that each leads to, in the order in which they were added.
    pub(super) fn neighbours(&self, node: u32) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.ports_from(node).map(|(port, edge)| (port, edge.to))
    }

    /// The ports that lead away from a node, and where each leads, in the order in which they were added.
    fn ports_from(&self, node: u32) -> impl ExactSizeIterator<Item = (u32, &Edge)> {
        self.by_node.of(node).iter().map(|&port| (port, &self.edges[port as usize]))
    }

    /// The ports that lead to a node, likewise.
    fn ports_to(&self, node: u32) -> impl ExactSizeIterator<Item = (u32, &Edge)> {
        self.by_node.of(node).iter().map(|&port| (port ^ 1, &self.edges[(port ^ 1) as usize]))
    }

    /// The port from one node to another.
    pub fn port(&self, from: u32, to: u32) -> Option<u32> {
        let (mut out, mut into) = (self.ports_from(from), self.ports_to(to));
        // A router may have very many.
        let found = if out.len() <= into.len() {
            out.find(|(_, edge)| edge.to == to)
        } else {
            into.find(|(_, edge)| edge.from == from)
        };
        found.map(|(port, _)| port)
    }

    /// The first link between two nodes that have one already, by its number.
    pub fn first_doubled_link(&self) -> Option<usize> {
        let mut seen_from = vec![u32::MAX; self.routers.len()];
        let mut first = None;
        for node in 0..self.routers.len() as u32 {
            for (port, edge) in self.ports_from(node) {
                let link = port as usize / 2;
                let doubled = std::mem::replace(&mut seen_from[edge.to as usize], node) == node;
                if doubled && first.is_none_or(|first| link < first) {
                    first = Some(link);
                }
            }
        }
        first
    }
}

/// The ports at each node that lead away from it, in the order in which they were added.
#[derive(Clone, Debug, Default)]
struct PortsByNode {
    /// Index of the first of each node; one more for the end.
    starts: Vec<u32>,
    ports: Vec<u32>,
}

impl PortsByNode {
    fn new(nodes: usize, edges: &[Edge]) -> Self {
        // Where the next port of each node goes, two places further: once all are there it is where the next begin.
        let mut starts = vec![0u32; nodes + 2];
        for edge in edges {
            starts[edge.from as usize + 2] += 1;
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut ports = vec![0; edges.len()];
        for (port, edge) in (0..).zip(edges) {
            let place = &mut starts[edge.from as usize + 1];
            ports[*place as usize] = port;
            *place += 1;
        }
        PortsByNode { starts, ports }
    }

    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.ports[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// Cost of a path; less is better. The last part makes the choice among equals unique.
type Cost = (u32, u64);

/// For every router, by its number, that reaches the root through routers: its cost, its port and its next node.
type Tree = Vec<Option<(Cost, u32, u32)>>;

/// The trees that are known, by the number of their root among the routers.
#[derive(Debug)]
struct Trees(Vec<Option<Tree>>);

impl Trees {
    /// The shortest paths to a router.
    fn to(&mut self, topology: &Topology, root: u32) -> &Tree {
        let number = topology.routers[root as usize].expect("roots are routers");
        self.0[number as usize].get_or_insert_with(|| tree(topology, root))
    }
}

/// Finds paths, and remembers one tree for each router that forwards to a destination.
///
/// Hosts do not forward, so trees are kept for routers only: a hundred thousand hosts behind two routers need
/// two trees of two.
#[derive(Debug)]
pub struct Router<'a> {
    pub(super) topology: &'a Topology,
    trees: Trees,
}

impl<'a> Router<'a> {
    /// A router over `topology`, whose ports are sorted.
    pub fn new(topology: &'a Topology) -> Self {
        Router { topology, trees: Trees(vec![None; topology.router_count as usize]) }
    }

    /// Adds the ports from `source` to `destination` to `ports`, unless there is no way; says whether there is.
    pub fn path(&mut self, source: usize, destination: usize, ports: &mut Vec<u32>) -> bool {
        let Some((_, first_port, next, last_port, exit)) = self.best(source as u32, destination as u32)
        else {
            return false;
        };
        ports.push(first_port);
        if let Some(exit) = exit {
            let tree = self.trees.to(self.topology, exit);
            let mut at = next;
            while at != exit {
                let number = self.topology.routers[at as usize].expect("only routers are on a tree");
                let (_, port, next) = tree[number as usize].expect("a node on a tree has a way");
                ports.push(port);
                at = next;
            }
            ports.push(last_port);
        }
        true
    }

    /// Number of links between a router and another one, over routers; none if there is no way.
    pub(super) fn links(&mut self, router: u32, root: u32) -> Option<u32> {
        let number = self.topology.router(router)?;
        self.trees.to(self.topology, root)[number].map(|((links, _), ..)| links)
    }

    /// The best choice of the first link, and of the last one where there are two or more.
    fn best(&mut self, source: u32, destination: u32) -> Option<Candidate> {
        let Router { topology, trees } = self;
        let mut best = None;
        for (first_port, first) in topology.ports_from(source) {
            if first.to == destination {
                let cost = (1, first.delay.ps());
                offer(&mut best, (cost, first_port, first.to, first_port, None));
                continue;
            }
            let Some(number) = topology.routers[first.to as usize] else {
                continue;
            };
            for (last_port, last) in topology.ports_to(destination) {
                if topology.routers[last.from as usize].is_none() {
                    continue;
                }
                if let Some(((hops, delay), ..)) = trees.to(topology, last.from)[number as usize] {
                    let cost = (hops + 2, delay + first.delay.ps() + last.delay.ps());
                    offer(&mut best, (cost, first_port, first.to, last_port, Some(last.from)));
                }
            }
        }
        best
    }
}

/// Cost, first port, node behind it, last port, and the router before that if it is not the first.
type Candidate = (Cost, u32, u32, u32, Option<u32>);

fn offer(best: &mut Option<Candidate>, candidate: Candidate) {
    let key = |c: &Candidate| (c.0, c.1, c.3);
    if best.as_ref().is_none_or(|b| key(&candidate) < key(b)) {
        *best = Some(candidate);
    }
}

fn tree(topology: &Topology, root: u32) -> Tree {
    let number = |node: u32| topology.routers[node as usize].map(|number| number as usize);
    let mut best: Tree = vec![None; topology.router_count as usize];
    best[number(root).expect("roots are routers")] = Some(((0, 0), 0, root));
    let mut frontier = BinaryHeap::from([Reverse(((0u32, 0u64), root))]);
    while let Some(Reverse((cost, node))) = frontier.pop() {
        let own = number(node).expect("only routers are on a tree");
        if best[own].is_some_and(|(known, _, _)| known < cost) {
            continue;
        }
        for (port, edge) in topology.ports_to(node) {
            let Some(from) = number(edge.from).filter(|_| edge.from != root) else {
                continue;
            };
            let candidate = ((cost.0 + 1, cost.1 + edge.delay.ps()), port, node);
            if best[from].is_none_or(|b| (candidate.0, candidate.1) < (b.0, b.1)) {
                let closer = best[from].is_none_or(|b| candidate.0 < b.0);
                best[from] = Some(candidate);
                if closer {
                    frontier.push(Reverse((candidate.0, edge.from)));
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topology(nodes: &str, links: &[(u32, u32, f64)]) -> Topology {
        let mut t = Topology::default();
        for kind in nodes.chars() {
            t.add_node(kind == 'r');
        }
        for &(from, to, delay) in links {
            t.add_link((from, to), [Time::from_secs(delay); 2]);
        }
        t.sort_ports();
        t
    }

    fn path(topology: &Topology, source: usize, destination: usize) -> Option<Vec<u32>> {
        let mut ports = Vec::new();
        Router::new(topology).path(source, destination, &mut ports).then_some(ports)
    }

    #[test]
    fn fewest_links_win_over_delay() {
        let t = topology("hrrrh", &[(0, 1, 0.0), (1, 2, 0.0), (2, 3, 0.0), (1, 3, 9.0), (3, 4, 0.0)]);
        assert_eq!(path(&t, 0, 4), Some(vec![0, 6, 8]));
    }

    #[test]
    fn among_equal_lengths_the_least_delay_wins() {
        let t = topology(
            "hrrrrh",
            &[(0, 1, 0.0), (1, 2, 2.0), (2, 4, 0.0), (1, 3, 1.0), (3, 4, 0.0), (4, 5, 0.0)],
        );
        assert_eq!(path(&t, 0, 5), Some(vec![0, 6, 8, 10]));
    }

    #[test]
    fn hosts_forward_nothing() {
        let t = topology("hhh", &[(0, 1, 0.0), (1, 2, 0.0)]);
        assert_eq!(path(&t, 0, 2), None);
    }

    #[test]
    fn two_hosts_may_share_a_link() {
        let t = topology("hh", &[(0, 1, 0.0)]);
        assert_eq!(path(&t, 1, 0), Some(vec![1]));
    }

    #[test]
    fn one_router_between_two_hosts() {
        let t = topology("hrh", &[(0, 1, 0.0), (1, 2, 0.0)]);
        assert_eq!(path(&t, 0, 2), Some(vec![0, 2]));
    }

    #[test]
    fn ports_are_found_from_either_end() {
        let t = topology("rhhh", &[(1, 0, 0.0), (0, 2, 0.0), (3, 0, 0.0)]);
        let ports = [(1, 0), (0, 1), (0, 2), (2, 0)].map(|(from, to)| t.port(from, to));
        assert_eq!(ports, [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!([t.port(1, 2), t.port(0, 0)], [None, None]);
        assert_eq!(t.first_doubled_link(), None);
    }

    #[test]
    fn the_first_of_the_doubled_links_is_found_whatever_their_direction() {
        let t = topology("rrr", &[(0, 1, 0.0), (1, 2, 0.0), (2, 1, 0.0), (0, 1, 0.0)]);
        assert_eq!(t.first_doubled_link(), Some(2));
    }
}
