use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use model::GroupId;
use script::host::Wake;
use script::{ScriptError, ScriptFault};
use wire::TlsSettings;

use crate::audience::AudienceRun;
use crate::base::Base;
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::lease::Lease;
use crate::level_run::{LevelRun, never_settles};
use crate::messages::{Command, Event, Fatal};
use crate::net::{Ready, Waker};
use crate::setup::SetupRun;
use crate::tickers::{end_sleep, tick};
use crate::timers::Alarm;
use crate::worker_parts::WorkerParts;
use crate::world::World;

/// Maximum number of wakes that the script gets in one turn. Sockets are read between turns, so that the responses of
/// one user do not wait for the scripts of many others.
const WAKES_PER_TURN: usize = 16;

/// One core's share of the run: an event loop, a script engine, the users and their measurements.
pub(crate) struct Worker {
    parts: WorkerParts,
    level: Option<LevelRun>,
    setup_run: Option<SetupRun>,
    audience_run: Option<AudienceRun>,
    commands: Receiver<Command>,
    lease: Lease,
    buffers: Buffers,
}

/// Buffers that are reused in every pass of the loop.
#[derive(Debug, Default)]
struct Buffers {
    ready: Vec<Ready>,
    batch: VecDeque<Wake>,
}

/// The arguments with which a worker thread starts.
#[derive(Debug)]
pub(crate) struct Post {
    pub(crate) number: u32,
    pub(crate) config: Arc<RunConfig>,
    pub(crate) clock: Clock,
    pub(crate) tls: TlsSettings,
    pub(crate) commands: Receiver<Command>,
    pub(crate) events: Sender<(u32, Event)>,
}

/// The main function of a worker thread. Calls `hand_over` with the waker as soon as it exists.
pub(crate) fn work(post: Post, hand_over: impl FnOnce(Waker)) {
    let (number, events) = (post.number, post.events.clone());
    match Worker::new(post, hand_over) {
        Ok(mut worker) => {
            worker.parts.tell(Event::Ready);
            worker.run();
        }
        Err(fatal) => {
            // Sending fails only if the run is already over.
            let _ = events.send((number, Event::Fatal(fatal)));
        }
    }
}

impl Worker {
    fn new(post: Post, hand_over: impl FnOnce(Waker)) -> Result<Self, Box<Fatal>> {
        let Post {
            number,
            config,
            clock,
            tls,
            commands,
            events,
        } = post;
        pin(&config.cores, number);
        wake_in_time();
        let world = World::new(Arc::clone(&config), clock, tls)
            .map_err(|why| Box::new(Fatal::Generator(format!("cannot set up epoll: {why}"))))?;
        hand_over(world.base.net.waker());
        let parts = WorkerParts::new(number, world, events).map_err(fatal_of)?;
        Ok(Self {
            parts,
            level: None,
            setup_run: None,
            audience_run: None,
            commands,
            lease: Lease::ENDLESS,
            buffers: Buffers::default(),
        })
    }

    fn run(&mut self) {
        loop {
            while let Ok(command) = self.commands.try_recv() {
                if matches!(command, Command::Exit) {
                    return;
                }
                self.obey(command);
            }
            // The order matters: due starts come before the script's turn, and phases end last.
            if !self.poll() {
                self.lapse();
                continue;
            }
            if let Some(level) = &mut self.level {
                level.start_arrivals(&mut self.parts);
            }
            self.turn();
            self.end_iterations();
            self.report();
            self.advance();
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Setup => self.setup_run = Some(SetupRun::set_up(&mut self.parts)),
            Command::Teardown(setup) => {
                self.setup_run = Some(SetupRun::tear_down(&mut self.parts, &setup));
            }
            Command::Audience(plan) => {
                self.audience_run = Some(AudienceRun::start(plan, &self.parts));
            }
            Command::SettleAudiences(sent) => {
                let now = self.parts.now();
                if let Some(level) = &mut self.level {
                    level.settle_audiences(sent, now);
                }
            }
            Command::Level(plan) => self.level = Some(LevelRun::start(plan, &mut self.parts)),
            Command::Snapshot => self.parts.send_snapshot(),
            Command::EndHold => self.end_hold(),
            Command::Abort => {
                self.end_hold();
                if let Some(level) = &mut self.level {
                    level.abort();
                }
            }
            Command::Lease(until) => {
                let now = self.parts.now();
                self.lease.renew(until, now, self.level.is_some());
            }
            Command::Exit => {}
        }
    }

    /// Handles the first Ctrl-C: nothing new starts, and operations in flight get at most `settle`.
    fn end_hold(&mut self) {
        if let Some(level) = &mut self.level {
            level.hurry();
        }
        let mut world = self.parts.world.borrow_mut();
        let now = world.base.clock.now();
        let hold = &mut world.base.level.recorder.hold;
        hold.end = hold.end.min(now);
    }

    /// Ends the load at once, because the lease has lapsed. Nothing that is ready or due is handled before.
    fn lapse(&mut self) {
        self.lease.lapse();
        if self.level.is_none() {
            return;
        }
        self.parts.tell(Event::Lapsed);
        self.obey(Command::Abort);
        while self.level.is_some() {
            self.advance();
        }
    }

