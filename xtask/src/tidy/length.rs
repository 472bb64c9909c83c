//! Limits on the length of files and functions, so that one person can understand each of them completely.

use super::js;
use super::limit::{Excess, Excesses, Kind, Subject};
use super::path::has_extension;
use super::repository::Repository;

const CODE: &[&str] = &["rs", "js", "mjs", "ts", "py", "sh"];
const SCRIPT: &[&str] = &["js", "mjs", "ts"];

/// Returns all files and functions above their limits.
pub(super) fn found(repository: &Repository) -> Excesses {
    let mut found = Excesses::new();
    for (path, text) in repository
        .texts()
        .filter(|(path, _)| has_extension(path, CODE))
    {
        let mut note = |kind: Kind, name: &str, size: usize, line: usize| {
            if size <= kind.limit() {
                return;
            }
            let subject = Subject {
                kind,
                path: path.to_owned(),
                name: name.to_owned(),
            };
            let excess = Excess {
                size,
                at: (path.to_owned(), line),
                remedy: "split it".to_owned(),
            };
            // Of several functions with one name, the longest counts.
            let longest = found.entry(subject).or_insert_with(|| excess.clone());
            if longest.size < size {
                *longest = excess;
            }
        };
        note(Kind::File, "", text.lines().count(), 1);
        let functions = match repository.sources.get(path) {
            Some(source) => &source.functions,
            None if has_extension(path, SCRIPT) => &js::functions(text),
            None => &Vec::new(),
        };
        for function in functions {
            let (name, length, line) = (&function.name, function.length, function.line);
            note(Kind::Function, name, length, line);
        }
    }
    found
}
