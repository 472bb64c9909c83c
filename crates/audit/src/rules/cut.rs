//! Whatever takes nearly as long as the run lasts is cut off by its end: longer ones cannot be seen, and what was on its
//! way then is missing or counted as failed.

use crate::number::{percent, time};
use crate::{Desk, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "cut-by-the-end",
    says: "the longest time is nearly as long as the run: the end of the run made it, and failures with it",
    needs: "the duration and the longest time",
    instead: "a run many times longer than its longest request, and what is on its way at the end counted as unfinished",
    check,
};

const NEARLY: f64 = 0.5;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let Some(duration) = &level.duration_s else {
            continue;
        };
        for row in level.all_rows() {
            // Who counts what the end cut off has told it.
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
                    "the longest took most of the run: longer ones, and failures, are the end of the test",
                    format!("max {} = {} of {}", time(max.value), percent(share), time(1000.0 * duration.value)),
                );
            }
        }
    }
}