    /// Sleeps until something is ready or due, and handles it: sockets first, then timers. Returns false, and handles
    /// nothing, if the lease has lapsed.
    fn poll(&mut self) -> bool {
        let mut world = self.parts.world.borrow_mut();
        let (due, start) = (world.next_due(), world.next_start());
        self.parts.idle += world.base.net.wait(due, start, &mut self.buffers.ready);
        // A level that only closes its connections ends by itself. Closing many takes long on a busy machine.
        let closes = self.level.as_ref().is_some_and(LevelRun::is_closing);
        if self.lease.is_over(world.base.net.woke()) && !closes {
            self.buffers.ready.clear();
            return false;
        }
        for ready in self.buffers.ready.drain(..) {
            world.ready(ready);
        }
        world.dial_on();
        let now = world.base.clock.now();
        world.enforce_limits(now);
        // Iterations start after the loop, because a start enters the script, which borrows the world.
        let mut starts = Vec::new();
        while let Some((due, alarm)) = world.base.level.timers.pop_due(now) {
            match alarm {
                Alarm::Wake(key) => {
                    let Base { level, wakes, .. } = &mut world.base;
                    if !end_sleep(level, wakes, key) {
                        world.base.inconsistent("a sleep ended twice");
                    }
                }
                Alarm::Tick(key) => {
                    let now = world.base.clock.now();
                    let Base { level, wakes, .. } = &mut world.base;
                    tick(level, wakes, (key, due), now);
                }
                Alarm::Chunk(key) => world.chunk_due(key, due),
                Alarm::Begin(slot) => starts.push((slot as usize, due)),
                Alarm::Look => {}
            }
        }
        drop(world);
        if let Some(level) = &mut self.level {
            for (slot, due) in starts {
                level.begin_iteration(&mut self.parts, slot, due, None);
            }
        }
        true
    }

    /// Runs one bounded turn of the script.
    fn turn(&mut self) {
        let world = &self.parts.world;
        let loud = {
            // The borrow must end before the turn: the script borrows the world.
            let mut world = world.borrow_mut();
            let count = world.base.wakes.len().min(WAKES_PER_TURN);
            self.buffers.batch.extend(world.base.wakes.drain(..count));
            let Base { level, clock, .. } = &mut world.base;
            let loud = &mut level.recorder.monitoring.loud;
            loud.begin_turn(count, || clock.now())
        };
        if self.buffers.batch.is_empty() {
            return;
        }
        let mut told = self.buffers.batch.drain(..).inspect(|wake| {
            if let Wake::Tick { due, .. } = wake {
                let mut world = world.borrow_mut();
                let now = world.base.clock.now();
                world.base.level.recorder.note_start(*due, now);
            }
        });
        self.parts.driver.turn(&mut told);
        drop(told);
        if let Some(loud) = loud {
            let mut world = world.borrow_mut();
            let now = world.base.clock.now();
            world.base.level.recorder.note_turn(loud, now);
        }
        if let Some(fault) = self.parts.driver.take_fatal() {
            self.parts.tell_fatal(Fatal::Script(fault));
        }
    }

    /// Sends console lines of the script, and bugs of headcount, to control.
    fn report(&mut self) {
        let mut world = self.parts.world.borrow_mut();
        let logged = std::mem::take(&mut world.base.logged);
        let bug = world.base.inconsistencies.take();
        drop(world);
        for (level, line) in logged {
            self.parts.tell(Event::Log(level, line));
        }
        if let Some(bug) = bug {
            self.parts.tell_fatal(Fatal::Generator(bug));
        }
    }

    /// Ends iterations that have ended in the script, and iterations that can never end by themselves.
    fn end_iterations(&mut self) {
        // Search for stuck groups first, because the search may also end iterations in other ways.
        for group in self.parts.driver.stuck() {
            let fault = never_settles(&mut self.parts, group);
            self.iteration_ended(group, Err(fault));
        }
        for ended in self.parts.driver.take_ended() {
            self.iteration_ended(ended.group, ended.outcome);
        }
    }

    fn iteration_ended(&mut self, group: GroupId, outcome: Result<Option<String>, ScriptFault>) {
        let parts = &mut self.parts;
        match (&mut self.setup_run, &mut self.level) {
            (Some(run), _) if SetupRun::is_of(group) => run.end(parts, outcome),
            (_, Some(level)) => level.end_iteration(parts, group, outcome.map(drop)),
            // The level of the iteration is over.
            (_, None) => parts.driver.cancel_group(group),
        }
    }

    /// Reports the end of `setup` or `teardown`, and moves the level to its next phase when one is over.
    fn advance(&mut self) {
        let parts = &mut self.parts;
        self.setup_run.take_if(|run| run.report(parts));
        self.audience_run.take_if(|run| run.advance(parts));
        self.level.take_if(|level| level.advance(parts));
    }
}

fn fatal_of(error: ScriptError) -> Box<Fatal> {
    Box::new(match error {
        ScriptError::Thrown(fault) => Fatal::Script(*fault),
        other => Fatal::Generator(other.to_string()),
    })
}

/// Pins the thread to its core, if the machine allows it.
fn pin(cores: &[usize], number: u32) {
    if cores.is_empty() {
        return;
    }
    let mut set = rustix::thread::CpuSet::new();
    set.set(cores[number as usize % cores.len()]);
    // Some containers do not allow pinning. Then the kernel chooses the core, as without `cores`.
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

/// Turns off the kernel's delay of wake-ups, which saves power but makes planned starts up to 50 µs late.
fn wake_in_time() {
    // If the kernel refuses, the start lag shows the delay.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}
