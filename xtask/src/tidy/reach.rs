//! Finds dead files: Rust files that no module declares, and assets that nothing includes. Also finds included files
//! that do not exist.

use std::collections::{BTreeMap, BTreeSet};

use super::complaint::Complaint;
use super::metadata::TargetKind;
use super::modules::{Place, declared};
use super::path::{folder_of, has_extension, join};
use super::repository::Repository;
use super::rust::Source;

/// Macros that read a file at compile time.
const INCLUDES: &[&str] = &["include_str", "include_bytes", "include"];

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let reached = reached(repository);
    let mut complaints = Vec::new();
    let mut included = BTreeSet::new();
    for (path, source) in &repository.sources {
        for (file, line) in inclusions(source) {
            match join(folder_of(path), file).filter(|target| repository.files.contains_key(target))
            {
                Some(target) => drop(included.insert(target)),
                None => complaints.push(Complaint::at(
                    path,
                    line,
                    format!("includes `{file}`, which is not in the repository"),
                )),
            }
        }
    }
    let used = |path: &String| {
        reached.contains_key(path) || included.contains(path) || is_apart(repository, path)
    };
    for path in repository.files.keys().filter(|path| !used(path)) {
        if has_extension(path, &["rs"]) {
            let message = "no `mod` and no target reaches this file: declare it or delete it";
            complaints.push(Complaint::of_file(path, message));
        } else if is_source(repository, path) {
            let message = "nothing includes this file: include it or delete it";
            complaints.push(Complaint::of_file(path, message));
        }
    }
    complaints.extend(repository.unparsed.iter().map(|(path, (line, error))| {
        Complaint::at(path, *line, format!("does not parse: {error}"))
    }));
    complaints
}

/// Returns every Rust file that a target of the workspace reaches. The value is true for files that only tests,
/// examples or benches reach.
pub(super) fn reached(repository: &Repository) -> BTreeMap<String, bool> {
    let mut reached = BTreeMap::new();
    let targets = repository
        .workspace
        .members
        .iter()
        .flat_map(|package| &package.targets);
    let mut open: Vec<(Place, bool)> = targets
        .map(|target| (Place::root(&target.root), target.kind == TargetKind::Aside))
        .collect();
    while let Some((place, aside)) = open.pop() {
        let aside = reached
            .get(&place.path)
            .copied()
            .map_or(aside, |before| before && aside);
        if reached.insert(place.path.clone(), aside) == Some(aside) {
            continue; // visited before with the same result, so the walk terminates
        }
        let modules = declared(repository, &place);
        open.extend(modules.map(|(module, place)| (place, aside || module.test)));
    }
    reached
}

/// Whether a file belongs to a package outside the workspace, which must check its own files.
fn is_apart(repository: &Repository, path: &str) -> bool {
    let mut folder = folder_of(path);
    while !folder.is_empty() {
        let manifest = format!("{folder}/Cargo.toml");
        if repository.files.contains_key(&manifest) {
            let members = &repository.workspace.members;
            return !members.iter().any(|package| package.manifest == manifest);
        }
        folder = folder_of(folder);
    }
    false
}

fn is_source(repository: &Repository, path: &str) -> bool {
    let folders = repository
        .workspace
        .members
        .iter()
        .map(|package| format!("{}/src/", package.folder));
    folders.into_iter().any(|folder| path.starts_with(&folder))
}

/// Finds `include_str!("…")` and similar macros with a literal path.
fn inclusions(source: &Source) -> impl Iterator<Item = (&str, usize)> {
    source.words.windows(4).filter_map(|window| match window {
        [(name, line), (bang, _), (open, _), (file, _)]
            if INCLUDES.contains(&name.as_str()) && bang == "!" && open == "(" =>
        {
            Some((file.strip_prefix('"')?.strip_suffix('"')?, *line))
        }
        _ => None,
    })
}
