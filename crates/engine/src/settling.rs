//! The phases after the measured time, in which the worker waits for operations and deliveries.
//!
//! First, the worker waits for the operations in flight, each until its own time limit. When they have ended, `settle`
//! begins: the common grace period of deliveries and iterations. Users who called `stay()` are released when the
//! deliveries have settled. Only these users may take longer than `settle`, because each of their operations has its
//! own time limit.

use std::collections::VecDeque;

use model::Nanos;
use script::host::Wake;

use crate::level_state::LevelState;
use crate::people::{Group, Stage};
use crate::timers::Alarm;
use crate::world::World;

/// Interval of checks while deliveries settle.
pub(crate) const LOOK: Nanos = Nanos::from_millis(2);
/// Interval of searches for operations in flight.
const LOOK_THROUGH: Nanos = Nanos::from_millis(20);

/// Progress of the phase in which the worker waits for operations and deliveries.
#[derive(Debug)]
pub(crate) struct Settling {
    /// The time at which the measured time ended.
    since: Nanos,
    /// The time at which the last operation of the measured time ended.
    quiet: Option<Nanos>,
    next_look: Nanos,
}

/// Time limits for the end of iterations.
#[derive(Debug)]
pub(crate) struct Draining {
    /// The limit for iterations without a call of `stay()`.
    until: Nanos,
    /// The limit for iterations with a call of `stay()`.
    stayed_until: Nanos,
    next_look: Nanos,
}

impl Settling {
    pub(crate) fn since(now: Nanos) -> Self {
        Self {
            since: now,
            quiet: None,
            next_look: now,
        }
    }

    /// The time at which the last operation of the measured time ended.
    pub(crate) fn quiet(&self) -> Option<Nanos> {
        self.quiet
    }

    /// Whether all operations have ended, and all deliveries have arrived or exceeded their time limit. `settle` is the
    /// grace period. If `hurried`, operations get no more time than deliveries.
    pub(crate) fn is_over(
        &mut self,
        world: &mut World,
        settle: Nanos,
        hurried: bool,
        now: Nanos,
    ) -> bool {
        let is_cut_off = hurried && now >= self.since + settle;
        if self.quiet.is_none() && !is_cut_off && !self.is_quiet(world, now) {
            return false;
        }
        let quiet = *self.quiet.get_or_insert(now);
        if is_settled(&world.level.groups, &world.wakes) {
            return true;
        }
        let until = settles_until(&world.level.groups, quiet, settle);
        if now < until {
            world.level.timers.set(now + LOOK, Alarm::Look);
        }
        now >= until
    }

    /// Whether no operation of the measured time is in flight.
    fn is_quiet(&mut self, world: &mut World, now: Nanos) -> bool {
        // The search visits every connection, so it does not run at every check.
        if now < self.next_look {
            return false;
        }
        if world.awaited_operations().count == 0 {
            return true;
        }
        self.next_look = now + LOOK_THROUGH;
        world.level.timers.set(self.next_look, Alarm::Look);
        false
    }
}

impl Draining {
    /// The limits, given that the last operation ended at `quiet` and the deliveries settled at `now`. `finish` is the
    /// time that users who stayed get from `now` on.
    fn after(quiet: Nanos, now: Nanos, settle: Nanos, finish: Nanos) -> Self {
        let until = quiet + settle;
        Self {
            until,
            stayed_until: until.max(now + finish),
            next_look: now,
        }
    }

    /// Notes the groups whose users stayed and are about to be released at `now`. The grace period of all other groups
    /// began when the last operation ended, at `quiet`.
    pub(crate) fn begin(
        level: &mut LevelState,
        quiet: Nanos,
        now: Nanos,
        settle: Nanos,
        finish: Nanos,
    ) -> Self {
        for group in &mut level.groups {
            group.stays.released = !group.stays.waiting.is_empty();
        }
        let draining = Self::after(quiet, now, settle, finish);
        level.timers.set(draining.until.max(now), Alarm::Look);
        level.timers.set(draining.stayed_until, Alarm::Look);
        draining
    }

    /// Whether every iteration has ended or exceeded its time limit.
    pub(crate) fn is_over(&mut self, level: &mut LevelState, now: Nanos) -> bool {
        if now < self.until || now < self.next_look {
            return false;
        }
        if now >= self.stayed_until || !has_stayers(&level.groups) {
            return true;
        }
        self.next_look = now + LOOK_THROUGH;
        level.timers.set(self.next_look, Alarm::Look);
        false
    }
}

/// Whether no delivery is awaited, and no tick of the measured time waits for the script. A waiting tick may still send
/// messages.
fn is_settled(groups: &[Group], wakes: &VecDeque<Wake>) -> bool {
    let is_tick = |wake: &Wake| matches!(wake, Wake::Tick { .. });
    groups.iter().all(|group| group.ledger.awaited() == 0) && !wakes.iter().any(is_tick)
}

/// The time limit of deliveries and ticks: `settle` after the last operation ended or after the last message was sent,
/// whichever is later. Late ticks may send messages, so the limit is at most twice `settle` after `quiet`.
fn settles_until(groups: &[Group], quiet: Nanos, settle: Nanos) -> Nanos {
    let sent = groups.iter().map(|group| group.ledger.last_sent());
    let last = sent.max().unwrap_or(quiet).max(quiet);
    (last + settle).min(quiet + settle + settle)
}

