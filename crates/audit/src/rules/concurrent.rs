//! By Little's law, Σ rate × mean time is the average number of operations in progress. Users who wait or think have no
//! operation in progress.

use super::little::{at_work, measured};
use crate::claim::Kind;
use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "concurrency",
    says: "all users are said to be active at the same time, but rate × mean time gives fewer",
    needs: Needs::Claim("a claim of kind `concurrent`"),
    instead: "open connections and operations in progress, counted over time",
    check,
};

const CLEARLY: f64 = 0.9;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Concurrent) {
        let Some(stated) = claim.users else {
            continue;
        };
        for level in results.levels_of(claim) {
            let rows = match claim.row.as_deref() {
                Some(name) => level.row(Some(name)).into_iter().collect(),
                None => measured(level),
            };
            let each: Vec<f64> = rows
                .into_iter()
                .filter_map(|row| at_work(row, f64::max))
                .collect();
            if each.is_empty() {
                desk.lacks(
                    claim.text.clone(),
                    "the rate and the mean time of the same operation",
                );
                continue;
            }
            desk.checked();
            let at_work: f64 = each.iter().sum();
            if at_work < CLEARLY * stated.low {
                desk.find(
                    Severity::Unsupported,
                    (claim.text.clone(), &[claim.at.as_str(), level.at.as_str()]),
                    format!(
                        "only {} users were active at the same time in {}",
                        precise(at_work.round()),
                        level.name
                    ),
                    format!(
                        "Σ rate × mean time = {} at most, stated: {}",
                        precise(at_work),
                        precise(stated.low)
                    ),
                );
            }
        }
    }
}
