//! Environment variables that a scenario may read.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use model::HiddenValues;

/// The variables that the user passed to the scenario. Cheap to clone.
#[derive(Clone, Default)]
pub struct Env(Arc<BTreeMap<String, Option<String>>>);

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
        Self(Arc::new(variables.into_iter().collect()))
    }

    /// Returns the names of all variables, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the values, which must not be shown or stored.
    pub fn hidden(&self) -> HiddenValues {
        HiddenValues::new(self.0.values().flatten().map(String::as_str))
    }

    pub(crate) fn get(&self, name: &str) -> Variable<'_> {
        match self.0.get(name) {
            Some(Some(value)) => Variable::Set(value),
            Some(None) => Variable::Unset,
            None => Variable::NotPassed,
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
        assert_eq!(env.get("HOME"), Variable::Unset);
        assert_eq!(env.get("token"), Variable::NotPassed);
        assert_eq!(env.names().collect::<Vec<_>>(), ["HOME", "TOKEN"]);
        assert_eq!(format!("{env:?}"), r#"{"HOME", "TOKEN"}"#);
        assert_eq!(env.hidden().hide("open sesame"), "open ***");
    }
}
