//! A client with timeout t never measures a time beyond t. A percentile that equals t shows only the timeout; the true
//! percentile is unknown.

use crate::finding::Severity;
use crate::number::time;
use crate::results::{Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::percentile;

pub(super) const RULE: Rule = Rule {
    name: "at-the-timeout",
    says: "percentiles show the client's timeout, not times of the system",
    needs: Needs::Figures("times of an operation, and the client's timeout"),
    instead: "timeouts counted separately; a percentile that falls among the timeouts stated as \"longer than 15 s\"",
    check,
};

/// Relative error that clocks and timers may have.
const LATE: f64 = 0.01;
/// Share of the timeout above which a time would probably exceed the timeout at a slightly higher load.
const NEAR: f64 = 0.9;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows().filter(|row| !row.times.is_empty()) {
            let Some(timeout) = row.timeout_ms.as_ref().map(|timeout| timeout.value) else {
                desk.lacks(level.call(row), "the timeout");
                continue;
            };
            desk.checked();
            let at = at_limit(row, timeout);
            if let Some(first) = at.first() {
                desk.find(
                    Severity::Unsupported,
                    (level.call(row), &[row.at.as_str()]),
                    format!("{} and all higher percentiles show the timeout of {}: the true times are longer, and \
                             unknown", first.0, time(timeout)),
                    at.iter().map(|(name, value)| format!("{name} = {}", time(*value))).collect::<Vec<_>>().join(", "),
                );
            } else if let Some(max) = row
                .times
                .max
                .as_ref()
                .filter(|max| max.value >= NEAR * timeout)
            {
                desk.find(
                    Severity::Doubtful,
                    (level.call(row), &[max.at.as_str()]),
                    "the times are just below the timeout: this level is not stable, but about to fail",
                    format!(
                        "max {} = {} of the timeout of {}",
                        time(max.value),
                        crate::number::percent(max.value / timeout),
                        time(timeout)
                    ),
                );
            }
        }
    }
}

fn at_limit(row: &Row, timeout: f64) -> Vec<(String, f64)> {
    let listed = row
        .times
        .percentiles
        .iter()
        .map(|(q, time)| (percentile(*q), time.value));
    let max = row
        .times
        .max
        .iter()
        .map(|max| ("max".to_owned(), max.value));
    listed
        .chain(max)
        .filter(|(_, value)| *value >= timeout * (1.0 - LATE))
        .collect()
}
