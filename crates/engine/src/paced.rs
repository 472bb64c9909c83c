//! Streams of users: sends their chunks when they are due, and ends them.

use model::{Fault, FaultKind, Nanos};
use script::host::{OpId, SocketId, StreamCall};

use crate::base::Base;
use crate::link::Link;
use crate::net::Conn;
use crate::net::socket::Wire;
use crate::paced_stream::{Finish, PacedStream};
use crate::people::User;
use crate::protocols::Paced;
use crate::recorder::Family;
use crate::timers::Alarm;

impl Paced<'_> {
    /// Starts a stream. The starts of many users are spread over the time between two chunks.
    pub(crate) fn start(&mut self, op: OpId, id: SocketId, call: StreamCall) -> Result<(), Fault> {
        let (user, socket) = self.base.socket(id)?;
        let refusal = if !matches!(socket.wire, Wire::WebSocket(_)) || socket.state.talk.is_some() {
            Some("streams need a WebSocket")
        } else if socket
            .state
            .stream
            .as_ref()
            .is_some_and(|one| one.is_running())
        {
            Some("the socket already carries a stream: await its `done`, or open another socket")
        } else {
            None
        };
        if let Some(refusal) = refusal {
            return Err(Fault::script(FaultKind::Thrown, refusal));
        }
        let fraction = self.base.level.users.get(user).map_or(0.0, User::fraction);
        let phase = Nanos::from_secs_f64(call.every.as_secs_f64() * fraction);
        let begun = self.base.clock.now() + phase;
        let limit = call
            .timeout
            .unwrap_or(self.base.config.options.timeouts.total);
        let name = self.base.level.recorder.name(Family::RoundTrip, &call.name);
        let mut stream = PacedStream::new(op, call, (begun, limit), name)?;
        stream.alarm = begun;
        self.base.level.timers.set(begun, Alarm::Chunk(id.0));
        self.base.net.watch_limit(stream.limit());
        self.base.socket(id)?.1.state.stream = Some(Box::new(stream));
        Ok(())
    }

    /// Sends no more chunks.
    pub(crate) fn stop(&mut self, id: SocketId) {
        let stream = self.base.socket(id).ok();
        if let Some(stream) = stream.and_then(|(_, socket)| socket.state.stream.as_mut()) {
            stream.stop();
            self.send_due(id.0);
        }
    }

    /// Handles the timer of a chunk.
    pub(crate) fn chunk_due(&mut self, key: u32, alarm: Nanos) {
        let end = self.base.level.recorder.hold.end;
        let stream = self.base.socket(SocketId(key)).ok();
        let stream = stream.and_then(|(_, socket)| socket.state.stream.as_mut());
        match stream {
            // Nothing is sent, so the end of the measured time would not be noticed.
            Some(stream) if stream.is_blocked() && alarm >= end => {
                stream.cut_off(end);
                let limit = stream.limit();
                self.base.net.watch_limit(limit);
            }
            Some(stream) if stream.alarm == alarm && !stream.is_blocked() => self.send_due(key),
            _ => {}
        }
    }

    /// Sends the chunks that have waited until the socket was writable.
    pub(crate) fn go_on(&mut self, key: u32) {
        let stream = self.base.socket(SocketId(key)).ok();
        let stream = stream.and_then(|(_, socket)| socket.state.stream.as_mut());
        if stream.is_some_and(|stream| stream.is_blocked()) {
            self.send_due(key);
        }
    }

    /// Sends the chunks that are due, and sets the timer of the next one.
    fn send_due(&mut self, key: u32) {
        let Base {
            clock,
            net,
            level,
            wakes,
            frame,
            ..
        } = &mut *self.base;
        let Some(Conn {
            link: Link::Socket(socket),
            ..
        }) = net.conns.get_mut(key)
        else {
            return;
        };
        let (wire, state) = (&mut socket.wire, &mut socket.state);
        let Some(stream) = &mut state.stream else {
            return;
        };
        let recorder = &mut level.recorder;
        let waited = stream.resume();
        let mut sent = Ok(());
        while let Some(due) = stream.next_due() {
            let now = clock.now();
            if due >= recorder.hold.end {
                // Like a ticker, a stream ends with the measured time.
                stream.cut_off(recorder.hold.end);
                break;
            }
            if due > now {
                stream.alarm = due;
                level.timers.set(due, Alarm::Chunk(key));
                break;
            }
            if wire.is_congested() {
                if stream.wait() {
                    level.timers.set(recorder.hold.end, Alarm::Chunk(key));
                }
                break;
            }
            if !waited {
                recorder.note_start(due, now);
            }
            sent = stream.send(wire, frame, (due, now), recorder);
            if sent.is_err() {
                break;
            }
        }
        let now = clock.now();
        stream.complete(recorder, wakes, now);
        let limit = stream.limit();
        net.watch_limit(limit);
        net.update_interest(key);
        if let Err(fault) = sent {
            self.base.socket_broke(key, &fault);
        }
    }

    /// Ends the stream of a socket if its time limit has passed.
    pub(crate) fn timed_out(&mut self, key: u32, now: Nanos) {
        let Ok((user, socket)) = self.base.socket(SocketId(key)) else {
            return;
        };
        let Some(mut stream) = socket.state.stream.take_if(|stream| stream.limit() <= now) else {
            return;
        };
        let fault = stream.took_too_long(now);
        self.base
            .end_stream(user, &mut stream, &fault, (now, Finish::RanOut));
        // It goes on counting replies that answer no chunk.
        if let Ok((_, socket)) = self.base.socket(SocketId(key)) {
            socket.state.stream = Some(stream);
        }
    }
}
