use std::ops::Range;

use thiserror::Error;

use crate::problem::Problem;

/// Why a threshold cannot be read: which part of it is wrong, and what was probably meant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} in `{text}`")]
pub struct ThresholdError {
    /// The whole key or condition.
    pub text: String,
    /// The bytes of it that are to blame.
    pub span: Range<usize>,
    /// What is wrong, a lowercase fragment.
    pub message: String,
    /// What to do about it.
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
