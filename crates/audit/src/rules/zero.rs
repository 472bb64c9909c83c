//! No operation takes 0 ms. If every time is 0 although operations were counted, the times are missing. Tools that are
//! known to print whole milliseconds are an exception.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::results::{Results, Row};
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "zero-for-missing",
    says: "all times are 0, so missing data looks like the best possible result",
    needs: Needs::Figures("times"),
    instead: "\"no data\" where nothing was measured",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows().filter(|row| !row.times.is_empty()) {
            let coarse = |time: &Figure| time.value == 0.0 && time.slack > 0.0;
            if row.times.tool_is_known() && row.times.each().any(|(_, time)| coarse(time)) {
                desk.lacks(level.call(row), "times finer than a millisecond");
                continue;
            }
            desk.checked();
            let all_zero = row.times.each().all(|(_, time)| time.value == 0.0);
            if all_zero && something_done(row) {
                desk.find(
                    Severity::Unsupported,
                    (level.call(row), &[row.at.as_str()]),
                    "0 is stated for times that were not measured",
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
