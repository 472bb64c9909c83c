//! The planned load is the starts that happened plus those that did not. If starts were dropped or late, they are
//! missing from the percentiles, and the load was lower than stated. If an open load ends long after its last start,
//! the target did not keep up.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::percent;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "load-not-made",
    says: "the generator made less load than planned, or the target did not respond to all requests in time",
    needs: Needs::Figures(
        "the planned load (`offered`), or the number of dropped starts (`dropped`)",
    ),
    instead: "a generator that can make the planned load, or more users; the number of dropped starts with every \
              percentile",
    check,
};

/// Maximum share of missing starts that rounding, the ends of the run and chance can explain.
const MISSING: f64 = 0.05;
/// Share of dropped starts below which they are not reported.
const FEW: f64 = 0.001;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        dropped(level, desk);
        planned(level, desk);
        kept_up(level, desk);
    }
}

fn severity(missing: f64) -> Severity {
    if missing > MISSING {
        Severity::Unsupported
    } else {
        Severity::Doubtful
    }
}

fn dropped(level: &Level, desk: &mut Desk<'_>) {
    let Some(dropped) = &level.dropped else {
        return;
    };
    desk.checked();
    let started = level
        .total
        .counts
        .sent
        .as_ref()
        .map_or(0.0, |sent| sent.value);
    let share = dropped.value / (dropped.value + started).max(1.0);
    if share > FEW {
        desk.find(
            severity(share),
            (level.name.clone(), &[dropped.at.as_str()]),
            "part of the planned load was not made: the dropped starts are missing from the percentiles",
            format!(
                "{} dropped + {} started: {} of the planned starts were dropped",
                precise(dropped.value),
                precise(started),
                percent(share)
            ),
        );
    }
}

/// Returns the highest rate of starts that the figures allow.
fn made(level: &Level) -> Option<f64> {
    let row = &level.total;
    let ramp = level.ramp_s.as_ref().map_or(0.0, Figure::high);
    let counted = row.counts.sent.as_ref().zip(level.duration_s.as_ref());
    let counted = counted.map(|(sent, duration)| sent.high() / (duration.low() - ramp).max(1e-9));
    let told = row.rate_per_s.as_ref().map(Figure::high);
    let both = [counted, told].into_iter().flatten();
    both.reduce(f64::max)
}

fn planned(level: &Level, desk: &mut Desk<'_>) {
    let Some(offered) = level
        .offered_per_s
        .as_ref()
        .filter(|offered| offered.value > 0.0)
    else {
        return;
    };
    let Some(made) = made(level) else {
        return desk.lacks(
            level.name.clone(),
            "the number of starts, and the duration of the level",
        );
    };
    desk.checked();
    let missing = 1.0 - made / offered.low().max(1e-9);
    // The number of random starts varies by about its square root. Three times the square root is allowed.
    let count = level
        .total
        .counts
        .sent
        .as_ref()
        .map_or(0.0, |sent| sent.value);
    let chance = 3.0 / count.max(1.0).sqrt();
    if missing > MISSING + chance {
        desk.find(
            Severity::Unsupported,
            (
                level.name.clone(),
                &[offered.at.as_str(), level.at.as_str()],
            ),
            "the planned load was not made: the times were measured at a lower load than stated",
            format!(
                "planned {}/s, made {}/s: {} of the load is missing",
                precise(offered.value),
                precise(made),
                percent(1.0 - made / offered.value)
            ),
        );
    }
}

/// Compares the rate of planned starts with the rate of responses. The time behind the rate of responses includes the
/// wait for the last response.
fn kept_up(level: &Level, desk: &mut Desk<'_>) {
    let both = level
        .offered_per_s
        .as_ref()
        .zip(level.answered_per_s.as_ref());
    let success = level.total.counts.success_percent.as_ref();
    let Some(((offered, answered), success)) = both.zip(success) else {
        return;
    };
    desk.checked();
    let expected = offered.low() * success.low() / 100.0;
    let missing = 1.0 - answered.high() / expected.max(1e-9);
    if expected > 0.0 && missing > 2.0 * MISSING {
        desk.find(
            Severity::Doubtful,
            (
                level.name.clone(),
                &[answered.at.as_str(), offered.at.as_str()],
            ),
            "the target did not keep up: the last responses came long after the last start",
            format!(
                "{}/s started, {} successful, but only {}/s answered",
                precise(offered.value),
                percent(success.value / 100.0),
                precise(answered.value)
            ),
        );
    }
}
