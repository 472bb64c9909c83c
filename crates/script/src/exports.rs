//! The functions that the main module exports, looked up once for all iterations.

use rquickjs::{Object, Persistent, Result, Value};

use crate::kept::Kept;

/// Name of a module's default export.
pub(crate) const DEFAULT: &str = "default";

/// Exported functions with their names. There are few, so a linear search suffices.
#[derive(Default)]
pub(crate) struct Exports {
    functions: Vec<(String, Kept)>,
}

impl Exports {
    /// Collects the exported functions of a module.
    pub(crate) fn of(module: &Object<'_>) -> Result<Self> {
        let mut functions = Vec::new();
        for property in module.props::<String, Value<'_>>() {
            let (name, value) = property?;
            if let Some(function) = value.into_function() {
                functions.push((name, Persistent::save(module.ctx(), function)));
            }
        }
        Ok(Self { functions })
    }

    /// Returns the index of a function. Indices never change.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|(known, _)| known == name)
    }

    /// Returns the function at an index from [`Exports::find`].
    pub(crate) fn at(&self, place: usize) -> Option<Kept> {
        Some(self.functions.get(place)?.1.clone())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the names that a mix may use: all functions without a special meaning.
    pub(crate) fn scenarios(&self) -> Vec<String> {
        let names = self.functions.iter().map(|(name, _)| name.as_str());
        names
            .filter(|name| ![DEFAULT, "setup", "teardown"].contains(name))
            .map(str::to_owned)
            .collect()
    }
}
