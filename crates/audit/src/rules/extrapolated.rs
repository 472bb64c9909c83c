//! Figures for an untested load are guesses, whether the load is above the highest level or between two levels. A
//! success rate from n flows may also be too high: Wilson's interval for n of n begins at about 1 − 4 / (n + 4).

use crate::claim::{Claim, Kind};
use crate::finding::Severity;
use crate::number::percent;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "not-measured",
    says: "a capacity is claimed or denied for a number of users that was not tested, or was tested too rarely",
    needs: Needs::Claim("a claim of kind `handles`"),
    instead: "a level with that load, or a model, named as such and stated with its confidence interval",
    check,
};

/// Factor around a level's number of users within which the level covers other numbers of users.
const NEAR: f64 = 1.02;
/// A success rate of 100 % is doubtful if its confidence interval begins below this value.
const SURE: f64 = 0.95;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Handles) {
        let Some(users) = claim.users else {
            continue;
        };
        let run: Vec<(f64, &Level)> = results
            .levels
            .iter()
            .filter_map(|level| Some((level.users.as_ref()?.value, level)))
            .collect();
        let highest = run.iter().map(|(users, _)| *users).fold(0.0, f64::max);
        if run.is_empty() {
            desk.lacks(claim.text.clone(), "the number of users of each level");
            continue;
        }
        desk.checked();
        let near = |at: f64| {
            run.iter()
                .find(|(users, _)| at / users < NEAR && users / at < NEAR)
        };
        if users.high > highest * NEAR {
            beyond(claim, users.high, highest, desk);
        } else if near(users.high).is_none() || near(users.low).is_none() {
            let lacking = if near(users.high).is_none() {
                users.high
            } else {
                users.low
            };
            between(claim, lacking, &run, desk);
        } else if let Some((_, level)) = near(users.high) {
            few(claim, level, desk);
        }
    }
}

fn beyond(claim: &Claim, users: f64, highest: f64, desk: &mut Desk<'_>) {
    desk.find(
        Severity::Unsupported,
        (claim.text.clone(), &[claim.at.as_str()]),
        format!("no load above {} users was tested", precise(highest)),
        format!(
            "{} / {} = {} × the highest level",
            precise(users),
            precise(highest),
            precise(users / highest)
        ),
    );
}

fn between(claim: &Claim, users: f64, run: &[(f64, &Level)], desk: &mut Desk<'_>) {
    let mut all: Vec<f64> = run.iter().map(|(users, _)| *users).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let words: Vec<String> = all.iter().map(|users| precise(*users)).collect();
    desk.find(
        Severity::Unsupported,
        (claim.text.clone(), &[claim.at.as_str()]),
        format!("{} users were not tested", precise(users)),
        format!("levels: {}", words.join(", ")),
    );
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts; `as` from a float saturates"
)]
fn few(claim: &Claim, level: &Level, desk: &mut Desk<'_>) {
    let Some((ok, sent)) = level.total.hits() else {
        return desk.lacks(claim.text.clone(), "the number of successes");
    };
    let Some((low, _)) = stats::wilson(ok.max(0.0) as u64, sent.max(0.0) as u64) else {
        return;
    };
    if ok >= sent && low < SURE {
        desk.find(
            Severity::Doubtful,
            (claim.text.clone(), &[claim.at.as_str(), level.at.as_str()]),
            format!(
                "{} of {} could also occur with a lower true rate",
                precise(ok),
                precise(sent)
            ),
            format!(
                "Wilson's 95 % interval of {} of {} begins at {}",
                precise(ok),
                precise(sent),
                percent(low)
            ),
        );
    }
}
