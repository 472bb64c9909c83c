use std::sync::Arc;

use delivery::CutOff;
use model::{GroupId, Nanos, UserId};
use record::DropCause;
use script::{GroupStart, ScriptFault};

use crate::convergence::compare_states;
use crate::funnel::StepEnd;
use crate::level_run::LevelRun;
use crate::level_state::LevelState;
use crate::open::{OpenRun, mostly_awaiting};
use crate::people::Stage;
use crate::recorder::{Iteration, Scene};
use crate::settling::LOOK;
use crate::socket::Sockets;
use crate::steps::WayEnd;
use crate::timers::Alarm;
use crate::worker_parts::WorkerParts;
use crate::world::World;

/// Maximum number of starts between two checks of the sockets. Without this limit, responses would wait until all
/// overdue starts are handled.
const STARTS_PER_PASS: usize = 16;
/// Pause of a group after a failed iteration, so that a dead target is not flooded with requests.
const PAUSE_AFTER_FAILURE: Nanos = Nanos::from_millis(100);

impl LevelRun {
    /// Starts the arrivals of an open load that are due. A late arrival keeps its due time. An arrival without a free
    /// group is dropped.
    pub(crate) fn start_arrivals(&mut self, parts: &mut WorkerParts) {
        if self.open_run().is_none() {
            return;
        }
        let (now, end) = {
            let world = parts.world.borrow();
            (world.base.clock.now(), world.base.level.recorder.hold.end)
        };
        for _ in 0..STARTS_PER_PASS {
            let Some(open) = self.open_run() else { return };
            // Arrivals that are due after the measured time never start.
            let Some((number, due)) = open.take_due(now.min(end - Nanos(1))) else {
                break;
            };
            match self.free_group(parts) {
                Some(slot) => self.begin_iteration(parts, slot, due, Some(number)),
                None => drop_arrival(&mut parts.world.borrow_mut(), due, number),
            }
        }
        let next = self.open_run().and_then(OpenRun::next_due);
        let next = next.filter(|due| *due < end).unwrap_or(Nanos::MAX);
        parts.world.borrow_mut().base.level.arrivals.next = next;
    }

    /// Starts an iteration of a group. In an open load, `number` is the number of the arrival.
    pub(crate) fn begin_iteration(
        &mut self,
        parts: &mut WorkerParts,
        slot: usize,
        due: Nanos,
        number: Option<u64>,
    ) {
        let plan = Arc::clone(&self.plan);
        let loading = self.is_loading();
        let start = {
            let mut world = parts.world.borrow_mut();
            let now = world.base.clock.now();
            // An arrival was due in the measured time, so it starts even after the end of that time. A closed load
            // starts nothing after the end.
            let in_time = loading && (number.is_some() || now < world.base.level.recorder.hold.end);
            let scenario = scenario_of(&world, slot, number, plan.load.groups);
            // If Ctrl-C has shortened the measured time, a planned start may come after the group has ended.
            let Some(group) = world
                .base
                .level
                .groups
                .get_mut(slot)
                .filter(|group| group.stage == Stage::Waiting)
            else {
                return;
            };
            if !in_time {
                group.stage = Stage::Done;
                self.open -= 1;
                return;
            }
            group.stage = Stage::Running {
                planned: due,
                since: now,
            };
            group.scenario = scenario;
            group.progress.last_done = None;
            group.progress.way.clear();
            let (id, number, iteration) = (group.id, group.number, group.iteration);
            let members = group.members();
            group.iteration += 1;
            let hold = world.base.level.recorder.hold;
            world.base.level.at_work.begins(now, hold);
            world.base.level.recorder.note_start(due, now);
            let scenario = world.base.config.scenario_names().get(scenario).cloned();
            (id, number, iteration, members, scenario)
        };
        let (id, number, iteration, members, scenario) = start;
        let first = plan.load.users_before(number);
        let users = {
            let known = &mut parts.world.borrow_mut().base.level.users;
            let start = |((user, role), index)| known.start_of(user, (index, first + index), role);
            members.into_iter().zip(0..).map(start).collect()
        };
        parts.driver.start_group(GroupStart {
            id,
            number,
            iteration,
            level: (plan.index, plan.load.users, plan.load.groups),
            roles: plan.roles.clone(),
            users,
            setup: plan.setup.value.clone(),
            scenario,
            planned: Some(due),
        });
    }

