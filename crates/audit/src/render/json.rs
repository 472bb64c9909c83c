use serde_json::{Map, Value, json};

use crate::assess::Audit;
use crate::finding::Severity;

/// Formats the audit as JSON. `verdict` is the worst severity, or `nothing found`.
pub fn json(audit: &Audit) -> Value {
    let findings: Vec<Value> = audit
        .findings
        .iter()
        .map(|finding| {
            json!({
                "rule": finding.rule,
                "severity": finding.severity.as_str(),
                "subject": finding.subject,
                "at": finding.at,
                "what": finding.what,
                "arithmetic": finding.arithmetic,
                "instead": finding.instead,
            })
        })
        .collect();
    let unchecked: Vec<Value> = audit
        .unchecked
        .iter()
        .map(|unchecked| json!({ "rule": unchecked.rule, "lacks": unchecked.lacks, "subjects": unchecked.subjects }))
        .collect();
    let checked: Map<String, Value> = audit
        .checked
        .iter()
        .map(|(rule, times)| ((*rule).to_owned(), json!(times)))
        .collect();
    json!({
        "kind": "headcount-audit",
        "version": 1,
        "source": audit.source,
        "form": audit.form,
        "levels": audit.levels,
        "claims": audit.claims,
        "verdict": audit.worst().map_or("nothing found", Severity::as_str),
        "findings": findings,
        "unchecked": unchecked,
        "checked": checked,
    })
}
