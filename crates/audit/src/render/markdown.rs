use std::fmt::Write as _;

use super::{about_claims, clean, coverage, in_runs, names, verdict};
use crate::{Audit, Finding, Unchecked};

/// The audit as Markdown.
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
                "\nAnd {more} more of `{rule}`: `--format json` lists all."
            );
        }
    }
    let _ = writeln!(text, "\n## Not checked\n\n{}.", coverage(audit));
    let (claims, others): (Vec<&Unchecked>, Vec<&Unchecked>) =
        audit.unchecked.iter().partition(|one| about_claims(one));
    if !others.is_empty() {
        text += "\n| rule | lacks | where |\n| --- | --- | --- |\n";
    }
    for unchecked in others {
        let subjects = escape(&names(&unchecked.subjects));
        let _ = writeln!(
            text,
            "| `{}` | {} | {subjects} |",
            unchecked.rule, unchecked.lacks
        );
    }
    if !claims.is_empty() {
        let rules: Vec<String> = claims.iter().map(|one| format!("`{}`", one.rule)).collect();
        let _ = writeln!(
            text,
            "\nWithout claims of their kind: {}.",
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

/// Text between backticks. A backtick inside would end them, so it is replaced.
fn code(text: &str) -> String {
    format!("`{}`", clean(text).replace('`', "\u{2019}"))
}

/// Escapes names from files, so that they cannot contain markup, mentions or references.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in clean(text).chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' => escaped.extend(['\\', letter]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '@' => escaped.push_str("&#64;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}
