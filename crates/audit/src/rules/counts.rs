//! Counts must add up: sent = ok + failed + unfinished, failed = the sum of its kinds, a share = its count / the total,
//! and a whole = the sum of its parts.
//!
//! The counts of a window may include operations that were in flight before the window. In a closed load, that is at
//! most one per user. A success rate may refer to the operations started or to those that ended.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::percent;
use crate::reach::Reach;
use crate::results::{Level, Loop, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "counts-do-not-add-up",
    says: "parts do not add up to the total, or a percentage does not match the counts",
    needs: Needs::Figures("counts of the operations started, and of their outcomes"),
    instead: "every operation counted once when it starts and once when it ends: as ok, as failed (by kind) or as \
              unfinished",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows() {
            ends(level, row, desk);
            kinds(level, row, desk);
            share(level, row, desk);
        }
        windows(level, desk);
    }
}

fn ends(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let counts = &row.counts;
    let (Some(sent), Some(ok)) = (&counts.sent, &counts.ok) else {
        return;
    };
    let parts: Vec<&Figure> = [Some(ok), counts.failed.as_ref(), counts.unfinished.as_ref()]
        .into_iter()
        .flatten()
        .collect();
    let (least, most) = (sum(&parts, Figure::low), sum(&parts, Figure::high));
    desk.checked();
    // Reports often omit unfinished operations. A sum below the number of starts is therefore only a gap, but a larger
    // sum is impossible.
    let told = counts.failed.is_some();
    let before = match (&level.users, level.shape) {
        (Some(users), Some(Loop::Closed)) => users.high(),
        _ => f64::INFINITY,
    };
    let (severity, what) = if least > sent.high() + before {
        (
            Severity::Impossible,
            "more operations ended than were started",
        )
    } else if least > sent.high() {
        (
            Severity::Unsupported,
            "more operations ended than were started: some began before the count, or were counted twice",
        )
    } else if most < sent.low() && told && counts.unfinished.is_some() {
        (
            Severity::Impossible,
            "the outcomes do not add up to the number of starts",
        )
    } else if most < sent.low() && told {
        (Severity::Doubtful, "for some starts, no outcome is stated")
    } else {
        return;
    };
    let words: Vec<String> = parts.iter().map(|part| precise(part.value)).collect();
    desk.find(
        severity,
        (level.call(row), &[sent.at.as_str(), ok.at.as_str()]),
        what,
        format!(
            "{} = {}, started: {}",
            words.join(" + "),
            precise(sum(&parts, |part| part.value)),
            precise(sent.value)
        ),
    );
}

fn kinds(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let kinds: Vec<&Figure> = row.counts.failures.iter().map(|(_, count)| count).collect();
    let Some(failed) = row.counts.failed.as_ref().filter(|_| !kinds.is_empty()) else {
        return;
    };
    desk.checked();
    let (least, most) = (sum(&kinds, Figure::low), sum(&kinds, Figure::high));
    let (severity, what) = if least > failed.high() {
        (
            Severity::Impossible,
            "the failures by kind exceed the number of failures",
        )
    } else if most < failed.low() {
        (Severity::Doubtful, "for some failures, no kind is stated")
    } else {
        return;
    };
    desk.find(
        severity,
        (level.call(row), &[failed.at.as_str(), kinds[0].at.as_str()]),
        what,
        format!(
            "Σ of the kinds = {}, failed: {}",
            precise(sum(&kinds, |kind| kind.value)),
            precise(failed.value)
        ),
    );
}

fn share(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let (Some(stated), Some((ok, sent))) = (&row.counts.success_percent, row.hits()) else {
        return;
    };
    if sent <= 0.0 {
        return;
    }
    desk.checked();
    let (low, high) = (stated.low() - 1e-6, stated.high() + 1e-6);
    let fits = |share: Reach| 100.0 * share.low <= high && 100.0 * share.high >= low;
    if !row.shares().into_iter().any(fits) {
        // Operations that are missing from the counts may be unfinished.
        let possible = |share: Reach| share.low <= high && share.high >= low;
        let severity = if row.counted_success().is_some_and(possible) {
            Severity::Unsupported
        } else {
            Severity::Impossible
        };
        desk.find(
            severity,
            (level.call(row), &[stated.at.as_str(), row.at.as_str()]),
            format!(
                "{} % success does not match the counts",
                precise(stated.value)
            ),
            format!(
                "{} of {} = {}",
                precise(ok),
                precise(sent),
                percent(ok / sent)
            ),
        );
    }
}

fn windows(level: &Level, desk: &mut Desk<'_>) {
    let Some(sent) = level
        .total
        .counts
        .sent
        .as_ref()
        .filter(|_| !level.windows.is_empty())
    else {
        return;
    };
    desk.checked();
    let parts: Vec<&Figure> = level.windows.iter().collect();
    let (severity, what) = if sum(&parts, Figure::low) > sent.high() {
        let severity = if longer_than_the_run(level) {
            Severity::Unsupported
        } else {
            Severity::Impossible
        };
        (severity, "the windows add up to more than the total")
    } else if sum(&parts, Figure::high) < sent.low() {
        (
            Severity::Doubtful,
            "the windows add up to less than the total: some windows are missing",
        )
    } else {
        return;
    };
    desk.find(
        severity,
        (&level.name, &[parts[0].at.as_str(), sent.at.as_str()]),
        what,
        format!(
            "Σ of {} windows = {}, total: {}",
            parts.len(),
            precise(sum(&parts, |part| part.value)),
            precise(sent.value)
        ),
    );
}

/// Whether the windows may extend beyond the whole, for example into the warm-up. Also true if a length is unknown.
fn longer_than_the_run(level: &Level) -> bool {
    let Some((window, duration)) = level.window_s.as_ref().zip(level.duration_s.as_ref()) else {
        return true;
    };
    // The last window may have begun just before the end of the run.
    let whole = level.windows.len().saturating_sub(1) as f64;
    whole * window.low() >= duration.high()
}

fn sum(parts: &[&Figure], of: impl Fn(&Figure) -> f64) -> f64 {
    parts.iter().map(|part| of(part)).sum()
}
