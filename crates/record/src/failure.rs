use model::{FaultKind, Side};
use serde::{Deserialize, Serialize};

/// All failures of one kind at one named thing, with the first of them as example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Whose fault.
    pub side: Side,
    /// What kind.
    pub kind: FaultKind,
    /// The name of the request, round trip, step, channel or connection; `iteration` when there is no other.
    pub what: String,
    /// How often.
    pub count: u64,
    /// The first of them.
    pub first: Example,
}

/// One failure as it was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// When, in seconds since the start of the run.
    pub at_s: f64,
    /// Whom it hit.
    pub user: Option<String>,
    /// In which step of the scenario.
    pub step: Option<String>,
    /// One line for people.
    pub detail: String,
    /// Where in the script: `room.ts:12:5`.
    pub location: Option<String>,
    /// The lines of the script around it, ready to print.
    pub frame: Option<String>,
}

/// Adds `failure` to `failures`: to the one of the same side, kind and name if there is one. The earlier example
/// stays.
pub fn note_failure(failures: &mut Vec<Failure>, failure: Failure) {
    let same = |other: &&mut Failure| {
        other.side == failure.side && other.kind == failure.kind && other.what == failure.what
    };
    let Some(known) = failures.iter_mut().find(same) else {
        failures.push(failure);
        return;
    };
    known.count += failure.count;
    if failure.first.at_s < known.first.at_s {
        known.first = failure.first;
    }
}
