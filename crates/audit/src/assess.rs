use crate::finding::{Finding, Severity};
use crate::results::Results;
use crate::rule::{Desk, Unchecked};
use crate::rules::RULES;

/// The outcome of checking published results against all rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// Title or file name of the results.
    pub source: String,
    /// Format of the results.
    pub form: &'static str,
    /// Number of levels read.
    pub levels: usize,
    /// Number of claims read.
    pub claims: usize,
    /// The contradictions, most severe first.
    pub findings: Vec<Finding>,
    /// The checks that lacked figures.
    pub unchecked: Vec<Unchecked>,
    /// Number of checks that each rule could make, in the order of the rules.
    pub checked: Vec<(&'static str, usize)>,
}

impl Audit {
    /// Returns the worst severity of all findings. `None` if there are none.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// Checks results against every rule.
pub fn audit(results: &Results) -> Audit {
    let mut audit = Audit {
        source: results.source.clone(),
        form: results.form,
        levels: results.levels.len(),
        claims: results.claims.len(),
        ..Audit::default()
    };
    for rule in RULES {
        let desk = Desk::check(rule, results);
        audit.findings.extend(desk.findings);
        audit.unchecked.extend(desk.unchecked);
        audit.checked.push((rule.name, desk.checked));
    }
    // The sort is stable, so findings of the same severity stay in the order of the rules.
    audit
        .findings
        .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    audit
}
