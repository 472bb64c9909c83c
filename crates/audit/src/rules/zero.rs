//! Nothing takes 0 ms. A 0 for every time, where something was done, is a missing figure; unless the tool is one that is
//! known to cut off parts of its milliseconds.

use crate::{Desk, Figure, Results, Row, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "zero-for-missing",
    says: "all times are 0: there is no data, and it is told as the best possible result",
    needs: "times",
    instead: "\"no data\" where nothing was measured",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows().filter(|row| !row.times.is_empty()) {
            let coarse = |time: &Figure| time.value == 0.0 && time.slack > 0.0;
            if row.times.tool_is_known() && row.times.each().any(|(_, time)| coarse(time)) {
                desk.lacks(level.call(row), "times that are finer than a millisecond");
                continue;
            }
            desk.checked();
            let all_zero = row.times.each().all(|(_, time)| time.value == 0.0);
            if all_zero && something_done(row) {
                desk.find(
                    Severity::Unsupported,
                    (level.call(row), &[row.at.as_str()]),
                    "times of 0 stand for times that were not measured",
                    row.times
                        .each()
                        .map(|(name, _)| format!("{name} = 0"))
                        .collect::<Vec<_>>()
                        .join(", "),
                );
            }
        }
    }
}

fn something_done(row: &Row) -> bool {
    row.samples().is_none_or(|count| count.value > 0.0)
}
