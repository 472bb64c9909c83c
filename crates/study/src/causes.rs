//! The causes that limit a system, as figures for the templates.

use minijinja::context;
use minijinja::value::Value;
use record::{Finding, Run};

use crate::ceiling::add;

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
