//! Checks that every crate has a description, and that every dependency has an explanation.

use super::complaint::Complaint;
use super::metadata::{Package, TargetKind};
use super::repository::Repository;

const DOC_LINES: usize = 3;
const ROOT: &str = "Cargo.toml";

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints: Vec<_> = repository
        .workspace
        .members
        .iter()
        .flat_map(|package| documented(repository, package))
        .collect();
    complaints.extend(
        repository
            .workspace
            .members
            .iter()
            .flat_map(|package| versions(repository, package)),
    );
    complaints.extend(shared_dependencies(repository));
    complaints
}

fn documented(repository: &Repository, package: &Package) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if !package.described {
        complaints.push(Complaint::of_file(
            &package.manifest,
            "no description: describe the crate's purpose in one line",
        ));
    }
    let of_kind = |kind| {
        package
            .targets
            .iter()
            .find(move |target| target.kind == kind)
    };
    let Some(target) = of_kind(TargetKind::Library).or_else(|| of_kind(TargetKind::Binary)) else {
        return complaints;
    };
    let lines = repository
        .sources
        .get(&target.root)
        .map_or(0, |source| source.doc_lines);
    if lines < DOC_LINES {
        complaints.push(Complaint::at(
            &target.root,
            1,
            format!("{lines} lines of `//!`: describe the crate's purpose and what it never does ({DOC_LINES} lines or more)"),
        ));
    }
    complaints
}

/// Checks that versions are stated only in the root manifest.
fn versions(repository: &Repository, package: &Package) -> Vec<Complaint> {
    entries(repository.text(&package.manifest), |table| {
        table.ends_with("dependencies]")
    })
    .filter(|entry| !entry.line.contains("workspace = true"))
    .map(|entry| {
        Complaint::at(
            &package.manifest,
            entry.number,
            format!(
                "`{}` must be `workspace = true`, with its version in the root Cargo.toml",
                entry.name
            ),
        )
    })
    .collect()
}

fn shared_dependencies(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let users = &repository.workspace.members;
    for entry in entries(repository.text(ROOT), |table| {
        table == "[workspace.dependencies]"
    }) {
        let used = |package: &Package| {
            package
                .dependencies
                .iter()
                .any(|dependency| dependency.name == entry.name)
        };
        let ours = users.iter().any(|package| package.name == entry.name);
        if !ours && !users.iter().any(used) {
            let message = format!("no crate uses `{}`: remove it", entry.name);
            complaints.push(Complaint::at(ROOT, entry.number, message));
        }
        if !entry.explained {
            let message = format!(
                "`{}` has no comment: explain beside it, or in a heading, what it is for",
                entry.name
            );
            complaints.push(Complaint::at(ROOT, entry.number, message));
        }
    }
    complaints
}

struct Entry<'a> {
    number: usize,
    name: &'a str,
    line: &'a str,
    /// Whether the entry's own comment, or the heading of its group, explains it.
    explained: bool,
}

/// Returns the `name = …` lines of the tables for which `wanted` is true. Each entry must be on a single line, as
/// everywhere in this repository.
fn entries(text: &str, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = Entry<'_>> {
    let (mut inside, mut heading) = (false, false);
    text.lines().enumerate().filter_map(move |(index, line)| {
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        match line.trim().chars().next() {
            Some('[') => (inside, heading) = (wanted(line.trim()), false),
            Some('#') => heading = true,
            None => heading = false,
            Some(_) if inside && line.contains('=') && !line.starts_with([' ', '}', ']']) => {
                let explained = heading || line.contains('#');
                return Some(Entry {
                    number: index + 1,
                    name,
                    line,
                    explained,
                });
            }
            Some(_) => {}
        }
        None
    })
}
