//! A mean must lie between the bounds that percentiles, minimum and maximum leave (`bounds.rs` has the arithmetic).

use crate::number::{short, time};
use crate::{Desk, Level, Results, Row, Rule, Severity, mean_bounds};

pub(super) const RULE: Rule = Rule {
    name: "mean-out-of-reach",
    says: "a mean is larger or smaller than the percentiles, the minimum and the maximum allow",
    instead: "a histogram without a last bucket that swallows the tail (HDR), and mean and percentiles from the same samples",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows().filter(|row| !row.times.is_empty()) {
            check_row(level, row, desk);
        }
    }
}

fn check_row(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let name = level.call(row);
    let Some(mean) = &row.times.mean else {
        return desk.lacks(name, "the mean");
    };
    if row.times.percentiles.is_empty() && row.times.max.is_none() {
        return desk.lacks(name, "percentiles or the maximum");
    }
    let Some(count) = row.samples() else {
        return desk.lacks(name, "the number of samples");
    };
    if count.slack > 0.0 {
        return desk.lacks(name, "the exact number of samples");
    }
    let Some(bounds) = mean_bounds(count.value, &row.times) else {
        return;
    };
    desk.checked();
    let place = [mean.at.as_str(), row.at.as_str()];
    let listed = listed(row);
    let rounding = 1e-9 * mean.value.abs();
    if let Some(high) = bounds.high.filter(|high| mean.low() > high + rounding) {
        desk.find(
            Severity::Impossible,
            (name, &place),
            format!("no {} samples with these percentiles can have a mean of {}", short(count.value), time(mean.value)),
            format!(
                "{listed} allow a mean of at most {}, whatever the definition of a percentile; published: {}",
                time(high),
                time(mean.value)
            ),
        );
    } else if mean.high() < bounds.low - rounding {
        desk.find(
            Severity::Impossible,
            (name, &place),
            format!(
                "no {} samples with these percentiles can have a mean as small as {}",
                short(count.value),
                time(mean.value)
            ),
            format!(
                "{listed} ask for a mean of at least {}; published: {}",
                time(bounds.low),
                time(mean.value)
            ),
        );
    }
}

fn listed(row: &Row) -> String {
    let figures = row.times.each().filter(|(name, _)| name != "mean");
    let words: Vec<String> = figures
        .map(|(name, figure)| format!("{name} {}", time(figure.value)))
        .collect();
    words.join(", ")
}
