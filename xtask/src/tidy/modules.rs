//! Finds the files of modules.

use super::path::{folder_of, join};
use super::repository::Repository;
use super::rust::Module;

/// The file of a module.
pub(super) struct Place {
    pub(super) path: String,
    /// Whether the module's own modules are beside the file. If not, they are in a folder with the file's name.
    is_root: bool,
}

impl Place {
    /// The root of a target, such as `lib.rs`.
    pub(super) fn root(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            is_root: true,
        }
    }
}

/// Returns the modules that a file declares, each with its file.
pub(super) fn declared<'a>(
    repository: &'a Repository,
    place: &Place,
) -> impl Iterator<Item = (&'a Module, Place)> {
    let source = repository.sources.get(&place.path);
    let modules = source.map_or_else(Default::default, |source| &source.modules[..]);
    modules.iter().filter_map(|module| {
        let path = candidates(place, module)
            .into_iter()
            .find(|path| repository.files.contains_key(path))?;
        let is_root = module.file.is_some();
        Some((module, Place { path, is_root }))
    })
}

/// Returns the paths at which a module's file may be.
fn candidates(from: &Place, module: &Module) -> Vec<String> {
    let here = folder_of(&from.path);
    let beside = from.is_root || from.path.ends_with("/mod.rs");
    let base = if beside {
        here
    } else {
        from.path.trim_end_matches(".rs")
    };
    let stem = module.path.join("/");
    let around = folder_of(&stem);
    let found = match &module.file {
        Some(file) if around.is_empty() => vec![join(here, file)],
        Some(file) => vec![join(base, &format!("{around}/{file}"))],
        None => vec![
            join(base, &format!("{stem}.rs")),
            join(base, &format!("{stem}/mod.rs")),
        ],
    };
    found.into_iter().flatten().collect()
}
