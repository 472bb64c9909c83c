use super::{coverage, names, verdict};
use crate::{Audit, Severity};

/// For a terminal: the verdict, the findings, and what could not be checked.
pub fn terminal(audit: &Audit, colour: bool) -> String {
    let mut text = format!("{} ({}): {}\n", audit.source, audit.form, verdict(audit));
    for finding in &audit.findings {
        let word = paint(finding.severity, colour);
        text += &format!("\n  {word}  {}  [{}]\n", finding.subject, finding.rule);
        text += &format!("    {}\n", finding.what);
        if !finding.arithmetic.is_empty() {
            text += &format!("    {}\n", finding.arithmetic);
        }
        if !finding.at.is_empty() {
            text += &format!("    at {}\n", finding.at.join(", "));
        }
        text += &format!("    measure: {}\n", finding.instead);
    }
    text += &format!("\n  {}\n", coverage(audit));
    for unchecked in &audit.unchecked {
        text += &format!(
            "  not checked, {} without {}: {}\n",
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
