use model::{Fault, FaultKind, Nanos};
use wire::socketio::{Event, Open, Session};

use crate::socket::{Came, EventName, SocketKind};

/// One Socket.IO session on a socket.
#[derive(Debug)]
pub(crate) struct Talk {
    pub(crate) session: Session,
    pub(crate) heartbeat: Option<Heartbeat>,
    /// The server's first packet, which opened the session.
    pub(crate) opened: Option<Open>,
    /// Names of events for which the script has handlers.
    pub(crate) handled: Vec<Box<str>>,
    /// The number of the next event that requests an acknowledgement.
    pub(super) next_id: u64,
}

/// Timing of the server's pings, which show that the server is alive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heartbeat {
    pub(crate) interval: Nanos,
    pub(crate) timeout: Nanos,
    /// The time by which the next ping must arrive.
    pub(crate) until: Nanos,
}

impl Talk {
    /// A socket with a session, whatever its transport.
    pub(crate) const KIND: SocketKind = SocketKind::new("socket.io", "Socket.IO session");

    pub(crate) fn new(session: Session) -> Self {
        Self {
            session,
            heartbeat: None,
            opened: None,
            handled: Vec::new(),
            next_id: 0,
        }
    }

    /// The time at which the session counts as dead if no ping arrives.
    pub(crate) fn dead_at(&self) -> Nanos {
        self.heartbeat.map_or(Nanos::MAX, |beat| beat.until)
    }

    /// The fault of a session without pings.
    pub(crate) fn is_silent(&self) -> Fault {
        let (interval, timeout) = self
            .heartbeat
            .map_or_else(Default::default, |beat| (beat.interval, beat.timeout));
        let detail = format!(
            "the server sent no ping for {} (ping interval {interval} plus timeout {timeout})",
            interval + timeout
        );
        Fault::target(FaultKind::TimedOut, detail)
    }
}

impl Heartbeat {
    pub(crate) fn of(open: &Open, now: Nanos) -> Self {
        let interval = Nanos::from_millis(open.ping_interval_ms);
        let timeout = Nanos::from_millis(open.ping_timeout_ms);
        Self {
            interval,
            timeout,
            until: now + interval + timeout,
        }
    }

    pub(crate) fn beats(&mut self, now: Nanos) {
        self.until = now + self.interval + self.timeout;
    }
}

/// The arguments of an event, as channels see them.
pub(crate) fn came<'a>(event: &Event<'a>) -> Came<'a> {
    let name = match event.raw_name() {
        (plain, true) => EventName::Plain(plain),
        (raw, false) => EventName::Escaped(raw),
    };
    Came::event(name, event.arguments.as_bytes())
}
