//! A percentile needs samples beyond it. With fewer than ten, its 95 % interval is too wide to be useful. By order
//! statistics, the number beyond it is binomial, with the standard deviation √(n·q·(1 − q)).

use crate::finding::Severity;
use crate::results::{Level, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::{percentile, precise};

pub(super) const RULE: Rule = Rule {
    name: "too-few-samples",
    says: "too few samples lie beyond a percentile",
    needs: Needs::Figures("percentiles"),
    instead: "at least 10 / (1 − q) samples: 200 for p95, 1,000 for p99",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level
            .all_rows()
            .filter(|row| !row.times.percentiles.is_empty())
        {
            match row.samples() {
                Some(count) => check_row(level, row, count.high(), desk),
                None => desk.lacks(level.call(row), "the number of samples"),
            }
        }
    }
}

fn check_row(level: &Level, row: &Row, count: f64, desk: &mut Desk<'_>) {
    desk.checked();
    // A percentile that a tool always prints is reported only if less than one sample lies beyond it.
    let listed = row.times.percentiles.iter();
    let few: Vec<f64> = if row.times.fixed_list {
        listed
            .map(|(q, _)| *q)
            .filter(|q| *q <= 0.99 && *q > 0.5 && count * (1.0 - q) < 1.0 - 1e-9)
            .collect()
    } else {
        listed
            .map(|(q, _)| *q)
            .filter(|q| *q > 0.5 && count * (1.0 - q) < 10.0 - 1e-9)
            .collect()
    };
    if few.is_empty() || count < 1.0 {
        return;
    }
    let words: Vec<String> = few
        .iter()
        .map(|q| {
            format!(
                "{}: {} beyond",
                percentile(*q),
                precise((count * (1.0 - q) * 10.0).round() / 10.0)
            )
        })
        .collect();
    let names: Vec<String> = few.iter().map(|q| percentile(*q)).collect();
    desk.find(
        Severity::Doubtful,
        (level.call(row), &[row.at.as_str()]),
        format!("{} of {} samples", names.join(" and "), precise(count)),
        words.join(", "),
    );
}
