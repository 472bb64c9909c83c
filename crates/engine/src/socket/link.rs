use std::collections::VecDeque;

use model::{Fault, FaultKind, Nanos};

use super::state::{SocketState, Waiting};
use crate::net::socket::Wire;

/// One socket of a user: a WebSocket, a session over polling, a stream of server-sent events, a connection to a server, or
/// a subscription on one.
#[derive(Debug)]
pub(crate) struct SocketLink {
    pub(crate) wire: Wire,
    pub(crate) state: SocketState,
}

/// What ends because its time limit has passed.
#[derive(Debug)]
pub(super) enum TimedOut {
    /// The socket.
    Broke(Fault),
    /// The stream's wait for its next connection.
    Reconnect,
    /// The waits for these replies and messages.
    Waiting(VecDeque<Waiting>),
}

impl SocketLink {
    /// The time at which the socket's earliest time limit ends.
    pub(crate) fn limit(&self) -> Nanos {
        let state = &self.state;
        let opening = state.opening.map_or(Nanos::MAX, |opening| opening.until);
        let closing = state
            .ending
            .closing
            .map_or(Nanos::MAX, |closing| closing.until);
        let waiting = state
            .waiting
            .iter()
            .map(|waiting| waiting.until)
            .min()
            .unwrap_or(Nanos::MAX);
        let silence = state
            .talk
            .as_ref()
            .map_or(Nanos::MAX, |talk| talk.dead_at());
        let reconnect = self.wire.reconnect_due();
        let stream = state.stream.as_ref();
        let stream = stream.map_or(Nanos::MAX, |stream| stream.limit());
        let limits = [opening, closing, waiting, silence, reconnect, stream];
        limits.into_iter().min().unwrap_or(Nanos::MAX)
    }

    /// Determines what ends at `now`, because its time limit has passed.
    pub(super) fn timed_out(&mut self, now: Nanos) -> TimedOut {
        let state = &mut self.state;
        let late = |detail: String| TimedOut::Broke(Fault::target(FaultKind::TimedOut, detail));
        if let Some(opening) = state.opening.filter(|opening| opening.until <= now) {
            let line = state.line();
            return late(format!("the {line} did not open within {}", opening.limit));
        }
        let talk = state.talk.as_ref();
        if let Some(silent) = talk.filter(|talk| talk.dead_at() <= now) {
            return TimedOut::Broke(silent.is_silent());
        }
        if state
            .ending
            .closing
            .is_some_and(|closing| closing.until <= now)
        {
            return late(self.wire.unconfirmed_close().to_owned());
        }
        if self.wire.reconnect_due() <= now {
            return TimedOut::Reconnect;
        }
        let waiting = std::mem::take(&mut state.waiting).into_iter();
        let (over, kept) = waiting.partition(|waiting| waiting.until <= now);
        state.waiting = kept;
        TimedOut::Waiting(over)
    }

    /// Handles the end of the server's data. Returns the reason why the server closed the socket.
    pub(super) fn on_close(&mut self) -> Fault {
        let line = self.state.line();
        match (&self.state.ending.frame, self.wire.on_close()) {
            (Some((code, reason)), _) => {
                let code = code.map_or("no code".to_owned(), |code| code.to_string());
                let detail = format!("the server closed the {line}: {code} {reason}");
                Fault::target(FaultKind::Closed, detail.trim_end())
            }
            (None, Err(fault)) => fault,
            (None, Ok(())) => {
                Fault::target(FaultKind::Closed, format!("the server closed the {line}"))
            }
        }
    }
}

impl Waiting {
    /// The fault of a wait whose time limit has passed.
    pub(crate) fn took_too_long(&self) -> Fault {
        let what = if self.round_trip.is_some() {
            "no reply"
        } else {
            "no matching message"
        };
        let mut detail = format!("{what} within {}", self.limit);
        // Such an array may also be unrelated, for example a list of users. So the target is not excused.
        if self.in_array {
            detail += "; one in an array fits: if the server sends messages in arrays, open the WebSocket with \
                       `documents: \"array\"`";
        }
        Fault::target(FaultKind::TimedOut, detail)
    }
}
