//! Hides given values in texts, such as the values of environment variables. Hidden values are neither shown nor
//! stored.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt;

use crate::credentials::HIDDEN;

/// Minimum length of a hidden value, in characters. Shorter values occur in many texts by chance.
const SHORTEST: usize = 4;

/// Values that must not appear in any text that is shown or stored.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HiddenValues(Vec<String>);

impl HiddenValues {
    /// Hides the values that have at least four characters. Shorter values are ignored.
    pub fn new<'v>(values: impl IntoIterator<Item = &'v str>) -> Self {
        let mut hidden = Vec::new();
        for value in values {
            if value.chars().count() < SHORTEST {
                continue;
            }
            // Also hides the escaped form, because messages quote values with escapes for quotes, backslashes and line
            // breaks.
            let quoted = format!("{value:?}");
            let escaped = &quoted[1..quoted.len() - 1];
            if escaped != value {
                hidden.push(escaped.to_owned());
            }
            hidden.push(value.to_owned());
        }
        // Sorts the longest values first, because a value may be part of another.
        hidden.sort_by_key(|value| Reverse(value.len()));
        hidden.dedup();
        Self(hidden)
    }

    /// Whether no value is hidden.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces every hidden value in the text by `***`.
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut shown = String::new();
        let mut rest = text;
        while let Some((at, length)) = self.first_in(rest) {
            shown.push_str(&rest[..at]);
            shown.push_str(HIDDEN);
            rest = &rest[at + length..];
        }
        if shown.is_empty() {
            return Cow::Borrowed(text);
        }
        shown.push_str(rest);
        Cow::Owned(shown)
    }

    /// Returns the offset and length of the first hidden value. If several begin at that offset, the longest is chosen.
    fn first_in(&self, text: &str) -> Option<(usize, usize)> {
        let found = self.0.iter();
        let found = found.filter_map(|value| Some((text.find(value.as_str())?, value.len())));
        found.min_by_key(|&(at, length)| (at, Reverse(length)))
    }
}

impl fmt::Debug for HiddenValues {
    /// Prints the number of values, but no value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HiddenValues({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(values: &[&str], text: &str) -> String {
        let values = HiddenValues::new(values.iter().copied());
        values.hide(text).into_owned()
    }

    #[test]
    fn values_are_hidden_wherever_they_stand() {
        assert_eq!(
            hidden(&["sesame"], "sesame, open sesame!"),
            "***, open ***!"
        );
        assert_eq!(hidden(&["sesame", "open"], "opensesame"), "******");
        assert_eq!(hidden(&["sésame"], "/x/sésame"), "/x/***");
        assert_eq!(hidden(&["sesame"], "sesam"), "sesam");
    }

    #[test]
    fn of_overlapping_values_the_first_and_longest_is_hidden() {
        assert_eq!(hidden(&["same", "sesame"], "sesame same"), "*** ***");
        assert_eq!(hidden(&["sesame", "sesame street"], "sesame street"), "***");
        assert_eq!(hidden(&["abcd", "cdef"], "abcdef"), "***ef");
    }

    #[test]
    fn short_values_are_not_hidden() {
        assert_eq!(hidden(&["abc", "äöü", ""], "abc äöü"), "abc äöü");
        assert_eq!(hidden(&["äöüß"], "äöüß"), "***");
        assert!(HiddenValues::new(["abc"]).is_empty());
        assert!(!HiddenValues::new(["abcd"]).is_empty());
    }

    #[test]
    fn quoted_values_are_hidden_with_their_escapes() {
        let key = "first \"line\"\nsecond";
        assert_eq!(hidden(&[key], &format!("not {key:?}")), "not \"***\"");
        assert_eq!(hidden(&[key], &format!("not {key}")), "not ***");
    }

    #[test]
    fn a_text_without_hidden_values_is_not_copied() {
        let values = HiddenValues::new(["sesame"]);
        assert!(matches!(values.hide("open"), Cow::Borrowed("open")));
        assert_eq!(format!("{values:?}"), "HiddenValues(1)");
    }
}
