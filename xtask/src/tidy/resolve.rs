//! Follows paths of the code to the items that they name. Names that a module exports from another one (`pub use`) lead
//! to the module that defines the item.

use std::collections::BTreeMap;

use super::metadata::{Package, TargetKind};
use super::modules::{Place, declared};
use super::repository::Repository;
use super::rust::{Names, Scope};

/// Maximum number of imports that lead from a name to its item.
const DEPTH: usize = 8;

/// The modules of one target, without those of its tests.
#[derive(Default)]
pub(super) struct Modules<'a> {
    by_path: BTreeMap<Names, Module<'a>>,
}

pub(super) struct Module<'a> {
    pub(super) file: &'a str,
    pub(super) scope: &'a Scope,
}

/// What a path leads to.
pub(super) enum Target {
    Module(Names),
    Item { module: Names, name: String },
}

/// Returns the modules of each library and each binary of a package.
pub(super) fn targets<'a>(
    repository: &'a Repository,
    package: &Package,
) -> impl Iterator<Item = Modules<'a>> {
    let targets = package.targets.iter();
    let released = targets.filter(|target| target.kind != TargetKind::Aside);
    released.map(move |target| Modules::of(repository, &target.root))
}

impl<'a> Modules<'a> {
    fn of(repository: &'a Repository, root: &str) -> Self {
        let mut found = Self::default();
        let mut open = vec![(Names::new(), Place::root(root))];
        while let Some((path, place)) = open.pop() {
            let Some((file, source)) = repository.sources.get_key_value(&place.path) else {
                continue;
            };
            for scope in &source.scopes {
                let path = [path.as_slice(), &scope.within].concat();
                found.by_path.insert(path, Module { file, scope });
            }
            let modules = declared(repository, &place).filter(|(module, _)| !module.test);
            open.extend(modules.map(|(module, place)| {
                let path = [path.as_slice(), &module.path].concat();
                (path, place)
            }));
        }
        found
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Names, &Module<'a>)> {
        self.by_path.iter()
    }

    pub(super) fn get(&self, path: &[String]) -> Option<&Module<'a>> {
        self.by_path.get(path)
    }

    /// Follows a path that stands in the module `from`. `None` if it leads to another crate.
    pub(super) fn follow(&self, from: &[String], path: &[String]) -> Option<Target> {
        self.follow_within(from, path, DEPTH)
    }

    fn follow_within(&self, from: &[String], path: &[String], depth: usize) -> Option<Target> {
        let depth = depth.checked_sub(1)?;
        let (first, mut rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(Names::new()),
            "self" => Target::Module(from.to_vec()),
            "super" => Target::Module(parent(from)?),
            name => self.named(from, name, rest.is_empty(), depth)?,
        };
        while let (Target::Module(module), Some((name, more))) = (&target, rest.split_first()) {
            target = match name.as_str() {
                "super" => Target::Module(parent(module)?),
                // A name that is not found belongs to a macro or to another crate, and is used through this module.
                name => {
                    let found = self.named(module, name, more.is_empty(), depth);
                    found.unwrap_or_else(|| Target::Item {
                        module: module.clone(),
                        name: name.to_owned(),
                    })
                }
            };
            rest = more;
        }
        Some(target)
    }

    /// Finds a name in a module. A name in front of `::` is a module rather than an item of the same name.
    fn named(&self, module: &[String], name: &str, is_last: bool, depth: usize) -> Option<Target> {
        let scope = self.by_path.get(module)?.scope;
        let child = [module, &[name.to_owned()]].concat();
        let is_module = self.by_path.contains_key(&child);
        if is_module && !is_last {
            return Some(Target::Module(child));
        }
        if scope.items.contains_key(name) {
            return Some(Target::Item {
                module: module.to_vec(),
                name: name.to_owned(),
            });
        }
        let imported = scope.uses.iter().filter(|one| one.name == name);
        let mut imported = imported.filter_map(|one| self.follow_within(module, &one.path, depth));
        if let Some(target) = imported.next() {
            return Some(target);
        }
        if is_module {
            return Some(Target::Module(child));
        }
        let globs = scope.uses.iter().filter(|one| one.name == "*");
        let mut globs = globs.filter_map(|one| self.follow_within(module, &one.path, depth));
        globs.find_map(|target| match target {
            Target::Module(other) if other != module => {
                self.named(&other, name, is_last, depth.checked_sub(1)?)
            }
            _ => None,
        })
    }
}

fn parent(module: &[String]) -> Option<Names> {
    let (_, parent) = module.split_last()?;
    Some(parent.to_vec())
}
