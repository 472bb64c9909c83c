//! The cost of a feature is the difference between a run with the feature and a run without it.

use crate::claim::Kind;
use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "no-control",
    says: "a feature is said to cost little or nothing, but there is no run without the feature",
    needs: Needs::Claim("a claim of kind `no-overhead`"),
    instead: "the same load with and without the feature",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::NoOverhead) {
        desk.checked();
        let levels = results.levels_of(claim);
        let differ = levels
            .windows(2)
            .any(|pair| pair[0].conditions != pair[1].conditions);
        if !differ {
            desk.find(
                Severity::Unsupported,
                (claim.text.clone(), &[claim.at.as_str()]),
                "there is no run without the feature",
                format!(
                    "levels that differ only in this feature: none of {}",
                    results.levels.len()
                ),
            );
        }
    }
}
