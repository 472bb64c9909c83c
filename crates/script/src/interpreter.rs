//! Runs script code in steps: one call, followed by all jobs that the call triggers.

use std::rc::Rc;
use std::time::Duration;

use model::{Fault, FaultKind, Nanos};
use rquickjs::promise::PromiseState;
use rquickjs::{ArrayBuffer, Context, Ctx, Persistent, Result, Runtime, Value};

use crate::error::{ScriptError, ScriptFault};
use crate::fault;
use crate::kept::KeptPromise;
use crate::linker::Linker;
use crate::pinpoint::pinpoint;
use crate::state::{NOBODY, State};

/// Stack size of the script engine. The thread's own stack must be much larger.
const STACK_BYTES: usize = 512 << 10;

/// Size of an `ArrayBuffer` whose memory block is as large as that of a job of a promise.
const JOB_BYTES: usize = 120;

/// Resource limits of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum memory of one worker's script engine, in bytes.
    pub memory_bytes: usize,
    /// Maximum time of one step without a pause.
    pub busy: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 1 << 30,
            busy: Duration::from_secs(1),
        }
    }
}

/// The script engine, and the state of its native calls.
pub(crate) struct Interpreter {
    pub(crate) state: Rc<State>,
    pub(crate) context: Context,
    pub(crate) runtime: Runtime,
    limits: Limits,
    /// Blocks of one size share an arena, which is freed with its last block. Jobs come and go one at a time, so without
    /// this block the script engine would request and free an arena for most of them.
    block: Option<Persistent<ArrayBuffer<'static>>>,
}

impl Interpreter {
    pub(crate) fn new(state: Rc<State>, limits: Limits) -> std::result::Result<Self, ScriptError> {
        let runtime = runtime(&state, limits)?;
        let context = Context::full(&runtime)?;
        let block = context.with(|ctx| -> Result<_> {
            let block = ArrayBuffer::new_copy(ctx.clone(), [0_u8; JOB_BYTES])?;
            Ok(Persistent::save(&ctx, block))
        })?;
        Ok(Self {
            state,
            context,
            runtime,
            limits,
            block: Some(block),
        })
    }

