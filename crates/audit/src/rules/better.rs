//! "Better" is more success and rate, and less time, in every figure that is told; and what became worse beside it
//! belongs into the same sentence.

use crate::measure::Measure;
use crate::number::short;
use crate::reach::Reach;
use crate::{Claim, Desk, Kind, Level, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "better",
    says: "what is called better is worse in its figures, or everything beside it became worse",
    needs: "a claim of the kind better",
    instead: "all figures of both, side by side, from repeated runs under the same load",
    check,
};

/// A time that grew by more than this became worse.
const WORSE: f64 = 1.2;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Better) {
        let levels = results.levels_of(claim);
        let (Some(before), Some(after)) = (levels.first(), levels.get(1)) else {
            continue;
        };
        desk.checked();
        told(claim, before, after, desk);
        beside(claim, before, after, desk);
    }
}

fn told(claim: &Claim, before: &Level, after: &Level, desk: &mut Desk<'_>) {
    let mut worse = Vec::new();
    let mut surely = 0;
    for of in &claim.of {
        let (one, other) = (figure(before, claim, of), figure(after, claim, of));
        let (Some(one), Some(other)) = (one, other) else {
            desk.lacks(claim.text.clone(), "the figures before and after");
            continue;
        };
        let got_worse = match Measure::of(of).more_is_better() {
            Some(true) => other < one,
            Some(false) => other > one,
            None => false,
        };
        if got_worse {
            surely += usize::from(surely_worse(claim, before, after, of));
            worse.push(format!("{of} {} → {}", short(one), short(other)));
        }
    }
    if worse.is_empty() {
        return;
    }
    let all = worse.len() == claim.of.len();
    desk.find(
        if surely == claim.of.len() {
            Severity::Impossible
        } else {
            Severity::Unsupported
        },
        (
            claim.text.clone(),
            &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
        ),
        if all {
            "it is worse"
        } else {
            "some of it is worse"
        },
        worse.join(", "),
    );
}

/// What is compared: what failed as a share, where it is told of how many.
fn figure(level: &Level, claim: &Claim, of: &str) -> Option<f64> {
    let row = claim.row.as_deref();
    if of == "failed"
        && let Some(success) = level.figure(row, "success")
    {
        return Some(100.0 - success.value);
    }
    level.figure(row, of).map(|figure| figure.value)
}

/// Whether no rounding and no other meaning makes it better. Counts depend on how long was counted.
fn surely_worse(claim: &Claim, before: &Level, after: &Level, of: &str) -> bool {
    let (measure, row) = (Measure::of(of), claim.row.as_deref());
    let both = before.reach_of(row, of).zip(after.reach_of(row, of));
    let worse = |(before, after): (Reach, Reach)| match measure.more_is_better() {
        Some(true) => after.high < before.low,
        _ => after.low > before.high,
    };
    measure.comparable() && both.is_some_and(worse)
}

fn beside(claim: &Claim, before: &Level, after: &Level, desk: &mut Desk<'_>) {
    let mut slower = Vec::new();
    let mut compared = 0;
    for row in &before.rows {
        for (name, time) in row.times.each().filter(|(name, _)| name != "min") {
            let Some(now) = after
                .figure(Some(&row.name), &name)
                .filter(|_| time.value > 0.0)
            else {
                continue;
            };
            compared += 1;
            if now.value / time.value > WORSE {
                slower.push(format!(
                    "{} {name} {} → {}",
                    row.name,
                    short(time.value),
                    short(now.value)
                ));
            }
        }
    }
    if compared >= 4 && 2 * slower.len() > compared {
        let more = slower.len().saturating_sub(4);
        slower.truncate(4);
        let rest = if more > 0 {
            format!(", and {more} more")
        } else {
            String::new()
        };
        desk.find(
            Severity::Unsupported,
            (claim.text.clone(), &[claim.at.as_str(), after.at.as_str()]),
            "most times beside it became worse",
            format!("{}{rest} (ms; of {compared} compared)", slower.join(", ")),
        );
    }
}
