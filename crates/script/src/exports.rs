//! The functions that the main module exports: found once, kept for every iteration.

use rquickjs::{Object, Persistent, Result, Value};

use crate::work::Kept;

/// The name under which a module's default export goes.
pub(crate) const DEFAULT: &str = "default";

/// Exported functions by name. There are few of them: they are searched in order.
#[derive(Default)]
pub(crate) struct Exports {
    functions: Vec<(String, Kept)>,
}

impl Exports {
    /// What a module exports that can be called.
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

    /// Where a function stands; it keeps its place.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|(known, _)| known == name)
    }

    /// The function at a place that [`Exports::find`] gave.
    pub(crate) fn at(&self, place: usize) -> Option<Kept> {
        Some(self.functions.get(place)?.1.clone())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The functions that a mix may name: all but those with a part of their own.
    pub(crate) fn scenarios(&self) -> Vec<String> {
        let names = self.functions.iter().map(|(name, _)| name.as_str());
        names
            .filter(|name| ![DEFAULT, "setup", "teardown"].contains(name))
            .map(str::to_owned)
            .collect()
    }
}
