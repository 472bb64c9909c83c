//! A measurement under one condition does not support a claim about another condition.

use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "other-conditions",
    says: "the stated conditions are not the measured conditions",
    needs: Needs::Claim("a claim with `conditions`"),
    instead: "the same load under the stated condition",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results
        .claims
        .iter()
        .filter(|claim| !claim.conditions.is_empty())
    {
        for level in results.levels_of(claim) {
            for (name, stated) in &claim.conditions {
                let Some(was) = level.conditions.get(name) else {
                    desk.lacks(claim.text.clone(), "the measured condition (`conditions`)");
                    continue;
                };
                desk.checked();
                if was != stated {
                    desk.find(
                        Severity::Unsupported,
                        (claim.text.clone(), &[claim.at.as_str(), level.at.as_str()]),
                        format!("{} was measured under other conditions", level.name),
                        format!("{name}: stated {stated}, measured {was}"),
                    );
                }
            }
        }
    }
}
