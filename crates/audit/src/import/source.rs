use crate::import_error::ImportError;
use crate::results::Results;

/// The name and text of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a str,
}

impl Source<'_> {
    pub(super) fn broken(self, form: &'static str, why: impl Into<String>) -> ImportError {
        let file = self.name.to_owned();
        ImportError::Broken {
            file,
            form,
            why: why.into(),
        }
    }

    pub(super) fn unknown(self) -> ImportError {
        ImportError::Unknown {
            file: self.name.to_owned(),
        }
    }

    pub(super) fn results(self, form: &'static str) -> Results {
        Results {
            source: self.name.to_owned(),
            form,
            ..Results::default()
        }
    }
}
