//! The phases of a level on one worker.

mod iteration;
mod progress;

use std::sync::Arc;

use delivery::CutOff;
use model::{Nanos, UserId};
use plan::groups_of;
use script::host::{Value, Wake};

use crate::audience::{self, AudienceWait};
use crate::base::Base;
use crate::in_flight::Awaited;
use crate::level::LevelPlan;
use crate::level_state::LevelState;
use crate::limited::take_limited;
use crate::messages::{Event, LevelOutcome};
use crate::open::{OpenRun, close_arrivals, count_planned};
use crate::people::Stage;
use crate::settling::{Draining, LOOK, Settling};
use crate::socket::Sockets;
use crate::spawn::{add_group, plan_group};
use crate::timers::Alarm;
use crate::worker_parts::WorkerParts;

pub(crate) use iteration::never_settles;
use progress::{LoadEnd, Loading, Progress, Settled};

/// Time for the closing handshakes of sockets at the end of a level.
const GOODBYES: Nanos = Nanos::from_millis(1500);
/// Iterations that were due in the measured time may still start within this time after its end. Iterations that have
/// not started by then count as dropped.
const CATCH_UP: Nanos = Nanos::from_millis(100);

/// A running level.
#[derive(Debug)]
pub(crate) struct LevelRun {
    pub(crate) plan: Arc<LevelPlan>,
    progress: Progress,
    /// Number of groups that have not ended.
    pub(crate) open: usize,
    /// Groups whose deliveries settle after an iteration, each with its time limit.
    pub(crate) settling: Vec<(usize, Nanos)>,
    audience: AudienceWait,
    /// How late the level began: the first pass of the loop at or after its start.
    began_late: Option<Nanos>,
    next_second: u64,
    idle_at_second: Nanos,
    gc_pause: Option<Nanos>,
    /// Whether Ctrl-C, or the `limit` of a `once` load, cut the level short. If so, operations in flight get no more
    /// time than deliveries.
    hurried: bool,
    aborted: bool,
}

impl LevelRun {
    /// Starts a level, or the ramp-up of its groups.
    pub(crate) fn start(plan: Arc<LevelPlan>, parts: &mut WorkerParts) -> Self {
        let mut world = parts.world.borrow_mut();
        let (slot, slots) = (plan.slots.of(parts.number), plan.slots.all);
        if let Some(run) = &mut world.fixed {
            run.begin_level(slot, slots);
        }
        world.base.level.start = plan.start;
        world.base.level.recorder.hold = plan.hold();
        let seed = world.base.config.arrivals_seed(plan.index);
        let mut open_run = OpenRun::of(&plan, seed, slot, slots);
        world.base.level.arrivals.is_open = open_run.is_some();
        world.base.level.arrivals.next = open_run
            .as_mut()
            .and_then(OpenRun::next_due)
            .unwrap_or(Nanos::MAX);
        if open_run.is_none() {
            for number in groups_of(slot, slots, plan.load.groups) {
                let Base { level, config, .. } = &mut world.base;
                plan_group(level, config, &plan, number);
            }
        }
        let open = world.base.level.groups.len();
        let groups = plan.load.groups;
        world
            .base
            .level
            .audience
            .begin_level(plan.first_group.0, groups);
        // Wake the loop at the start of the level, and at the start and the end of the measured time, even if nothing else happens then.
        world.base.level.timers.set(plan.start, Alarm::Look);
        world.base.level.timers.set(plan.hold().start, Alarm::Look);
        world.base.level.timers.set(plan.hold().end, Alarm::Look);
        drop(world);
        // Collect garbage now, so that a pause in the level is less likely.
        parts.collect_garbage(true);
        Self {
            plan,
            progress: Progress::Load(Loading {
                open_run,
                at_hold_start: None,
            }),
            open,
            settling: Vec::new(),
            audience: AudienceWait::default(),
            began_late: None,
            next_second: 1,
            idle_at_second: parts.idle,
            gc_pause: None,
            hurried: false,
            aborted: false,
        }
    }

    /// Whether iterations may start.
    pub(crate) fn is_loading(&self) -> bool {
        matches!(self.progress, Progress::Load(_))
    }

    /// Whether the level only closes its connections.
    pub(crate) fn is_closing(&self) -> bool {
        matches!(self.progress, Progress::Closing(..))
    }

    /// The arrivals of an open load, until the measured time has ended.
    pub(crate) fn open_run(&mut self) -> Option<&mut OpenRun> {
        self.progress.loading()?.open_run.as_mut()
    }

    /// Returns a free group of an open load or, if the limit is not reached, creates a group.
    pub(crate) fn free_group(&mut self, parts: &WorkerParts) -> Option<usize> {
        let open_run = self.progress.loading()?.open_run.as_mut()?;
        open_run.free_group(|number| {
            self.open += 1;
            let Base { level, config, .. } = &mut parts.world.borrow_mut().base;
            add_group(level, config, &self.plan, number)
        })
    }

