use std::sync::Arc;

use model::{Fault, FaultKind, GroupId, Nanos, UserId};
use plan::groups_of;
use script::host::{Value, Wake};
use script::{GroupStart, ScriptFault};

use crate::exchange::{Event, LevelOutcome};
use crate::level::{LevelPlan, Span};
use crate::people::{Group, Stage, User};
use crate::recorder::{Recorder, Scene};
use crate::timers::Alarm;
use crate::worker::Worker;
use crate::world::World;

/// After a failed iteration a group pauses, so that a dead target is not hammered.
const PAUSE_AFTER_FAILURE: Nanos = Nanos::from_millis(100);
/// How long closed sockets have to say goodbye at the end of a level.
const GOODBYES: Nanos = Nanos::from_millis(1500);
/// Settling is looked at this often.
const LOOK: Nanos = Nanos::from_millis(2);

/// How far a level has come on this worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Ramp, warm-up and hold.
    Load,
    /// The hold is over; what is on its way is waited for, and nothing new is begun.
    Settling { until: Nanos },
    /// Those who stayed are told to finish.
    Draining { until: Nanos },
    /// Sockets say goodbye.
    Closing { until: Nanos },
}

/// A level under way.
#[derive(Debug)]
pub(crate) struct LevelRun {
    plan: Arc<LevelPlan>,
    progress: Progress,
    /// Groups that have not come to their end.
    open: usize,
    /// Groups whose deliveries are settling after an iteration.
    settling: Vec<(usize, Nanos)>,
    hold_ended: Nanos,
    settled: Nanos,
    next_second: u64,
    idle_at_hold_start: Option<Nanos>,
    idle_at_second: Nanos,
    busy: f64,
    gc_pause: Option<Nanos>,
    aborted: bool,
}

impl Worker {
    pub(crate) fn start_level(&mut self, plan: Arc<LevelPlan>) {
        let mut world = self.world.borrow_mut();
        let workers = world.config.workers;
        world.hold = plan.hold();
        world.hold_is_settled = false;
        world.recorder = Recorder::default();
        for number in groups_of(self.number, workers, plan.load.groups) {
            world.add_group(&plan, number);
        }
        let open = world.groups.len();
        world.timers.set(plan.hold().start, Alarm::Look);
        world.timers.set(plan.hold().end, Alarm::Look);
        drop(world);
        self.collect_garbage(true);
        self.level = Some(LevelRun {
            plan,
            progress: Progress::Load,
            open,
            settling: Vec::new(),
            hold_ended: Nanos::ZERO,
            settled: Nanos::ZERO,
            next_second: 1,
            idle_at_hold_start: None,
            idle_at_second: self.idle(),
            busy: 0.0,
            gc_pause: None,
            aborted: false,
        });
    }

    /// A group's iteration is due.
    pub(crate) fn begin_iteration(&mut self, slot: usize, due: Nanos) {
        let Some(level) = &self.level else { return };
        let plan = Arc::clone(&level.plan);
        let loading = level.progress == Progress::Load;
        let start = {
            let mut world = self.world.borrow_mut();
            let now = world.clock.now();
            let in_time = loading && now < world.hold.end;
            // Where Ctrl-C has cut the hold short, a start that was planned comes after the group's end.
            let Some(group) = world
                .groups
                .get_mut(slot)
                .filter(|group| group.stage == Stage::Waiting)
            else {
                return;
            };
            if !in_time {
                group.stage = Stage::Done;
                drop(world);
                self.group_done();
                return;
            }
            group.stage = Stage::Running { since: now };
            group.step = None;
            group.last_done = None;
            let (id, number, iteration) = (group.id, group.number, group.iteration);
            let members: Vec<_> = group
                .users
                .iter()
                .copied()
                .zip(group.roles.iter().cloned())
                .collect();
            group.iteration += 1;
            world.note_start(due);
            (id, number, iteration, members)
        };
        let (id, number, iteration, members) = start;
        let first = plan.load.users_before(number);
        let users = members
            .into_iter()
            .zip(0..)
            .map(|((user, role), index)| self.user_start(user, index, first + index, role));
        let users = users.collect();
        self.script.start_group(GroupStart {
            id,
            name: format!("g{}", id.0),
            number,
            iteration,
            level: (plan.index, plan.load.users, plan.load.groups),
            roles: plan.roles.clone(),
            users,
            setup: plan.setup.value.clone(),
        });
    }

