//! A cliff is an abrupt change that only the number of users causes. Two levels show only a slope, and a level without
//! data shows nothing. Levels with the same number of users must agree.

use crate::claim::{Claim, Kind};
use crate::finding::Severity;
use crate::measure::Measure;
use crate::reach::Reach;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "cliff",
    says: "a cliff is claimed, but too few levels have data to show one",
    needs: Needs::Claim("a claim of kind `cliff`"),
    instead: "levels just below and just above the jump, and then the lower one again",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Cliff) {
        for of in &claim.of {
            desk.checked();
            check_one(results, claim, of, desk);
        }
    }
}

fn check_one(results: &Results, claim: &Claim, of: &str, desk: &mut Desk<'_>) {
    let named = results.levels_of(claim);
    let (Some(before), Some(after)) = (named.first(), named.last()) else {
        return;
    };
    let value = |level: &Level| {
        level
            .figure(claim.row.as_deref(), of)
            .map(|figure| figure.value)
    };
    let below: Vec<&Level> = results
        .levels
        .iter()
        .filter(|level| {
            users(level) <= users(before) && value(level).is_some_and(|value| value > 0.0)
        })
        .collect();
    let (Some(low), Some(high)) = (value(before), value(after)) else {
        return desk.lacks(claim.text.clone(), "the figure on both sides of the cliff");
    };
    let row = claim.row.as_deref();
    let both = before.reach_of(row, of).zip(after.reach_of(row, of));
    if let Some(what) = both.and_then(|(before, after)| missing(Measure::of(of), before, after)) {
        desk.find(
            Severity::Impossible,
            (claim.text.clone(), &[claim.at.as_str(), after.at.as_str()]),
            format!("{of} {what} there"),
            format!(
                "{} at {}, {} at {}",
                precise(low),
                before.name,
                precise(high),
                after.name
            ),
        );
    } else if below.len() < 2 {
        desk.find(
            Severity::Unsupported,
            (
                claim.text.clone(),
                &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
            ),
            "only one level before the jump has data, so any change would look like a cliff",
            format!(
                "levels with {of} up to {}: {}; {of} {} → {}",
                before.name,
                below.len(),
                precise(low),
                precise(high)
            ),
        );
    }
}

/// Returns the change that a cliff should show if the figure does not show it. At a cliff, times rise, and rates and
/// success rates fall.
fn missing(measure: Measure, before: Reach, after: Reach) -> Option<&'static str> {
    let rises = after.high > before.low;
    let falls = after.low < before.high;
    match measure.more_is_better() {
        Some(false) => (!rises).then_some("does not rise"),
        Some(true) => (!falls).then_some("does not fall"),
        None => (!rises && !falls).then_some("does not change"),
    }
}

fn users(level: &Level) -> f64 {
    level.users.as_ref().map_or(0.0, |users| users.value)
}