    /// Operations in flight get no more time than deliveries.
    pub(crate) fn hurry(&mut self) {
        self.hurried = true;
    }

    /// Handles the second Ctrl-C or the end of the run: stops at once, and reports the measurements so far.
    pub(crate) fn abort(&mut self) {
        self.aborted = true;
    }

    /// Changes to the next phase if the current one is over. Returns whether the level is over.
    pub(crate) fn advance(&mut self, parts: &mut WorkerParts) -> bool {
        let now = parts.now();
        if now >= self.plan.start {
            self.began_late.get_or_insert(now - self.plan.start);
        }
        self.each_second(parts, now);
        {
            let mut world = parts.world.borrow_mut();
            world.base.level.recorder.blocks_until(now);
            self.finish_settled(&mut world, now);
        }
        let (settle, hurried) = (self.plan.settle, self.hurried);
        let at_once = self.aborted || self.open == 0;
        match &mut self.progress {
            Progress::Load(_) => self.while_loading(parts, now),
            Progress::Settling(settling, load) => {
                let over = at_once
                    || settling.is_over(&mut parts.world.borrow_mut().base, settle, hurried, now);
                let (quiet, load) = (settling.quiet(), *load);
                if over && self.audience_has_settled(parts, now) {
                    self.release(&mut parts.world.borrow_mut().base, quiet, load, now);
                }
            }
            Progress::Draining(draining, settled) => {
                let over =
                    at_once || draining.is_over(&mut parts.world.borrow_mut().base.level, now);
                let settled = *settled;
                if over {
                    self.close_all(parts, settled, now);
                }
            }
            &mut Progress::Closing(until, settled) => {
                let closed = parts.world.borrow().base.net.conns.is_empty();
                if self.aborted || now >= until || closed {
                    self.report(parts, settled, now);
                    return true;
                }
            }
        }
        false
    }

    /// Handles that the groups of all workers have settled.
    pub(crate) fn settle_audiences(&mut self, sent: Arc<Vec<u64>>, now: Nanos) {
        self.audience.settle(sent, now + self.plan.settle);
    }

    /// Whether the deliveries to passive audiences have settled too. The groups of this worker have.
    fn audience_has_settled(&mut self, parts: &WorkerParts, now: Nanos) -> bool {
        let level = &mut parts.world.borrow_mut().base.level;
        if self.aborted || level.audience.is_empty() {
            return true;
        }
        if let Some(sent) = self.audience.groups_settled(level) {
            parts.tell(Event::GroupsSettled(sent));
        }
        self.audience.is_over(level, now)
    }

    fn while_loading(&mut self, parts: &WorkerParts, now: Nanos) {
        let hold = parts.world.borrow().base.level.recorder.hold;
        let Some(loading) = self.progress.loading() else {
            return;
        };
        if now >= hold.start && loading.at_hold_start.is_none() {
            loading.at_hold_start = Some(parts.time_use());
        }
        // Iterations that were due a moment ago still start.
        let open_run = loading.open_run.as_mut();
        let is_behind = open_run.is_some_and(|open_run| open_run.is_behind(hold.end));
        let catching_up = now < hold.end + CATCH_UP && is_behind;
        let all_ended = self.plan.once && self.open == 0;
        if now >= hold.end && !catching_up || all_ended {
            self.close_hold(parts, now);
        }
    }

    /// Ends the measured time: notes how busy the worker was, and starts nothing new.
    fn close_hold(&mut self, parts: &WorkerParts, now: Nanos) {
        let Some(loading) = self.progress.loading() else {
            return;
        };
        let (open_run, at_hold_start) = (loading.open_run.take(), loading.at_hold_start);
        let used = parts.time_use();
        let mut world = parts.world.borrow_mut();
        if let Some(open_run) = open_run {
            let Base { level, config, .. } = &mut world.base;
            close_arrivals(level, config, open_run);
        }
        // The loop may notice the end late, or every group may have ended early.
        let hold = &mut world.base.level.recorder.hold;
        hold.end = hold.end.min(now.max(hold.start));
        // `limit` applies to the whole level, so the time limits of operations do not extend it.
        self.hurried |= self.plan.once;
        let hold = world.base.level.recorder.hold;
        let LevelState {
            groups, at_work, ..
        } = &mut world.base.level;
        let running = groups.iter().filter_map(|group| match group.stage {
            Stage::Running { since, .. } => Some(since),
            _ => None,
        });
        at_work.close(now, hold, running);
        let load = LoadEnd::of(hold, at_hold_start, used, now);
        self.progress = Progress::Settling(Settling::since(now), load);
        world.base.level.timers.set(now + LOOK, Alarm::Look);
        // Groups that wait between two iterations are done.
        let waiting = world
            .base
            .level
            .groups
            .iter_mut()
            .filter(|group| group.stage == Stage::Waiting);
        self.open -= waiting.map(|group| group.stage = Stage::Done).count();
    }

