//! What a ceiling means for production: the load to plan for, and the number of people.

use serde::{Deserialize, Serialize};

/// The production limit as a share of the stable ceiling if nothing is stated.
const SHARE: f64 = 0.7;

/// What the user states about production.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Production {
    /// Expected growth of the load, in percent.
    pub growth_percent: Option<f64>,
    /// Number of equal nodes, one of which may fail.
    pub nodes: Option<u32>,
    /// Time from one iteration of a person to the next, in seconds.
    pub person_every_s: Option<f64>,
}

impl Production {
    /// The load to plan for, below this stable ceiling: what remains after the stated growth and the loss of a node, or
    /// 70 % of the ceiling if neither is stated.
    pub fn limit(&self, ceiling: f64) -> f64 {
        if self.growth_percent.is_none() && self.nodes.is_none() {
            return ceiling * SHARE;
        }
        ceiling / self.growth() * self.left_after_a_loss()
    }

    /// The load after the growth as a multiple of the load before: 1.5 for 50 %.
    pub fn growth(&self) -> f64 {
        1.0 + self.growth_percent.unwrap_or(0.0) / 100.0
    }

    /// Share of the capacity that is left without one node.
    pub fn left_after_a_loss(&self) -> f64 {
        self.nodes
            .map_or(1.0, |nodes| f64::from(nodes - 1) / f64::from(nodes))
    }

    /// The number of people who start this many iterations per second, each with `per_iteration` people. `None` unless
    /// the time between the iterations of a person is stated.
    pub fn people(&self, iterations_per_s: f64, per_iteration: f64) -> Option<f64> {
        let every_s = self.person_every_s?;
        Some(iterations_per_s * every_s * per_iteration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 1e-9
    }

    #[test]
    fn without_plans_70_percent_of_the_ceiling_remain() {
        assert!(near(Production::default().limit(200.0), 140.0));
    }

    #[test]
    fn growth_and_the_loss_of_a_node_come_off_the_ceiling() {
        let growth = Production {
            growth_percent: Some(50.0),
            ..Production::default()
        };
        assert!(near(growth.limit(300.0), 200.0));
        let both = Production {
            nodes: Some(4),
            ..growth
        };
        assert!(near(both.limit(300.0), 150.0));
    }

    #[test]
    fn people_follow_from_the_time_between_their_iterations() {
        let every = Production {
            person_every_s: Some(30.0),
            ..Production::default()
        };
        assert_eq!(every.people(10.0, 5.0), Some(1500.0));
        assert_eq!(Production::default().people(10.0, 5.0), None);
    }
}