    /// Ends an iteration whose function has settled or was given up.
    pub(crate) fn end_iteration(
        &mut self,
        parts: &mut WorkerParts,
        id: GroupId,
        outcome: Result<(), ScriptFault>,
    ) {
        parts.driver.cancel_group(id);
        let failed = outcome.is_err();
        let mut world = parts.world.borrow_mut();
        let Some(&slot) = world.base.level.group_slots.get(&id) else {
            return;
        };
        let Stage::Running { planned, since } = world.base.level.groups[slot].stage else {
            return;
        };
        world.base.level.groups[slot].stage = Stage::Settling;
        let (now, hold) = (world.base.clock.now(), world.base.level.recorder.hold);
        world.base.level.at_work.ends(since, now, hold);
        let iteration = world.base.level.iteration(slot, planned, since);
        let is_mixed = world.base.config.options.mix.is_some();
        world
            .base
            .level
            .count_iteration(slot, iteration, outcome, is_mixed, now);
        // Users who stayed are released only after the deliveries' grace period, so the deliveries get no second grace
        // period.
        let grace = if world.base.level.hold_is_settled {
            Nanos::ZERO
        } else {
            world.base.config.options.settle
        };
        let until = now + grace;
        world.base.level.stop_users_of(slot, now);
        // A failed iteration does not wait for its deliveries, which count as cut off.
        if failed || world.base.level.groups[slot].ledger.awaited() == 0 {
            self.finish_iteration(&mut world, slot, failed);
        } else {
            self.settling.push((slot, until));
        }
    }

    /// Finishes groups whose deliveries have all arrived, or whose time limit for deliveries has passed.
    pub(crate) fn finish_settled(&mut self, world: &mut World, now: Nanos) {
        if self.settling.is_empty() {
            return;
        }
        let is_over = |&(slot, until): &(usize, Nanos)| {
            until <= now || world.base.level.groups[slot].ledger.awaited() == 0
        };
        let (over, still): (Vec<_>, Vec<_>) = self.settling.drain(..).partition(is_over);
        self.settling = still;
        if !self.settling.is_empty() {
            world.base.level.timers.set(now + LOOK, Alarm::Look);
        }
        for (slot, _) in over {
            self.finish_iteration(world, slot, false);
        }
    }

    /// Closes the iteration's sockets, and plans the next iteration if there is one.
    fn finish_iteration(&mut self, world: &mut World, slot: usize, failed: bool) {
        let why = if failed {
            CutOff::IterationFailed
        } else {
            CutOff::IterationEnded
        };
        for member in 0..world.base.level.groups[slot].users.len() {
            let user = world.base.level.groups[slot].users[member];
            world.lend(|base| Sockets { base }.close_all_of(user, why));
        }
        let pause = if failed {
            PAUSE_AFTER_FAILURE
        } else {
            Nanos::ZERO
        };
        let next = world.base.clock.now() + pause;
        let again = self.is_loading() && !self.plan.once;
        let stage = &mut world.base.level.groups[slot].stage;
        if let Some(open) = self.open_run().filter(|_| again) {
            *stage = Stage::Waiting;
            open.group_is_free(slot);
        } else if again && next < world.base.level.recorder.hold.end {
            *stage = Stage::Waiting;
            world
                .base
                .level
                .timers
                .set(next, Alarm::Begin(u32::try_from(slot).unwrap_or(u32::MAX)));
        } else {
            *stage = Stage::Done;
            self.open -= 1;
        }
    }
}

/// The fault of an iteration that awaits a promise that nothing can settle.
pub(crate) fn never_settles(parts: &mut WorkerParts, id: GroupId) -> ScriptFault {
    let last = parts.world.borrow_mut().base.level.last_done(id);
    let last = last.map_or(String::new(), |last| {
        format!("; the last completed operation: {last}")
    });
    let detail = format!("the group awaits a promise that nothing can settle{last}");
    let mut fault = parts.driver.never_settles(id, detail);
    (fault.user, fault.step) = parts.world.borrow_mut().base.level.amid(id);
    fault
}

impl LevelState {
    /// The kind and the name of the group's last completed operation.
    fn last_done(&mut self, id: GroupId) -> Option<String> {
        let (family, index) = self.group_by_id(id)?.progress.last_done?;
        Some(format!(
            "{} `{}`",
            family.word(),
            self.recorder.name_of(family, index)
        ))
    }

