//! "Well within capacity at n users" and "saturated from m users", with m < n, cannot both be true. "Within capacity"
//! is also wrong if the rate no longer grows with the users.

use std::collections::BTreeMap;

use super::change::told;
use crate::claim::{Claim, Kind};
use crate::finding::Severity;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "within-capacity",
    says: "a load is called within capacity, but at this load the system is at its limit",
    needs: Needs::Claim("a claim of kind `within-capacity`"),
    instead: "the load at which a stated threshold breaks, and the distance from the claimed load to that load",
    check,
};

/// A rate is at its limit if it grows by less than this share of the users' growth.
const FLAT: f64 = 0.2;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::WithinCapacity) {
        let compared = [
            against_words(results, claim, desk),
            against_rate(results, claim, desk),
        ];
        if compared.contains(&true) {
            desk.checked();
        } else {
            let lacks =
                "a claim of kind `saturated`, or the number of users and the rate of two `levels`";
            desk.lacks(claim.text.clone(), lacks);
        }
    }
}

/// Compares a claim with claims of saturation. Returns whether there was any claim to compare with.
fn against_words(results: &Results, claim: &Claim, desk: &mut Desk<'_>) -> bool {
    let Some(users) = claim.users else {
        return false;
    };
    let mut compared = false;
    for other in results.claims_of(Kind::Saturated) {
        let Some(severity) = of_the_same(results, claim, other) else {
            continue;
        };
        compared = true;
        if let Some(from) = other.users.filter(|from| from.high <= users.low) {
            desk.find(
                severity,
                (claim.text.clone(), &[claim.at.as_str(), other.at.as_str()]),
                format!("the same report says: \"{}\"", other.text),
                format!(
                    "saturated from {} users on, but within capacity at {}",
                    told(from),
                    told(users)
                ),
            );
        }
    }
    compared
}

/// Returns the severity of a contradiction between two claims. `None` if they are about different systems or
/// conditions.
fn of_the_same(results: &Results, one: &Claim, other: &Claim) -> Option<Severity> {
    let differ = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
        one.iter()
            .any(|(name, value)| other.get(name).is_some_and(|known| known != value))
    };
    let (named, others) = (results.levels_of(one), results.levels_of(other));
    let levels_differ = |some: &[&Level], all: &[&Level]| {
        some.iter().any(|one| {
            all.iter()
                .any(|other| differ(&one.conditions, &other.conditions))
        })
    };
    if one.row != other.row
        || differ(&one.conditions, &other.conditions)
        || levels_differ(&named, &others)
    {
        return None;
    }
    // A claim that names no levels may be about any level. If the conditions of the levels differ, the claims may be
    // about different systems.
    let all: Vec<&Level> = results.levels.iter().collect();
    let told = !named.is_empty() && !others.is_empty();
    Some(if told || !levels_differ(&all, &all) {
        Severity::Impossible
    } else {
        Severity::Unsupported
    })
}

fn against_rate(results: &Results, claim: &Claim, desk: &mut Desk<'_>) -> bool {
    let levels = results.levels_of(claim);
    let Some([before, after]) = levels.last_chunk::<2>() else {
        return false;
    };
    let growth =
        |of: &str| Some(after.figure(None, of)?.value / before.figure(None, of)?.value - 1.0);
    let (Some(rate), Some(users)) = (growth("rate"), growth("users")) else {
        return false;
    };
    if users > 0.0 && rate < FLAT * users {
        desk.find(
            Severity::Unsupported,
            (
                claim.text.clone(),
                &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
            ),
            "the rate no longer grows with the number of users, so the system is at its limit",
            format!("users {:+.0} %, rate {:+.1} %", 100.0 * users, 100.0 * rate),
        );
    }
    true
}
