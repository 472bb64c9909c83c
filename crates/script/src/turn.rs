//! Runs the script: one step for each event, followed by all jobs that the step triggers.

use std::rc::Rc;

use model::{Fault, FaultKind, Nanos};
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Result, Value};

use crate::error::ScriptFault;
use crate::fault;
use crate::host::{Heard, OpId, Payload, SocketId, TickerId, Value as HostValue, Wake};
use crate::script::Script;
use crate::settle::{heard_values, message_value, settle};
use crate::state::{NOBODY, State};
use crate::work::KeptPromise;

impl Script {
    /// Passes events to the script. For each event, its promise or callback runs first, then every job that follows, so
    /// that all work belongs to a known user.
    ///
    /// The run time is not bounded. Callers limit the number of events according to how long the sockets may wait.
    pub fn turn(&mut self, wakes: &mut dyn Iterator<Item = Wake>) {
        for wake in wakes {
            match wake {
                Wake::Done { op, result } => self.done(op, result),
                Wake::Tick { ticker, due } => self.tick(ticker, due),
                Wake::Message { socket, payload } => self.message(socket, &payload),
                Wake::Event {
                    socket,
                    event,
                    heard,
                    ack,
                } => self.event(socket, &event, &heard, ack),
                Wake::Closed {
                    socket,
                    code,
                    reason,
                } => self.closed(socket, code, &reason),
            }
        }
    }

    fn done(&mut self, op: OpId, result: std::result::Result<HostValue, Fault>) {
        let Some(op) = self.state.work.borrow_mut().take_op(op) else {
            return;
        };
        self.step(op.group, op.user, None, |ctx, state| {
            state.now.background.set(op.background);
            settle(ctx, state, op, result)
        });
    }

    fn tick(&mut self, id: TickerId, due: Nanos) {
        let Some(ticker) = self.state.work.borrow().ticker(id) else {
            return;
        };
        self.step(ticker.group, ticker.user, Some(due), |ctx, state| {
            state.now.background.set(true);
            let function = ticker.function.restore(ctx)?;
            function.call::<_, Value<'_>>(()).map(drop)
        });
    }

    fn message(&mut self, id: SocketId, payload: &Payload) {
        let (group, user, handlers) = {
            let work = self.state.work.borrow();
            let socket = work.socket_key(id).and_then(|key| work.sockets.get(key));
            let Some(socket) = socket else { return };
            (socket.group, socket.user, socket.on_message.clone())
        };
        for handler in handlers {
            self.step(group, user, None, |ctx, state| {
                state.now.background.set(true);
                let message = message_value(ctx, payload)?;
                handler
                    .restore(ctx)?
                    .call::<_, Value<'_>>((message,))
                    .map(drop)
            });
        }
    }

    /// Calls the handlers of an event. The return value of the first handler is the acknowledgement.
    fn event(&mut self, id: SocketId, event: &str, heard: &Heard, mut ack: Option<u64>) {
        let (key, group, user, handlers) = {
            let work = self.state.work.borrow();
            let key = work.socket_key(id);
            let Some((key, socket)) = key.and_then(|key| Some((key, work.sockets.get(key)?)))
            else {
                return;
            };
            let its = socket.on_event.iter().filter(|(name, _)| **name == *event);
            let handlers: Vec<_> = its.map(|(_, handler)| handler.clone()).collect();
            (key, socket.group, socket.user, handlers)
        };
        for handler in handlers {
            let ack = ack.take();
            self.step(group, user, None, |ctx, state| {
                state.now.background.set(true);
                let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
                let (list, bytes) = heard_values(ctx, state, heard)?;
                let hear = entry.hear.clone().restore(ctx)?;
                let handler = handler.restore(ctx)?;
                hear.call::<_, Value<'_>>((key, handler, list, bytes, ack))
                    .map(drop)
            });
        }
    }

    fn closed(&mut self, id: SocketId, code: Option<u16>, reason: &str) {
        let gone = {
            let mut work = self.state.work.borrow_mut();
            work.socket_key(id).and_then(|key| work.close_socket(key))
        };
        let Some((group, user, handlers)) = gone else {
            return;
        };
        if handlers.is_empty() {
            self.note_idle(group);
        }
        for handler in handlers {
            self.step(group, user, None, |ctx, state| {
                state.now.background.set(true);
                handler
                    .restore(ctx)?
                    .call::<_, Value<'_>>((code, reason))
                    .map(drop)
            });
        }
    }

    /// Runs script code for a user, and then all ready jobs. Messages sent meanwhile have the planned time `planned`.
    pub(crate) fn step(
        &mut self,
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
                self.pinpoint();
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

    fn note_idle(&self, group: u32) {
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
