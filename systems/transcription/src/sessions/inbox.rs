use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Maximum number of messages that wait for one connection.
const POSTED: usize = 16;

/// Reason why the service ends a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It was closed by request, was idle, or another connection took it over.
    Closed,
    /// The service is stopping.
    Stopping,
}

/// What a connection receives from the rest of the service.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// The session ends.
    End(End),
    /// A message for the client: the result of a search, or a reply of another session that fault injection misdelivered.
    Posted(String),
}

/// Passes events to the task of a connection.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    end: Option<End>,
    posted: Vec<String>,
    waker: Option<Waker>,
}

impl Inbox {
    /// Ends the session. The first reason counts.
    pub(crate) fn end(&self, end: End) {
        let mut inside = self.inside();
        inside.end.get_or_insert(end);
        inside.wake();
    }

    /// Hands over a message for the client. Returns whether there was room.
    pub(crate) fn post(&self, text: String) -> bool {
        let mut inside = self.inside();
        let room = inside.posted.len() < POSTED;
        if room {
            inside.posted.push(text);
            inside.wake();
        }
        room
    }

    /// The next event. The end is reported until nobody asks.
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<Received> {
        let mut inside = self.inside();
        if let Some(text) = inside.posted.pop() {
            return Poll::Ready(Received::Posted(text));
        }
        if let Some(end) = inside.end {
            return Poll::Ready(Received::End(end));
        }
        match &mut inside.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}
