use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use model::{GroupId, Nanos, UserId};
use probe::{OwnThread, ThreadTime};
use script::host::Wake;
use script::{ScriptError, ScriptFault, UserStart};
use wire::TlsSettings;

use crate::clock::Clock;
use crate::config::RunConfig;
use crate::driver::Driver;
use crate::level_run::LevelRun;
use crate::messages::{Command, Event, Fatal};
use crate::net::{Ready, Waker};
use crate::rescue::Copies;
use crate::setup::SetupRun;
use crate::timers::Alarm;
use crate::world::World;

/// Maximum number of wakes that the script gets in one turn. Sockets are read between turns, so that the responses of
/// one user do not wait for the scripts of many others.
const WAKES_PER_TURN: usize = 16;
/// Growth of memory, in bytes, below which garbage is not worth a pause in the middle of a level.
const GARBAGE_WORTH_A_PAUSE: u64 = 128 << 20;

/// One core's share of the run: an event loop, a script engine, the users and their measurements.
pub(crate) struct Worker {
    pub(crate) number: u32,
    pub(crate) world: Rc<RefCell<World>>,
    pub(crate) driver: Driver,
    pub(crate) level: Option<LevelRun>,
    pub(crate) setup_run: Option<SetupRun>,
    commands: Receiver<Command>,
    events: Sender<(u32, Event)>,
    buffers: Buffers,
    /// Time that the worker has spent waiting since the thread began.
    idle: Nanos,
    memory_after_collection: u64,
    pub(crate) copies: Copies,
    thread: Option<OwnThread>,
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
            worker.tell(Event::Ready);
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
        let world = World::new(Arc::clone(&config), number, clock, tls)
            .map_err(|why| Box::new(Fatal::Generator(format!("cannot set up epoll: {why}"))))?;
        hand_over(world.net.waker());
        let world = Rc::new(RefCell::new(world));
        let driver = Driver::load(&config, &world).map_err(fatal_of)?;
        Ok(Self {
            number,
            world,
            driver,
            level: None,
            setup_run: None,
            commands,
            events,
            buffers: Buffers::default(),
            idle: Nanos::ZERO,
            memory_after_collection: 0,
            copies: Copies::default(),
            thread: OwnThread::current().ok(),
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
            self.poll();
            self.start_arrivals();
            self.turn();
            self.end_iterations();
            self.report();
            self.advance_setup();
            self.advance_level();
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Setup => self.start_setup(),
            Command::Teardown(setup) => self.start_teardown(&setup),
            Command::Level(plan) => self.start_level(plan),
            Command::Snapshot => self.send_snapshot(),
            Command::EndHold => self.end_hold(),
            Command::Abort => self.abort(),
            Command::Exit => {}
        }
    }

    pub(crate) fn tell(&self, event: Event) {
        // Sending fails only if the run is already over.
        let _ = self.events.send((self.number, event));
    }

    /// Sleeps until something is ready or due, and handles it: sockets first, then timers.
    fn poll(&mut self) {
        let mut world = self.world.borrow_mut();
        let (due, start) = (world.next_due(), world.next_start());
        self.idle += world.net.wait(due, start, &mut self.buffers.ready);
        for ready in self.buffers.ready.drain(..) {
            world.ready(ready);
        }
        world.dial_on();
        let now = world.clock.now();
        world.enforce_limits(now);
        // Iterations start after the loop, because a start enters the script, which borrows the world.
        let mut starts = Vec::new();
        while let Some((due, alarm)) = world.level.timers.pop_due(now) {
            match alarm {
                Alarm::Wake(key) => world.end_sleep(key),
                Alarm::Tick(key) => world.tick(key, due),
                Alarm::Begin(slot) => starts.push((slot as usize, due)),
                Alarm::Look => {}
            }
        }
        drop(world);
        for (slot, due) in starts {
            self.begin_iteration(slot, due, None);
        }
    }

    /// Runs one bounded turn of the script.
    fn turn(&mut self) {
        let world = &self.world;
        {
            // The borrow must end before the turn: the script borrows the world.
            let mut world = world.borrow_mut();
            let count = world.wakes.len().min(WAKES_PER_TURN);
            self.buffers.batch.extend(world.wakes.drain(..count));
        }
        if self.buffers.batch.is_empty() {
            return;
        }
        let mut told = self.buffers.batch.drain(..).inspect(|wake| {
            if let Wake::Tick { due, .. } = wake {
                world.borrow_mut().note_start(*due);
            }
        });
        self.driver.turn(&mut told);
        drop(told);
        if let Some(fault) = self.driver.take_fatal() {
            self.tell(Event::Fatal(Box::new(Fatal::Script(fault))));
        }
    }

    /// Sends console lines of the script, and bugs of headcount, to control.
    fn report(&mut self) {
        let mut world = self.world.borrow_mut();
        let logged = std::mem::take(&mut world.logged);
        let bug = world.inconsistencies.take();
        drop(world);
        for (level, line) in logged {
            self.tell(Event::Log(level, line));
        }
        if let Some(bug) = bug {
            self.tell(Event::Fatal(Box::new(Fatal::Generator(bug))));
        }
    }

    pub(crate) fn now(&self) -> Nanos {
        self.world.borrow().clock.now()
    }

    /// Time spent waiting so far.
    pub(crate) fn idle(&self) -> Nanos {
        self.idle
    }

    /// The CPU time of the thread since it began, without the time spent spinning.
    pub(crate) fn cpu_time(&self) -> Option<ThreadTime> {
        let mut used = self.thread.as_ref()?.read().ok()?;
        used.ran = used.ran - self.world.borrow().net.spun();
        Some(used)
    }

    /// Collects the script's garbage, and returns the pause. In the middle of a level, it does so only if there is much
    /// garbage.
    pub(crate) fn collect_garbage(&mut self, between_levels: bool) -> Option<Nanos> {
        let grown = probe::own_memory()
            .unwrap_or(0)
            .saturating_sub(self.memory_after_collection);
        if !between_levels && grown < GARBAGE_WORTH_A_PAUSE.max(self.memory_after_collection) {
            return None;
        }
        let before = self.now();
        self.driver.collect_garbage();
        self.memory_after_collection = probe::own_memory().unwrap_or(0);
        Some(self.now() - before)
    }

    pub(crate) fn user_start(
        &self,
        id: UserId,
        index: u32,
        number: u32,
        role: Option<Arc<str>>,
    ) -> UserStart {
        let mut world = self.world.borrow_mut();
        let user = world.level.users.get(id);
        let (name, data) = user.map_or_else(
            || (Arc::from(""), None),
            |user| (Arc::clone(&user.name), user.data.clone()),
        );
        UserStart {
            id,
            name,
            index,
            number,
            role,
            data,
        }
    }

    /// Ends iterations that have ended in the script, and iterations that can never end by themselves.
    fn end_iterations(&mut self) {
        // Search for stuck groups first, because the search may also end iterations in other ways.
        for group in self.driver.stuck() {
            let fault = self.never_settles(group);
            self.iteration_ended(group, Err(fault));
        }
        for ended in self.driver.take_ended() {
            self.iteration_ended(ended.group, ended.outcome);
        }
    }

    fn iteration_ended(&mut self, group: GroupId, outcome: Result<Option<String>, ScriptFault>) {
        if self
            .setup_run
            .as_ref()
            .is_some_and(|setup_run| setup_run.group == group)
        {
            self.end_setup(outcome);
        } else {
            self.end_iteration(group, outcome.map(drop));
        }
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
