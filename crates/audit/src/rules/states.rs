//! A figure must have the same value wherever it is stated.

use crate::claim::Kind;
use crate::finding::Severity;
use crate::number;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "told-twice",
    says: "a figure in the text differs from the table",
    needs: Needs::Claim("a claim of kind `states`"),
    instead: "text and table generated from the same record",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::States) {
        let Some(told) = &claim.value else {
            continue;
        };
        for level in results.levels_of(claim) {
            for of in &claim.of {
                let Some(figure) = level.claimed(claim, of) else {
                    desk.lacks(claim.text.clone(), "the figure of the level");
                    continue;
                };
                desk.checked();
                let coarser = told.slack.max(figure.slack);
                let same = (told.value - figure.value).abs() <= 0.999 * coarser + 1e-9;
                let share = (of == "success" || claim.percent).then(|| level.reach(claim, of));
                let meant = share.flatten().is_some_and(|reach| {
                    told.high() >= reach.low - 1e-9 && told.low() <= reach.high + 1e-9
                });
                if !same && !meant {
                    desk.find(
                        Severity::Doubtful,
                        (claim.text.clone(), &[claim.at.as_str(), figure.at.as_str()]),
                        format!("the {of} of {} differs", level.name),
                        format!(
                            "in the text: {}; in the table: {}",
                            number::printed(told),
                            number::printed(&figure)
                        ),
                    );
                }
            }
        }
    }
}