    /// Ends calls of `stay()` after the deliveries have settled. `quiet`: the time at which the last operation ended.
    fn release(&mut self, base: &mut Base, quiet: Option<Nanos>, load: LoadEnd, now: Nanos) {
        let settle = self.plan.settle;
        let finish = if self.hurried {
            settle
        } else {
            base.config.options.timeouts.total
        };
        let quiet = quiet.unwrap_or(now);
        let draining = Draining::begin(&mut base.level, quiet, now, settle, finish);
        self.progress = Progress::Draining(draining, Settled { load, at: now });
        base.level.hold_is_settled = true;
        base.level.timers.set(now, Alarm::Look); // in case no iteration is running
        let Base { level, wakes, .. } = base;
        let groups = level.groups.iter_mut();
        for op in groups.flat_map(|group| group.stays.waiting.drain(..)) {
            wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Nothing),
            });
        }
    }

    /// Counts everything that has not ended as unfinished, and closes all connections.
    fn close_all(&mut self, parts: &mut WorkerParts, settled: Settled, now: Nanos) {
        let mut world = parts.world.borrow_mut();
        let unfinished: Vec<_> = world
            .base
            .level
            .groups
            .iter()
            .filter_map(|group| match group.stage {
                Stage::Running { planned, since } => Some((group.id, planned, since)),
                _ => None,
            })
            .collect();
        let is_mixed = world.base.config.options.mix.is_some();
        for &(id, planned, since) in &unfinished {
            let level = &mut world.base.level;
            if let Some(&slot) = level.group_slots.get(&id) {
                let iteration = level.iteration(slot, planned, since);
                level.count_unfinished(slot, iteration, is_mixed, now);
            }
        }
        let groups = world.base.level.groups.iter();
        let users: Vec<UserId> = groups
            .flat_map(|group| group.users.iter().copied())
            .collect();
        world.base.abandon_dials(None); // all at once, before each user searches the queue
        for user in users {
            world.base.abandon_http(user);
            world.lend(|base| Sockets { base }.close_all_of(user, CutOff::LevelEnded));
        }
        audience::close(&mut world.base, now);
        let until = now + GOODBYES;
        world.base.level.timers.set(until, Alarm::Look);
        world.base.level.timers.set(now, Alarm::Look); // in case no socket is open
        drop(world);
        for (id, ..) in unfinished {
            parts.driver.cancel_group(id);
        }
        self.progress = Progress::Closing(until, settled);
    }

    /// Reports the measurements of the level.
    fn report(&self, parts: &WorkerParts, Settled { load, at: settled }: Settled, now: Nanos) {
        let mut world = parts.world.borrow_mut();
        let mut monitoring = std::mem::take(&mut world.base.level.recorder.monitoring);
        monitoring.began_late = self.began_late.unwrap_or_default();
        let second = self.next_second - 1;
        let lost = world.base.level.recorder.lost();
        let window = Box::new(world.base.level.recorder.take_window());
        let at_work = world.base.level.at_work;
        let Base { level, config, .. } = &mut world.base;
        count_planned(&mut level.recorder, config, &self.plan, parts.number);
        let limited = take_limited(level, config, now);
        let unmeasured = level.recorder.unmeasured_names();
        let (measured, broadcasts) = world.end_level();
        drop(world);
        parts.tell(Event::Window {
            second,
            window,
            lost,
            busy: load.busy,
            awaited: Awaited::default(),
        });
        let outcome = LevelOutcome {
            measured: Box::new(measured),
            broadcasts,
            monitoring,
            busy: load.busy,
            cpu_wait: load.cpu_wait,
            gc_pause_ms_max: self.gc_pause.map(Nanos::as_millis_f64),
            unmeasured,
            limited,
            at_work,
            duration_s: (load.at - self.plan.hold().start).as_secs_f64(),
            settle_s: (settled - load.at).as_secs_f64(),
            drain_s: (now - settled).as_secs_f64(),
        };
        parts.tell(Event::LevelDone(Box::new(outcome)));
    }

    /// Once a second, sends the window to control, and collects garbage if there is much of it.
    fn each_second(&mut self, parts: &mut WorkerParts, now: Nanos) {
        let boundary = self.plan.start + Nanos::from_secs(self.next_second);
        let mut world = parts.world.borrow_mut();
        if now < boundary {
            world.base.level.timers.look_at(boundary);
            return;
        }
        let second = self.next_second - 1;
        self.next_second = (now - self.plan.start).0 / 1_000_000_000 + 1;
        let waited = parts.idle - self.idle_at_second;
        self.idle_at_second = parts.idle;
        let busy = 1.0 - waited.as_secs_f64().min(1.0);
        let lost = world.base.level.recorder.lost();
        let window = Box::new(world.base.level.recorder.take_window());
        let awaited = match self.progress {
            Progress::Settling(..) => world.base.awaited_operations(now),
            _ => Awaited::default(),
        };
        drop(world);
        parts.tell(Event::Window {
            second,
            window,
            lost,
            busy,
            awaited,
        });
        parts.send_copy(now);
        self.gc_pause = self.gc_pause.max(parts.collect_garbage(false));
    }
}
