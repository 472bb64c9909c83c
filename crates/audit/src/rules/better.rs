//! "Better" means a higher success rate, a higher throughput and shorter times, in every stated figure. A claim of
//! improvement must also mention the figures that became worse.

use crate::claim::{Claim, Kind};
use crate::finding::Severity;
use crate::measure::Measure;
use crate::reach::Reach;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "better",
    says: "the figures of a claimed improvement are worse, or most of the other times are",
    needs: Needs::Claim("a claim of kind `better`"),
    instead: "all figures of both levels in one table, from repeated runs under the same load",
    check,
};

/// Factor by which a time must have grown to count as worse.
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
            worse.push(format!("{of} {} → {}", precise(one), precise(other)));
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
            "the figures are worse"
        } else {
            "some of the figures are worse"
        },
        worse.join(", "),
    );
}

/// Returns the value to compare. Failures become a share if the total is known.
fn figure(level: &Level, claim: &Claim, of: &str) -> Option<f64> {
    let row = claim.row.as_deref();
    if of == "failed"
        && let Some(success) = level.figure(row, "success")
    {
        return Some(100.0 - success.value);
    }
    level.figure(row, of).map(|figure| figure.value)
}

/// Whether the figure became worse under every rounding and interpretation. False for counts, because they depend on
/// the length of the run.
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
                    precise(time.value),
                    precise(now.value)
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
            "most of the other times are worse",
            format!("{}{rest} (in ms; compared: {compared})", slower.join(", ")),
        );
    }
}
