//! Percentiles of a mixture of loads are those of no load: they depend on how many samples each gave.

use crate::{Desk, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "pooled-levels",
    says: "percentiles are over several loads thrown together",
    needs: "levels",
    instead: "each load apart",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        desk.checked();
        let timed = level.all_rows().any(|row| !row.times.is_empty());
        if level.pooled.len() > 1 && timed {
            desk.find(
                Severity::Unsupported,
                (level.name.clone(), &[level.at.as_str()]),
                "its percentiles belong to no load: they mix several",
                format!("mixed: {}", level.pooled.join(", ")),
            );
        }
    }
}
