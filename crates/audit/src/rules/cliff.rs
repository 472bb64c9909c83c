//! A cliff is a jump that users alone make. Two points are a line; a level without data is no point; and where levels
//! with the same users stand side by side, they must agree.

use crate::measure::Measure;
use crate::number::short;
use crate::reach::Reach;
use crate::{Claim, Desk, Kind, Level, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "cliff",
    says: "a cliff is seen where there are too few levels with data to see one",
    needs: "a claim of the kind cliff",
    instead: "levels on both sides of the jump, close to it, and the sound one repeated after it",
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
                short(low),
                before.name,
                short(high),
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
            "one level with data before the jump: any rise looks like a cliff from there",
            format!(
                "levels with {of} up to {}: {}; {of} {} → {}",
                before.name,
                below.len(),
                short(low),
                short(high)
            ),
        );
    }
}

/// What the figure does not do, that it does at a cliff: it becomes worse, whatever that is of it.
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
