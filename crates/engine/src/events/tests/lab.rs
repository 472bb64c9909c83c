//! A world of one user, and a server that answers each connection as listed.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use model::{Fault, FaultKind, Nanos, UserId};
use record::Measured;
use script::host::{
    ChannelId, EventsCall, EventsHost as _, Host as _, Message, NextCall, OpId, SocketId, Value,
    Wake,
};

use crate::empty_world::world_of_one;
use crate::world::World;

/// The operation that opens the stream.
pub(super) const OPENS: OpId = OpId(1);
pub(super) const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// What the server does with a connection after it has read the request.
pub(super) enum Reply {
    /// Sends this, and closes.
    Closes(String),
    /// Sends this, and keeps the connection.
    Stays(String),
    /// Sends this, closes, and accepts no further connection.
    Leaves(String),
}

pub(super) struct Lab {
    pub(super) world: World,
    pub(super) user: UserId,
    address: String,
    replies: Sender<Reply>,
    /// The `Last-Event-ID` of each request, in order.
    pub(super) ids: Receiver<String>,
}

impl Lab {
    pub(super) fn new() -> Self {
        let (world, user) = world_of_one();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let ((replies, given), (tell, ids)) = (channel(), channel());
        thread::spawn(move || serve(&listener, &given, &tell));
        Self {
            world,
            user,
            address,
            replies,
            ids,
        }
    }

    /// The server answers its next connection like this.
    pub(super) fn replies(&self, reply: Reply) {
        self.replies.send(reply).unwrap();
    }

    pub(super) fn call(&self) -> EventsCall {
        EventsCall {
            url: format!("http://{}/feed", self.address),
            name: "/feed".to_owned(),
            reconnects: true,
            ..EventsCall::default()
        }
    }

    /// Opens a stream that the server answers like this.
    pub(super) fn opened(&mut self, reply: Reply) -> SocketId {
        self.replies(reply);
        let call = self.call();
        self.world.open_events(OPENS, self.user, call).unwrap();
        match self.result_of(OPENS) {
            Ok(Value::Socket(id, _)) => id,
            other => panic!("{other:?}"),
        }
    }

    /// Runs the loop of the worker until `found` returns a value.
    pub(super) fn until<T>(&mut self, mut found: impl FnMut(&mut World) -> Option<T>) -> T {
        let world = &mut self.world;
        let end = world.base.clock.now() + Nanos::from_secs(20);
        loop {
            if let Some(value) = found(world) {
                return value;
            }
            let now = world.base.clock.now();
            assert!(now < end, "it did not happen: {world:#?}");
            let soon = now + Nanos::from_millis(50);
            let due = world.next_due().map_or(soon, |due| due.min(soon));
            let mut ready = Vec::new();
            world.base.net.wait(Some(due), Nanos::MAX, &mut ready);
            for ready in ready {
                world.ready(ready);
            }
            world.dial_on();
            let now = world.base.clock.now();
            world.enforce_limits(now);
        }
    }

    pub(super) fn result_of(&mut self, wanted: OpId) -> Result<Value, Fault> {
        self.until(|world| {
            let is_it = |wake: &Wake| matches!(wake, Wake::Done { op, .. } if *op == wanted);
            let at = world.base.wakes.iter().position(is_it)?;
            match world.base.wakes.remove(at)? {
                Wake::Done { result, .. } => Some(result),
                _ => None,
            }
        })
    }

    /// The data of the next event.
    pub(super) fn next(&mut self, stream: SocketId) -> Result<String, Fault> {
        let op = OpId(99);
        self.world.next_message(op, stream, NextCall::default())?;
        self.result_of(op).map(|value| match value {
            Value::Message(Message::Event(event)) => event.data,
            other => panic!("{other:?}"),
        })
    }

    /// Waits for the end of the stream. Returns its reason.
    pub(super) fn ends(&mut self) -> String {
        let reason = self.until(|world| {
            world.base.wakes.iter().find_map(|wake| match wake {
                Wake::Closed { reason, .. } => Some(reason.clone()),
                _ => None,
            })
        });
        assert_eq!(self.world.base.net.conns.iter_mut().count(), 0);
        let user = self.world.base.level.users.get(self.user).unwrap();
        assert_eq!(user.sockets, [0; 0]);
        reason
    }

    /// Waits until the stream waits for its next connection.
    pub(super) fn waits_to_reconnect(&mut self, stream: SocketId) {
        self.until(|world| {
            let (_, socket) = world.base.socket(stream).ok()?;
            (socket.wire.reconnect_due() < Nanos::MAX).then_some(())
        });
    }

    /// Waits until the server has received this number of requests.
    pub(super) fn is_asked(&mut self, mut count: usize) {
        while count > 0 {
            count -= self.ids.try_iter().count();
            let soon = self.world.base.clock.now() + Nanos::from_millis(5);
            self.until(|world| (world.base.clock.now() >= soon).then_some(()));
        }
    }

    pub(super) fn measured(&self) -> Measured {
        self.world.base.level.recorder.clone().into_measured(&[])
    }

    /// The number of connections of this name, and of those that failed.
    pub(super) fn connections(&self, name: &str) -> (u64, u64) {
        let measured = self.measured();
        let timings = measured.connections.get(name);
        timings.map_or((0, 0), |timings| (timings.count, timings.failed))
    }

    /// The failures, each with its kind and number.
    pub(super) fn failures(&self) -> Vec<(FaultKind, u64)> {
        let all = self.measured().failures.into_iter();
        all.map(|failure| {
            assert_eq!(failure.what, "events /feed");
            (failure.kind, failure.count)
        })
        .collect()
    }

    /// Sends a stamp on a channel that the stream follows.
    pub(super) fn stamp(&mut self, channel: ChannelId) -> String {
        let text = self.world.stamp(self.user, channel, None).unwrap();
        let now = self.world.base.clock.now();
        let (group, member, recorder) = self.world.base.level.group_of(self.user).unwrap();
        recorder.send(&mut group.ledger, member, now, now);
        text
    }
}

fn serve(listener: &TcpListener, replies: &Receiver<Reply>, ids: &Sender<String>) {
    let mut kept: Vec<TcpStream> = Vec::new();
    for peer in listener.incoming() {
        let mut peer = peer.unwrap();
        let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
        while !head.ends_with(b"\r\n\r\n") {
            match peer.read(&mut buffer) {
                Ok(count @ 1..) => head.extend_from_slice(&buffer[..count]),
                _ => break,
            }
        }
        let head = String::from_utf8(head).unwrap();
        let id = head
            .lines()
            .find_map(|line| line.strip_prefix("Last-Event-ID: "));
        // The test has ended if nobody listens.
        let _ = ids.send(id.unwrap_or_default().to_owned());
        match replies.recv() {
            Ok(Reply::Closes(text)) => drop(peer.write_all(text.as_bytes())),
            Ok(Reply::Stays(text)) => {
                drop(peer.write_all(text.as_bytes()));
                kept.push(peer);
            }
            Ok(Reply::Leaves(text)) => return drop(peer.write_all(text.as_bytes())),
            Err(_) => return,
        }
    }
}

pub(super) fn closes(body: &str) -> Reply {
    Reply::Closes(format!("{HEAD}{body}"))
}

pub(super) fn stays(body: &str) -> Reply {
    Reply::Stays(format!("{HEAD}{body}"))
}
