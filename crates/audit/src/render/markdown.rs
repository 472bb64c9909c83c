use std::fmt::Write as _;

use format::{Column, Row, Table, code, escape};

use super::words::{coverage, in_runs, names, verdict};
use crate::assess::Audit;
use crate::finding::Finding;
use crate::rule::Unchecked;

/// Formats the audit as Markdown.
pub fn markdown(audit: &Audit) -> String {
    let mut text = format!(
        "# Audit of {}\n\n{}: {}.\n",
        escape(&audit.source),
        audit.form,
        verdict(audit)
    );
    for (shown, more) in in_runs(audit) {
        for finding in shown {
            one(&mut text, finding);
        }
        if more > 0 {
            let rule = shown[0].rule;
            let _ = writeln!(
                text,
                "\nFindings of `{rule}` that are not shown: {more}. `--format json` lists all."
            );
        }
    }
    let _ = writeln!(text, "\n## Not checked\n\n{}.", coverage(audit));
    let (claims, others): (Vec<&Unchecked>, Vec<&Unchecked>) =
        audit.unchecked.iter().partition(|one| one.claim);
    if !others.is_empty() {
        let _ = writeln!(text, "\n{}", table(&others).markdown().join("\n"));
    }
    if !claims.is_empty() {
        let rules: Vec<String> = claims.iter().map(|one| format!("`{}`", one.rule)).collect();
        let _ = writeln!(
            text,
            "\nRules without a claim to check: {}.",
            rules.join(", ")
        );
    }
    text
}

fn one(text: &mut String, finding: &Finding) {
    let (severity, subject) = (finding.severity.as_str(), escape(&finding.subject));
    let _ = write!(
        text,
        "\n## {severity}: {subject}\n\n{}.\n\n",
        escape(&finding.what)
    );
    if !finding.arithmetic.is_empty() {
        let _ = writeln!(text, "- arithmetic: {}", escape(&finding.arithmetic));
    }
    if !finding.at.is_empty() {
        let places: Vec<String> = finding.at.iter().map(|at| code(at)).collect();
        let _ = writeln!(text, "- at: {}", places.join(", "));
    }
    let _ = writeln!(
        text,
        "- measure instead: {}\n- rule: `{}`",
        finding.instead, finding.rule
    );
}

/// Lists the checks that were not made because figures are missing.
fn table(unchecked: &[&Unchecked]) -> Table {
    let rows = unchecked.iter().map(|one| {
        let cells = [one.rule, one.lacks, &names(&one.subjects)];
        Row::plain(cells.map(|cell| Some(cell.to_owned())).into())
    });
    Table::new(
        vec![
            Column::name("rule"),
            Column::words("lacks"),
            Column::words("where"),
        ],
        rows.collect(),
    )
}
