//! The words of every cause that a record holds as an identifier with its figures. No other module makes them.

pub(crate) mod finding;
pub(crate) mod issue;
pub(crate) mod limiter;
mod note;
mod observed;
mod reason;

use record::{Finding, Level};

pub(crate) use note::note;
pub(crate) use observed::observed;
pub(crate) use reason::{dropped, lost, misdelivered, none_succeeded};

/// Why a level is invalid, one sentence without a full stop for each cause; empty unless it is.
pub fn invalid_because(level: &Level) -> Vec<String> {
    level.invalid_because().map(issue::sentence).collect()
}

/// A finding in one sentence without a full stop.
pub fn finding_sentence(finding: &Finding) -> String {
    finding::sentence(finding)
}
