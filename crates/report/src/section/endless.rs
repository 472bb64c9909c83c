//! Remarks that no iteration ended. Thresholds on requests or connections may then have held although the users never
//! got to the end of the scenario, for example because a message that they wait for never comes.

use format::plural;
use record::{IssueCause, Level, Run};

use super::label;

/// Returns a remark for the first level in which no iteration ended.
pub(crate) fn remark(run: &Run) -> Option<String> {
    let is_endless = |level: &&Level| {
        let iterations = &level.measured.iterations;
        let none_ended = iterations.unfinished > 0 && iterations.succeeded + iterations.failed == 0;
        none_ended && !was_cut_short(level)
    };
    let level = run.levels.iter().find(is_endless)?;
    let open = plural(level.measured.iterations.unfinished, "iteration");
    Some(format!(
        "none of {open} at {} ended: loop with `while (group.active)`, call `user.stay()`, or check what the users wait \
         for",
        label(&level.load)
    ))
}

/// Whether agents of a fleet were lost, so that their iterations could not end.
fn was_cut_short(level: &Level) -> bool {
    let mut issues = level.issues.iter();
    issues.any(|issue| matches!(issue.cause, IssueCause::LostAgent { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(unfinished: u64, succeeded: u64, failed: u64) -> Option<String> {
        let mut level = Level::default();
        level.load.users = 4;
        let iterations = &mut level.measured.iterations;
        (iterations.unfinished, iterations.succeeded) = (unfinished, succeeded);
        iterations.failed = failed;
        remark(&Run {
            levels: vec![Level::default(), level],
            ..Run::default()
        })
    }

    #[test]
    fn only_a_level_in_which_no_iteration_ended_has_a_remark() {
        let told_so = told(4, 0, 0).unwrap_or_default();
        assert!(
            told_so.starts_with("none of 4 iterations at 4 users ended: "),
            "{told_so}"
        );
        for (unfinished, succeeded, failed) in [(0, 0, 0), (4, 1, 0), (4, 0, 1)] {
            assert_eq!(told(unfinished, succeeded, failed), None);
        }
    }
}
