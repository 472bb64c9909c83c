use crate::import_error::ImportError;

/// The form that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a str,
}

impl Form<'_> {
    pub(super) fn refuse(self, offset: usize, why: impl Into<String>) -> ImportError {
        ImportError::Form {
            file: self.name.to_owned(),
            line: line_of(self.text, offset),
            why: why.into(),
        }
    }

    pub(super) fn place(self, offset: usize) -> String {
        format!("{}:{}", self.name, line_of(self.text, offset))
    }
}

/// Returns the line of a byte offset, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    1 + before.filter(|&&byte| byte == b'\n').count()
}
