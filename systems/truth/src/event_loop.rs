mod accept;
mod pace;
mod peculiar;
mod request;
mod socket;

use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::num::NonZeroU64;

use kit::fault::FaultSpec;
use rustix::thread::set_current_timer_slack;
use serde_json::{Value, json};

use crate::alarm::Alarm;
use crate::clock::{Nanos, now};
use crate::config::Limits;
use crate::connection::{Fate, READ_AHEAD, State};
use crate::receipt::Stamping;
use crate::rooms::{Outlet, Rooms};
use crate::routes::Routes;
use crate::sockets::{DOOR, Key, SocketCounts, Sockets, WAKER};
use crate::timers::Timers;
use crate::times::Times;
use crate::waker::Waker;
use crate::workers::Workers;

/// The thread that does all reading, timing and writing. Only system calls can block the thread.
#[derive(Debug)]
pub(crate) struct EventLoop {
    door: TcpListener,
    waker: Waker,
    sockets: Sockets,
    timers: Timers<Alarm>,
    routes: Routes,
    rooms: Rooms,
    workers: Workers<Key>,
    ledger: Ledger,
    /// Connections to the own port, which look like those to a database.
    upstream: Vec<TcpStream>,
    /// Number of open sessions.
    sessions: i64,
    /// Whether the last attempt to accept a connection failed, so that the next failure is not logged again.
    cannot_accept: bool,
    limits: Limits,
    /// Unreported extra delay of responses.
    lie: Nanos,
    scratch: Vec<u8>,
    _stamping: Stamping,
}

/// Counts for the whole server, rather than for a path or a room.
#[derive(Debug, Default)]
struct Ledger {
    requests: u64,
    /// Malformed requests, and requests for unknown paths.
    refused: u64,
    /// The delays with which the thread woke up to send responses and messages that were due.
    lateness: Times,
}

impl EventLoop {
    pub(crate) fn new(
        door: TcpListener,
        waker: Waker,
        limits: Limits,
        lie: &FaultSpec,
    ) -> io::Result<Self> {
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let sockets = Sockets::new(size(limits.queue))?;
        sockets.watch(&door, DOOR)?;
        sockets.watch(&waker, WAKER)?;
        let workers = Workers::start(&waker, size(limits.max_connections.into()))?;
        let targets = size(limits.max_targets.into());
        Ok(Self {
            door,
            waker,
            sockets,
            timers: Timers::default(),
            routes: Routes::new(targets),
            rooms: Rooms::new(targets, limits.max_leak, lie),
            workers,
            ledger: Ledger::default(),
            upstream: Vec::new(),
            sessions: 0,
            cannot_accept: false,
            limits,
            lie: delay_of(lie),
            scratch: vec![0; READ_AHEAD],
            _stamping: Stamping::start(),
        })
    }

    /// Sends the responses whose work is done.
    fn worked(&mut self) {
        while let Some(done) = self.workers.next_done() {
            if !done.succeeded {
                self.change_held(done.of, 500);
            }
            self.answer_held(done.of);
        }
    }

    /// Serves until the waker signals a stop, and then finishes open requests within `stop_limit`.
    pub(crate) fn run(mut self, stop_limit: Nanos, spin: Nanos) -> io::Result<()> {
        // By default, the kernel may wake a thread up to 50 µs late to save power.
        set_current_timer_slack(NonZeroU64::new(1))?;
        let mut events = Vec::new();
        let mut until: Option<Nanos> = None;
        while until.is_none_or(|end| now() < end && self.owes()) {
            let due = self.timers.next().into_iter().chain(until).min();
            let timeout = due.map(|due| due.saturating_sub(now()).saturating_sub(spin));
            self.sockets.wait(&mut events, timeout)?;
            for event in &events {
                match event.data.u64() {
                    DOOR => self.accept(),
                    WAKER if self.waker.heard() && until.is_none() => {
                        until = Some(now() + stop_limit);
                        self.close_door();
                    }
                    WAKER => {}
                    name => self.ready(name.into()),
                }
            }
            self.worked();
            self.ring();
            self.flush();
        }
        self.workers.stop();
        Ok(())
    }

