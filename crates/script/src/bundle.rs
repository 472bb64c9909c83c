//! The modules of a scenario, read and stripped of types once for all workers.

mod discover;
mod foreign;
mod path;
mod text;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::error::ScriptError;
use crate::frame::{Location, code_frame, name_at_column};
use crate::root::Root;

use discover::Imports;
pub(crate) use path::{Import, resolve};

/// One module.
#[derive(Debug)]
pub(crate) struct Module {
    /// Path for messages: as given, or joined to the importer's path.
    pub(crate) name: String,
    /// Source text as the user wrote it.
    pub(crate) source: String,
    /// Code for the script engine: the source without types, with the same lines and columns.
    pub(crate) code: String,
}

#[derive(Debug)]
struct Modules {
    /// The main module first, then the others in the order in which they were found.
    list: Vec<Module>,
    index: HashMap<String, usize>,
}

/// All modules of a scenario. Cheap to clone, and shared by all workers.
#[derive(Clone, Debug)]
pub struct Bundle(Arc<Modules>);

impl Bundle {
    /// Reads a scenario file and all modules that it imports from its own folder.
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        Self::read_within(path, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads a scenario file, which may import any file in the folder `root`.
    pub fn read_within(path: &Path, root: &Path) -> Result<Self, ScriptError> {
        let name = path::name_of(path);
        let source = discover::read_file(path)?;
        Self::of(&name, source, Imports::Files(Root::new(root)))
    }

    /// Creates a bundle from a built-in scenario, which may import only `"headcount"`.
    pub fn embedded(name: &str, source: &str) -> Result<Self, ScriptError> {
        Self::embedded_with(name, source, &[])
    }

    /// Creates a bundle from a built-in scenario and the modules that it may import, as pairs of name and text.
    pub fn embedded_with(
        name: &str,
        source: &str,
        modules: &[(&str, &str)],
    ) -> Result<Self, ScriptError> {
        let modules = modules.iter();
        let given = modules.map(|&(name, source)| (name.to_owned(), source.to_owned()));
        Self::of(name, source.to_owned(), Imports::Given(given.collect()))
    }

    fn of(name: &str, source: String, imports: Imports) -> Result<Self, ScriptError> {
        let list = discover::modules(name, source, imports)?;
        let index = list
            .iter()
            .enumerate()
            .map(|(at, module)| (module.name.clone(), at))
            .collect();
        Ok(Self(Arc::new(Modules { list, index })))
    }

    /// Name of the main module, as messages show it.
    pub fn name(&self) -> &str {
        self.0.list.first().map_or("", |main| &main.name)
    }

    /// Names and source texts of all modules, the main module first.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &str)> {
        let modules = self.0.list.iter();
        modules.map(|module| (module.name.as_str(), module.source.as_str()))
    }

    /// Source text of the main module.
    pub fn main_source(&self) -> &str {
        self.0.list.first().map_or("", |main| &main.source)
    }

    /// Returns the SHA-256 in hexadecimal. For a single module, it is the hash of the file, as `sha256sum` prints it.
    /// For several modules, it covers all names, relative to the main module's folder, and all texts.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        if let [only] = self.0.list.as_slice() {
            hash.update(&only.source);
        } else {
            let folder = path::folder(self.name());
            for module in &self.0.list {
                let name = module.name.strip_prefix(folder).unwrap_or(&module.name);
                for text in [name, &module.source] {
                    hash.update((text.len() as u64).to_le_bytes());
                    hash.update(text);
                }
            }
        }
        format!("{:x}", hash.finalize())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.index.contains_key(name)
    }

    pub(crate) fn module(&self, name: &str) -> Option<&Module> {
        self.0.list.get(*self.0.index.get(name)?)
    }

    /// Returns the name at a location. `None` if there is none.
    pub(crate) fn name_at(&self, place: &Location) -> Option<&str> {
        let source = &self.module(&place.file)?.source;
        let line = source.lines().nth(place.line.checked_sub(1)? as usize)?;
        name_at_column(line, place.column)
    }

    /// Returns the source lines around a location.
    pub(crate) fn frame(&self, place: &Location) -> Option<String> {
        let module = self.module(&place.file)?;
        Some(code_frame(&module.source, place.line, place.column))
    }
}
