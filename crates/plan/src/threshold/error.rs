use std::ops::Range;

use thiserror::Error;

use crate::problem::Problem;

/// The reason why a threshold cannot be parsed, with the wrong part and a hint.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} in `{text}`")]
pub struct ThresholdError {
    /// The whole key or threshold.
    pub text: String,
    /// The wrong part, as a range of bytes in `text`.
    pub span: Range<usize>,
    /// The message, a lowercase fragment.
    pub message: String,
    /// A hint for the user on how to correct the threshold.
    pub hint: Option<String>,
}

impl ThresholdError {
    pub(super) fn new(text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            text: text.to_owned(),
            span,
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn at(self, path: String) -> Problem {
        Problem {
            path,
            message: self.message,
            excerpt: Some((self.text, self.span)),
            hint: self.hint,
        }
    }
}