    /// A group's function has settled, or is given up.
    pub(crate) fn end_iteration(&mut self, id: GroupId, outcome: Result<(), ScriptFault>) {
        self.script.cancel_group(id);
        let failed = outcome.is_err();
        let mut world = self.world.borrow_mut();
        let Some(&slot) = world.group_slots.get(&id) else {
            return;
        };
        let Stage::Running { since } = world.groups[slot].stage else {
            return;
        };
        world.count_iteration(since, outcome);
        world.groups[slot].stage = Stage::Settling;
        let now = world.clock.now();
        let until = now + world.config.options.settle;
        world.stop_users_of(slot);
        drop(world);
        if failed {
            self.finish_iteration(slot, true);
        } else if let Some(level) = &mut self.level {
            level.settling.push((slot, until));
            self.finish_settled(now);
        }
    }

    /// Groups whose deliveries have all come, or have had their time.
    fn finish_settled(&mut self, now: Nanos) {
        let Some(level) = &mut self.level else { return };
        if level.settling.is_empty() {
            return;
        }
        let mut world = self.world.borrow_mut();
        let is_over = |&(slot, until): &(usize, Nanos)| {
            until <= now || world.groups[slot].ledger.awaited() == 0
        };
        let (over, still): (Vec<_>, Vec<_>) = level.settling.drain(..).partition(is_over);
        level.settling = still;
        if !level.settling.is_empty() {
            world.timers.set(now + LOOK, Alarm::Look);
        }
        drop(world);
        for (slot, _) in over {
            self.finish_iteration(slot, false);
        }
    }

    /// The iteration's sockets are closed, and the next one is planned if there is to be one.
    fn finish_iteration(&mut self, slot: usize, failed: bool) {
        let Some(level) = &self.level else { return };
        let again = level.progress == Progress::Load && !level.plan.once;
        let mut world = self.world.borrow_mut();
        for user in world.groups[slot].users.clone() {
            world.close_sockets_of(user);
        }
        let next = world.clock.now()
            + if failed {
                PAUSE_AFTER_FAILURE
            } else {
                Nanos::ZERO
            };
        if again && next < world.hold.end {
            world.groups[slot].stage = Stage::Waiting;
            world
                .timers
                .set(next, Alarm::Begin(u32::try_from(slot).unwrap_or(u32::MAX)));
        } else {
            world.groups[slot].stage = Stage::Done;
            drop(world);
            self.group_done();
        }
    }

    fn group_done(&mut self) {
        if let Some(level) = &mut self.level {
            level.open -= 1;
        }
    }

    /// Ctrl-C: nothing new is begun, what is on its way is waited for as usual.
    pub(crate) fn end_hold(&mut self) {
        let mut world = self.world.borrow_mut();
        world.hold.end = world.hold.end.min(world.clock.now());
    }

    /// The second Ctrl-C, or the end of the run: only what was measured counts.
    pub(crate) fn abort(&mut self) {
        self.end_hold();
        if let Some(level) = &mut self.level {
            level.aborted = true;
        }
    }

    /// Goes on to the next phase when this one is over.
    pub(crate) fn advance_level(&mut self) {
        if self.level.is_none() {
            return;
        }
        let now = self.now();
        self.each_second(now);
        self.finish_settled(now);
        let Some(level) = &self.level else { return };
        let (progress, open, aborted) = (level.progress, level.open, level.aborted);
        match progress {
            Progress::Load => self.while_loading(now),
            Progress::Settling { until } => {
                if aborted || open == 0 || now >= until || self.world.borrow().awaited() == 0 {
                    self.release(now);
                }
            }
            Progress::Draining { until } => {
                if aborted || open == 0 || now >= until {
                    self.close_all(now);
                }
            }
            Progress::Closing { until } => {
                if aborted || now >= until || self.world.borrow().conns.len() == 0 {
                    self.level_done(now);
                }
            }
        }
    }

    fn while_loading(&mut self, now: Nanos) {
        let idle = self.idle();
        let Some(level) = &mut self.level else { return };
        let mut world = self.world.borrow_mut();
        if now >= world.hold.start && level.idle_at_hold_start.is_none() {
            level.idle_at_hold_start = Some(idle);
        }
        let all_ended = level.plan.once && level.open == 0;
        if now < world.hold.end && !all_ended {
            return;
        }
        world.hold.end = world.hold.end.min(now.max(world.hold.start));
        level.hold_ended = world.hold.end;
        let held = now - world.hold.start;
        let waited = idle - level.idle_at_hold_start.unwrap_or(idle);
        level.busy = share(held - waited, held);
        let until = now + level.plan.settle;
        level.progress = Progress::Settling { until };
        world.timers.set(until, Alarm::Look);
        world.timers.set(now + LOOK, Alarm::Look);
        // Groups between two iterations begin none any more.
        let waiting = world
            .groups
            .iter_mut()
            .filter(|group| group.stage == Stage::Waiting);
        level.open -= waiting.map(|group| group.stage = Stage::Done).count();
    }

