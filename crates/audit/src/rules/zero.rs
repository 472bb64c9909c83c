//! Nothing takes 0 ms. A 0 for every time, where something was done, is a missing figure.

use crate::{Desk, Results, Row, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "zero-for-missing",
    says: "all times are 0: there is no data, and it is told as the best possible result",
    instead: "\"no data\" where nothing was measured",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows().filter(|row| !row.times.is_empty()) {
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
