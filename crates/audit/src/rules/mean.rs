//! A mean must lie within the bounds that follow from percentiles, minimum and maximum. `bounds.rs` explains them.

use crate::bounds::mean_bounds_from;
use crate::bounds::{Bounds, mean_bounds};
use crate::finding::Severity;
use crate::number::time;
use crate::results::{Level, Method, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "mean-out-of-reach",
    says: "a mean is larger or smaller than the percentiles, the minimum and the maximum allow",
    needs: Needs::Figures(
        "for one operation: the sample count, the mean, and percentiles or the maximum",
    ),
    instead: "mean and percentiles of the same samples, from a histogram whose last bucket does not hide the tail \
              (HDR)",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows().filter(|row| !row.times.is_empty()) {
            check_row(level, row, desk);
        }
        if level.all_rows().all(|row| row.times.is_empty()) {
            desk.lacks(level.name.clone(), "times");
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
    if row.times.method == Method::Sketch {
        desk.lacks(
            name.clone(),
            "percentiles with an error bound, which a sketch does not have",
        );
    }
    // A mean is impossible only if it contradicts every possible number of samples.
    let counts = row.sample_counts();
    let bounds: Vec<Bounds> = counts
        .iter()
        .filter_map(|count| mean_bounds(*count, row))
        .collect();
    let (Some(count), Some(loosest)) = (counts.last(), Bounds::loosest(&bounds)) else {
        return desk.lacks(name, "the exact number of samples");
    };
    desk.checked();
    let place = [mean.at.as_str(), row.at.as_str()];
    let listed = listed(row);
    let rounding = (1e-9 + row.times.resolution) * mean.value.abs();
    let severity = severity(row, (mean.low() - rounding, mean.high() + rounding));
    if let Some(high) = loosest.high.filter(|high| mean.low() > high + rounding) {
        desk.find(
            severity,
            (name, &place),
            format!("no {} samples with these percentiles can have a mean of {}", precise(*count), time(mean.value)),
            format!(
                "{listed} allow a mean of at most {}, whatever the definition of a percentile; published: {}",
                time(high),
                time(mean.value)
            ),
        );
    } else if mean.high() < loosest.low - rounding {
        desk.find(
            severity,
            (name, &place),
            format!(
                "no {} samples with these percentiles can have a mean as small as {}",
                precise(*count),
                time(mean.value)
            ),
            format!(
                "{listed} require a mean of at least {}; published: {}",
                time(loosest.low),
                time(mean.value)
            ),
        );
    }
}

/// If failures or unfinished operations are not stated, the times may cover fewer operations. A mean that is possible
/// for fewer samples is unsupported, but not impossible.
fn severity(row: &Row, (low, high): (f64, f64)) -> Severity {
    let fewer = mean_bounds_from(row.fewest_samples(), row);
    let possible =
        |bounds: Bounds| bounds.high.is_none_or(|most| low <= most) && high >= bounds.low;
    if row.samples_are_told() || fewer.is_some_and(|bounds| !possible(bounds)) {
        Severity::Impossible
    } else {
        Severity::Unsupported
    }
}

fn listed(row: &Row) -> String {
    let figures = row.times.each().filter(|(name, _)| name != "mean");
    let words: Vec<String> = figures
        .map(|(name, figure)| format!("{name} {}", time(figure.value)))
        .collect();
    words.join(", ")
}
