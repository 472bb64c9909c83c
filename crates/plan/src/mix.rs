//! Several scenarios in one load, mixed by weight.

use std::sync::Arc;

use crate::problem::{Flaw, Problems};
use crate::suggest;

/// Maximum length of the repeating pattern of scenarios.
const LONGEST_PATTERN: u32 = 10_000;

/// Scenarios mixed by weight.
///
/// In an open load, the scenario of an iteration depends only on the number of its arrival. In a closed load, it depends
/// only on its group and on the number of the group's earlier iterations. Each repetition of the pattern has the
/// exact proportions, with evenly mixed scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    names: Vec<Arc<str>>,
    /// Indices of scenarios. Start `k` uses the element at `k` modulo the pattern's length.
    pattern: Vec<u16>,
}

impl Mix {
    /// Mixes these scenarios, given as names and weights.
    pub(crate) fn new(weights: &[(String, u32)]) -> Result<Self, Flaw> {
        let divisor = weights
            .iter()
            .fold(0, |divisor, (_, weight)| gcd(divisor, *weight));
        let weights: Vec<(&str, u32)> = weights
            .iter()
            .map(|(name, weight)| (name.as_str(), weight / divisor.max(1)))
            .collect();
        let length: u32 = weights.iter().map(|(_, weight)| weight).sum();
        if length > LONGEST_PATTERN {
            return Err(Flaw::with_hint(
                format!(
                    "the pattern of the weights has {length} starts; the limit is {LONGEST_PATTERN}"
                ),
                "use rounder weights, such as percentages",
            ));
        }
        Ok(Self {
            names: weights.iter().map(|(name, _)| Arc::from(*name)).collect(),
            pattern: pattern(&weights, length),
        })
    }

    /// The names of the scenarios, in the user's order.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Refuses scenarios that the module does not export.
    pub fn check(&self, exported: &[String]) -> Result<(), Problems> {
        let known: Vec<&str> = exported.iter().map(String::as_str).collect();
        let mut problems = Problems::default();
        for name in self.names.iter().filter(|name| !known.contains(&&***name)) {
            let hint = if known.is_empty() {
                format!("export async function {name}(group: Group) {{ … }}")
            } else {
                suggest::hint(name, &known)
            };
            let flaw = Flaw::with_hint("no function of that name is exported", hint);
            problems.push(flaw.at(format!("mix.{name}")));
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }

    /// The index of the scenario for the start with this number.
    pub fn pick(&self, number: u64) -> usize {
        let at = number % self.pattern.len().max(1) as u64;
        usize::try_from(at).map_or(0, |at| self.pattern.get(at).copied().unwrap_or(0).into())
    }
}

impl Mix {
    /// The index of the scenario for an iteration of a group in a closed load. Each group goes through the whole pattern
    /// from a place of its own, so the groups together have the proportions in every round of iterations. The result does
    /// not depend on who runs the other groups, so the mix is the same for any number of workers and agents.
    pub fn pick_in_turn(&self, group: u32, iteration: u32, groups: u32) -> usize {
        let length = u32::try_from(self.pattern.len()).unwrap_or(1).max(1);
        // With a common divisor, a group would meet a part of the pattern again and again.
        // One of `length` successive numbers has no divisor in common with `length`.
        let mut candidates = (0..length).map(|more| groups.saturating_add(more));
        let stride = candidates.find(|stride| gcd(*stride, length) == 1);
        let stride = stride.unwrap_or(1);
        self.pick(u64::from(group) + u64::from(iteration) * u64::from(stride))
    }
}

/// Smooth weighted round-robin, as in nginx. In each round, every scenario gains its weight as credit. The scenario
/// with the most credit is chosen and pays the sum of all weights.
fn pattern(weights: &[(&str, u32)], length: u32) -> Vec<u16> {
    let mut credit = vec![0_i64; weights.len()];
    let turns = (0..length).map(|_| {
        for (credit, (_, weight)) in credit.iter_mut().zip(weights) {
            *credit += i64::from(*weight);
        }
        let richest = (0..credit.len())
            .rev()
            .max_by_key(|&at| credit[at])
            .unwrap_or(0);
        credit[richest] -= i64::from(length);
        u16::try_from(richest).unwrap_or(0)
    });
    turns.collect()
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix(weights: &[(&str, u32)]) -> Mix {
        let weights: Vec<_> = weights
            .iter()
            .map(|(name, weight)| ((*name).to_owned(), *weight))
            .collect();
        Mix::new(&weights).unwrap()
    }

    #[test]
    fn weights_are_exact_over_every_repetition_and_evenly_mixed_within() {
        let mix = mix(&[("register", 50), ("enumerate", 30), ("multicast", 20)]);
        let picks: Vec<usize> = (0..10).map(|number| mix.pick(number)).collect();
        assert_eq!(picks, [0, 1, 2, 0, 0, 1, 0, 2, 1, 0]);
        let mut counts = [0; 3];
        for number in 0..100_000 {
            counts[mix.pick(number)] += 1;
        }
        assert_eq!(counts, [50_000, 30_000, 20_000]);
    }

    #[test]
    fn in_a_closed_load_each_group_and_each_round_of_iterations_has_the_proportions() {
        let mix = mix(&[("register", 50), ("enumerate", 30), ("multicast", 20)]);
        for groups in [10, 20, 7, 1000] {
            for group in 0..groups {
                let mut counts = [0; 3];
                for iteration in 3..13 {
                    counts[mix.pick_in_turn(group, iteration, groups)] += 1;
                }
                assert_eq!(counts, [5, 3, 2], "group {group} of {groups}");
            }
        }
        let mut counts = [0; 3];
        for group in 0..20 {
            counts[mix.pick_in_turn(group, 5, 20)] += 1;
        }
        assert_eq!(counts, [10, 6, 4], "one iteration of each group");
    }

    #[test]
    fn a_mix_of_one_is_that_one() {
        assert_eq!(mix(&[("all", 7)]).pick(u64::MAX), 0);
    }

    #[test]
    fn weights_that_hardly_repeat_are_refused() {
        let weights = [("a".to_owned(), 9_999), ("b".to_owned(), 10_000)];
        assert!(Mix::new(&weights).is_err());
    }
}
