//! If y depends on x, a large change of x must change y while everything else stays the same.

use super::change::factor;
use crate::claim::Kind;
use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "does-not-depend",
    says: "a figure is said to depend on another, but does not change with it",
    needs: Needs::Claim("a claim of kind `depends-on`"),
    instead: "several values of one parameter, with all others unchanged",
    check,
};

/// Factor of change from which a cause must have a visible effect.
const LARGE: f64 = 1.5;
/// Factor within which an effect counts as no effect.
const NONE: f64 = 1.1;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::DependsOn) {
        let levels = results.levels_of(claim);
        let (Some(one), Some(other), Some(on)) = (levels.first(), levels.get(1), &claim.on) else {
            continue;
        };
        for of in &claim.of {
            let row = claim.row.as_deref();
            let (Some(cause), Some(effect)) =
                (factor(one, other, row, on), factor(one, other, row, of))
            else {
                desk.lacks(claim.text.clone(), "both figures at both levels");
                continue;
            };
            desk.checked();
            let moved = cause.low > LARGE || cause.high < 1.0 / LARGE;
            let still = effect.low > 1.0 / NONE && effect.high < NONE;
            if moved && still {
                desk.find(
                    Severity::Unsupported,
                    (
                        claim.text.clone(),
                        &[claim.at.as_str(), one.at.as_str(), other.at.as_str()],
                    ),
                    format!("{on} changes but {of} does not, so {of} does not depend on {on}"),
                    format!(
                        "{}: {on} × {}, {of} × {}",
                        [one.name.as_str(), other.name.as_str()].join(" → "),
                        precise(cause.printed),
                        precise(effect.printed)
                    ),
                );
            }
        }
    }
}
