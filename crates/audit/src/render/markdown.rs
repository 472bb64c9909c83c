use std::fmt::Write as _;

use super::{coverage, names, verdict};
use crate::Audit;

/// As Markdown.
pub fn markdown(audit: &Audit) -> String {
    let mut text = format!(
        "# Audit of {}\n\n{}: {}.\n",
        audit.source,
        audit.form,
        verdict(audit)
    );
    for finding in &audit.findings {
        let _ = write!(
            text,
            "\n## {}: {}\n\n",
            finding.severity.as_str(),
            escape(&finding.subject)
        );
        let _ = write!(text, "{}.\n\n", escape(&finding.what));
        if !finding.arithmetic.is_empty() {
            let _ = writeln!(text, "- arithmetic: {}", escape(&finding.arithmetic));
        }
        if !finding.at.is_empty() {
            let _ = writeln!(
                text,
                "- at: {}",
                finding
                    .at
                    .iter()
                    .map(|at| format!("`{at}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            );
        }
        let _ = writeln!(
            text,
            "- measure instead: {}\n- rule: `{}`",
            finding.instead, finding.rule
        );
    }
    let _ = writeln!(text, "\n## Not checked\n\n{}.", coverage(audit));
    if !audit.unchecked.is_empty() {
        text += "\n| rule | lacks | where |\n| --- | --- | --- |\n";
        for unchecked in &audit.unchecked {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} |",
                unchecked.rule,
                unchecked.lacks,
                escape(&names(&unchecked.subjects))
            );
        }
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}
