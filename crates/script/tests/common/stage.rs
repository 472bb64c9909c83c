//! A host that records what a script asks for and lets the test answer.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses its part of it"
)]

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use model::{Fault, GroupId, Nanos, UserId};
use script::host::{
    Audience, ChannelId, Emission, EventCall, ExchangeCall, Host, HttpCall, LogLevel, MetricKind,
    OpId, Payload, Reply, SocketCall, SocketId, SocketIoCall, StampPlace, TickerId, Value, Wake,
};
use script::{
    Bundle, DataStore, Ended, GroupStart, Limits, Script, ScriptError, ScriptFault, UserStart,
};

/// What the script asked for. Calls that a test rarely looks at are written as text.
#[derive(Clone, Debug)]
pub enum Call {
    Http(OpId, UserId, HttpCall),
    Open(OpId, UserId, SocketCall),
    Send(SocketId, Payload, Option<Nanos>),
    Exchange(OpId, SocketId, ExchangeCall),
    Next(OpId, SocketId, Vec<(String, String)>, Option<Nanos>),
    OpenSocketIo(OpId, UserId, SocketIoCall),
    Emit(Emission),
    Request(OpId, EventCall),
    Op(OpId, String),
    Channel(String, Audience, Option<Nanos>),
    Receives(SocketId, ChannelId, StampPlace),
    Every(TickerId, UserId, Nanos, Option<Nanos>),
    Other(String),
}

#[derive(Default)]
pub struct FakeHost {
    pub calls: Vec<Call>,
    pub checks: Vec<(Option<UserId>, String, bool)>,
    pub log: Vec<(LogLevel, String)>,
    pub refuse: Option<Fault>,
    pub clock: std::cell::Cell<u64>,
    /// How far the clock moves with each look at it.
    pub tick: u64,
    pub next_user: u32,
    pub next_ticker: u32,
    pub pooled: Vec<(UserId, String)>,
    pub randoms: u32,
    pub last: Option<String>,
}

impl FakeHost {
    fn refused(&mut self) -> Result<(), Fault> {
        self.refuse.take().map_or(Ok(()), Err)
    }
    fn other(&mut self, text: String) {
        self.calls.push(Call::Other(text));
    }
}

