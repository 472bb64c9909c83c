//! Environment variables that a scenario may read.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::HiddenValues;

/// The variables that the user passed to the scenario. Cheap to clone.
#[derive(Clone, Default)]
pub struct Env(Arc<BTreeMap<String, Passed>>);

/// A variable as the user passed it.
struct Passed {
    value: Option<String>,
    /// Whether any worker's scenario has read it.
    is_read: AtomicBool,
}

/// A variable as the scenario sees it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Variable<'e> {
    /// The variable has this value.
    Set(&'e str),
    /// The user passed the variable, but the environment does not have it.
    Unset,
    /// The user did not pass the variable.
    NotPassed,
}

impl Env {
    /// Passes variables as pairs of name and value. `None` means that the variable should come from the environment,
    /// but is not set there.
    pub fn new(variables: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let passed = |(name, value)| {
            let is_read = AtomicBool::new(false);
            (name, Passed { value, is_read })
        };
        Self(Arc::new(variables.into_iter().map(passed).collect()))
    }

    /// Returns the variables, to pass them on to another process.
    pub fn passed(&self) -> impl Iterator<Item = (String, Option<String>)> {
        let passed = self.0.iter();
        passed.map(|(name, passed)| (name.clone(), passed.value.clone()))
    }

    /// Returns the names of all variables, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the names of the variables that the scenario has not read so far, in alphabetical order.
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        let unread = |(name, passed): (_, &Passed)| {
            (!passed.is_read.load(Ordering::Relaxed)).then_some(name)
        };
        let named = self.0.iter().map(|(name, passed)| (name.as_str(), passed));
        named.filter_map(unread)
    }

    /// Returns the values, which must not be shown or stored.
    pub fn hidden(&self) -> HiddenValues {
        HiddenValues::new(self.0.values().filter_map(|passed| passed.value.as_deref()))
    }

    pub(crate) fn get(&self, name: &str) -> Variable<'_> {
        let Some(passed) = self.0.get(name) else {
            return Variable::NotPassed;
        };
        passed.is_read.store(true, Ordering::Relaxed);
        match &passed.value {
            Some(value) => Variable::Set(value),
            None => Variable::Unset,
        }
    }
}

impl fmt::Debug for Env {
    /// Prints the names, but no value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_values_or_a_reason_why_not() {
        let set = ("TOKEN".to_owned(), Some("sesame".to_owned()));
        let env = Env::new([set, ("HOME".to_owned(), None)]);
        assert_eq!(env.get("TOKEN"), Variable::Set("sesame"));
        assert_eq!(env.get("token"), Variable::NotPassed);
        assert_eq!(env.unread().collect::<Vec<_>>(), ["HOME"]);
        assert_eq!(env.get("HOME"), Variable::Unset);
        assert_eq!(env.unread().count(), 0);
        assert_eq!(env.names().collect::<Vec<_>>(), ["HOME", "TOKEN"]);
        assert_eq!(format!("{env:?}"), r#"{"HOME", "TOKEN"}"#);
        assert_eq!(env.hidden().hide("open sesame"), "open ***");
    }
}
