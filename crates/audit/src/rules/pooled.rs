//! Percentiles of a mixture of loads describe none of them: they depend on the number of samples from each load.

use crate::{Desk, Needs, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "pooled-levels",
    says: "percentiles cover several loads merged together",
    needs: Needs::Figures("levels"),
    instead: "each load on its own",
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
                "its percentiles describe no load: they mix several",
                format!("mixed: {}", level.pooled.join(", ")),
            );
        }
    }
}
