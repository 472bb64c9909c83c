//! The phases of a level on one worker.

mod progress;

use std::sync::Arc;

use delivery::CutOff;
use model::{Nanos, UserId};
use plan::groups_of;
use record::Iterations;
use script::host::{Value, Wake};

use crate::in_flight::Awaited;
use crate::level::LevelPlan;
use crate::level_state::LevelState;
use crate::messages::{Event, LevelOutcome};
use crate::open::OpenRun;
use crate::people::Stage;
use crate::settling::{LOOK, Settling};
use crate::timers::Alarm;
use crate::worker::Worker;
use crate::world::World;

use progress::{LoadEnd, Loading, Progress, Settled, TimeUse};

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
    next_second: u64,
    idle_at_second: Nanos,
    gc_pause: Option<Nanos>,
    /// Whether Ctrl-C, or the `limit` of a `once` load, cut the level short. If so, operations in flight get no more
    /// time than deliveries.
    hurried: bool,
    aborted: bool,
}

impl LevelRun {
    /// Whether iterations may start.
    pub(crate) fn is_loading(&self) -> bool {
        matches!(self.progress, Progress::Load(_))
    }

    /// The arrivals of an open load, until the measured time has ended.
    pub(crate) fn open_run(&mut self) -> Option<&mut OpenRun> {
        self.loading()?.open_run.as_mut()
    }

    fn loading(&mut self) -> Option<&mut Loading> {
        match &mut self.progress {
            Progress::Load(loading) => Some(loading),
            _ => None,
        }
    }
}

impl Worker {
    pub(crate) fn start_level(&mut self, plan: Arc<LevelPlan>) {
        let mut world = self.world.borrow_mut();
        let workers = world.config.workers;
        world.level.start = plan.start;
        world.level.hold = plan.hold();
        let seed = world.config.arrivals_seed(plan.index);
        let mut open_run = OpenRun::of(&plan, seed, self.number, workers);
        world.level.arrivals.is_open = open_run.is_some();
        world.level.arrivals.next = open_run
            .as_mut()
            .and_then(OpenRun::next_due)
            .unwrap_or(Nanos::MAX);
        if open_run.is_none() {
            for number in groups_of(self.number, workers, plan.load.groups) {
                world.plan_group(&plan, number);
            }
        }
        let open = world.level.groups.len();
        // Wake the loop at the start and the end of the measured time, even if nothing else happens then.
        world.level.timers.set(plan.hold().start, Alarm::Look);
        world.level.timers.set(plan.hold().end, Alarm::Look);
        drop(world);
        // Collect garbage now, so that a pause in the level is less likely.
        self.collect_garbage(true);
        self.level = Some(LevelRun {
            plan,
            progress: Progress::Load(Loading {
                open_run,
                at_hold_start: None,
            }),
            open,
            settling: Vec::new(),
            next_second: 1,
            idle_at_second: self.idle(),
            gc_pause: None,
            hurried: false,
            aborted: false,
        });
    }

    /// Handles the first Ctrl-C: nothing new starts, and operations in flight get at most `settle`.
    pub(crate) fn end_hold(&mut self) {
        if let Some(level) = &mut self.level {
            level.hurried = true;
        }
        let mut world = self.world.borrow_mut();
        world.level.hold.end = world.level.hold.end.min(world.clock.now());
    }

    /// Handles the second Ctrl-C or the end of the run: stops at once, and reports the measurements so far.
    pub(crate) fn abort(&mut self) {
        self.end_hold();
        if let Some(level) = &mut self.level {
            level.aborted = true;
        }
    }

    /// Changes to the next phase if the current one is over.
    pub(crate) fn advance_level(&mut self) {
        if self.level.is_none() {
            return;
        }
        let now = self.now();
        self.each_second(now);
        self.close_block(now);
        self.finish_settled(now);
        let Some(level) = &mut self.level else { return };
        let (settle, hurried) = (level.plan.settle, level.hurried);
        let at_once = level.aborted || level.open == 0;
        match &mut level.progress {
            Progress::Load(_) => self.while_loading(now),
            Progress::Settling(settling, load) => {
                let over =
                    at_once || settling.is_over(&mut self.world.borrow_mut(), settle, hurried, now);
                let (quiet, load) = (settling.quiet(), *load);
                if over {
                    self.release(quiet, load, now);
                }
            }
            Progress::Draining(draining, settled) => {
                let over = at_once || draining.is_over(&mut self.world.borrow_mut(), now);
                let settled = *settled;
                if over {
                    self.close_all(settled, now);
                }
            }
            &mut Progress::Closing(until, settled) => {
                if level.aborted || now >= until || self.world.borrow().net.conns.is_empty() {
                    self.level_done(settled, now);
                }
            }
        }
    }

