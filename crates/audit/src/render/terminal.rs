use std::fmt::Write as _;

use format::{Tone, visible};

use super::words::{coverage, in_runs, names, verdict};
use crate::assess::Audit;
use crate::finding::{Finding, Severity};
use crate::rule::Unchecked;

/// Formats the audit for a terminal: the verdict, the findings, and the checks that lacked figures.
pub fn terminal(audit: &Audit, colour: bool) -> String {
    let source = visible(&audit.source);
    let mut text = format!("{source} ({}): {}\n", audit.form, verdict(audit));
    for (shown, more) in in_runs(audit) {
        for finding in shown {
            one(&mut text, finding, colour);
        }
        if more > 0 {
            let rule = shown[0].rule;
            let _ = writeln!(
                text,
                "\n  and {more} more of [{rule}]: --format json lists all"
            );
        }
    }
    let _ = writeln!(text, "\n  {}", coverage(audit));
    let (claims, others): (Vec<&Unchecked>, Vec<&Unchecked>) =
        audit.unchecked.iter().partition(|one| one.claim);
    let (nowhere, somewhere): (Vec<&Unchecked>, Vec<&Unchecked>) =
        others.into_iter().partition(|one| one.subjects.is_empty());
    for unchecked in somewhere {
        let subjects = visible(&names(&unchecked.subjects));
        let (rule, lacks) = (unchecked.rule, unchecked.lacks);
        let _ = writeln!(
            text,
            "  {rule} was not checked for lack of {lacks}: {subjects}"
        );
    }
    let lacking = nowhere
        .iter()
        .map(|one| format!("{} without {}", one.rule, one.lacks));
    list(&mut text, "  not checked:", ';', lacking);
    let rules = claims.iter().map(|one| one.rule.to_owned());
    list(
        &mut text,
        "  not checked, because the report has no such claim:",
        ',',
        rules,
    );
    text
}

/// Formats only the findings, one line each, for the end of a run.
pub fn brief(audit: &Audit, colour: bool) -> String {
    let lines = in_runs(audit).map(|(shown, more)| {
        let Finding {
            rule,
            severity,
            subject,
            what,
            ..
        } = &shown[0];
        let others = match shown.len() + more - 1 {
            0 => String::new(),
            others => format!(" (and {others} more)"),
        };
        let (word, subject) = (paint(*severity, colour), visible(subject));
        format!("  {word}  {subject}: {} [{rule}]{others}\n", visible(what))
    });
    lines.collect()
}

/// Writes words after a prefix, wrapped to the width. Writes nothing if there are no words.
fn list(text: &mut String, start: &str, between: char, words: impl Iterator<Item = String>) {
    const WIDTH: usize = 100;
    let mut line = start.to_owned();
    let mut empty = true;
    for word in words {
        if !empty {
            line.push(between);
        }
        if line.len() + word.len() + 2 > WIDTH {
            let _ = writeln!(text, "{line}");
            "   ".clone_into(&mut line);
        }
        let _ = write!(line, " {word}");
        empty = false;
    }
    if !empty {
        let _ = writeln!(text, "{line}");
    }
}

fn one(text: &mut String, finding: &Finding, colour: bool) {
    let word = paint(finding.severity, colour);
    let subject = visible(&finding.subject);
    let _ = writeln!(text, "\n  {word}  {subject}  [{}]", finding.rule);
    let _ = writeln!(text, "    {}", visible(&finding.what));
    if !finding.arithmetic.is_empty() {
        let _ = writeln!(text, "    {}", visible(&finding.arithmetic));
    }
    if !finding.at.is_empty() {
        let _ = writeln!(text, "    at {}", visible(&finding.at.join(", ")));
    }
    let _ = writeln!(text, "    measure: {}", finding.instead);
}

fn paint(severity: Severity, colour: bool) -> String {
    let tone = match severity {
        Severity::Impossible => Tone::Bad,
        Severity::Unsupported => Tone::Doubtful,
        Severity::Doubtful => Tone::Strong,
    };
    format::paint(&severity.as_str().to_uppercase(), tone, colour)
}
