//! A run with u users creates at most u sessions. Further sessions are left from an earlier run.

use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "left-over",
    says: "the target counts more sessions than users: some sessions are left from an earlier run",
    needs: Needs::Figures("the number of users, and of sessions that the target counted"),
    instead: "a target without sessions before each run; sessions counted before and after the run",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let (Some(users), Some(sessions)) = (&level.users, &level.sessions) else {
            continue;
        };
        desk.checked();
        if sessions.low() > users.high() {
            desk.find(
                Severity::Unsupported,
                (level.name.clone(), &[sessions.at.as_str(), users.at.as_str()]),
                "sessions of an earlier run still exist: the runs are not independent, and sessions do not end",
                format!(
                    "{} sessions − {} users = {} sessions left over",
                    precise(sessions.value),
                    precise(users.value),
                    precise(sessions.value - users.value)
                ),
            );
        }
    }
}
