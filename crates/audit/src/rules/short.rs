//! In a run of about a second, start-up, cold caches, garbage collection and the scheduler dominate the measurement.

use crate::finding::Severity;
use crate::number::time;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "too-short",
    says: "a rate or percentiles are claimed for a run of less than a second",
    needs: Needs::Figures("the duration"),
    instead: "several runs of at least 10 s each, after a warm-up",
    check,
};

const SHORTEST_S: f64 = 1.0;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let Some(duration) = &level.duration_s else {
            desk.lacks(level.name.clone(), "the duration");
            continue;
        };
        desk.checked();
        if duration.value < SHORTEST_S
            && level
                .total
                .counts
                .sent
                .as_ref()
                .is_none_or(|sent| sent.value > 0.0)
        {
            let count = level.total.counts.sent.as_ref();
            desk.find(
                Severity::Unsupported,
                (level.name.clone(), &[duration.at.as_str()]),
                format!("the run lasted {}", time(1000.0 * duration.value)),
                count.map_or_else(String::new, |count| {
                    format!("{} in {} s", precise(count.value), precise(duration.value))
                }),
            );
        }
    }
}
