//! Enters the script: one step for each thing that happened, then whatever follows from it.

use std::rc::Rc;
use std::sync::Arc;

use model::{Fault, FaultKind, GroupId, Nanos};
use rquickjs::{Array, ArrayBuffer, Ctx, IntoJs, Result, String as JsString, Undefined, Value};

use crate::api::Response;
use crate::boot::Entry;
use crate::error::ScriptFault;
use crate::fault;
use crate::host::{OpId, Payload, SocketId, TickerId, Value as HostValue, Wake};
use crate::script::Script;
use crate::start::{GroupStart, UserStart};
use crate::state::{NOBODY, State};
use crate::work::{Kept, Op, Socket, Then};

impl Script {
    /// Starts an iteration: calls the default function with its group.
    pub fn start_group(&mut self, start: GroupStart) {
        let main = self.export("default");
        self.start(
            start.id,
            start.setup.clone(),
            &start.users,
            |ctx, entry, key, users| {
                let call = entry.run.clone().restore(ctx)?;
                let main = main.map(|main| main.restore(ctx)).transpose()?;
                let (index, level_users, groups) = start.level;
                let roles = start
                    .roles
                    .map(|roles| flat_roles(ctx, roles))
                    .transpose()?;
                call.call::<_, ()>((
                    key,
                    main,
                    start.name,
                    vec![start.number, start.iteration, index, level_users, groups],
                    roles,
                    users,
                ))
            },
        );
    }

    /// Calls `setup` with one user.
    pub fn start_setup(&mut self, group: GroupId, user: UserStart) {
        let setup = self.export("setup");
        self.start(group, None, &[user], |ctx, entry, key, users| {
            let setup = setup.map(|setup| setup.restore(ctx)).transpose()?;
            entry
                .setup
                .clone()
                .restore(ctx)?
                .call::<_, ()>((key, setup, users))
        });
    }

    /// Calls `teardown` with one user and what `setup` returned, as JSON.
    pub fn start_teardown(&mut self, group: GroupId, user: UserStart, setup: Option<&str>) {
        let teardown = self.export("teardown");
        self.start(
            group,
            setup.map(Arc::from),
            &[user],
            |ctx, entry, key, users| {
                let teardown = teardown.map(|teardown| teardown.restore(ctx)).transpose()?;
                entry
                    .teardown
                    .clone()
                    .restore(ctx)?
                    .call::<_, ()>((key, teardown, users))
            },
        );
    }

    fn start(
        &mut self,
        id: GroupId,
        setup: Option<Arc<str>>,
        users: &[UserStart],
        call: impl for<'js> FnOnce(&Ctx<'js>, &Entry, u32, Array<'js>) -> Result<()>,
    ) {
        let Some((key, keys)) = enroll(&self.state, id, setup, users) else {
            let detail = "too many groups or users on one worker";
            let fault = Fault::generator(FaultKind::Resources, detail).into();
            self.state.outcome.borrow_mut().ended.push(crate::Ended {
                group: id,
                outcome: Err(fault),
            });
            return;
        };
        let first = keys.first().copied().unwrap_or(NOBODY);
        self.step(key, first, |ctx, state| {
            let Some(entry) = state.entry() else {
                return Ok(());
            };
            call(ctx, &entry, key, flat_users(ctx, &keys, users)?)
        });
    }

