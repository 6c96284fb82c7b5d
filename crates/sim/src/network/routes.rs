//! Shortest paths: fewest links first, then the least propagation delay, then the order of the scenario.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::units::Time;

/// A directed edge of the network.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    port: u32,
    delay: Time,
}

/// Nodes and directed links.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    out: Vec<Vec<Edge>>,
    into: Vec<Vec<Edge>>,
    forwards: Vec<bool>,
}

impl Topology {
    /// Adds a node; a host does not forward. Returns its index.
    pub fn add_node(&mut self, forwards: bool) -> usize {
        self.out.push(Vec::new());
        self.into.push(Vec::new());
        self.forwards.push(forwards);
        self.forwards.len() - 1
    }

    /// Adds a directed link.
    pub fn add_edge(&mut self, from: usize, to: usize, port: u32, delay: Time) {
        self.out[from].push(Edge { to, port, delay });
        self.into[to].push(Edge { to: from, port, delay });
    }
}

/// Cost of a path; less is better. The last part makes the choice among equals unique.
type Cost = (u32, u64);

/// For every node that reaches the root through forwarding nodes: its cost, its port and its next node.
type Tree = Vec<Option<(Cost, u32, usize)>>;

/// Finds paths, and remembers one tree for each node that forwards to a destination.
///
/// Hosts do not forward, so trees are kept for routers only: a hundred thousand hosts behind two routers need
/// two trees.
#[derive(Debug)]
pub struct Router<'a> {
    topology: &'a Topology,
    trees: HashMap<usize, Tree>,
}

impl<'a> Router<'a> {
    /// A router over `topology`.
    pub fn new(topology: &'a Topology) -> Self {
        Router { topology, trees: HashMap::new() }
    }

    /// The ports from `source` to `destination`, or `None` if there is no way.
    pub fn path(&mut self, source: usize, destination: usize) -> Option<Vec<u32>> {
        let mut best: Option<(Cost, u32, usize, u32, Option<usize>)> = None;
        for first in &self.topology.out[source] {
            if first.to == destination {
                let cost = (1, first.delay.ps());
                offer(&mut best, (cost, first.port, first.to, first.port, None));
                continue;
            }
            if !self.topology.forwards[first.to] {
                continue;
            }
            for last in &self.topology.into[destination] {
                if !self.topology.forwards[last.to] {
                    continue;
                }
                if let Some((hops, delay)) = self.distance(first.to, last.to) {
                    let cost = (hops + 2, delay + first.delay.ps() + last.delay.ps());
                    offer(&mut best, (cost, first.port, first.to, last.port, Some(last.to)));
                }
            }
        }
        let (_, first_port, mut at, last_port, exit) = best?;
        let mut ports = vec![first_port];
        if let Some(exit) = exit {
            while at != exit {
                let (_, port, next) = self.trees[&exit][at].expect("a node on a tree has a way");
                ports.push(port);
                at = next;
            }
            ports.push(last_port);
        }
        Some(ports)
    }

    fn distance(&mut self, from: usize, root: usize) -> Option<Cost> {
        let topology = self.topology;
        let tree = self.trees.entry(root).or_insert_with(|| tree(topology, root));
        tree[from].map(|(cost, _, _)| cost)
    }
}

type Candidate = (Cost, u32, usize, u32, Option<usize>);

fn offer(best: &mut Option<Candidate>, candidate: Candidate) {
    let key = |c: &Candidate| (c.0, c.1, c.3);
    if best.as_ref().is_none_or(|b| key(&candidate) < key(b)) {
        *best = Some(candidate);
    }
}

/// The shortest paths to `root`.
fn tree(topology: &Topology, root: usize) -> Tree {
    let mut best: Tree = vec![None; topology.forwards.len()];
    best[root] = Some(((0, 0), 0, root));
    let mut frontier = BinaryHeap::from([Reverse(((0u32, 0u64), root))]);
    while let Some(Reverse((cost, node))) = frontier.pop() {
        if best[node].is_some_and(|(known, _, _)| known < cost) {
            continue;
        }
        for edge in topology.into[node].iter().filter(|e| topology.forwards[e.to]) {
            let candidate = ((cost.0 + 1, cost.1 + edge.delay.ps()), edge.port, node);
            if edge.to != root && best[edge.to].is_none_or(|b| (candidate.0, candidate.1) < (b.0, b.1)) {
                let closer = best[edge.to].is_none_or(|b| candidate.0 < b.0);
                best[edge.to] = Some(candidate);
                if closer {
                    frontier.push(Reverse((candidate.0, edge.to)));
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topology(nodes: &str, edges: &[(usize, usize, f64)]) -> Topology {
        let mut t = Topology::default();
        for kind in nodes.chars() {
            t.add_node(kind == 'r');
        }
        for (port, &(from, to, delay)) in edges.iter().enumerate() {
            t.add_edge(from, to, port as u32, Time::from_secs(delay));
        }
        t
    }

    #[test]
    fn fewest_links_win_over_delay() {
        let t = topology("hrrrh", &[(0, 1, 0.0), (1, 2, 0.0), (2, 3, 0.0), (1, 3, 9.0), (3, 4, 0.0)]);
        assert_eq!(Router::new(&t).path(0, 4), Some(vec![0, 3, 4]));
    }

    #[test]
    fn among_equal_lengths_the_least_delay_wins() {
        let t = topology(
            "hrrrrh",
            &[(0, 1, 0.0), (1, 2, 2.0), (2, 4, 0.0), (1, 3, 1.0), (3, 4, 0.0), (4, 5, 0.0)],
        );
        assert_eq!(Router::new(&t).path(0, 5), Some(vec![0, 3, 4, 5]));
    }

    #[test]
    fn hosts_forward_nothing() {
        let t = topology("hhh", &[(0, 1, 0.0), (1, 2, 0.0)]);
        assert_eq!(Router::new(&t).path(0, 2), None);
    }

    #[test]
    fn two_hosts_may_share_a_link() {
        let t = topology("hh", &[(0, 1, 0.0), (1, 0, 0.0)]);
        assert_eq!(Router::new(&t).path(1, 0), Some(vec![1]));
    }

    #[test]
    fn one_router_between_two_hosts() {
        let t = topology("hrh", &[(0, 1, 0.0), (1, 2, 0.0)]);
        assert_eq!(Router::new(&t).path(0, 2), Some(vec![0, 1]));
    }
}
