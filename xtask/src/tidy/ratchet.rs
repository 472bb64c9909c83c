//! Exceptions from the limits, for code that exceeded a limit when it was introduced. Such code may shrink but not grow.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use super::complaint::Complaint;
use super::error::OpenError;
use super::limit::{Excess, Excesses, Kind, Subject};
use super::repository::Repository;

const PATH: &str = "xtask/ratchet.txt";
const BLESS: &str = "run `cargo run -p xtask -- tidy --bless`";
const HEADING: &str = "# Exceptions from the limits in CONTRIBUTING.md (Tidy), each with the size that it is allowed.
# `cargo run -p xtask -- tidy --bless` lowers and removes entries. Raise or add one only by hand, with a reason in the commit.
";
const FORMS: &str = "expected `file PATH LINES`, `function PATH NAME LINES`, `struct PATH NAME FIELDS`, `type PATH NAME FILES` \
                     or `import PATH PATH`";

/// An entry of the ratchet.
struct Entry {
    allowed: usize,
    line: usize,
}

type Entries = BTreeMap<Subject, Entry>;

/// Compares the current sizes with the allowed ones.
pub(super) fn compare(repository: &Repository, found: &Excesses) -> Vec<Complaint> {
    let (entries, mut complaints) = read(repository.text(PATH));
    for (subject, excess) in found {
        let allowed = entries.get(subject).map(|entry| entry.allowed);
        let message = message(subject, excess, allowed);
        let (path, line) = &excess.at;
        complaints.extend(message.map(|message| Complaint::at(path, *line, message)));
    }
    for (subject, entry) in entries
        .iter()
        .filter(|(subject, _)| !found.contains_key(subject))
    {
        let over = match subject.kind {
            Kind::Import => "is no longer part of a cycle",
            _ => "no longer exceeds its limit",
        };
        let (what, path) = (subject.what(), &subject.path);
        let message = format!("{what} in `{path}` {over}, or is gone: {BLESS}");
        complaints.push(Complaint::at(PATH, entry.line, message));
    }
    complaints
}

fn message(subject: &Subject, excess: &Excess, allowed: Option<usize>) -> Option<String> {
    let (what, kind) = (subject.what(), subject.kind);
    let Excess { size, remedy, .. } = excess;
    let (unit, limit) = (kind.unit(), kind.limit());
    match allowed {
        None if kind == Kind::Import => Some(remedy.clone()),
        None => Some(format!(
            "{what} has {size} {unit} (limit {limit}): {remedy}"
        )),
        Some(allowed) if allowed < *size => Some(format!(
            "{what} has grown from {allowed} to {size} {unit} (limit {limit}): {remedy}"
        )),
        Some(allowed) if *size < allowed => Some(format!(
            "{what} has shrunk from {allowed} to {size} {unit}: {BLESS}"
        )),
        Some(_) => None,
    }
}

/// Lowers each entry to the current size if that is smaller, and removes entries that are no longer needed.
pub(super) fn lower(repository: &Repository, found: &Excesses) -> Result<(), OpenError> {
    let first = !repository.files.contains_key(PATH);
    let (entries, _) = read(repository.text(PATH));
    let mut text = HEADING.to_owned();
    for (subject, excess) in found {
        let allowed = entries
            .get(subject)
            .map(|entry| entry.allowed.min(excess.size))
            .or(first.then_some(excess.size));
        let Some(size) = allowed else { continue };
        let Subject { kind, path, name } = subject;
        let word = kind.word();
        let _ = match kind {
            Kind::File => writeln!(text, "{word} {path} {size}"),
            Kind::Import => writeln!(text, "{word} {path} {name}"),
            Kind::Function | Kind::Struct | Kind::Type => {
                writeln!(text, "{word} {path} {name} {size}")
            }
        };
    }
    let path = repository.root.join(PATH);
    fs::write(&path, text).map_err(|source| OpenError::File { path, source })
}

/// Returns the entries of one kind.
pub(super) fn subjects(repository: &Repository, kind: Kind) -> Vec<Subject> {
    let (entries, _) = read(repository.text(PATH));
    let subjects = entries.into_keys();
    subjects.filter(|subject| subject.kind == kind).collect()
}

fn read(text: &str) -> (Entries, Vec<Complaint>) {
    let (mut entries, mut complaints) = (Entries::new(), Vec::new());
    for (index, text) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#') && !line.is_empty())
    {
        let line = index + 1;
        match parsed(text) {
            Some((subject, allowed)) => drop(entries.insert(subject, Entry { allowed, line })),
            None => complaints.push(Complaint::at(PATH, line, FORMS)),
        }
    }
    (entries, complaints)
}

/// Parses a line of the ratchet.
fn parsed(line: &str) -> Option<(Subject, usize)> {
    let words: Vec<&str> = line.split(' ').collect();
    let (word, rest) = words.split_first()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.word() == *word)?;
    let (path, name, size) = match (kind, rest) {
        (Kind::File, [path, size]) => (path, "", size.parse().ok()?),
        (Kind::Import, [path, name]) => (path, *name, 1),
        (Kind::Function | Kind::Struct | Kind::Type, [path, name, size]) => {
            (path, *name, size.parse().ok()?)
        }
        _ => return None,
    };
    let subject = Subject {
        kind,
        path: (*path).to_owned(),
        name: name.to_owned(),
    };
    Some((subject, size))
}