    /// Tells the script what happened. For each thing: its promise or callback first, then every job
    /// that follows, so that what the script does is always somebody's. Not bounded in time: hand
    /// over as many as may delay the sockets.
    pub fn turn(&mut self, wakes: &mut dyn Iterator<Item = Wake>) {
        for wake in wakes {
            match wake {
                Wake::Done { op, result } => self.done(op, result),
                Wake::Tick { ticker, due } => self.tick(ticker, due),
                Wake::Message { socket, payload } => self.message(socket, &payload),
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
        self.step(op.group, op.user, |ctx, state| {
            settle(ctx, state, op, result)
        });
    }

    fn tick(&mut self, id: TickerId, due: Nanos) {
        let Some(ticker) = self.state.work.borrow().ticker(id) else {
            return;
        };
        self.step(ticker.group, ticker.user, |ctx, state| {
            let function = ticker.function.restore(ctx)?;
            state.now.planned.set(Some(due));
            let called = function.call::<_, Value<'_>>(());
            state.now.planned.set(None);
            called.map(drop)
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
            self.step(group, user, |ctx, _| {
                let message = message_value(ctx, payload)?;
                handler
                    .restore(ctx)?
                    .call::<_, Value<'_>>((message,))
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
            self.step(group, user, |ctx, _| {
                handler
                    .restore(ctx)?
                    .call::<_, Value<'_>>((code, reason))
                    .map(drop)
            });
        }
    }

    /// One entry into the script on behalf of somebody, and all that follows from it at once.
    fn step(
        &mut self,
        group: u32,
        user: u32,
        enter: impl for<'js> FnOnce(&Ctx<'js>, &Rc<State>) -> Result<()>,
    ) {
        let state = &self.state;
        state.now.is(group, user);
        state.watch.restart();
        self.context.with(|ctx| {
            if let Err(error) = enter(&ctx, state) {
                report(&ctx, state, &error);
            }
        });
        self.run_jobs();
        self.report_rejections();
        self.check_memory();
        self.note_idle(group);
        self.state.now.is(NOBODY, NOBODY);
    }

    /// Runs every job that is ready.
    pub(crate) fn run_jobs(&self) {
        loop {
            match self.runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => return,
                Err(thrown) => {
                    thrown
                        .0
                        .with(|ctx| report(&ctx, &self.state, &rquickjs::Error::Exception));
                }
            }
        }
    }

    /// Rejected promises that nobody awaits fail the group on whose behalf the script ran.
    fn report_rejections(&self) {
        if self.state.outcome.borrow().rejections.is_empty() {
            return;
        }
        let reasons = self.state.outcome.borrow_mut().rejections.take();
        self.context.with(|ctx| {
            for reason in reasons
                .into_iter()
                .filter_map(|reason| reason.restore(&ctx).ok())
            {
                let fault = fault::read(&ctx, &self.state, &reason);
                self.state.fail(self.state.now.group.get(), fault);
            }
        });
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
        if !full && !(suspect && self.memory_used() > limit / 10 * 9) {
            return;
        }
        let detail = format!(
            "the scenario used more than {} of memory in one worker (options.script.memory)",
            in_words(limit)
        );
        self.state
            .fatal(Fault::script(FaultKind::Resources, detail).into());
        // Room to report and to end in order.
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

/// Something went wrong outside any promise: the group fails.
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

/// Resolves or rejects the promise of an operation.
fn settle(
    ctx: &Ctx<'_>,
    state: &Rc<State>,
    op: Op,
    result: std::result::Result<HostValue, Fault>,
) -> Result<()> {
    let settled = match result {
        Ok(value) => value_of(ctx, state, &op, value),
        Err(fault) => return reject(ctx, state, op.reject, &fault),
    };
    match settled {
        Ok(value) => op.resolve.restore(ctx)?.call((value,)),
        Err(error) if error.is_exception() => op.reject.restore(ctx)?.call((ctx.catch(),)),
        Err(error) => Err(error),
    }
}

/// Rejects a promise with a fault as an `Error`.
pub(crate) fn reject(ctx: &Ctx<'_>, state: &State, reject: Kept, fault: &Fault) -> Result<()> {
    let error = failure(ctx, state, fault)?;
    reject.restore(ctx)?.call((error,))
}

/// A fault as the script sees it: an `Error` with `side` and `kind`.
pub(crate) fn failure<'js>(ctx: &Ctx<'js>, state: &State, fault: &Fault) -> Result<Value<'js>> {
    let name = |value: serde_json::Result<serde_json::Value>| {
        value
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
    };
    let side = name(serde_json::to_value(fault.side));
    let kind = name(serde_json::to_value(fault.kind));
    let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
    entry
        .failure
        .clone()
        .restore(ctx)?
        .call((side, kind, fault.detail.as_str()))
}

fn value_of<'js>(
    ctx: &Ctx<'js>,
    state: &Rc<State>,
    op: &Op,
    value: HostValue,
) -> Result<Value<'js>> {
    match value {
        HostValue::Nothing => match &op.then {
            Then::Elapsed(since) => (state.host.borrow().now() - *since)
                .as_millis_f64()
                .into_js(ctx),
            _ => Undefined.into_js(ctx),
        },
        HostValue::Response(reply) => Response::object(ctx, *reply),
        HostValue::Socket(id, subprotocol) => socket_object(ctx, state, op, id, subprotocol),
        HostValue::Message(Payload::Text(text)) if op.then == Then::Parsed => ctx.json_parse(text),
        HostValue::Message(payload) => message_value(ctx, &payload),
    }
}

fn message_value<'js>(ctx: &Ctx<'js>, payload: &Payload) -> Result<Value<'js>> {
    match payload {
        Payload::Text(text) => JsString::from_str(ctx.clone(), text).map(JsString::into_value),
        Payload::Binary(bytes) => {
            ArrayBuffer::new_copy(ctx.clone(), bytes).map(ArrayBuffer::into_value)
        }
    }
}

