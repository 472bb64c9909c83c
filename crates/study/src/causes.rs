//! The causes that limit a system, as figures for the templates.

use minijinja::context;
use minijinja::value::Value;
use record::{Finding, Level, Run};

/// The causes that several runs of one scenario show together. The principal cause comes first.
pub(crate) fn of_runs<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Value {
    let mut seen = Run::default();
    runs.into_iter().for_each(|run| add(&mut seen, run.clone()));
    of_findings(&capacity::findings(&seen))
}

/// The causes, each with its sentence, its confidence and its evidence.
pub(crate) fn of_findings(findings: &[Finding]) -> Value {
    let each = findings.iter().map(|finding| {
        context! {
            sentence => report::finding_sentence(finding),
            confidence => finding.confidence.as_str(),
            evidence => report::finding_evidence(finding),
        }
    });
    each.collect()
}

/// Adds the levels of a run to those that were seen before, which the findings compare.
pub(crate) fn add(seen: &mut Run, run: Run) {
    let mut levels = std::mem::take(&mut seen.levels);
    let index = levels.len();
    let more = run.levels.iter().zip(index..);
    levels.extend(more.map(|(level, index)| Level {
        index,
        ..level.clone()
    }));
    *seen = Run { levels, ..run };
}
