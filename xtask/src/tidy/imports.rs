//! The imports between the files of each crate.

use std::collections::{BTreeMap, BTreeSet};

use super::repository::Repository;
use super::resolve::{Modules, Target, targets};

/// The folders whose crates are checked.
const CRATES: &[&str] = &["crates/", "systems/", "xtask"];

/// The imports of all crates. A file imports only from files of its own crate.
#[derive(Default)]
pub(super) struct Imports<'a> {
    /// For each file, the files that it imports from, with the imported names and the first line of each.
    pub(super) of: BTreeMap<&'a str, BTreeMap<&'a str, BTreeMap<String, usize>>>,
    families: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Imports<'a> {
    pub(super) fn between_files(repository: &'a Repository) -> Self {
        let mut found = Self::default();
        for package in &repository.workspace.members {
            let folder = &package.folder;
            if CRATES.iter().any(|prefix| folder.starts_with(prefix)) {
                for modules in targets(repository, package) {
                    found.add(&modules);
                }
            }
        }
        found
    }

    /// Returns all files that import from others or are imported.
    pub(super) fn files(&self) -> BTreeSet<&'a str> {
        let pairs = self.pairs().chain(self.families());
        pairs.flat_map(|(one, other)| [one, other]).collect()
    }

    /// Returns pairs of a file and a file that it imports from.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let of = self.of.iter();
        of.flat_map(|(&from, imports)| imports.keys().map(move |&to| (from, to)))
    }

    /// Returns pairs of the file of a module and the file of one of its own modules.
    pub(super) fn families(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.families.iter().copied()
    }

    fn add(&mut self, modules: &Modules<'a>) {
        for (path, module) in modules.iter() {
            let parent = path.split_last().and_then(|(_, path)| modules.get(path));
            self.families
                .extend(parent.map(|parent| (parent.file, module.file)));
            let mut note = |target: Target, is_glob: bool, line: usize| {
                let (module_path, name) = match target {
                    Target::Item { module, name } => (module, name),
                    Target::Module(module) if is_glob => (module, "*".to_owned()),
                    // The paths that begin at an imported module count.
                    Target::Module(_) => return,
                };
                let to = modules.get(&module_path).map(|module| module.file);
                if let Some(to) = to.filter(|to| *to != module.file) {
                    let imports = self.of.entry(module.file).or_default();
                    let names = imports.entry(to).or_default();
                    let first = names.entry(name).or_insert(line);
                    *first = line.min(*first);
                }
            };
            // A name that is only exported from another module is not used here.
            for one in module.scope.uses.iter().filter(|one| !one.exported) {
                if let Some(target) = modules.follow(path, &one.path) {
                    note(target, one.name == "*", one.line);
                }
            }
            for (names, &line) in &module.scope.paths {
                if let Some(target) = modules.follow(path, names) {
                    note(target, false, line);
                }
            }
        }
    }
}
