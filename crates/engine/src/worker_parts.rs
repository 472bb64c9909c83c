use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::Sender;

use model::Nanos;
use probe::OwnThread;
use script::ScriptError;

use crate::busy::TimeUse;
use crate::driver::Driver;
use crate::messages::{Event, Fatal};
use crate::rescue::Copies;
use crate::world::World;

/// Growth of memory, in bytes, below which garbage is not worth a pause in the middle of a level.
const GARBAGE_WORTH_A_PAUSE: u64 = 128 << 20;

/// A worker's users and what drives them, its own use of time and memory, and the way to report to control. A level,
/// `setup` and `teardown` run on these parts.
pub(crate) struct WorkerParts {
    pub(crate) number: u32,
    pub(crate) world: Rc<RefCell<World>>,
    pub(crate) driver: Driver,
    events: Sender<(u32, Event)>,
    /// Time that the worker has spent waiting since the thread began.
    pub(crate) idle: Nanos,
    memory_after_collection: u64,
    copies: Copies,
    thread: Option<OwnThread>,
}

impl WorkerParts {
    /// Loads the script for these users.
    pub(crate) fn new(
        number: u32,
        world: World,
        events: Sender<(u32, Event)>,
    ) -> Result<Self, ScriptError> {
        let config = world.base.config.clone();
        let world = Rc::new(RefCell::new(world));
        let driver = Driver::load(&config, &world)?;
        Ok(Self {
            number,
            world,
            driver,
            events,
            idle: Nanos::ZERO,
            memory_after_collection: 0,
            copies: Copies::default(),
            thread: OwnThread::current().ok(),
        })
    }

    pub(crate) fn tell(&self, event: Event) {
        // Sending fails only if the run is already over.
        let _ = self.events.send((self.number, event));
    }

    pub(crate) fn tell_fatal(&self, fatal: Fatal) {
        self.tell(Event::Fatal(Box::new(fatal)));
    }

    pub(crate) fn now(&self) -> Nanos {
        self.world.borrow().base.clock.now()
    }

    /// The worker's use of time since the thread began, without the time spent spinning.
    pub(crate) fn time_use(&self) -> TimeUse {
        let used = self.thread.as_ref().and_then(|thread| thread.read().ok());
        let cpu = used.map(|mut used| {
            used.ran = used.ran - self.world.borrow().base.net.spun();
            used
        });
        TimeUse {
            idle: self.idle,
            cpu,
        }
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

    /// Sends a copy of the measurements so far, as control requested.
    pub(crate) fn send_snapshot(&self) {
        let now = self.now();
        let so_far = self.world.borrow_mut().base.measured_so_far(now);
        self.tell(Event::Snapshot(Box::new(so_far)));
    }

    /// Sends a copy of the measurements if one is due, in case the worker never finishes.
    pub(crate) fn send_copy(&mut self, now: Nanos) {
        if !self.copies.is_due(now) || now < self.world.borrow().base.level.recorder.hold.start {
            return;
        }
        let so_far = self.world.borrow_mut().base.measured_so_far(now);
        self.tell(Event::Copy(Box::new(so_far)));
        self.copies.sent(now, self.now() - now);
    }
}
