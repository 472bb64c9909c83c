//! A run with u users cannot have more than u sessions of its own.

use crate::{Desk, Needs, Results, Rule, Severity};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "left-over",
    says: "the target counts more sessions than there are users: sessions are left from an earlier run",
    needs: Needs::Figures("users, and sessions that the target counted"),
    instead: "a clean target before each run, with its sessions counted before and after",
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
                "sessions of an earlier run still existed: the runs are not independent, and sessions do not end",
                format!(
                    "{} sessions − {} users = {} left over",
                    precise(sessions.value),
                    precise(users.value),
                    precise(sessions.value - users.value)
                ),
            );
        }
    }
}
