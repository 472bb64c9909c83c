//! A script with a host that records its calls. The test answers them.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses its part of it"
)]

#[path = "host.rs"]
mod host;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use model::{Fault, GroupId, Nanos, UserId};
use script::host::{CountedRequest, Message, OpId, Payload, Reply, SocketId, Value, Wake};
use script::{
    Bundle, DataStore, Ended, Env, GroupStart, Limits, Script, ScriptError, ScriptFault, UserStart,
};

pub use host::{Call, FakeHost};

/// A script with its host.
pub struct Stage {
    pub host: Rc<RefCell<FakeHost>>,
    pub script: Script,
}

/// Each reading advances the clock by a millisecond, so that loops exceed their time limit.
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
    try_stage_with(bundle, base, &Env::default(), limits)
}

pub fn try_stage_with(
    bundle: &Bundle,
    base: &Path,
    env: &Env,
    limits: Limits,
) -> Result<Stage, ScriptError> {
    let host = host();
    let script = Script::load(bundle, &DataStore::new(base), env, host.clone(), limits)?;
    Ok(Stage { host, script })
}

pub fn stage(source: &str) -> Stage {
    match try_stage(source) {
        Ok(stage) => stage,
        Err(error) => panic!("{error}"),
    }
}

/// Wraps a body in a default function with `group`, `users` and `user` (the first user).
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
    /// Starts group 1 with this number of users.
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

    /// Returns the operations that the script started since the last call, in order.
    pub fn ops(&mut self) -> Vec<(OpId, String)> {
        let op = |call| match call {
            Call::Http(op, _, call) => Some((op, call.name)),
            Call::Open(op, _, call) => Some((op, call.name)),
            Call::OpenSocketIo(op, _, call) => Some((op, call.name)),
            Call::OpenEvents(op, _, call) => Some((op, call.name)),
            Call::OpenNats(op, _, call) => Some((op, call.name)),
            Call::NatsRequest(op, call) => Some((op, call.name)),
            Call::NatsSubscribe(op, call) => Some((op, call.subject)),
            Call::OpenRedis(op, ..) => Some((op, "redis".to_owned())),
            Call::Request(op, call) => Some((op, call.name)),
            Call::RoundTrip(op, _, call) => Some((op, call.name.to_string())),
            Call::Next(op, ..) => Some((op, "next".to_owned())),
            Call::Op(op, name) => Some((op, name)),
            _ => None,
        };
        self.take_calls().into_iter().filter_map(op).collect()
    }

    /// Completes all operations with the same value until the script starts no more.
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

    /// Completes the only operation, which opens a socket.
    pub fn open(&mut self, id: u32) {
        let ops = self.ops();
        assert_eq!(ops.len(), 1, "{ops:?}");
        self.done(ops[0].0, Value::Socket(SocketId(id), None));
    }

    pub fn ended(&mut self) -> Vec<Ended> {
        self.script.take_ended()
    }

    /// Asserts that exactly one iteration ended, and that it succeeded.
    pub fn ends_well(&mut self) {
        let ended = self.ended();
        assert_eq!(ended.len(), 1, "{ended:?}");
        if let Err(fault) = &ended[0].outcome {
            panic!("{fault}\n{:?}", fault.stack);
        }
    }

    /// Asserts that exactly one iteration ended, and that it failed. Returns its fault.
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

/// A response to user 100. The request counts as a success if the status is below 400.
pub fn reply(status: u16, body: &str) -> Value {
    let request = CountedRequest {
        user: UserId(100),
        epoch: 0,
        name: 0,
        measured: true,
    };
    Value::Response(Box::new(Reply {
        status,
        head: b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-A: 1\r\nx-a: 2\r\n\r\n"
            .to_vec(),
        body: body.as_bytes().to_vec(),
        url: "http://host/x".parse().ok().map(std::sync::Arc::new),
        response_time: Nanos::from_micros(1500),
        request: (status < 400).then_some(request),
    }))
}

pub fn text(message: &str) -> Value {
    Value::Message(Message::Plain(Payload::Text(message.to_owned())))
}

pub fn limits(busy_ms: u64, memory_bytes: usize) -> Limits {
    Limits {
        memory_bytes,
        busy: Duration::from_millis(busy_ms),
    }
}
