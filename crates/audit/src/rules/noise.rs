//! Two shares differ by more than chance if Newcombe's 95 % interval of their difference excludes 0. Reference:
//! Newcombe, "Interval Estimation for the Difference Between Independent Proportions", 1998, method 10, from two Wilson
//! intervals. For rates and times, a comparison needs more than one run of each level.

use crate::claim::{Claim, Kind};
use crate::finding::Severity;
use crate::number::percent;
use crate::results::{Level, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "inside-the-noise",
    says: "the claimed difference could be due to chance, or cannot be shown by single runs",
    needs: Needs::Claim("a claim of kind `change`, `better` or `cliff`"),
    instead: "several runs of each level, alternating between levels, and a confidence interval for the difference",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in &results.claims {
        if !matches!(claim.kind, Kind::Change | Kind::Better | Kind::Cliff) {
            continue;
        }
        let levels = results.levels_of(claim);
        let (Some(before), Some(after)) = (levels.first(), levels.get(1)) else {
            continue;
        };
        if claim.of.iter().any(|of| of == "success") {
            shares(claim, before, after, desk);
        } else {
            runs(claim, before, after, desk);
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts; `as` from a float saturates"
)]
fn shares(claim: &Claim, before: &Level, after: &Level, desk: &mut Desk<'_>) {
    let row = claim.row.as_deref();
    let hits = |level: &Level| {
        level
            .row(row)
            .and_then(Row::hits)
            .map(|(ok, sent)| (ok.max(0.0) as u64, sent.max(0.0) as u64))
    };
    let (Some(one), Some(other)) = (hits(before), hits(after)) else {
        return desk.lacks(
            claim.text.clone(),
            "the counts of successes before and after",
        );
    };
    let Some((low, high)) = newcombe(one, other) else {
        return;
    };
    desk.checked();
    if low <= 0.0 && high >= 0.0 {
        desk.find(
            Severity::Unsupported,
            (
                claim.text.clone(),
                &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
            ),
            "the difference could be due to chance alone",
            format!(
                "{} of {} against {} of {}: the 95 % interval of the difference is {} to {}",
                one.0,
                one.1,
                other.0,
                other.1,
                percent(low),
                percent(high)
            ),
        );
    }
}

/// Returns the 95 % interval of the second share minus the first share.
pub(super) fn newcombe(one: (u64, u64), other: (u64, u64)) -> Option<(f64, f64)> {
    let ((low_one, high_one), (low_other, high_other)) = (
        stats::wilson(one.0, one.1)?,
        stats::wilson(other.0, other.1)?,
    );
    let share = |(hits, trials): (u64, u64)| hits.min(trials) as f64 / trials as f64;
    let (first, second) = (share(one), share(other));
    let difference = second - first;
    let below = ((second - low_other).powi(2) + (high_one - first).powi(2)).sqrt();
    let above = ((high_other - second).powi(2) + (first - low_one).powi(2)).sqrt();
    Some((difference - below, difference + above))
}

fn runs(claim: &Claim, before: &Level, after: &Level, desk: &mut Desk<'_>) {
    let (Some(one), Some(other)) = (&before.repetitions, &after.repetitions) else {
        return desk.lacks(
            claim.text.clone(),
            "the number of runs of each level (`repetitions`)",
        );
    };
    desk.checked();
    if one.value < 2.0 || other.value < 2.0 {
        desk.find(
            Severity::Doubtful,
            (claim.text.clone(), &[claim.at.as_str()]),
            "with single runs, the variation between runs of the same level is unknown",
            format!(
                "{}: {} run, {}: {} run",
                before.name,
                precise(one.value),
                after.name,
                precise(other.value)
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::newcombe;

    #[test]
    fn the_interval_is_that_of_newcombe_s_own_example() {
        // Newcombe 1998, table II, (a): 56/70 − 48/80 = 0.2, method 10: 0.0524 to 0.3339.
        let (low, high) = newcombe((48, 80), (56, 70)).unwrap();
        assert!(
            (low - 0.0524).abs() < 5e-4 && (high - 0.3339).abs() < 5e-4,
            "{low} {high}"
        );
    }
}
