//! Helpers that audit the text of a form.

#![allow(dead_code, reason = "each test uses its part")]

use audit::{Audit, Severity, audit, read_form, terminal};

pub(crate) fn audited(text: &str) -> Audit {
    audit(&read_form(text, "audit.toml").unwrap_or_else(|why| panic!("{why}\n{text}")))
}

pub(crate) fn possible(text: &str) {
    let audit = audited(text);
    assert_ne!(
        audit.worst(),
        Some(Severity::Impossible),
        "{text}\n{}",
        terminal(&audit, false)
    );
}

/// Returns the worst severity of the rule's findings. `None` without findings.
pub(crate) fn severity(text: &str, rule: &str) -> Option<Severity> {
    let audit = audited(text);
    let of_rule = audit.findings.iter().filter(|one| one.rule == rule);
    of_rule.map(|one| one.severity).max()
}

pub(crate) fn impossible(text: &str, rule: &str) {
    assert_eq!(
        severity(text, rule),
        Some(Severity::Impossible),
        "{rule}\n{text}"
    );
}

pub(crate) fn unsupported(text: &str, rule: &str) {
    assert_eq!(
        severity(text, rule),
        Some(Severity::Unsupported),
        "{rule}\n{text}"
    );
}
