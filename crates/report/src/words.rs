//! The words for every cause that a record holds as an identifier with figures. Only these modules produce them.

pub(crate) mod finding;
pub(crate) mod issue;
pub(crate) mod limiter;
mod note;
mod observed;
mod reason;

use record::Level;

pub use finding::sentence as finding_sentence;
pub use note::note;
pub(crate) use observed::observed;
pub(crate) use reason::{dropped, lost, misdelivered, none_succeeded};

/// Returns the reasons why a level is invalid, one sentence without a full stop each. Empty for other levels.
pub fn invalid_because(level: &Level) -> Vec<String> {
    level.invalid_because().map(issue::sentence).collect()
}
