//! The words for every cause that a record holds as an identifier with figures. No other module produces such words.

mod culprit;
pub(crate) mod finding;
pub(crate) mod issue;
pub(crate) mod limiter;
mod note;
mod observed;
mod reason;

use record::{Finding, Level};

pub(crate) use culprit::{Culprit, lost_because};
pub use finding::sentence as finding_sentence;
pub use issue::sentence as issue_sentence;
pub use note::note;
pub(crate) use observed::observed;
pub(crate) use reason::{dropped, lost, misdelivered, none_succeeded};

/// Makes the first letter a capital.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Formats the observations that support a finding, one sentence each, without a full stop.
pub fn finding_evidence(finding: &Finding) -> Vec<String> {
    finding.evidence.iter().map(finding::evidence).collect()
}

/// Returns the reasons why a level is invalid, one sentence each, without a full stop. Empty for other levels.
pub fn invalid_because(level: &Level) -> Vec<String> {
    level.invalid_because().map(issue::sentence).collect()
}
