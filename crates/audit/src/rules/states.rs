//! The same figure told twice must be the same.

use crate::number;
use crate::{Desk, Kind, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "told-twice",
    says: "a figure in the text is not the figure of the table",
    needs: "a claim of the kind states",
    instead: "text that is generated from the same record as the table",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::States) {
        let Some(told) = &claim.value else {
            continue;
        };
        for level in results.levels_of(claim) {
            for of in &claim.of {
                let Some(figure) = level.figure(claim.row.as_deref(), of) else {
                    desk.lacks(claim.text.clone(), "the figure that it repeats");
                    continue;
                };
                desk.checked();
                let coarser = told.slack.max(figure.slack);
                if (told.value - figure.value).abs() > 0.999 * coarser + 1e-9 {
                    desk.find(
                        Severity::Doubtful,
                        (claim.text.clone(), &[claim.at.as_str(), figure.at.as_str()]),
                        format!("the {of} of {} is another one", level.name),
                        format!(
                            "told: {}; in the table: {}",
                            number::told(told),
                            number::told(&figure)
                        ),
                    );
                }
            }
        }
    }
}
