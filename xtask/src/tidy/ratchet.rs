//! Exceptions from the length limits, for code that was already too long when the limits were introduced. Such code may
//! shrink but not grow.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use super::complaint::Complaint;
use super::length::{Size, Subject};
use super::repository::{OpenError, Repository};

const PATH: &str = "xtask/ratchet.txt";
const BLESS: &str = "run `cargo run -p xtask -- tidy --bless`";
const HEADING: &str = "# Files and functions that exceed their limit (files 400 lines, functions 70), with the length allowed for each.
# `cargo run -p xtask -- tidy --bless` lowers the numbers. Raise one only by hand, with a reason in the commit.
";

type Sizes = BTreeMap<Subject, Size>;

/// Compares the current lengths with the allowed ones.
pub(super) fn compare(repository: &Repository, found: &Sizes) -> Vec<Complaint> {
    let (kept, mut complaints) = read(repository.text(PATH));
    for (subject, size) in found {
        let (path, lines, limit) = (subject.path(), size.lines, subject.limit());
        let what = what(subject);
        let message = match kept.get(subject).map(|kept| kept.lines) {
            None => format!("{what} has {lines} lines (limit {limit}): split it"),
            Some(allowed) if allowed < lines => {
                format!(
                    "{what} has grown from {allowed} to {lines} lines (limit {limit}): split it"
                )
            }
            Some(allowed) if lines < allowed => {
                format!("{what} has shrunk from {allowed} to {lines} lines: {BLESS}")
            }
            Some(_) => continue,
        };
        complaints.push(Complaint::at(path, size.at, message));
    }
    for (subject, size) in kept
        .iter()
        .filter(|(subject, _)| !found.contains_key(subject))
    {
        let message = format!(
            "{} in `{}` no longer exceeds its limit, or is gone: {BLESS}",
            what(subject),
            subject.path()
        );
        complaints.push(Complaint::at(PATH, size.at, message));
    }
    complaints
}

/// Lowers each entry to the current length if that is smaller.
pub(super) fn lower(repository: &Repository, found: &Sizes) -> Result<(), OpenError> {
    let first = !repository.files.contains_key(PATH);
    let (kept, _) = read(repository.text(PATH));
    let mut text = HEADING.to_owned();
    for (subject, size) in found {
        let allowed = kept
            .get(subject)
            .map(|kept| kept.lines.min(size.lines))
            .or(first.then_some(size.lines));
        let Some(lines) = allowed else { continue };
        let path = subject.path();
        let _ = match subject {
            Subject::File { .. } => writeln!(text, "file {path} {lines}"),
            Subject::Function { name, .. } => writeln!(text, "function {path} {name} {lines}"),
        };
    }
    let path = repository.root.join(PATH);
    fs::write(&path, text).map_err(|source| OpenError::File { path, source })
}

fn what(subject: &Subject) -> String {
    match subject {
        Subject::File { .. } => "the file".to_owned(),
        Subject::Function { name, .. } => format!("`{name}`"),
    }
}

/// Parses the ratchet. `Size::at` is the line on which the entry is.
fn read(text: &str) -> (Sizes, Vec<Complaint>) {
    let (mut sizes, mut complaints) = (Sizes::new(), Vec::new());
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#') && !line.is_empty())
    {
        let words: Vec<&str> = line.split(' ').collect();
        let parsed = match words[..] {
            ["file", path, lines] => lines.parse().ok().map(|lines| {
                (
                    Subject::File {
                        path: path.to_owned(),
                    },
                    lines,
                )
            }),
            ["function", path, name, lines] => lines.parse().ok().map(|lines| {
                (
                    Subject::Function {
                        path: path.to_owned(),
                        name: name.to_owned(),
                    },
                    lines,
                )
            }),
            _ => None,
        };
        match parsed {
            Some((subject, lines)) => drop(sizes.insert(
                subject,
                Size {
                    lines,
                    at: index + 1,
                },
            )),
            None => complaints.push(Complaint::at(
                PATH,
                index + 1,
                "expected `file PATH LINES` or `function PATH NAME LINES`",
            )),
        }
    }
    (sizes, complaints)
}
