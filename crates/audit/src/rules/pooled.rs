//! Percentiles of samples from several loads describe none of the loads: they depend on the number of samples from
//! each.

use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "pooled-levels",
    says: "percentiles were computed from several merged loads",
    needs: Needs::Figures("levels"),
    instead: "percentiles of each load separately",
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
                "its percentiles mix several loads, so they describe none of them",
                format!("mixed: {}", level.pooled.join(", ")),
            );
        }
    }
}
