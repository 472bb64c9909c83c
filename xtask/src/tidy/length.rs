//! Limits on the length of files and functions, so that one person can understand each of them completely.

use std::collections::BTreeMap;

use super::complaint::Complaint;
use super::js;
use super::ratchet;
use super::repository::{Repository, has_extension};

const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 70;
const CODE: &[&str] = &["rs", "js", "mjs", "ts", "py", "sh"];
const SCRIPT: &[&str] = &["js", "mjs", "ts"];

/// A file or function whose length is limited.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    File { path: String },
    Function { path: String, name: String },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) lines: usize,
    /// Line on which the file or function begins.
    pub(super) at: usize,
}

impl Subject {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::File { path } | Self::Function { path, .. } => path,
        }
    }

    /// Returns the maximum number of lines.
    pub(super) fn limit(&self) -> usize {
        match self {
            Self::File { .. } => FILE_LINES,
            Self::Function { .. } => FUNCTION_LINES,
        }
    }
}

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    ratchet::compare(repository, &oversized(repository))
}

/// Returns all files and functions above their limits.
pub(super) fn oversized(repository: &Repository) -> BTreeMap<Subject, Size> {
    let mut found = BTreeMap::new();
    for (path, text) in repository
        .texts()
        .filter(|(path, _)| has_extension(path, CODE))
    {
        let lines = text.lines().count();
        if FILE_LINES < lines {
            found.insert(
                Subject::File {
                    path: path.to_owned(),
                },
                Size { lines, at: 1 },
            );
        }
        for (name, size) in functions(repository, path, text) {
            let longest = found
                .entry(Subject::Function {
                    path: path.to_owned(),
                    name,
                })
                .or_insert(size);
            if longest.lines < size.lines {
                *longest = size;
            }
        }
    }
    found
}

fn functions(repository: &Repository, path: &str, text: &str) -> Vec<(String, Size)> {
    let all = match repository.sources.get(path) {
        Some(source) => source
            .functions
            .iter()
            .map(|function| {
                (
                    function.name.clone(),
                    Size {
                        lines: function.length,
                        at: function.line,
                    },
                )
            })
            .collect(),
        None if has_extension(path, SCRIPT) => js::functions(text),
        None => Vec::new(),
    };
    all.into_iter()
        .filter(|(_, size)| FUNCTION_LINES < size.lines)
        .collect()
}
