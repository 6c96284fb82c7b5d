//! Shortest paths: fewest links first, then the least propagation delay, then the order of the scenario.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::units::Time;

/// A directed link of the network.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    port: u32,
    delay: Time,
}

/// Nodes and directed links.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    edges: Vec<Edge>,
    /// For each node its number among the routers, if it is one.
    routers: Vec<Option<u32>>,
    router_count: u32,
}

impl Topology {
    /// Adds a node; a host does not forward. Returns its index.
    pub fn add_node(&mut self, forwards: bool) -> usize {
        self.routers.push(forwards.then_some(self.router_count));
        self.router_count += u32::from(forwards);
        self.routers.len() - 1
    }

    /// Makes room for so many directed links.
    pub fn reserve(&mut self, edges: usize) {
        self.edges.reserve_exact(edges);
    }

    /// Adds a directed link.
    pub fn add_edge(&mut self, from: usize, to: usize, port: u32, delay: Time) {
        self.edges.push(Edge { from: from as u32, to: to as u32, port, delay });
    }

    /// Whether a node forwards.
    pub fn forwards(&self, node: usize) -> bool {
        self.routers[node].is_some()
    }
}

/// The links at each node, in the order in which they were added.
#[derive(Debug)]
struct Links {
    /// Where the links of each node begin; one more for the end.
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Links {
    /// Sorts edges by their `node`.
    fn new(topology: &Topology, node: fn(&Edge) -> u32) -> Self {
        let mut starts = vec![0u32; topology.routers.len() + 1];
        for edge in &topology.edges {
            starts[node(edge) as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut edges = vec![0; topology.edges.len()];
        for (index, edge) in (0..).zip(&topology.edges) {
            let place = &mut next[node(edge) as usize];
            edges[*place as usize] = index;
            *place += 1;
        }
        Links { starts, edges }
    }

    fn of<'a>(&'a self, node: u32, topology: &'a Topology) -> impl Iterator<Item = &'a Edge> + Clone {
        let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        self.edges[range].iter().map(|&index| &topology.edges[index as usize])
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
    fn to(&mut self, topology: &Topology, into: &Links, root: u32) -> &Tree {
        let number = topology.routers[root as usize].expect("roots are routers");
        self.0[number as usize].get_or_insert_with(|| tree(topology, into, root))
    }
}

/// Finds paths, and remembers one tree for each router that forwards to a destination.
///
/// Hosts do not forward, so trees are kept for routers only: a hundred thousand hosts behind two routers need
/// two trees of two.
#[derive(Debug)]
pub struct Router<'a> {
    topology: &'a Topology,
    out: Links,
    into: Links,
    trees: Trees,
}

impl<'a> Router<'a> {
    /// A router over `topology`.
    pub fn new(topology: &'a Topology) -> Self {
        Router {
            topology,
            out: Links::new(topology, |edge| edge.from),
            into: Links::new(topology, |edge| edge.to),
            trees: Trees(vec![None; topology.router_count as usize]),
        }
    }

    /// Adds the ports from `source` to `destination` to `ports`, unless there is no way; says whether there is.
    pub fn path(&mut self, source: usize, destination: usize, ports: &mut Vec<u32>) -> bool {
        let Some((_, first_port, next, last_port, exit)) = self.best(source as u32, destination as u32)
        else {
            return false;
        };
        ports.push(first_port);
        if let Some(exit) = exit {
            let tree = self.trees.to(self.topology, &self.into, exit);
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

    /// The best choice of the first link, and of the last one where there are two or more.
    fn best(&mut self, source: u32, destination: u32) -> Option<Candidate> {
        let Router { topology, out, into, trees } = self;
        let mut best = None;
        for first in out.of(source, topology) {
            if first.to == destination {
                let cost = (1, first.delay.ps());
                offer(&mut best, (cost, first.port, first.to, first.port, None));
                continue;
            }
            let Some(number) = topology.routers[first.to as usize] else {
                continue;
            };
            for last in into.of(destination, topology) {
                if topology.routers[last.from as usize].is_none() {
                    continue;
                }
                if let Some(((hops, delay), ..)) = trees.to(topology, into, last.from)[number as usize] {
                    let cost = (hops + 2, delay + first.delay.ps() + last.delay.ps());
                    offer(&mut best, (cost, first.port, first.to, last.port, Some(last.from)));
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

fn tree(topology: &Topology, into: &Links, root: u32) -> Tree {
    let number = |node: u32| topology.routers[node as usize].map(|number| number as usize);
    let mut best: Tree = vec![None; topology.router_count as usize];
    best[number(root).expect("roots are routers")] = Some(((0, 0), 0, root));
    let mut frontier = BinaryHeap::from([Reverse(((0u32, 0u64), root))]);
    while let Some(Reverse((cost, node))) = frontier.pop() {
        let own = number(node).expect("only routers are on a tree");
        if best[own].is_some_and(|(known, _, _)| known < cost) {
            continue;
        }
        for edge in into.of(node, topology) {
            let Some(from) = number(edge.from).filter(|_| edge.from != root) else {
                continue;
            };
            let candidate = ((cost.0 + 1, cost.1 + edge.delay.ps()), edge.port, node);
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

    fn path(topology: &Topology, source: usize, destination: usize) -> Option<Vec<u32>> {
        let mut ports = Vec::new();
        Router::new(topology).path(source, destination, &mut ports).then_some(ports)
    }

    #[test]
    fn fewest_links_win_over_delay() {
        let t = topology("hrrrh", &[(0, 1, 0.0), (1, 2, 0.0), (2, 3, 0.0), (1, 3, 9.0), (3, 4, 0.0)]);
        assert_eq!(path(&t, 0, 4), Some(vec![0, 3, 4]));
    }

    #[test]
    fn among_equal_lengths_the_least_delay_wins() {
        let t = topology(
            "hrrrrh",
            &[(0, 1, 0.0), (1, 2, 2.0), (2, 4, 0.0), (1, 3, 1.0), (3, 4, 0.0), (4, 5, 0.0)],
        );
        assert_eq!(path(&t, 0, 5), Some(vec![0, 3, 4, 5]));
    }

    #[test]
    fn hosts_forward_nothing() {
        let t = topology("hhh", &[(0, 1, 0.0), (1, 2, 0.0)]);
        assert_eq!(path(&t, 0, 2), None);
    }

    #[test]
    fn two_hosts_may_share_a_link() {
        let t = topology("hh", &[(0, 1, 0.0), (1, 0, 0.0)]);
        assert_eq!(path(&t, 1, 0), Some(vec![1]));
    }

    #[test]
    fn one_router_between_two_hosts() {
        let t = topology("hrh", &[(0, 1, 0.0), (1, 2, 0.0)]);
        assert_eq!(path(&t, 0, 2), Some(vec![0, 1]));
    }
}