fn socket_object<'js>(
    ctx: &Ctx<'js>,
    state: &Rc<State>,
    op: &Op,
    id: SocketId,
    subprotocol: Option<String>,
) -> Result<Value<'js>> {
    let name = match &op.then {
        Then::Socket(name) => name.to_string(),
        _ => String::new(),
    };
    let socket = Socket {
        id,
        group: op.group,
        user: op.user,
        name,
        open: true,
        on_message: Vec::new(),
        on_close: Vec::new(),
    };
    let key = state
        .work
        .borrow_mut()
        .add_socket(socket)
        .ok_or(rquickjs::Error::Allocation)?;
    let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
    entry.socket.clone().restore(ctx)?.call((key, subprotocol))
}

/// The keys of a group and its users, taken in.
fn enroll(
    state: &State,
    id: GroupId,
    setup: Option<Arc<str>>,
    users: &[UserStart],
) -> Option<(u32, Vec<u32>)> {
    let mut work = state.work.borrow_mut();
    let key = work.add_group(id, setup)?;
    let mut add = |user: &UserStart| work.add_member(key, user.id, user.data.clone());
    let keys: Option<Vec<u32>> = users.iter().map(&mut add).collect();
    if keys.is_none() {
        work.remove_group(id);
    }
    Some((key, keys?))
}

/// Five values for each user, one behind the other: a call with one array is cheap.
fn flat_users<'js>(ctx: &Ctx<'js>, keys: &[u32], users: &[UserStart]) -> Result<Array<'js>> {
    let flat = Array::new(ctx.clone())?;
    for (at, (key, user)) in keys.iter().zip(users).enumerate() {
        flat.set(at * 5, *key)?;
        flat.set(at * 5 + 1, user.name.as_str())?;
        flat.set(at * 5 + 2, user.index)?;
        flat.set(at * 5 + 3, user.number)?;
        flat.set(at * 5 + 4, user.role.as_deref())?;
    }
    Ok(flat)
}

/// Name and number, one behind the other.
fn flat_roles<'js>(ctx: &Ctx<'js>, roles: Vec<(String, u32)>) -> Result<Array<'js>> {
    let flat = Array::new(ctx.clone())?;
    for (at, (name, count)) in roles.into_iter().enumerate() {
        flat.set(at * 2, name)?;
        flat.set(at * 2 + 1, count)?;
    }
    Ok(flat)
}
