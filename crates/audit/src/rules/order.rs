//! By definition, min ≤ p50 ≤ p90 ≤ … ≤ max, and min ≤ mean ≤ max.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::time;
use crate::results::{Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::percentile;

pub(super) const RULE: Rule = Rule {
    name: "not-ascending",
    says: "a higher percentile is smaller than a lower one, or a time lies outside the minimum and the maximum",
    needs: Needs::Figures("at least two time figures of one operation"),
    instead: "all figures computed from the same samples",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows().filter(|row| !row.times.is_empty()) {
            let pairs = pairs(row);
            if !pairs.is_empty() {
                desk.checked();
            }
            for ((low_name, low), (high_name, high)) in pairs {
                let least = row.reach(&low_name, low).low;
                let most = row.reach(&high_name, high).high;
                if least > most + 1e-9 * high.value.abs() {
                    desk.find(
                        Severity::Impossible,
                        (level.call(row), &[low.at.as_str(), high.at.as_str()]),
                        format!("the {low_name} is larger than the {high_name}"),
                        format!(
                            "{low_name} {} > {high_name} {}",
                            time(low.value),
                            time(high.value)
                        ),
                    );
                }
            }
        }
    }
}

type Named<'a> = (String, &'a Figure);

/// Pairs of times. The first time of a pair must not be larger than the second.
fn pairs(row: &Row) -> Vec<(Named<'_>, Named<'_>)> {
    let times = &row.times;
    let listed: Vec<Named<'_>> = times
        .percentiles
        .iter()
        .map(|(q, time)| (percentile(*q), time))
        .collect();
    let min = times.min.as_ref().map(|time| ("min".to_owned(), time));
    let max = times.max.as_ref().map(|time| ("max".to_owned(), time));
    let mean = times.mean.as_ref().map(|time| ("mean".to_owned(), time));
    let ladder: Vec<Named<'_>> = min
        .clone()
        .into_iter()
        .chain(listed)
        .chain(max.clone())
        .collect();
    let steps = ladder
        .windows(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()));
    let around_mean = [min.zip(mean.clone()), mean.zip(max)];
    steps.chain(around_mean.into_iter().flatten()).collect()
}
