//! The end of a run cuts off operations that take nearly as long as the run. Longer times cannot be observed, and
//! operations in flight at the end are missing or counted as failed.

use crate::finding::Severity;
use crate::number::{percent, time};
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "cut-by-the-end",
    says: "the longest time is nearly as long as the run: longer operations were cut off or counted as failures",
    needs: Needs::Figures("the duration and the longest time"),
    instead: "a run many times longer than its longest request; requests in flight at the end counted as unfinished",
    check,
};

const NEARLY: f64 = 0.5;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let Some(duration) = &level.duration_s else {
            continue;
        };
        for row in level.all_rows() {
            // If a report counts unfinished operations, it includes those in flight at the end.
            let told = row.counts.unfinished.is_some();
            let Some(max) = row.times.max.as_ref().filter(|_| !told) else {
                continue;
            };
            desk.checked();
            let share = max.value / (1000.0 * duration.value.max(1e-9));
            if share > NEARLY {
                desk.find(
                    Severity::Doubtful,
                    (level.call(row), &[max.at.as_str(), duration.at.as_str()]),
                    "the longest time is most of the run: longer operations were cut off or counted as failures",
                    format!("max {} = {} of {}", time(max.value), percent(share), time(1000.0 * duration.value)),
                );
            }
        }
    }
}
