//! Failures are often faster than responses, or take as long as a timeout. If most requests failed, the percentiles
//! describe the failures. If failures have no times, the percentiles describe the few successes.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::percent;
use crate::results::{Level, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "mostly-failed",
    says: "more than half of the requests failed, so the times cover failures or only a few successes",
    needs: Needs::Figures("times of an operation, and its number of failures"),
    instead: "a healthy target, and the times of successes together with the share of success",
    check,
};

/// Share of failures above which figures of all operations describe the failures.
const MOST: f64 = 0.5;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let mut told = false;
        for row in level.all_rows().filter(|row| !row.times.is_empty()) {
            let Some((failed, all)) = failed_of(row) else {
                desk.lacks(level.call(row), "the number of failures");
                continue;
            };
            desk.checked();
            told |= failed > MOST * all;
            check_row(level, row, (failed, all), desk);
        }
        // Checks of response contents have no times, but they show whether the times describe failures. An operation
        // with a number of timed samples, even 0, has times of its own, so the other times do not describe it.
        let timed = level.all_rows().any(|row| !row.times.is_empty());
        let is_check = |row: &&Row| row.times.is_empty() && row.times.samples.is_none();
        let bare = level.rows.iter().filter(is_check);
        for row in bare.filter(|_| timed && !told) {
            if let Some((failed, all)) = failed_of(row).filter(|(failed, all)| *failed > MOST * all)
            {
                tell(
                    level,
                    row,
                    (failed, all),
                    (Severity::Doubtful, "the times may cover failures"),
                    desk,
                );
            }
        }
    }
}

/// Returns the numbers of failures and of all operations. Counts, kinds and the stated share may disagree, so the one
/// with the most failures is used.
fn failed_of(row: &Row) -> Option<(f64, f64)> {
    let counts = &row.counts;
    let kinds = || {
        let sum: f64 = counts.failures.iter().map(|(_, count)| count.value).sum();
        (!counts.failures.is_empty()).then_some(sum)
    };
    let sent = counts.sent.as_ref().map(|sent| sent.value);
    let unanswered = counts.unanswered.as_ref().map(|count| count.value);
    let by_share = || {
        let share = counts.success_percent.as_ref()?.value / 100.0;
        let sent = sent.filter(|sent| *sent > 0.0)?;
        Some(((1.0 - share) * sent, sent))
    };
    let counted = || {
        let failed = counts.failed.as_ref().map(|failed| failed.value);
        let all = sent.filter(|sent| *sent > 0.0)?;
        let more = unanswered.unwrap_or(0.0);
        let failed = failed.or_else(kinds).or(unanswered.map(|_| 0.0))?;
        Some((failed.min(all) + more, all + more))
    };
    let ended = row.hits().map(|(ok, all)| (all - ok, all));
    let found = [counted(), ended, by_share()].into_iter().flatten();
    found
        .filter(|(_, all)| *all > 0.0)
        .max_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1)))
}

fn check_row(level: &Level, row: &Row, (failed, all): (f64, f64), desk: &mut Desk<'_>) {
    if failed <= MOST * all {
        return;
    }
    let timed = row
        .times
        .samples
        .as_ref()
        .map_or(f64::INFINITY, Figure::low);
    let others = all - failed;
    let unanswered = row.counts.unanswered.as_ref();
    let unanswered = unanswered.map_or(0.0, |count| count.value);
    let most_responses_succeeded = failed - unanswered <= MOST * (all - unanswered);
    let what = if failed >= all {
        (
            Severity::Unsupported,
            "every request failed, so the times cover only failures",
        )
    } else if timed <= others || most_responses_succeeded {
        (
            Severity::Doubtful,
            "the times cover only the few requests that succeeded",
        )
    } else {
        (
            Severity::Unsupported,
            "most of the timed requests failed, so the times mainly describe failures",
        )
    };
    tell(level, row, (failed, all), what, desk);
}

fn tell(
    level: &Level,
    row: &Row,
    (failed, all): (f64, f64),
    (severity, what): (Severity, &str),
    desk: &mut Desk<'_>,
) {
    desk.find(
        severity,
        (level.call(row), &[row.at.as_str()]),
        what,
        format!(
            "{} of {} failed, {}",
            precise(failed.round()),
            precise(all),
            percent(failed / all)
        ),
    );
}
