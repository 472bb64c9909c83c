//! The imports between the files of each crate, and the calls of methods in other files.

use std::collections::{BTreeMap, BTreeSet};

use super::repository::Repository;
use super::resolve::{Modules, Target, targets};
use super::rust::{Call, Names};

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
                    found.add_calls(&modules);
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

    /// Adds the files with the methods that a file calls, if the type of the receiver is evident. A method hides such a
    /// dependence, because only its type is imported.
    fn add_calls(&mut self, modules: &Modules<'a>) {
        let mut methods: BTreeMap<(Item, &str), &'a str> = BTreeMap::new();
        for (path, module) in modules.iter() {
            for (of, name) in &module.scope.calls.methods {
                if let Some(of) = item(modules, path, of) {
                    methods.entry((of, name)).or_insert(module.file);
                }
            }
        }
        for (path, module) in modules.iter() {
            for call in &module.scope.calls.made {
                let Some(of) = receiver(modules, path, call) else {
                    continue;
                };
                let name = format!("{}::{}", of.1, call.method);
                let to = methods.get(&(of, call.method.as_str())).copied();
                if let Some(to) = to.filter(|to| *to != module.file) {
                    let names = self.of.entry(module.file).or_default();
                    let first = names.entry(to).or_default().entry(name);
                    let first = first.or_insert(call.line);
                    *first = call.line.min(*first);
                }
            }
        }
    }
}

/// The module and the name of an item.
type Item = (Names, String);

fn item(modules: &Modules<'_>, from: &[String], names: &[String]) -> Option<Item> {
    match modules.follow(from, names)? {
        Target::Item { module, name } => Some((module, name)),
        Target::Module(_) => None,
    }
}

/// The type of the value on which a method is called.
fn receiver(modules: &Modules<'_>, from: &[String], call: &Call) -> Option<Item> {
    let first = item(modules, from, &call.of)?;
    call.fields.iter().try_fold(first, |(module, name), field| {
        let fields = &modules.get(&module)?.scope.calls.fields;
        let of = fields.get(&(name, field.clone()))?;
        item(modules, &module, of)
    })
}