/// Whether a group with users who stayed has not ended.
fn has_stayers(groups: &[Group]) -> bool {
    let runs = |stage: &Stage| matches!(stage, Stage::Running { .. } | Stage::Settling);
    groups
        .iter()
        .any(|group| group.stays.released && runs(&group.stage))
}

#[cfg(test)]
mod tests {
    use delivery::{Audience, Tally};
    use model::GroupId;
    use script::host::{OpId, TickerId, Value};

    use super::*;

    const SETTLE: Nanos = Nanos::from_secs(5);

    fn group() -> Group {
        Group::new(GroupId(1), 0, Vec::new(), Vec::new(), 1, SETTLE)
    }

    #[test]
    fn settle_is_waited_for_once() {
        let (settle, finish) = (Nanos::from_secs(5), Nanos::from_secs(30));
        let quiet = Nanos::from_secs(100);
        // A delivery was lost, so the deliveries took the whole grace period, and none of it is left for iterations.
        let lost = Draining::after(quiet, Nanos::from_secs(105), settle, finish);
        assert_eq!(lost.until, Nanos::from_secs(105));
        assert_eq!(lost.stayed_until, Nanos::from_secs(135));
        // All deliveries had arrived at once, so iterations get the whole grace period.
        let none = Draining::after(quiet, quiet, settle, finish);
        assert_eq!(none.until, Nanos::from_secs(105));
    }

    /// A group whose member 0 sent one message to member 1 at `sent`.
    fn group_that_awaits(sent: Nanos) -> Group {
        let mut group = group();
        let mut tallies = [Tally::default()];
        let channel = group.ledger.add_channel(0, Audience::Everyone, SETTLE);
        group.ledger.join(channel, 1);
        group.ledger.stamp(channel, 0, sent, &mut tallies);
        group.ledger.send(0, sent, sent, true, &mut tallies);
        group
    }

    #[test]
    fn deliveries_settle_after_the_last_message_within_twice_the_grace_period() {
        let quiet = Nanos::from_secs(100);
        let until = |groups: &[Group]| settles_until(groups, quiet, SETTLE);
        assert_eq!(until(&[]), Nanos::from_secs(105));
        let sent_at = |s| group_that_awaits(Nanos::from_secs(s));
        assert_eq!(until(&[sent_at(90)]), Nanos::from_secs(105));
        assert_eq!(until(&[sent_at(102), sent_at(101)]), Nanos::from_secs(107));
        assert_eq!(until(&[sent_at(109)]), Nanos::from_secs(110));
    }

    #[test]
    fn a_delivery_and_a_waiting_tick_are_awaited() {
        let no_wakes = VecDeque::new();
        assert!(is_settled(&[], &no_wakes));
        assert!(is_settled(&[group()], &no_wakes));
        let awaits = [group(), group_that_awaits(Nanos::from_secs(1))];
        assert!(!is_settled(&awaits, &no_wakes));
        let wake = |wake| is_settled(&[group()], &VecDeque::from([wake]));
        let (ticker, due) = (TickerId(1), Nanos::ZERO);
        assert!(!wake(Wake::Tick { ticker, due }));
        let (op, result) = (OpId(1), Ok(Value::Nothing));
        assert!(wake(Wake::Done { op, result }));
    }

    #[test]
    fn only_groups_that_were_released_and_still_run_may_take_longer() {
        let running = Stage::Running {
            planned: Nanos::ZERO,
            since: Nanos::ZERO,
        };
        let is_stayer = |released, stage| {
            let mut group = group();
            group.stays.released = released;
            group.stage = stage;
            has_stayers(&[self::group(), group])
        };
        assert!(is_stayer(true, running));
        assert!(is_stayer(true, Stage::Settling));
        assert!(!is_stayer(true, Stage::Done));
        assert!(!is_stayer(true, Stage::Waiting));
        assert!(!is_stayer(false, running));
    }

    #[test]
    fn iterations_get_the_grace_period_and_those_who_stayed_get_longer() {
        let (quiet, finish) = (Nanos::from_secs(100), Nanos::from_secs(30));
        let mut level = LevelState::default();
        let mut stayer = group();
        stayer.stays.waiting.push(OpId(1));
        stayer.stage = Stage::Settling;
        level.groups = vec![group(), stayer];
        let begin = |level: &mut _| Draining::begin(level, quiet, quiet, SETTLE, finish);
        let mut draining = begin(&mut level);
        let released: Vec<bool> = level
            .groups
            .iter()
            .map(|group| group.stays.released)
            .collect();
        assert_eq!(released, [false, true]);
        let is_over = |draining: &mut Draining, level: &mut _, s| {
            draining.is_over(level, Nanos::from_secs(s))
        };
        assert!(!is_over(&mut draining, &mut level, 104));
        assert!(!is_over(&mut draining, &mut level, 105));
        // The groups are not looked through at every turn.
        level.groups[1].stage = Stage::Done;
        assert!(!draining.is_over(&mut level, Nanos::from_secs(105) + LOOK_THROUGH - Nanos(1)));
        assert!(draining.is_over(&mut level, Nanos::from_secs(105) + LOOK_THROUGH));

        level.groups[1].stage = Stage::Settling;
        let mut draining = begin(&mut level);
        level.groups[1].stays.released = true;
        assert!(!is_over(&mut draining, &mut level, 129));
        assert!(is_over(&mut draining, &mut level, 130));
    }
}
