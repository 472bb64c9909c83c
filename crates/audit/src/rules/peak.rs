//! In a closed loop, the rate is users / (time + pause) until a resource is saturated. A rate that grows in proportion
//! to the users is the demand of the users, not the capacity of the system.

use crate::claim::Kind;
use crate::finding::Severity;
use crate::number::percent;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "limit-not-found",
    says: "a rate is called the system's maximum, but it still grows with the number of users",
    needs: Needs::Claim("a claim of kind `peak`"),
    instead: "more load, until the rate no longer grows or a threshold breaks",
    check,
};

const STILL_GROWS: f64 = 0.8;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Peak) {
        let levels = results.levels_of(claim);
        let Some([before, after]) = levels.last_chunk::<2>() else {
            desk.checked();
            desk.find(
                Severity::Unsupported,
                (claim.text.clone(), &[claim.at.as_str()]),
                "a single level cannot show a limit",
                format!("levels behind the claim: {}", levels.len()),
            );
            continue;
        };
        let row = claim.row.as_deref();
        let growth = |of: &str| Some(after.figure(row, of)?.value / before.figure(row, of)?.value);
        let (Some(rate), Some(users)) = (growth("rate"), growth("users")) else {
            desk.lacks(
                claim.text.clone(),
                "the number of users and the rate of two levels",
            );
            continue;
        };
        desk.checked();
        if users > 1.0 && rate / users > STILL_GROWS {
            desk.find(
                Severity::Unsupported,
                (
                    claim.text.clone(),
                    &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
                ),
                "the rate still grows with the number of users, so the system's limit was not reached",
                format!(
                    "users × {}, rate × {}: {} of proportional growth",
                    precise(users),
                    precise(rate),
                    percent(rate / users)
                ),
            );
        }
    }
}