    /// The deliveries are settled: `stay` ends.
    fn release(&mut self, now: Nanos) {
        let Some(level) = &mut self.level else { return };
        level.settled = now;
        let until = now + level.plan.settle;
        level.progress = Progress::Draining { until };
        let mut world = self.world.borrow_mut();
        world.hold_is_settled = true;
        world.timers.set(until, Alarm::Look);
        world.timers.set(now, Alarm::Look); // nobody may be left to wait for
        let World { groups, wakes, .. } = &mut *world;
        for op in groups.iter_mut().flat_map(|group| group.staying.drain(..)) {
            wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Nothing),
            });
        }
    }

    /// What has not ended by now is unfinished.
    fn close_all(&mut self, now: Nanos) {
        let mut world = self.world.borrow_mut();
        let unfinished: Vec<_> = world
            .groups
            .iter()
            .filter_map(|group| match group.stage {
                Stage::Running { since } => Some((group.id, since)),
                _ => None,
            })
            .collect();
        for &(_, since) in &unfinished {
            world.count_unfinished(since);
        }
        let groups = world.groups.iter();
        let users: Vec<UserId> = groups
            .flat_map(|group| group.users.iter().copied())
            .collect();
        for user in users {
            world.abandon_http(user);
            world.close_sockets_of(user);
        }
        let until = now + GOODBYES;
        world.timers.set(until, Alarm::Look);
        world.timers.set(now, Alarm::Look); // no socket may be left
        drop(world);
        for (id, _) in unfinished {
            self.script.cancel_group(id);
        }
        if let Some(level) = &mut self.level {
            level.progress = Progress::Closing { until };
        }
    }

    fn level_done(&mut self, now: Nanos) {
        let Some(level) = self.level.take() else {
            return;
        };
        let mut world = self.world.borrow_mut();
        let start_lag = std::mem::take(&mut world.recorder.start_lag);
        let unclaimed_dropped = world.recorder.unclaimed_dropped;
        let second = level.next_second - 1;
        let window = Box::new(world.recorder.take_window());
        let measured = world.end_level();
        drop(world);
        self.tell(Event::Window {
            second,
            window,
            busy: level.busy,
        });
        let outcome = LevelOutcome {
            measured,
            start_lag,
            busy: level.busy,
            gc_pause_ms_max: level.gc_pause.map(Nanos::as_millis_f64),
            unclaimed_dropped,
            hold_s: (level.hold_ended - level.plan.hold().start).as_secs_f64(),
            settle_s: (level.settled - level.hold_ended).as_secs_f64(),
            drain_s: (now - level.settled).as_secs_f64(),
        };
        self.tell(Event::LevelDone(Box::new(outcome)));
    }

    /// Once a second: the window goes to control, and garbage is collected if there is a lot.
    fn each_second(&mut self, now: Nanos) {
        let idle = self.idle();
        let Some(level) = &mut self.level else { return };
        let boundary = level.plan.start + Nanos::from_secs(level.next_second);
        if now < boundary {
            self.world.borrow_mut().look_at(boundary);
            return;
        }
        let second = level.next_second - 1;
        level.next_second = (now - level.plan.start).0 / 1_000_000_000 + 1;
        let waited = idle - level.idle_at_second;
        level.idle_at_second = idle;
        let busy = 1.0 - waited.as_secs_f64().min(1.0);
        let window = Box::new(self.world.borrow_mut().recorder.take_window());
        self.tell(Event::Window {
            second,
            window,
            busy,
        });
        let pause = self.collect_garbage(false);
        if let Some(level) = &mut self.level {
            level.gc_pause = level.gc_pause.max(pause);
        }
    }

    pub(crate) fn never_settles(&mut self, id: GroupId) -> ScriptFault {
        let mut world = self.world.borrow_mut();
        let last = world
            .group_by_id(id)
            .and_then(|group| group.last_done.clone());
        let last = last.map_or(String::new(), |last| {
            format!("; the last thing that it did: {last}")
        });
        let detail = format!("the group awaits a promise that nothing will ever settle{last}");
        ScriptFault::from(Fault::script(FaultKind::NeverSettles, detail))
    }
}