    /// Runs script code for a user, and then all ready jobs. Messages sent meanwhile have the planned time `planned`.
    pub(crate) fn step(
        &self,
        group: u32,
        user: u32,
        planned: Option<Nanos>,
        enter: impl for<'js> FnOnce(&Ctx<'js>, &Rc<State>) -> Result<()>,
    ) {
        let state = &self.state;
        state.now.is(group, user, planned);
        state.watch.restart();
        self.context.with(|ctx| {
            if let Err(error) = enter(&ctx, state) {
                report(&ctx, state, &error);
            }
        });
        let ran = self.run_jobs();
        // Reports the end before the rejections, so that a rejected scenario function is reported with its user and
        // step. The second report of the same failure, as a rejection, is ignored.
        if ran || !self.state.now.waits.get() {
            self.note_end(group);
        }
        self.report_rejections();
        self.check_memory();
        self.note_idle(group);
        self.state.now.is(NOBODY, NOBODY, None);
    }

    /// Runs every ready job. Returns whether there were any.
    pub(crate) fn run_jobs(&self) -> bool {
        let mut ran = false;
        loop {
            if self.state.watch.spent() {
                pinpoint(&self.context, &self.state.watch);
            }
            match self.runtime.execute_pending_job() {
                Ok(true) => ran = true,
                Ok(false) => return ran,
                Err(thrown) => {
                    ran = true;
                    thrown
                        .0
                        .with(|ctx| report(&ctx, &self.state, &rquickjs::Error::Exception));
                }
            }
        }
    }

    /// Ends the group if the promise of its scenario function has settled. Polling the promise is cheaper than a
    /// callback.
    fn note_end(&self, group: u32) {
        let story = {
            let work = self.state.work.borrow();
            work.groups.get(group).and_then(|group| group.story.clone())
        };
        let Some(story) = story else { return };
        self.context.with(|ctx| {
            let Ok(story) = story.restore(&ctx) else {
                return;
            };
            match story.state() {
                PromiseState::Pending => {}
                PromiseState::Resolved => self.settled(group, || {
                    self.state.end(group, Ok(None));
                }),
                PromiseState::Rejected => self.settled(group, || {
                    // Reading the result of a rejected promise throws the reason.
                    let _ = story.result::<Value<'_>>();
                    self.report_end(&ctx, group, ctx.catch());
                }),
            }
        });
    }

    fn settled(&self, group: u32, tell: impl FnOnce()) {
        if let Some(group) = self.state.work.borrow_mut().groups.get_mut(group) {
            group.story = None;
        }
        tell();
    }

    fn report_end<'js>(&self, ctx: &Ctx<'js>, group: u32, reason: Value<'js>) {
        let Some(entry) = self.state.entry() else {
            return;
        };
        let told = entry.report.clone().restore(ctx);
        let told = told.and_then(|report| report.call::<_, ()>((group, reason)));
        if let Err(error) = told {
            report(ctx, &self.state, &error);
        }
    }

    /// Fails the current group for each promise that was rejected without a handler.
    fn report_rejections(&self) {
        if self.state.outcome.borrow().rejections.is_empty() {
            return;
        }
        let rejected = self.state.outcome.borrow_mut().rejections.take();
        self.context.with(|ctx| {
            for (promise, reason) in rejected {
                let (Ok(promise), Ok(reason)) = (promise.restore(&ctx), reason.restore(&ctx))
                else {
                    continue;
                };
                if let Some(group) = self.group_with_story(&ctx, &promise) {
                    // The promise belongs to the scenario function of another group, and this step settled it.
                    self.settled(group, || self.report_end(&ctx, group, reason));
                    continue;
                }
                let fault = fault::read(&ctx, &self.state, &reason);
                self.state.fail(self.state.now.group.get(), fault);
            }
        });
    }

    fn group_with_story<'js>(&self, ctx: &Ctx<'js>, promise: &Value<'js>) -> Option<u32> {
        let stories: Vec<_> = {
            let mut work = self.state.work.borrow_mut();
            let groups = work.groups.iter_mut();
            groups
                .filter_map(|(key, group)| Some((key, group.story.clone()?)))
                .collect()
        };
        let is_it = |story: KeptPromise| {
            let story = story.restore(ctx);
            story.is_ok_and(|story| story.as_value() == promise)
        };
        stories
            .into_iter()
            .find_map(|(key, story)| is_it(story).then_some(key))
    }

    fn check_memory(&self) {
        let (suspect, full) = {
            let mut outcome = self.state.outcome.borrow_mut();
            (
                std::mem::take(&mut outcome.memory_suspect),
                std::mem::take(&mut outcome.memory_full),
            )
        };
        let limit = self.limits.memory_bytes;
        let used_up = full || (suspect && self.memory_used() > limit / 10 * 9);
        if !used_up {
            return;
        }
        let detail = format!(
            "the scenario used more than {} of memory in one worker (options.script.memory)",
            in_words(limit)
        );
        self.state
            .fatal(Fault::script(FaultKind::Resources, detail).into());
        // Grants extra memory, so that the run can report the fault and end in order.
        self.runtime
            .set_memory_limit(limit.saturating_add(limit / 8));
    }

    pub(crate) fn note_idle(&self, group: u32) {
        let idle = {
            let work = self.state.work.borrow();
            work.groups
                .get(group)
                .is_some_and(|group| !group.ended && !group.waits())
        };
        if idle {
            self.state.outcome.borrow_mut().idle.push(group);
        }
    }

    /// Returns the memory in use by the script engine, in bytes. It visits all objects, so it is too slow for every
    /// turn.
    pub(crate) fn memory_used(&self) -> usize {
        usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0)
    }
}

impl Drop for Interpreter {
    /// Values stored outside the script engine must be dropped before it.
    fn drop(&mut self) {
        self.block = None;
        self.state.clear();
    }
}

/// Creates a runtime with its limits and watchers.
fn runtime(state: &Rc<State>, limits: Limits) -> std::result::Result<Runtime, ScriptError> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(limits.memory_bytes);
    runtime.set_max_stack_size(STACK_BYTES);
    runtime.set_gc_threshold(usize::MAX);
    let linker = Linker(state.material.bundle.clone());
    runtime.set_loader(linker.clone(), linker);
    let watched = state.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || watched.watch.poll(&watched.host))));
    let tracked = state.clone();
    runtime.set_host_promise_rejection_tracker(Some(Box::new(
        move |ctx, promise, reason, handled| {
            let rejections = &mut tracked.outcome.borrow_mut().rejections;
            if handled {
                rejections.handled(&ctx, &promise);
            } else {
                rejections.add(&ctx, promise, reason);
            }
        },
    )));
    Ok(runtime)
}

fn in_words(bytes: usize) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 30) => format!("{} GiB", bytes >> 30),
        _ if bytes >= 1_000_000_000 => format!("{} GB", bytes as f64 / 1e9),
        _ => format!("{} MB", bytes as f64 / 1e6),
    }
}

/// Handles an error outside any promise: the group fails.
fn report(ctx: &Ctx<'_>, state: &State, error: &rquickjs::Error) {
    let fault = if error.is_exception() {
        fault::read(ctx, state, &ctx.catch())
    } else {
        ScriptFault::from(Fault::generator(
            FaultKind::Resources,
            format!("script engine: {error}"),
        ))
    };
    if state.material.loading.get() {
        state.fatal(fault);
    } else {
        state.fail(state.now.group.get(), fault);
    }
}
