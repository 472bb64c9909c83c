//! Failures in `setup` and `teardown`.

use format::plural;
use record::{FailedAround, Run};

/// One sentence for each part and each error that ended it.
pub(super) fn of(run: &Run) -> Vec<String> {
    let ended = run.script_faults.iter();
    let ended = ended.map(|fault| format!("{} ended with an error ({})", fault.what, fault.side));
    let parts = [
        ("setup", run.failed_in_setup()),
        ("teardown", run.failed_in_teardown()),
    ];
    let parts = parts.into_iter().filter(|(_, failed)| !failed.is_nothing());
    let part = |(name, failed): (&str, FailedAround)| {
        let others = failed.failures.saturating_sub(failed.requests);
        let counts = [
            (failed.requests, "request"),
            (others, "other operation"),
            (failed.checks, "check"),
        ];
        let counts = counts.iter().filter(|(number, _)| *number > 0);
        let counts: Vec<String> = counts.map(|(number, what)| plural(*number, what)).collect();
        format!("in {name} {} failed", counts.join(" and "))
    };
    ended.chain(parts.map(part)).collect()
}
