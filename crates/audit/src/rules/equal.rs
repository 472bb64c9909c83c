//! Two times are rarely equal in three digits. If p99 equals the maximum, there are at most about 100 samples. If p95
//! equals p99, there are most likely fewer, or the tail is cut off. If the number of samples is stated, the rule
//! `too-few-samples` is more precise.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::time;
use crate::results::{Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::percentile;

pub(super) const RULE: Rule = Rule {
    name: "equal-percentiles",
    says: "two high percentiles are equal, or one equals the maximum: few samples, or a cut-off tail",
    needs: Needs::Figures("high percentiles whose sample count is unknown"),
    instead: "the sample count of every percentile, and no percentile with fewer than ten samples beyond it",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows().filter(|row| {
            row.samples().is_none() && !row.times.fixed_list && row.edges_ms.is_empty()
        }) {
            let high = ladder(row);
            if high.len() > 1 {
                desk.checked();
            }
            let same = high
                .windows(2)
                .find(|pair| same(pair[0].1, pair[1].1) && !at_timeout(row, pair[1].1));
            if let Some([(one, low), (other, top)]) = same {
                desk.find(
                    Severity::Doubtful,
                    (level.call(row), &[low.at.as_str(), top.at.as_str()]),
                    format!(
                        "{one} and {other} are equal: with few samples, both are the longest time"
                    ),
                    format!(
                        "{one} = {other} = {}; the number of samples is not stated",
                        time(top.value)
                    ),
                );
            }
        }
    }
}

fn ladder(row: &Row) -> Vec<(String, &Figure)> {
    let high = row.times.percentiles.iter().filter(|(q, _)| *q >= 0.95);
    let mut ladder: Vec<(String, &Figure)> = high.map(|(q, time)| (percentile(*q), time)).collect();
    ladder.extend(row.times.max.as_ref().map(|max| ("max".to_owned(), max)));
    ladder
}

/// Whether both times are equal and printed to about 1 % or finer. Times with fewer digits are often equal by chance.
fn same(one: &Figure, other: &Figure) -> bool {
    one.value > 0.0
        && one.value.to_bits() == other.value.to_bits()
        && one.slack <= 0.011 * one.value
}

/// Whether the time equals the timeout. The rule `at-the-timeout` reports such times.
fn at_timeout(row: &Row, time: &Figure) -> bool {
    row.timeout_ms
        .as_ref()
        .is_some_and(|timeout| time.value >= 0.99 * timeout.value)
}
