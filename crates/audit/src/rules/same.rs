//! "The same", "minimal" and "unchanged" mean a change of at most a tenth.

use super::change::factor;
use crate::claim::Kind;
use crate::finding::Severity;
use crate::number::percent;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "hardly-changes",
    says: "a figure is called (almost) unchanged, but changed by more than a tenth",
    needs: Needs::Claim("a claim of kind `same`"),
    instead: "the change with its confidence interval, in absolute terms and as a share of the time without fixed delays",
    check,
};

const TENTH: f64 = 1.1;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Same) {
        let levels = results.levels_of(claim);
        let (Some(before), Some(after)) = (levels.first(), levels.get(1)) else {
            continue;
        };
        let mut changed = Vec::new();
        let mut known = 0;
        for of in &claim.of {
            let Some(factor) = factor(before, after, claim.row.as_deref(), of) else {
                continue;
            };
            known += 1;
            if factor.low > TENTH || factor.high < 1.0 / TENTH {
                let change = factor.printed - 1.0;
                let sign = if change > 0.0 { "+" } else { "" };
                let row = claim
                    .row
                    .as_ref()
                    .map_or(String::new(), |row| format!("{row} "));
                changed.push(format!("{row}{of} {sign}{}", percent(change)));
            }
        }
        if known == 0 {
            desk.lacks(claim.text.clone(), "the figures before and after");
            continue;
        }
        desk.checked();
        if !changed.is_empty() {
            desk.find(
                Severity::Unsupported,
                (
                    claim.text.clone(),
                    &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
                ),
                "the figure changed by more than a tenth",
                changed.join(", "),
            );
        }
    }
}
