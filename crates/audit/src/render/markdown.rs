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
        text += &format!(
            "\n## {}: {}\n\n",
            finding.severity.as_str(),
            escape(&finding.subject)
        );
        text += &format!("{}.\n\n", escape(&finding.what));
        if !finding.arithmetic.is_empty() {
            text += &format!("- arithmetic: {}\n", escape(&finding.arithmetic));
        }
        if !finding.at.is_empty() {
            text += &format!(
                "- at: {}\n",
                finding
                    .at
                    .iter()
                    .map(|at| format!("`{at}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            );
        }
        text += &format!(
            "- measure instead: {}\n- rule: `{}`\n",
            finding.instead, finding.rule
        );
    }
    text += &format!("\n## Not checked\n\n{}.\n", coverage(audit));
    if !audit.unchecked.is_empty() {
        text += "\n| rule | lacks | where |\n| --- | --- | --- |\n";
        for unchecked in &audit.unchecked {
            text += &format!(
                "| `{}` | {} | {} |\n",
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