impl Host for FakeHost {
    fn now(&self) -> Nanos {
        self.clock.set(self.clock.get() + self.tick);
        Nanos(self.clock.get())
    }
    fn random(&mut self, _user: UserId) -> f64 {
        self.randoms += 1;
        0.5
    }
    fn new_user(&mut self, _group: GroupId) -> UserId {
        self.next_user += 1;
        UserId(1000 + self.next_user)
    }
    fn set_header(&mut self, user: UserId, name: &str, value: Option<&str>) -> Result<(), Fault> {
        self.other(format!("header {} {name}={value:?}", user.0));
        self.refused()
    }
    fn cookie(&mut self, _user: UserId, name: &str) -> Option<String> {
        (name == "sid").then(|| "s1".to_owned())
    }
    fn pool_user(&mut self, user: UserId, data: String) {
        self.pooled.push((user, data));
    }
    fn http(&mut self, op: OpId, user: UserId, call: HttpCall) -> Result<(), Fault> {
        self.calls.push(Call::Http(op, user, call));
        self.refused()
    }
    fn open_socket(&mut self, op: OpId, user: UserId, call: SocketCall) -> Result<(), Fault> {
        self.calls.push(Call::Open(op, user, call));
        self.refused()
    }
    fn send(
        &mut self,
        socket: SocketId,
        payload: Payload,
        planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Send(socket, payload, planned));
        self.refused()
    }
    fn exchange(&mut self, op: OpId, socket: SocketId, call: ExchangeCall) -> Result<(), Fault> {
        self.calls.push(Call::Exchange(op, socket, call));
        self.refused()
    }
    fn next_message(
        &mut self,
        op: OpId,
        socket: SocketId,
        only: Vec<(String, String)>,
        timeout: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Next(op, socket, only, timeout));
        self.refused()
    }
    fn listen(&mut self, socket: SocketId, on: bool) {
        self.other(format!("listen {} {on}", socket.0));
    }
    fn ping(&mut self, op: OpId, _socket: SocketId) -> Result<(), Fault> {
        self.calls.push(Call::Op(op, "ping".to_owned()));
        self.refused()
    }
    fn close_socket(
        &mut self,
        op: OpId,
        _socket: SocketId,
        code: u16,
        reason: &str,
    ) -> Result<(), Fault> {
        self.calls
            .push(Call::Op(op, format!("close {code} {reason}")));
        self.refused()
    }
    fn open_socketio(&mut self, op: OpId, user: UserId, call: SocketIoCall) -> Result<(), Fault> {
        self.calls.push(Call::OpenSocketIo(op, user, call));
        self.refused()
    }
    fn emit(
        &mut self,
        _socket: SocketId,
        said: Emission,
        _planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Emit(said));
        self.refused()
    }
    fn emit_acknowledged(
        &mut self,
        op: OpId,
        _socket: SocketId,
        call: EventCall,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Request(op, call));
        self.refused()
    }
    fn next_event(
        &mut self,
        op: OpId,
        _socket: SocketId,
        event: String,
        _timeout: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Op(op, format!("next {event}")));
        self.refused()
    }
    fn listen_event(&mut self, _socket: SocketId, event: &str) {
        self.other(format!("listen to {event}"));
    }
    fn sleep(&mut self, op: OpId, user: UserId, span: Nanos) {
        self.calls
            .push(Call::Op(op, format!("sleep {} {span}", user.0)));
    }
    fn stay(&mut self, op: OpId, user: UserId) {
        self.calls.push(Call::Op(op, format!("stay {}", user.0)));
    }
    fn every(&mut self, user: UserId, period: Nanos, first: Option<Nanos>) -> TickerId {
        self.next_ticker += 1;
        let id = TickerId(self.next_ticker);
        self.calls.push(Call::Every(id, user, period, first));
        id
    }
    fn stop_ticker(&mut self, ticker: TickerId) {
        self.other(format!("stop ticker {}", ticker.0));
    }
    fn channel(
        &mut self,
        _group: GroupId,
        name: &str,
        audience: Audience,
        deadline: Option<Nanos>,
    ) -> Result<ChannelId, Fault> {
        self.calls
            .push(Call::Channel(name.to_owned(), audience, deadline));
        self.refused()?;
        Ok(ChannelId(7))
    }
    fn stamp(
        &mut self,
        user: UserId,
        channel: ChannelId,
        planned: Option<Nanos>,
    ) -> Result<String, Fault> {
        self.other(format!("stamp {} {} {planned:?}", user.0, channel.0));
        self.refused()?;
        Ok("@stamp;".to_owned())
    }
    fn receives(
        &mut self,
        socket: SocketId,
        channel: ChannelId,
        place: StampPlace,
    ) -> Result<u32, Fault> {
        self.calls.push(Call::Receives(socket, channel, place));
        self.refused().map(|()| 3)
    }
    fn stop_receiving(&mut self, socket: SocketId, receiving: u32) {
        self.other(format!("stop receiving {} {receiving}", socket.0));
    }
    fn last(&mut self, _socket: SocketId, _channel: ChannelId) -> Option<String> {
        self.last.clone()
    }
    fn step_begin(&mut self, _group: GroupId, user: Option<UserId>, name: &str) {
        self.other(format!("begin {name} {user:?}"));
    }
    fn step_end(
        &mut self,
        _group: GroupId,
        user: Option<UserId>,
        name: &str,
        _started: Nanos,
        ok: bool,
    ) {
        self.other(format!("end {name} {user:?} {ok}"));
    }
    fn eventually(&mut self, _group: GroupId, name: &str, took: Nanos, ok: bool) {
        self.other(format!("eventually {name} {took} {ok}"));
    }
    fn check(&mut self, _group: GroupId, user: Option<UserId>, name: &str, ok: bool) {
        self.checks.push((user, name.to_owned(), ok));
    }
    fn metric(&mut self, kind: MetricKind, name: &str, value: f64) {
        self.other(format!("{kind:?} {name} {value}"));
    }
    fn log(&mut self, level: LogLevel, line: &str) {
        self.log.push((level, line.to_owned()));
    }
}

/// A script with its host.
pub struct Stage {
    pub host: Rc<RefCell<FakeHost>>,
    pub script: Script,
}

/// The clock moves by a millisecond with each look, so that a loop is noticed.
pub fn host() -> Rc<RefCell<FakeHost>> {
    Rc::new(RefCell::new(FakeHost {
        tick: 1_000_000,
        ..FakeHost::default()
    }))
}

pub fn try_stage(source: &str) -> Result<Stage, ScriptError> {
    try_stage_of(
        &Bundle::embedded("room.ts", source)?,
        Path::new("."),
        Limits::default(),
    )
}

pub fn try_stage_of(bundle: &Bundle, base: &Path, limits: Limits) -> Result<Stage, ScriptError> {
    let host = host();
    let script = Script::load(bundle, &DataStore::new(base), host.clone(), limits)?;
    Ok(Stage { host, script })
}

