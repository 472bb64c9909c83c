//! "100 %" beside failures; and what no failure in n leaves possible: at most 3/n (the rule of three, from
//! (1 − p)^n = 5 %).

use crate::number::{percent, short};
use crate::{Claim, Desk, Kind, Level, Results, Row, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "success-beside-failures",
    says: "success of 100 % is told where failures were counted, or rests on few",
    needs: "a stated share of success, or a claim of one",
    instead: "failures by kind beside every share of success, and its bound where none was seen (3/n)",
    check,
};

/// A promise of "no errors" is worth telling when it still allows more than this share of failures.
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
        for level in levels {
            of_claim(claim, level, desk);
        }
    }
}

/// A tool that calls an error answer a success: all kinds of failure are in the figures, and 100 % beside them.
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
    let failures = row
        .counts
        .failures
        .iter()
        .filter(|(_, count)| count.value > 0.0);
    let words: Vec<String> = failures
        .map(|(kind, count)| format!("{kind}: {} times", short(count.value)))
        .collect();
    if row.counts.failed.is_none() && !words.is_empty() {
        desk.find(
            Severity::Impossible,
            (level.call(row), &[stated.at.as_str(), row.at.as_str()]),
            "100 % success beside failures",
            words.join(", "),
        );
    }
}

fn of_claim(claim: &Claim, level: &Level, desk: &mut Desk<'_>) {
    let share = claim.value.as_ref().map_or(100.0, crate::Figure::low);
    let mut tried = 0.0;
    for row in level
        .all_rows()
        .filter(|row| claim.row.as_ref().is_none_or(|name| &row.name == name))
    {
        let Some((ok, sent)) = row.hits().filter(|(_, sent)| *sent > 0.0) else {
            continue;
        };
        tried = f64::max(tried, sent);
        desk.checked();
        // What had not ended is no failure.
        if 100.0 * ok / sent < share - 1e-9 {
            desk.find(
                Severity::Impossible,
                (claim.text.clone(), &[claim.at.as_str(), row.at.as_str()]),
                format!("failures stand beside it: {}", level.call(row)),
                format!(
                    "{} of {} failed, {}",
                    short(sent - ok),
                    short(sent),
                    percent(1.0 - ok / sent)
                ),
            );
        }
    }
    let bound = if tried > 0.0 {
        3.0 / tried
    } else {
        return desk.lacks(level.name.clone(), "counts of what failed");
    };
    if bound > TOO_MUCH && share >= 100.0 {
        desk.find(
            Severity::Doubtful,
            (claim.text.clone(), &[claim.at.as_str(), level.at.as_str()]),
            format!(
                "{} are few: {} of them could fail all the same ({})",
                short(tried),
                percent(bound.min(1.0)),
                level.name
            ),
            format!(
                "no failure in {} leaves up to 3/{0} = {} at 95 %",
                short(tried),
                percent(bound.min(1.0))
            ),
        );
    }
}
