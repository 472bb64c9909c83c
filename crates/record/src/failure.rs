use model::{FaultKind, Side};
use serde::{Deserialize, Serialize};

/// All failures of one side, kind and name, with the first one as an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Side at fault.
    pub side: Side,
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Name of the request, round trip, step, channel or connection. `iteration` if the failure belongs to none of
    /// these.
    pub what: String,
    /// Number of failures.
    pub count: u64,
    /// The first failure.
    pub first: Example,
}

/// One failure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// Time of the failure, in seconds since the start of the run.
    pub at_s: f64,
    /// The affected user.
    pub user: Option<String>,
    /// Step of the scenario in which the failure occurred.
    pub step: Option<String>,
    /// Description in one line.
    pub detail: String,
    /// Location in the script: `room.ts:12:5`.
    pub location: Option<String>,
    /// Source lines around the location, ready to print.
    pub frame: Option<String>,
}

/// Maximum length of a description, in bytes.
const LONGEST: usize = 2000;

/// Cuts off a description that is very long, because it can contain what the target sent.
pub fn shortened(detail: &str) -> String {
    let end = detail.floor_char_boundary(LONGEST);
    if end == detail.len() {
        return detail.to_owned();
    }
    format!("{}…", &detail[..end])
}

/// Adds `failure` to the entry with the same side, kind and name. Without such an entry, creates one. The entry keeps
/// the earlier example.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_very_long_descriptions_are_cut_off() {
        assert_eq!(shortened("short"), "short");
        let exact = "x".repeat(LONGEST);
        assert_eq!(shortened(&exact), exact);
        let long = shortened(&"ü".repeat(10_000_000));
        assert_eq!(long, format!("{}…", "ü".repeat(LONGEST / 2)));
    }
}
