//! A directed graph, and the cycles in it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An edge, from one node to another.
pub(super) type Edge = (usize, usize);

/// A graph whose nodes are numbers.
pub(super) struct Graph {
    /// For each node, the nodes to which its edges lead.
    next: Vec<BTreeSet<usize>>,
    /// Pairs of nodes that may have edges in both directions.
    pairs: BTreeSet<Edge>,
}

impl Graph {
    pub(super) fn new(nodes: usize, pairs: impl Iterator<Item = Edge>) -> Self {
        Self {
            next: vec![BTreeSet::new(); nodes],
            pairs: pairs
                .flat_map(|(one, other)| [(one, other), (other, one)])
                .collect(),
        }
    }

    pub(super) fn add(&mut self, (from, to): Edge) {
        self.next[from].insert(to);
    }

    fn remove(&mut self, (from, to): Edge) {
        self.next[from].remove(&to);
    }

    /// Returns the shortest cycle with this edge, as the nodes in order, beginning with the edge.
    pub(super) fn cycle_with(&self, (from, to): Edge) -> Option<Vec<usize>> {
        let mut came_from = vec![None; self.next.len()];
        came_from[to] = Some(to);
        let mut open = VecDeque::from([to]);
        while let Some(node) = open.pop_front().filter(|_| came_from[from].is_none()) {
            for &next in &self.next[node] {
                let is_allowed = (node, next) == (to, from) && self.pairs.contains(&(from, to));
                if !is_allowed && came_from[next].is_none() {
                    came_from[next] = Some(node);
                    open.push_back(next);
                }
            }
        }
        let mut nodes = Vec::new();
        let mut node = from;
        while node != to {
            nodes.push(node);
            node = came_from[node]?;
        }
        nodes.push(to);
        nodes[1..].reverse();
        Some(nodes)
    }

    /// Removes edges until there is no cycle. Returns each of them with a cycle that it was part of. An edge that is
    /// part of many cycles is removed first, then one with a small weight.
    pub(super) fn break_cycles(
        &mut self,
        weight: impl Fn(Edge) -> usize,
    ) -> BTreeMap<Edge, Vec<usize>> {
        let all = self.next.iter().enumerate();
        let mut edges: Vec<Edge> = all
            .flat_map(|(from, next)| next.iter().map(move |&to| (from, to)))
            .collect();
        let mut removed = BTreeMap::new();
        loop {
            let cycles = edges.iter().map(|&edge| (edge, self.cycle_with(edge)));
            let cycles = cycles.filter_map(|(edge, cycle)| Some((edge, cycle?)));
            let mut cycles: BTreeMap<Edge, Vec<usize>> = cycles.collect();
            let mut parts: BTreeMap<Edge, usize> = BTreeMap::new();
            for edge in cycles.values().flat_map(|cycle| edges_of(cycle)) {
                *parts.entry(edge).or_default() += 1;
            }
            let most = |edge: &Edge| (parts.get(edge).copied(), Reverse((weight(*edge), *edge)));
            let Some(edge) = cycles.keys().copied().max_by_key(most) else {
                return removed;
            };
            removed.extend(cycles.remove_entry(&edge));
            self.remove(edge);
            edges = cycles.into_keys().collect();
        }
    }
}

/// Returns the edges of a cycle.
pub(super) fn edges_of(cycle: &[usize]) -> impl Iterator<Item = Edge> {
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().copied().zip(next.copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[Edge], pairs: &[Edge]) -> Graph {
        let mut graph = Graph::new(6, pairs.iter().copied());
        for &edge in edges {
            graph.add(edge);
        }
        graph
    }

    #[test]
    fn the_shortest_cycle_is_found() {
        let graph = graph(&[(0, 1), (1, 2), (2, 3), (3, 0), (2, 0), (4, 0)], &[]);
        assert_eq!(graph.cycle_with((1, 2)), Some(vec![1, 2, 0]));
        assert_eq!(graph.cycle_with((3, 0)), Some(vec![3, 0, 1, 2]));
        assert_eq!(graph.cycle_with((4, 0)), None);
    }

    #[test]
    fn a_pair_may_have_edges_in_both_directions_but_no_longer_cycle() {
        let both = [(0, 1), (1, 0)];
        assert_eq!(graph(&both, &[(1, 0)]).cycle_with((0, 1)), None);
        let longer = [(0, 1), (1, 0), (1, 2), (2, 0)];
        let cycle = graph(&longer, &[(1, 0)]).cycle_with((0, 1));
        assert_eq!(cycle, Some(vec![0, 1, 2]));
    }

    #[test]
    fn an_edge_of_many_cycles_is_removed_before_one_of_few() {
        let mut star = graph(
            &[(0, 1), (1, 2), (1, 3), (1, 4), (2, 0), (3, 0), (4, 0)],
            &[],
        );
        let removed = star.break_cycles(|_| 1);
        assert_eq!(removed.into_keys().collect::<Vec<_>>(), [(0, 1)]);
        let mut two = graph(&[(0, 1), (1, 0)], &[]);
        let removed = two.break_cycles(|edge| if edge == (1, 0) { 1 } else { 2 });
        assert_eq!(removed.into_keys().collect::<Vec<_>>(), [(1, 0)]);
        assert!(two.break_cycles(|_| 1).is_empty());
    }
}
