//! Limits on the fields of a struct, and on the number of files with methods of one type. Both show a type with several
//! purposes.

use std::collections::{BTreeMap, BTreeSet};

use super::limit::{Excess, Excesses, Kind, Subject};
use super::metadata::Package;
use super::repository::Repository;
use super::resolve::{Module, Modules, Target, targets};
use super::rust::Names;

/// The crates that are checked.
const CRATES: &[&str] = &["crates/engine"];

/// Returns the structs with too many fields, and the types with methods in too many files.
pub(super) fn found(repository: &Repository) -> Excesses {
    let is_checked = |package: &&Package| CRATES.contains(&package.folder.as_str());
    let packages = repository.workspace.members.iter().filter(is_checked);
    packages
        .flat_map(|package| targets(repository, package))
        .flat_map(|modules| [large_structs(&modules), scattered_types(&modules)])
        .flatten()
        .collect()
}

fn large_structs(modules: &Modules<'_>) -> Excesses {
    let structs = modules.iter().flat_map(|(_, module)| {
        let structs = module.scope.structs.iter();
        structs.map(move |(name, fields)| (module, name, *fields))
    });
    let remedy = "group fields that belong together in structs of their own";
    structs
        .filter_map(|(module, name, fields)| excess(Kind::Struct, module, name, fields, remedy))
        .collect()
}

fn scattered_types(modules: &Modules<'_>) -> Excesses {
    let mut files: BTreeMap<(Names, String), BTreeSet<&str>> = BTreeMap::new();
    for (path, module) in modules.iter() {
        for names in &module.scope.impls {
            if let Some(Target::Item {
                module: owner,
                name,
            }) = modules.follow(path, names)
            {
                files.entry((owner, name)).or_default().insert(module.file);
            }
        }
    }
    let remedy = "split it into types with one topic each";
    files
        .into_iter()
        .filter_map(|((owner, name), files)| {
            excess(Kind::Type, modules.get(&owner)?, &name, files.len(), remedy)
        })
        .collect()
}

/// Returns the complaint about a type of a module, if its size exceeds the limit.
fn excess(
    kind: Kind,
    module: &Module<'_>,
    name: &str,
    size: usize,
    remedy: &str,
) -> Option<(Subject, Excess)> {
    if size <= kind.limit() {
        return None;
    }
    let subject = Subject {
        kind,
        path: module.file.to_owned(),
        name: name.to_owned(),
    };
    let line = module.scope.items.get(name).copied().unwrap_or(1);
    let excess = Excess {
        size,
        at: (module.file.to_owned(), line),
        remedy: remedy.to_owned(),
    };
    Some((subject, excess))
}