    /// A user of the group who is in a step, and the name of that step. If no user is in a step, the name of the
    /// group's own step.
    fn amid(&mut self, id: GroupId) -> (Option<UserId>, Option<String>) {
        let Some(&slot) = self.group_slots.get(&id) else {
            return (None, None);
        };
        let LevelState {
            groups,
            users,
            recorder,
            ..
        } = self;
        let counts = &recorder.funnel;
        let of_user = |&user: &UserId| {
            let step = users.get(user)?.steps.innermost()?;
            Some((Some(user), Some(counts.name_of(step).to_owned())))
        };
        let own = || groups[slot].step_name(counts).map(str::to_owned);
        groups[slot]
            .users
            .iter()
            .find_map(of_user)
            .unwrap_or_else(|| (None, own()))
    }

    /// Ends tickers, sleeps and steps of the group. Its sockets stay open.
    fn stop_users_of(&mut self, slot: usize, now: Nanos) {
        self.leave_steps(slot, now);
        let LevelState { groups, users, .. } = self;
        groups[slot].stays.waiting.clear();
        groups[slot].progress.way.clear();
        for &user in &groups[slot].users {
            if let Some(user) = users.get(user) {
                // Timers of an earlier epoch are dropped when they fire.
                user.epoch += 1;
            }
        }
    }

    /// An iteration of this group, for the recorder.
    pub(crate) fn iteration(&self, slot: usize, planned: Nanos, since: Nanos) -> Iteration {
        Iteration {
            scenario: self.groups[slot].scenario,
            planned,
            since,
            is_open: self.arrivals.is_open,
        }
    }

    fn count_iteration(
        &mut self,
        slot: usize,
        iteration: Iteration,
        outcome: Result<(), ScriptFault>,
        is_mixed: bool,
        now: Nanos,
    ) {
        let fault = outcome.as_ref().err();
        let end = StepEnd::of(fault.map(|fault| &fault.fault));
        let recorder = &mut self.recorder;
        let measured = recorder.end_iteration(iteration, end, now);
        compare_states(&mut self.groups[slot], recorder, is_mixed, now, measured);
        if !measured {
            return;
        }
        let end = match &outcome {
            Ok(()) => WayEnd::Succeeded,
            Err(fault) => WayEnd::Failed(&fault.fault, fault.user),
        };
        self.count_way(slot, end, now);
        if let Err(fault) = outcome {
            self.keep_example(fault, now);
        }
    }

    fn keep_example(&mut self, fault: ScriptFault, at: Nanos) {
        let user = fault
            .user
            .and_then(|user| self.users.get(user).map(|user| user.name.to_string()));
        let scene = Scene {
            what: "iteration".to_owned(),
            at,
            user,
            step: fault.step,
        };
        let location = fault.location.map(|location| location.to_string());
        self.recorder
            .fail(&fault.fault, scene, location, fault.frame);
    }

    /// Counts an iteration that has not ended at the end of the level.
    pub(crate) fn count_unfinished(
        &mut self,
        slot: usize,
        iteration: Iteration,
        is_mixed: bool,
        now: Nanos,
    ) {
        let recorder = &mut self.recorder;
        let measured = recorder.leave_iteration(iteration, now);
        compare_states(&mut self.groups[slot], recorder, is_mixed, now, measured);
        if measured {
            self.count_way(slot, WayEnd::Unfinished, now);
        }
        self.leave_steps(slot, now);
    }
}

/// The index of the scenario that a group runs next. `number`: the number of the arrival in an open load.
fn scenario_of(world: &World, slot: usize, number: Option<u64>, groups: u32) -> usize {
    let config = &world.base.config;
    match (number, world.base.level.groups.get(slot)) {
        (None, Some(group)) => config.scenario_in_turn(group.number, group.iteration, groups),
        (arrival, _) => config.scenario_of(arrival.unwrap_or_default()),
    }
}

/// Drops an arrival, because no group is free.
fn drop_arrival(world: &mut World, due: Nanos, number: u64) {
    let now = world.base.clock.now();
    let links = world.base.net.conns.iter_mut();
    let links = links.filter_map(|(_, conn)| Some((conn.owner.user()?, &conn.link)));
    let cause = if mostly_awaiting(&mut world.base.level, links, now) {
        DropCause::UsersWaiting
    } else {
        DropCause::UsersBusy
    };
    let scenario = world.base.config.scenario_of(number);
    world.base.level.recorder.drop_arrival(scenario, due, cause);
}
