//! A load generator without spare CPU sends late and reads late, so its times include its own delays.

use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "generator-limited",
    says: "the load generator was at its limit, so the figures describe the generator",
    needs: Needs::Figures("the generator's own CPU"),
    instead: "a generator with spare CPU, or several generators; send and read delays of the generator at each level",
    check,
};

const BUSY: f64 = 85.0;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let Some(cpu) = &level.generator_cpu_percent else {
            desk.lacks(level.name.clone(), "the generator's own CPU");
            continue;
        };
        desk.checked();
        if cpu.value >= BUSY {
            desk.find(
                Severity::Unsupported,
                (level.name.clone(), &[cpu.at.as_str(), level.at.as_str()]),
                "the figures of this level describe the generator, not the system",
                format!("the generator used {} % of its CPU", precise(cpu.value)),
            );
        }
    }
}
