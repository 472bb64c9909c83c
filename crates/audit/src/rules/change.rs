//! A change such as "+42 %" or "4.7 ×" is the ratio after / before, within the rounding of both figures.

use crate::claim::{Claim, Kind, Span};
use crate::finding::Severity;
use crate::reach::Reach;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "change",
    says: "a change (in per cent or as a factor) does not match the figures before and after",
    needs: Needs::Claim("a claim of kind `change`"),
    instead: "the change computed from both figures, with its confidence interval",
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
        let mut outside = Vec::new();
        let mut known = 0;
        let mut severity = Severity::Unsupported;
        for of in &claim.of {
            let Some(factor) = factor(before, after, claim.row.as_deref(), of) else {
                continue;
            };
            known += 1;
            let fits = factor.high >= by.low && factor.low <= by.high;
            if fits || by_points(claim, before, after, of) {
                continue;
            }
            if !possible(claim, (before, after), of, by) {
                severity = Severity::Impossible;
            }
            let row = claim
                .row
                .as_ref()
                .map_or(String::new(), |row| format!("{row} "));
            outside.push(format!("{row}{of} × {}", precise(factor.printed)));
        }
        if known == 0 {
            desk.lacks(claim.text.clone(), "the figures before and after");
            continue;
        }
        desk.checked();
        if !outside.is_empty() {
            desk.find(
                severity,
                (
                    claim.text.clone(),
                    &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
                ),
                "the figures did not change by the stated factor",
                format!("stated: × {}; {}", told(by), outside.join(", ")),
            );
        }
    }
}

/// Formats the range, or a single number if both ends are equal.
pub(super) fn told(by: Span) -> String {
    let (low, high) = (precise(by.low), precise(by.high));
    if low == high {
        low
    } else {
        format!("{low} to {high}")
    }
}

/// Whether the stated change, rounded or truncated, fits any interpretation of the figures.
fn possible(claim: &Claim, (before, after): (&Level, &Level), of: &str, by: Span) -> bool {
    let row = claim.row.as_deref();
    let both = before.reach_of(row, of).zip(after.reach_of(row, of));
    both.is_none_or(|(before, after)| {
        let most = after.high / before.low.max(0.0);
        after.low / before.high <= by.high + claim.cut && most >= by.low - claim.cut
    })
}

/// Whether a change of the success rate may be meant in percentage points: 50 to 75 % is often written as +25 %.
fn by_points(claim: &Claim, before: &Level, after: &Level, of: &str) -> bool {
    let (row, Some(by)) = (claim.row.as_deref(), claim.by) else {
        return false;
    };
    let both = before.reach_of(row, of).zip(after.reach_of(row, of));
    let fits = |(before, after): (Reach, Reach)| {
        let (least, most) = (after.low - before.high, after.high - before.low);
        let points = |factor: f64| 100.0 * (factor - 1.0);
        most >= points(by.low - claim.cut) && least <= points(by.high + claim.cut)
    };
    of == "success" && both.is_some_and(fits)
}

/// Returns after / before: the ratio of the printed figures, and the range that rounding allows.
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