pub fn stage(source: &str) -> Stage {
    match try_stage(source) {
        Ok(stage) => stage,
        Err(error) => panic!("{error}"),
    }
}

/// The default function around a body: `group`, `user` (the first) and `users`.
pub fn story(body: &str) -> Stage {
    stage(&format!(
        "export default async function (group) {{ const {{ users }} = group; const [user] = users;\n{body}\n}}"
    ))
}

pub fn user(id: u32, index: u32) -> UserStart {
    UserStart {
        id: UserId(id),
        name: format!("u{id}").into(),
        index,
        number: id,
        role: None,
        data: None,
    }
}

pub fn group(id: u32, users: u32) -> GroupStart {
    GroupStart {
        id: GroupId(id),
        number: id,
        iteration: 0,
        level: (0, users, 1),
        roles: None,
        users: (0..users)
            .map(|index| user(id * 100 + index, index))
            .collect(),
        setup: None,
        scenario: None,
        planned: None,
    }
}

impl Stage {
    /// Starts group 1 with so many users.
    pub fn start(&mut self, users: u32) -> &mut Self {
        self.script.start_group(group(1, users));
        self
    }

    pub fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.host.borrow_mut().calls)
    }

    pub fn wake(&mut self, wake: Wake) {
        self.script.turn(&mut std::iter::once(wake));
    }

    pub fn done(&mut self, op: OpId, value: Value) {
        self.wake(Wake::Done {
            op,
            result: Ok(value),
        });
    }

    pub fn fails(&mut self, op: OpId, fault: Fault) {
        self.wake(Wake::Done {
            op,
            result: Err(fault),
        });
    }

    /// The operations asked for since the last look, in order.
    pub fn ops(&mut self) -> Vec<(OpId, String)> {
        let op = |call| match call {
            Call::Http(op, _, call) => Some((op, call.name)),
            Call::Open(op, _, call) => Some((op, call.name)),
            Call::OpenSocketIo(op, _, call) => Some((op, call.name)),
            Call::Request(op, call) => Some((op, call.name)),
            Call::Exchange(op, _, call) => Some((op, call.name)),
            Call::Next(op, ..) => Some((op, "next".to_owned())),
            Call::Op(op, name) => Some((op, name)),
            _ => None,
        };
        self.take_calls().into_iter().filter_map(op).collect()
    }

    /// Answers everything with the same value until nothing more is asked.
    pub fn answer_all(&mut self, value: &Value) {
        for _ in 0..1000 {
            let ops = self.ops();
            if ops.is_empty() {
                return;
            }
            for (op, _) in ops {
                self.done(op, value.clone());
            }
        }
        panic!("the script never stops asking");
    }

    /// Opens the one socket that was asked for.
    pub fn open(&mut self, id: u32) {
        let ops = self.ops();
        assert_eq!(ops.len(), 1, "{ops:?}");
        self.done(ops[0].0, Value::Socket(SocketId(id), None));
    }

    pub fn ended(&mut self) -> Vec<Ended> {
        self.script.take_ended()
    }

    /// The one iteration that ended, and well.
    pub fn ends_well(&mut self) {
        let ended = self.ended();
        assert_eq!(ended.len(), 1, "{ended:?}");
        if let Err(fault) = &ended[0].outcome {
            panic!("{fault}\n{:?}", fault.stack);
        }
    }

    /// The one iteration that ended, and badly.
    pub fn fault(&mut self) -> ScriptFault {
        let mut ended = self.ended();
        assert_eq!(ended.len(), 1, "{ended:?}");
        match ended.remove(0).outcome {
            Err(fault) => fault,
            Ok(value) => panic!("it ended well: {value:?}"),
        }
    }

    pub fn logged(&self) -> Vec<String> {
        self.host
            .borrow()
            .log
            .iter()
            .map(|(_, line)| line.clone())
            .collect()
    }
}

pub fn reply(status: u16, body: &str) -> Value {
    Value::Response(Box::new(Reply {
        status,
        head: b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-A: 1\r\nx-a: 2\r\n\r\n"
            .to_vec(),
        body: body.as_bytes().to_vec(),
        url: "http://host/x".parse().ok().map(std::sync::Arc::new),
        response_time: Nanos::from_micros(1500),
    }))
}

pub fn text(message: &str) -> Value {
    Value::Message(Payload::Text(message.to_owned()))
}

pub fn limits(busy_ms: u64, memory_bytes: usize) -> Limits {
    Limits {
        memory_bytes,
        busy: Duration::from_millis(busy_ms),
    }
}
