//! An expected improvement is a hypothesis until it is measured.

use crate::claim::Kind;
use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "expected-gain",
    says: "the figures of a stated gain were not measured",
    needs: Needs::Claim("a claim of kind `expected`"),
    instead: "measurements before and after the change",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Expected) {
        desk.checked();
        if results.levels_of(claim).len() < 2 {
            desk.find(
                Severity::Unsupported,
                (claim.text.clone(), &[claim.at.as_str()]),
                "the gain was not measured",
                format!(
                    "levels measured with and without the change: {}",
                    claim.levels.len()
                ),
            );
        }
    }
}
