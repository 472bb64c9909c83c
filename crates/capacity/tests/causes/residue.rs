use record::{Cause, Level};

use super::levels::{idle, level, with};
use super::{causes, only};

/// A level of 100 iterations by 20 users, before which the target reported this number of sessions.
fn reported(sessions: f64) -> Level {
    let mut level = with(level(10.0, 1.0), idle());
    level.load.users = 20;
    level.leftovers = Some(sessions);
    level.measured.iterations.started = 100;
    level
}

#[test]
fn sessions_that_earlier_levels_left_are_named_per_iteration() {
    let finding = only(vec![reported(3.0), reported(53.0), reported(103.0)]);
    let Cause::ResidualSessions(sessions) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!((sessions.left, sessions.per_iteration), (100.0, Some(0.5)));
    assert_eq!(finding.levels, [1, 2]);
}

#[test]
fn sessions_that_were_there_before_or_are_just_ending_are_no_finding() {
    assert_eq!(causes(vec![reported(40.0), reported(40.0)]), []);
    assert_eq!(causes(vec![reported(0.0), reported(1.0)]), []);
    assert_eq!(causes(vec![reported(500.0)]), []);
    let ended = vec![reported(3.0), reported(53.0), reported(3.0)];
    assert_eq!(causes(ended), [], "they end before the last level");
}
