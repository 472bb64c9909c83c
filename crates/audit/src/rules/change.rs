//! A change of "+42 %" or "4.7 ×" is after / before, within what the rounding of both leaves.

use crate::number::short;
use crate::{Claim, Desk, Kind, Level, Results, Rule, Severity, Span};

pub(super) const RULE: Rule = Rule {
    name: "change",
    says: "a change in per cent, or a factor, is not that of its figures",
    needs: "a claim of the kind change",
    instead: "changes that are worked out from the figures themselves, with their interval",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Change) {
        let levels = results.levels_of(claim);
        let (Some(before), Some(after), Some(by)) = (levels.first(), levels.get(1), claim.by)
        else {
            desk.lacks(claim.text.clone(), "`by`, and the levels before and after");
            continue;
        };
        let rows = rows(claim, before, after);
        let mut outside = Vec::new();
        let mut known = 0;
        for row in &rows {
            for of in &claim.of {
                let Some(factor) = factor(before, after, row.as_deref(), of) else {
                    continue;
                };
                known += 1;
                if factor.high < by.low || factor.low > by.high {
                    outside.push(format!(
                        "{}{of} × {}",
                        row.as_ref().map_or(String::new(), |row| format!("{row} ")),
                        short(factor.printed)
                    ));
                }
            }
        }
        if known == 0 {
            desk.lacks(claim.text.clone(), "the figures before and after");
            continue;
        }
        desk.checked();
        if !outside.is_empty() {
            desk.find(
                Severity::Impossible,
                (
                    claim.text.clone(),
                    &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
                ),
                "the figures do not change by so much",
                format!("stated: × {}; {}", told(by), outside.join(", ")),
            );
        }
    }
}

/// From and to, or one number.
pub(super) fn told(by: Span) -> String {
    let (low, high) = (short(by.low), short(by.high));
    if low == high {
        low
    } else {
        format!("{low} to {high}")
    }
}

/// The row of the claim, or every row that both have.
fn rows(claim: &Claim, before: &Level, after: &Level) -> Vec<Option<String>> {
    if claim.row.is_some() || before.rows.is_empty() {
        return vec![claim.row.clone()];
    }
    let both = before
        .rows
        .iter()
        .filter(|row| after.row(Some(&row.name)).is_some());
    std::iter::once(None)
        .chain(both.map(|row| Some(row.name.clone())))
        .collect()
}

/// After / before: as printed, and between what rounding leaves.
pub(super) struct Factor {
    pub(super) printed: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

pub(super) fn factor(before: &Level, after: &Level, row: Option<&str>, of: &str) -> Option<Factor> {
    let (before, after) = (before.figure(row, of)?, after.figure(row, of)?);
    (before.low() > 0.0).then(|| Factor {
        printed: after.value / before.value,
        low: after.low() / before.high(),
        high: after.high() / before.low(),
    })
}
