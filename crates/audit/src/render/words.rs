//! Wording that the terminal and Markdown share.

use format::plural;

use crate::assess::Audit;
use crate::finding::{Finding, Severity};

/// Formats the verdict as one sentence.
pub(super) fn verdict(audit: &Audit) -> String {
    let count = |severity| {
        audit
            .findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let read = format!(
        "{} and {}",
        plural(audit.levels as u64, "level"),
        plural(audit.claims as u64, "claim")
    );
    if audit.findings.is_empty() {
        return format!("nothing found in {read}");
    }
    let words: Vec<String> = [
        Severity::Impossible,
        Severity::Unsupported,
        Severity::Doubtful,
    ]
    .into_iter()
    .filter(|severity| count(*severity) > 0)
    .map(|severity| format!("{} {}", count(severity), severity.as_str()))
    .collect();
    format!("{} in {read}", words.join(", "))
}

/// Groups the findings by rule and severity. Each group has its first ten findings and the number of omitted ones.
pub(super) fn in_runs(audit: &Audit) -> impl Iterator<Item = (&[Finding], usize)> {
    const SHOWN: usize = 10;
    let same =
        |one: &Finding, other: &Finding| (one.rule, one.severity) == (other.rule, other.severity);
    audit.findings.chunk_by(same).map(|run| {
        (
            &run[..run.len().min(SHOWN)],
            run.len().saturating_sub(SHOWN),
        )
    })
}

/// Returns the number of rules that could make at least one check.
pub(super) fn coverage(audit: &Audit) -> String {
    let checked = audit.checked.iter().filter(|(_, times)| *times > 0).count();
    format!(
        "{checked} of {} rules found figures to check",
        audit.checked.len()
    )
}

/// Lists the first three names, and the number of further ones.
pub(super) fn names(subjects: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = subjects
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join("; ");
    match subjects.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