    fn note_hold_start(&mut self, now: Nanos) {
        let started = now >= self.world.borrow().level.hold.start;
        let is_noted = |loading: &mut Loading| loading.at_hold_start.is_some();
        if !started || self.loading().is_none_or(is_noted) {
            return;
        }
        let used = self.time_use();
        if let Some(loading) = self.loading() {
            loading.at_hold_start = Some(used);
        }
    }

    fn loading(&mut self) -> Option<&mut Loading> {
        self.level.as_mut()?.loading()
    }

    fn time_use(&self) -> TimeUse {
        TimeUse {
            idle: self.idle(),
            cpu: self.cpu_time(),
        }
    }

    fn while_loading(&mut self, now: Nanos) {
        self.note_hold_start(now);
        let Some(level) = &self.level else { return };
        let all_ended = level.plan.once && level.open == 0;
        let end = self.world.borrow().level.hold.end;
        // Iterations that were due a moment ago still start.
        let catching_up = now < end + CATCH_UP && self.is_behind();
        if now >= end && !catching_up || all_ended {
            self.close_hold(now);
        }
    }

    /// Ends the measured time: notes how busy the worker was, and starts nothing new.
    fn close_hold(&mut self, now: Nanos) {
        let Some(loading) = self.loading() else {
            return;
        };
        let (open_run, at_hold_start) = (loading.open_run.take(), loading.at_hold_start);
        if let Some(open_run) = open_run {
            self.close_arrivals(open_run);
        }
        let used = self.time_use();
        let Some(level) = &mut self.level else { return };
        let mut world = self.world.borrow_mut();
        // The loop may notice the end late, or every group may have ended early.
        world.level.hold.end = world.level.hold.end.min(now.max(world.level.hold.start));
        // `limit` applies to the whole level, so the time limits of operations do not extend it.
        level.hurried |= level.plan.once;
        let hold = world.level.hold;
        let LevelState {
            groups, at_work, ..
        } = &mut world.level;
        let running = groups.iter().filter_map(|group| match group.stage {
            Stage::Running { since, .. } => Some(since),
            _ => None,
        });
        at_work.close(now, hold, running);
        let load = LoadEnd::of(hold, at_hold_start, used, now);
        level.progress = Progress::Settling(Settling::since(now), load);
        world.level.timers.set(now + LOOK, Alarm::Look);
        // Groups that wait between two iterations are done.
        let waiting = world
            .level
            .groups
            .iter_mut()
            .filter(|group| group.stage == Stage::Waiting);
        level.open -= waiting.map(|group| group.stage = Stage::Done).count();
    }