impl World {
    fn add_group(&mut self, plan: &LevelPlan, number: u32) {
        let id = GroupId(plan.first_group.0 + number);
        let slot = self.groups.len();
        let first = plan.load.users_before(number);
        let users = (0..plan.load.group_size(number)).map(|member| {
            let within = first + member;
            let name = format!("u{}", plan.first_user + within);
            let mut user = User::new(name, slot, member, self.config.seed_of(plan.index, within));
            if let Some(pooled) = plan.setup.pool.get(within as usize) {
                user.data = Some(Arc::clone(&pooled.data));
                user.headers = pooled.headers.clone();
                user.cookies = wire::http::CookieJar::import(
                    pooled
                        .cookies
                        .iter()
                        .map(|(url, cookie)| (url.as_str(), cookie.as_str())),
                );
            }
            self.users.add(user)
        });
        let users: Vec<UserId> = users.collect();
        let roles = plan
            .roles
            .iter()
            .flatten()
            .flat_map(|(role, count)| (0..*count).map(|_| Some(role.clone())));
        let roles = roles
            .chain(std::iter::repeat(None))
            .take(users.len())
            .collect();
        self.groups.push(Group::new(
            id,
            number,
            users,
            roles,
            self.config.run_id,
            self.config.options.settle,
        ));
        self.group_slots.insert(id, slot);
        let start = plan.start + plan::start_of(number, plan.load.groups, plan.ramp);
        self.timers
            .set(start, Alarm::Begin(u32::try_from(slot).unwrap_or(u32::MAX)));
    }

    /// Something that was planned for `due` starts now.
    pub(crate) fn note_start(&mut self, due: Nanos) {
        if self.hold.contains(due) {
            let lag = self.clock.now() - due;
            self.recorder.start_lag.record(lag);
        }
    }

    fn look_at(&mut self, at: Nanos) {
        if self.next_look != at {
            self.next_look = at;
            self.timers.set(at, Alarm::Look);
        }
    }

    /// Deliveries that are still waited for.
    fn awaited(&self) -> u64 {
        self.groups.iter().map(|group| group.ledger.awaited()).sum()
    }

    /// Tickers and sleeps of the group end; its sockets stay open.
    fn stop_users_of(&mut self, slot: usize) {
        let World { groups, users, .. } = self;
        groups[slot].staying.clear();
        for &user in &groups[slot].users {
            if let Some(user) = users.get(user) {
                user.epoch += 1;
            }
        }
    }

    /// An iteration belongs to the level if any part of it lies in the hold.
    fn count_iteration(&mut self, since: Nanos, outcome: Result<(), ScriptFault>) {
        let now = self.clock.now();
        let Span { start, end } = self.hold;
        if now < start || since >= end {
            self.recorder.measured.before.iterations_failed += u64::from(outcome.is_err());
        } else {
            let iterations = &mut self.recorder.measured.iterations;
            iterations.planned += 1;
            iterations.started += 1;
            match &outcome {
                Ok(()) => {
                    iterations.succeeded += 1;
                    iterations.time.record(now - since);
                }
                Err(_) => iterations.failed += 1,
            }
        }
        if let Err(fault) = outcome {
            self.keep_example(fault, now);
        }
    }

    fn keep_example(&mut self, fault: ScriptFault, at: Nanos) {
        let user = fault
            .user
            .and_then(|user| self.users.get(user).map(|user| user.name.clone()));
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

    fn count_unfinished(&mut self, since: Nanos) {
        let Span { start, end } = self.hold;
        if since < end && start < end {
            let iterations = &mut self.recorder.measured.iterations;
            iterations.planned += 1;
            iterations.started += 1;
            iterations.unfinished += 1;
        }
    }

    /// Closes the books of the level and forgets its people.
    fn end_level(&mut self) -> record::Measured {
        for group in &mut self.groups {
            group.ledger.close(&mut self.recorder.tallies);
        }
        self.forget_people();
        std::mem::take(&mut self.recorder).into_measured()
    }

    /// Users, groups, clocks and connections of what is over.
    pub(crate) fn forget_people(&mut self) {
        self.groups.clear();
        self.group_slots.clear();
        self.users.clear();
        self.timers = crate::timers::Timers::default();
        self.sleeps = crate::keyed::Keyed::default();
        self.tickers = crate::keyed::Keyed::default();
        self.conns = crate::keyed::Keyed::default();
        self.earliest_limit = Nanos::MAX;
        self.next_look = Nanos::ZERO;
        self.wakes.clear();
    }

    /// A sleep is over, unless its iteration is.
    pub(crate) fn end_sleep(&mut self, key: u32) {
        let Some(sleep) = self.sleeps.remove(key) else {
            return;
        };
        if self
            .users
            .get(sleep.user)
            .is_some_and(|user| user.epoch == sleep.epoch)
        {
            self.wakes.push_back(Wake::Done {
                op: sleep.op,
                result: Ok(Value::Nothing),
            });
        }
    }
}

fn share(part: Nanos, whole: Nanos) -> f64 {
    if whole == Nanos::ZERO {
        0.0
    } else {
        part.as_secs_f64() / whole.as_secs_f64()
    }
}
