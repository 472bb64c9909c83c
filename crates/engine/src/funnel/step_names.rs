use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::recorder::{NAMES_LIMIT, OTHER_NAMES};

/// Assigns numbers to the names of steps and conditions. A number stays valid as long as the worker lives.
#[derive(Debug, Default)]
pub(crate) struct StepNames {
    numbers: FxHashMap<(Arc<str>, bool), u32>,
    names: Vec<(Arc<str>, bool)>,
}

impl StepNames {
    /// The number of a name. All names beyond the limit share one number.
    pub(crate) fn number(&mut self, name: &str, eventually: bool) -> u32 {
        let key = (Arc::from(name), eventually);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        if self.names.len() >= NAMES_LIMIT && name != OTHER_NAMES {
            return self.number(OTHER_NAMES, eventually);
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(key.clone());
        self.numbers.insert(key, number);
        number
    }

    /// The name of a number, and whether it is that of a condition.
    pub(super) fn of(&self, number: u32) -> (Arc<str>, bool) {
        let known = self.names.get(number as usize).cloned();
        known.unwrap_or_else(|| (Arc::from(OTHER_NAMES), false))
    }
}
