//! Open load on one worker: its own arrivals, the groups that take them, and the arrivals for which no group is free.

use std::iter::Peekable;

use model::{Nanos, UserId};
use plan::{Arrivals, Starts, groups_of};
use record::DropCause;

use crate::config::RunConfig;
use crate::level::LevelPlan;
use crate::level_state::LevelState;
use crate::link::Link;
use crate::people::Stage;
use crate::recorder::Recorder;

/// The arrivals of one worker, and the groups that are free to take them.
#[derive(Debug)]
pub(crate) struct OpenRun {
    mine: Peekable<Mine>,
    start: Nanos,
    /// Slots of groups that wait for an arrival. The group that became free last is used first, because its connections
    /// are open.
    free: Vec<usize>,
    /// Numbers of groups that have not been created yet.
    unmade: Vec<u32>,
}

/// This worker's arrivals: every `workers`th arrival of a plan, starting with the worker's number.
#[derive(Clone, Debug)]
struct Mine {
    starts: Starts,
    worker: u64,
    workers: u64,
}

impl Iterator for Mine {
    type Item = (u64, Nanos);

    fn next(&mut self) -> Option<Self::Item> {
        let Self {
            starts,
            worker,
            workers,
        } = self;
        starts.find(|(number, _)| number % *workers == *worker)
    }
}

fn mine(arrivals: &Arrivals, seed: u64, worker: u32, workers: u32) -> Mine {
    Mine {
        starts: arrivals.starts(seed),
        worker: worker.into(),
        workers: workers.max(1).into(),
    }
}

impl OpenRun {
    /// The worker's part of an open level; `None` for a closed level.
    pub(crate) fn of(plan: &LevelPlan, seed: u64, worker: u32, workers: u32) -> Option<Self> {
        let open = plan.load.open.as_ref()?;
        let mut unmade: Vec<u32> = groups_of(worker, workers, plan.load.groups).collect();
        unmade.reverse();
        Some(Self {
            mine: mine(&open.arrivals, seed, worker, workers).peekable(),
            start: plan.start,
            free: Vec::new(),
            unmade,
        })
    }

    /// The time at which the next arrival is due.
    pub(crate) fn next_due(&mut self) -> Option<Nanos> {
        let (_, due) = self.mine.peek()?;
        Some(self.start + *due)
    }

    /// Whether arrivals that are due before `end` have not been started yet.
    pub(crate) fn is_behind(&mut self, end: Nanos) -> bool {
        self.next_due().is_some_and(|due| due < end)
    }

    /// Adds a group that has finished its iteration.
    pub(crate) fn group_is_free(&mut self, slot: usize) {
        self.free.push(slot);
    }

    /// A group that waits for an arrival. If there is none, `create` makes a group, unless all groups exist already.
    pub(crate) fn free_group(&mut self, create: impl FnOnce(u32) -> usize) -> Option<usize> {
        self.free.pop().or_else(|| self.unmade.pop().map(create))
    }

    /// The arrivals that have not been started, each with its number and the time at which it was due.
    pub(crate) fn into_rest(self) -> impl Iterator<Item = (u64, Nanos)> {
        let start = self.start;
        self.mine.map(move |(number, due)| (number, start + due))
    }

    /// Takes the next arrival, if it is due.
    pub(crate) fn take_due(&mut self, now: Nanos) -> Option<(u64, Nanos)> {
        self.next_due().filter(|due| *due <= now)?;
        let (number, due) = self.mine.next()?;
        Some((number, self.start + due))
    }
}

/// Counts the planned arrivals of an open level, from the plan alone, so that planned = started + dropped is a real
/// check.
pub(crate) fn count_planned(
    recorder: &mut Recorder,
    config: &RunConfig,
    plan: &LevelPlan,
    worker: u32,
) {
    let Some(open) = &plan.load.open else { return };
    let seed = config.arrivals_seed(plan.index);
    let slot = plan.slots.of(worker);
    let arrivals = mine(&open.arrivals, seed, slot, plan.slots.all);
    let arrivals = arrivals.map(|(number, due)| (config.scenario_of(number), plan.start + due));
    recorder.plan_arrivals(config.scenario_names().len().max(1), arrivals);
}

/// Ends the arrivals of the level. Arrivals that were due in the measured time and have not started are dropped.
pub(crate) fn close_arrivals(level: &mut LevelState, config: &RunConfig, open: OpenRun) {
    level.arrivals.next = Nanos::MAX;
    let end = level.recorder.hold.end;
    for (number, due) in open.into_rest().take_while(|(_, due)| *due < end) {
        let (scenario, cause) = (config.scenario_of(number), DropCause::GeneratorBehind);
        level.recorder.drop_arrival(scenario, due, cause);
    }
}

/// Whether at least half of the groups at work wait for a response. `links` are all connections, each with its owner.
/// The result is reused for 100 ms, because drops come in bursts and the search visits every connection.
pub(crate) fn mostly_awaiting<'a>(
    level: &mut LevelState,
    links: impl Iterator<Item = (UserId, &'a Link)>,
    now: Nanos,
) -> bool {
    const LOOK_AGAIN: Nanos = Nanos::from_millis(100);
    if let Some((at, most)) = level.arrivals.awaiting
        && now < at + LOOK_AGAIN
    {
        return most;
    }
    let mut waits = vec![false; level.groups.len()];
    for (owner, link) in links {
        link.each_awaiting(owner, |user| {
            if let Some(user) = level.users.get(user) {
                waits[user.group] = true;
            }
        });
    }
    let running = |stage: &Stage| matches!(stage, Stage::Running { .. });
    let groups = level.groups.iter().zip(&waits);
    let at_work = groups.filter(|(group, _)| running(&group.stage));
    let (all, waiting) = at_work.fold((0, 0), |(all, waiting), (_, waits)| {
        (all + 1, waiting + usize::from(*waits))
    });
    let most = are_most(waiting, all);
    level.arrivals.awaiting = Some((now, most));
    most
}

/// Whether `part` is at least half of `all`, and `all` is not 0.
fn are_most(part: usize, all: usize) -> bool {
    all > 0 && part * 2 >= all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nobody_is_at_work_nobody_awaits_the_target() {
        assert!(!are_most(0, 0));
        assert!(are_most(1, 2));
        assert!(!are_most(1, 3));
    }
}
