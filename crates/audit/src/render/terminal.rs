use std::fmt::Write as _;

use super::{coverage, names, verdict};
use crate::{Audit, Severity};

/// For a terminal: the verdict, the findings, and what could not be checked.
pub fn terminal(audit: &Audit, colour: bool) -> String {
    let mut text = format!("{} ({}): {}\n", audit.source, audit.form, verdict(audit));
    for finding in &audit.findings {
        let word = paint(finding.severity, colour);
        let _ = writeln!(text, "\n  {word}  {}  [{}]", finding.subject, finding.rule);
        let _ = writeln!(text, "    {}", finding.what);
        if !finding.arithmetic.is_empty() {
            let _ = writeln!(text, "    {}", finding.arithmetic);
        }
        if !finding.at.is_empty() {
            let _ = writeln!(text, "    at {}", finding.at.join(", "));
        }
        let _ = writeln!(text, "    measure: {}", finding.instead);
    }
    let _ = writeln!(text, "\n  {}", coverage(audit));
    for unchecked in &audit.unchecked {
        let _ = writeln!(
            text,
            "  not checked, {} without {}: {}",
            unchecked.rule,
            unchecked.lacks,
            names(&unchecked.subjects)
        );
    }
    text
}

fn paint(severity: Severity, colour: bool) -> String {
    let word = severity.as_str().to_uppercase();
    if !colour {
        return word;
    }
    let code = match severity {
        Severity::Impossible => 31,
        Severity::Unsupported => 33,
        Severity::Doubtful => 36,
    };
    format!("\u{1b}[{code}m{word}\u{1b}[0m")
}