    /// Ends calls of `stay()` after the deliveries have settled. `quiet`: the time at which the last operation ended.
    fn release(&mut self, quiet: Option<Nanos>, load: LoadEnd, now: Nanos) {
        let Some(level) = &mut self.level else { return };
        let mut world = self.world.borrow_mut();
        let draining = world.draining(quiet, level.plan.settle, level.hurried, now);
        level.progress = Progress::Draining(draining, Settled { load, at: now });
        world.level.hold_is_settled = true;
        world.level.timers.set(now, Alarm::Look); // in case no iteration is running
        let World { level, wakes, .. } = &mut *world;
        let groups = level.groups.iter_mut();
        for op in groups.flat_map(|group| group.stays.waiting.drain(..)) {
            wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Nothing),
            });
        }
    }

    /// Counts everything that has not ended as unfinished, and closes all connections.
    fn close_all(&mut self, settled: Settled, now: Nanos) {
        let mut world = self.world.borrow_mut();
        let unfinished: Vec<_> = world
            .level
            .groups
            .iter()
            .filter_map(|group| match group.stage {
                Stage::Running { planned, since } => Some((group.id, planned, since)),
                _ => None,
            })
            .collect();
        for &(id, planned, since) in &unfinished {
            if let Some(&slot) = world.level.group_slots.get(&id) {
                world.count_unfinished(slot, planned, since);
            }
        }
        let groups = world.level.groups.iter();
        let users: Vec<UserId> = groups
            .flat_map(|group| group.users.iter().copied())
            .collect();
        world.abandon_dials(None); // all at once, before each user searches the queue
        for user in users {
            world.abandon_http(user);
            world.close_sockets_of(user, CutOff::LevelEnded);
        }
        let until = now + GOODBYES;
        world.level.timers.set(until, Alarm::Look);
        world.level.timers.set(now, Alarm::Look); // in case no socket is open
        drop(world);
        for (id, ..) in unfinished {
            self.driver.cancel_group(id);
        }
        if let Some(level) = &mut self.level {
            level.progress = Progress::Closing(until, settled);
        }
    }

    fn level_done(&mut self, Settled { load, at: settled }: Settled, now: Nanos) {
        let Some(level) = self.level.take() else {
            return;
        };
        let mut world = self.world.borrow_mut();
        let monitoring = std::mem::take(&mut world.level.recorder.monitoring);
        let dropped = world.level.recorder.dropped;
        let second = level.next_second - 1;
        let window = Box::new(world.level.recorder.take_window());
        let (hold, at_work) = (world.level.hold, world.level.at_work);
        // `planned_arrivals` borrows the world too.
        drop(world);
        let planned = self.planned_arrivals(&level.plan, hold);
        let mut world = self.world.borrow_mut();
        for (scenario, planned) in planned.into_iter().flatten().enumerate() {
            let add = |iterations: &mut Iterations| iterations.planned += planned;
            world.level.recorder.iterations(scenario, add);
        }
        let limited = world.take_limited(now);
        let measured = world.end_level();
        drop(world);
        self.tell(Event::Window {
            second,
            window,
            busy: load.busy,
            awaited: Awaited::default(),
        });
        let outcome = LevelOutcome {
            measured,
            monitoring,
            busy: load.busy,
            cpu_wait: load.cpu_wait,
            gc_pause_ms_max: level.gc_pause.map(Nanos::as_millis_f64),
            dropped,
            limited,
            at_work,
            duration_s: (load.at - level.plan.hold().start).as_secs_f64(),
            settle_s: (settled - load.at).as_secs_f64(),
            drain_s: (now - settled).as_secs_f64(),
        };
        self.tell(Event::LevelDone(Box::new(outcome)));
    }

    /// Closes a block of the measured time when it is over.
    fn close_block(&self, now: Nanos) {
        let mut world = self.world.borrow_mut();
        let hold = world.level.hold;
        world.level.recorder.blocks_until(now, hold);
    }

    /// Once a second, sends the window to control, and collects garbage if there is much of it.
    fn each_second(&mut self, now: Nanos) {
        let idle = self.idle();
        let Some(level) = &mut self.level else { return };
        let boundary = level.plan.start + Nanos::from_secs(level.next_second);
        if now < boundary {
            self.world.borrow_mut().level.timers.look_at(boundary);
            return;
        }
        let second = level.next_second - 1;
        level.next_second = (now - level.plan.start).0 / 1_000_000_000 + 1;
        let waited = idle - level.idle_at_second;
        level.idle_at_second = idle;
        let busy = 1.0 - waited.as_secs_f64().min(1.0);
        let settles = matches!(level.progress, Progress::Settling(..));
        let mut world = self.world.borrow_mut();
        let window = Box::new(world.level.recorder.take_window());
        let awaited = if settles {
            world.awaited_operations()
        } else {
            Awaited::default()
        };
        drop(world);
        self.tell(Event::Window {
            second,
            window,
            busy,
            awaited,
        });
        self.send_copy(now);
        let pause = self.collect_garbage(false);
        if let Some(level) = &mut self.level {
            level.gc_pause = level.gc_pause.max(pause);
        }
    }
}

impl World {
    /// Records the start lag of an operation that was planned for `due` and starts now.
    pub(crate) fn note_start(&mut self, due: Nanos) {
        if self.level.hold.contains(due) {
            let lag = self.clock.now() - due;
            self.level.recorder.monitoring.start_lag.record(lag);
        }
    }
}
