//! An expected gain is a hypothesis until it is measured.

use crate::{Desk, Kind, Needs, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "expected-gain",
    says: "a gain is stated in figures that nobody measured",
    needs: Needs::Claim("a claim of kind `expected`"),
    instead: "the change itself, measured before and after",
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
                    "levels measured with and without it: {}",
                    claim.levels.len()
                ),
            );
        }
    }
}
