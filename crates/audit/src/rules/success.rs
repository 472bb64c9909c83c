//! Checks "100 %" if failures are stated too, or if there were few operations. If none of n operations failed, the true
//! failure rate may still be 3/n (the rule of three, from (1 − p)^n = 5 %).

use crate::claim::{Claim, Kind};
use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::percent;
use crate::results::{Level, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "success-beside-failures",
    says: "100 % success is claimed, but failures were counted or there are few samples",
    needs: Needs::Figures("a stated share of success, or a claim of kind `success`"),
    instead: "the share of success with the failures by kind; if there were none, the bound 3/n",
    check,
};

/// A claim of "no errors" is reported if it still allows a failure rate above this value.
const TOO_MUCH: f64 = 0.005;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows() {
            stated_beside_kinds(level, row, desk);
        }
    }
    for claim in results.claims_of(Kind::Success) {
        let named = results.levels_of(claim);
        let levels: Vec<&Level> = if named.is_empty() {
            results.levels.iter().collect()
        } else {
            named
        };
        share(claim, &levels, desk);
        for level in levels {
            rests_on_few(claim, level, desk);
        }
    }
}

/// Finds tools that count error responses as successes: they state kinds of failures although the success rate is 100
/// %.
fn stated_beside_kinds(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let Some(stated) = row
        .counts
        .success_percent
        .as_ref()
        .filter(|stated| stated.value >= 100.0)
    else {
        return;
    };
    desk.checked();
    let kinds = row.counts.failures.iter();
    let kinds: Vec<_> = kinds.filter(|(_, count)| count.value > 0.0).collect();
    let failed: f64 = kinds.iter().map(|(_, count)| count.low()).sum();
    let most = row.counts.sent.as_ref().map_or(f64::INFINITY, Figure::high);
    let rounded_away = failed / most <= (100.0 - stated.low()) / 100.0 && most.is_finite();
    if row.counts.failed.is_none() && !kinds.is_empty() && !rounded_away {
        let words: Vec<String> = kinds
            .iter()
            .map(|(kind, count)| format!("{kind}: {} times", precise(count.value)))
            .collect();
        desk.find(
            Severity::Unsupported,
            (level.call(row), &[stated.at.as_str(), row.at.as_str()]),
            "100 % success is stated, but there are failures",
            words.join(", "),
        );
    }
}

/// The successes, the trials and the highest success rate that the figures of a claim allow.
struct Share<'a> {
    level: &'a Level,
    hits: (f64, f64),
    most: f64,
}

/// Returns the success rate of the row that the claim names, or of the whole level.
fn of<'a>(claim: &Claim, level: &'a Level) -> Option<Share<'a>> {
    let row = level.row(claim.row.as_deref())?;
    let hits = match &claim.row {
        Some(_) => row.hits(),
        None => level.hits(),
    };
    if hits.is_some_and(|(_, sent)| sent <= 0.0) {
        return None;
    }
    let counted = hits.map(|(ok, sent)| 100.0 * ok / sent);
    let most = row.success_reach().map(|reach| reach.high).or(counted)?;
    // If only the success rate is stated, the successes are computed from the operations sent.
    let hits = hits.or_else(|| {
        let (share, sent) = (
            row.counts.success_percent.as_ref()?,
            row.counts.sent.as_ref()?,
        );
        (sent.value > 0.0).then(|| (sent.value * share.value / 100.0, sent.value))
    })?;
    Some(Share { level, hits, most })
}

/// Compares a claim of success with its levels. If it names several levels, it may be about each level or about their
/// total. If it names none, it is about the whole run.
fn share(claim: &Claim, levels: &[&Level], desk: &mut Desk<'_>) {
    let (stated, least) = claim
        .value
        .as_ref()
        .map_or((100.0, 100.0), |value| (value.value, value.low()));
    let known: Vec<Share<'_>> = levels.iter().filter_map(|level| of(claim, level)).collect();
    if known.is_empty() {
        return;
    }
    desk.checked();
    let sent: f64 = known.iter().map(|share| share.hits.1).sum();
    let together: f64 = known.iter().map(|share| share.most * share.hits.1).sum();
    let all_told = known.len() == levels.len();
    // If the whole is 100 %, every part is 100 %, including parts that are not stated.
    let whole = (all_told || least >= 100.0) && together / sent.max(1e-9) < least - 1e-9;
    let worst = known
        .iter()
        .min_by(|one, other| one.most.total_cmp(&other.most));
    let Some(worst) = worst else { return };
    let (ok, tried) = worst.hits;
    let printed = 100.0 * ok / tried;
    let severity = if whole {
        Severity::Impossible
    } else if !claim.levels.is_empty() && worst.most < least - 1e-9
        || stated >= 100.0 && printed < 100.0
    {
        Severity::Unsupported
    } else {
        return;
    };
    desk.find(
        severity,
        (
            claim.text.clone(),
            &[claim.at.as_str(), worst.level.at.as_str()],
        ),
        format!("there are failures in {}", worst.level.name),
        format!(
            "{} of {} failed, {}",
            precise(tried - ok),
            precise(tried),
            percent(1.0 - ok / tried)
        ),
    );
}

fn rests_on_few(claim: &Claim, level: &Level, desk: &mut Desk<'_>) {
    let Some(share) = of(claim, level) else {
        return desk.lacks(level.name.clone(), "the number of failures");
    };
    let (ok, tried) = share.hits;
    let bound = 3.0 / tried;
    let all = claim
        .value
        .as_ref()
        .is_none_or(|value| value.value >= 100.0);
    if bound <= TOO_MUCH || !all || ok < tried {
        return;
    }
    desk.find(
        Severity::Doubtful,
        (claim.text.clone(), &[claim.at.as_str(), level.at.as_str()]),
        format!(
            "with only {} samples, {} of operations could still fail ({})",
            precise(tried),
            percent(bound.min(1.0)),
            level.name
        ),
        format!(
            "no failure in {} samples: the true failure rate is up to 3/{0} = {} at 95 % confidence",
            precise(tried),
            percent(bound.min(1.0))
        ),
    );
}