    /// Runs all actions that are due.
    fn ring(&mut self) {
        let mut time = now();
        // If several actions are due together, only the first one measures the wake-up delay. The others also wait for
        // earlier writes.
        let mut woke = true;
        while let Some((due, alarm)) = self.timers.take(time) {
            match alarm {
                Alarm::Answer(key) => {
                    self.woke(&mut woke, time - due);
                    self.answer_held(key);
                }
                Alarm::Room(room) => {
                    self.woke(&mut woke, time - due);
                    let (rooms, mut outlet) = self.rooms_and_outlet();
                    rooms.release(room, time, &mut outlet);
                    // Write each room's messages before handling the next room.
                    self.flush();
                }
                Alarm::Wait(room) => {
                    let (rooms, mut outlet) = self.rooms_and_outlet();
                    rooms.release_waiting(room, time, &mut outlet);
                    self.flush();
                }
                Alarm::Lanes(room) => {
                    let (rooms, mut outlet) = self.rooms_and_outlet();
                    rooms.release_lanes(room, time, &mut outlet);
                }
                Alarm::Pace(key) => self.pace(key, time),
                Alarm::Accept => self.open_door(),
            }
            time = now();
        }
    }

    fn woke(&mut self, first: &mut bool, late: Nanos) {
        if std::mem::take(first) {
            self.ledger.lateness.add(late);
        }
    }

    /// Handles a connection that has become readable or writable.
    fn ready(&mut self, key: Key) {
        if !self.sockets.flush(key) {
            self.close(key);
            return;
        }
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        if connection.paced {
            return;
        }
        match connection.read(&mut self.scratch) {
            Ok((0, _)) => self.close(key),
            Ok((read, received)) => {
                connection.received = Some(received);
                self.sockets.counts.bytes_in += read as u64;
                self.advance(key, now());
                // Further requests in the same input were pipelined. Their times count from when they are parsed.
                if let Some(connection) = self.sockets.get(key) {
                    connection.received = None;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.close(key),
        }
    }

    /// Parses as much of a connection's input as possible.
    fn advance(&mut self, key: Key, now: Nanos) {
        loop {
            let Some(connection) = self.sockets.get(key) else {
                return;
            };
            let goes_on = match connection.state {
                State::Head if connection.fate == Fate::Open => self.head(key, now),
                State::Body { .. } => self.body(key, now),
                State::Member { room, seat, .. } => self.hear(key, (room, seat), now),
                _ => false,
            };
            if !goes_on {
                break;
            }
        }
        self.sockets.settle(key);
    }

    /// Writes the output queued in this round, with one write for all messages to a socket.
    fn flush(&mut self) {
        for key in self.sockets.take_dirty() {
            if !self.sockets.flush(key) {
                self.close(key);
            }
        }
    }

    /// Closes a connection, because the client has disconnected or must be disconnected.
    fn close(&mut self, key: Key) {
        let Some(connection) = self.sockets.remove(key) else {
            return;
        };
        match connection.state {
            State::Member { room, seat, .. } => {
                if let Some(room) = self.rooms.get(room) {
                    room.leave(seat);
                }
            }
            State::Held { request, .. } | State::Trickle { request, .. } => {
                if let Some(counts) = self.counts(&request) {
                    counts.abandoned += 1;
                }
            }
            State::Head | State::Body { .. } | State::Joining(_) | State::Silent => {}
        }
    }

    fn rooms_and_outlet(&mut self) -> (&mut Rooms, Outlet<'_>) {
        let outlet = Outlet {
            sockets: &mut self.sockets,
            timers: &mut self.timers,
        };
        (&mut self.rooms, outlet)
    }

    fn tell(&self) -> Value {
        json!({
            "clock_ns": now(),
            "connections": self.sockets.to_json(),
            "requests": self.ledger.requests,
            "refused": self.ledger.refused,
            "sessions": self.sessions,
            "lateness": self.ledger.lateness.to_json(),
            "thread": thread_json(),
            "routes": self.routes.to_json(),
            "websocket": self.rooms.to_json(),
        })
    }

    fn forget(&mut self) {
        self.routes.forget();
        self.rooms.forget();
        self.sockets.counts = SocketCounts::default();
        self.sessions = 0;
        self.ledger = Ledger::default();
    }
}

/// The kernel's scheduling statistics for this thread: running time, time spent waiting for a CPU, and number of times
/// scheduled.
fn thread_json() -> Value {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<u64>().ok());
    let mut next = || numbers.next().flatten();
    json!({ "ran_ns": next(), "waited_ns": next(), "runs": next() })
}

fn delay_of(faults: &FaultSpec) -> Nanos {
    let delay = faults.delay.unwrap_or_default();
    u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX)
}
