//! Problems in a user's options, each with its place, a message and a hint.

use std::error::Error;
use std::fmt;
use std::ops::Range;

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place in the options, e.g. `load.users[2]`; empty for the options as a whole.
    pub path: String,
    /// The message: a lowercase fragment that includes the value.
    pub message: String,
    /// The text that could not be parsed, and the byte range of its wrong part.
    pub excerpt: Option<(String, Range<usize>)>,
    /// A hint, e.g. ``did you mean `ramp`?``.
    pub hint: Option<String>,
}

/// All problems, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

/// A problem without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Flaw {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    pub(crate) fn at(self, path: impl Into<String>) -> Problem {
        Problem {
            path: path.into(),
            message: self.message,
            excerpt: None,
            hint: self.hint,
        }
    }
}

impl Problems {
    pub(crate) fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of problems.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Iterates over the problems.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }
}

impl FromIterator<Problem> for Problems {
    fn from_iter<I: IntoIterator<Item = Problem>>(problems: I) -> Self {
        Self(problems.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problem {
    /// Prints the place and the message on one line, then the excerpt with carets and the hint on indented lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.path.is_empty() {
            "options"
        } else {
            &self.path
        };
        write!(f, "{place}: {}", self.message)?;
        if let Some((text, span)) = &self.excerpt {
            let before = text
                .get(..span.start)
                .map_or(0, |start| start.chars().count());
            let width = text
                .get(span.clone())
                .map_or(0, |part| part.chars().count());
            let (indent, carets) = (" ".repeat(before), "^".repeat(width.max(1)));
            write!(f, "\n    {text}\n    {indent}{carets}")?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl Error for Problems {}

/// Formats a text for messages: quoted, escaped and cut to 60 characters.
pub(crate) fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_the_part_to_blame() {
        let problem = Problem {
            path: "thresholds.steps".to_owned(),
            message: "unknown aggregate `p9x`".to_owned(),
            excerpt: Some(("é p9x < 1s".to_owned(), 3..6)),
            hint: Some("did you mean `p9`?".to_owned()),
        };
        assert_eq!(
            problem.to_string(),
            "thresholds.steps: unknown aggregate `p9x`\n    é p9x < 1s\n      ^^^\n  hint: did you mean `p9`?"
        );
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(quoted("a\nb"), r#""a\nb""#);
        assert_eq!(quoted(&"x".repeat(1000)).chars().count(), 63);
    }
}
