use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Maximum number of misdelivered replies that wait for one connection.
const STRAYS: usize = 16;

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
    /// A reply of another session, misdelivered by fault injection.
    Stray(String),
}

/// Passes events to the task of a connection.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    end: Option<End>,
    strays: Vec<String>,
    waker: Option<Waker>,
}

impl Inbox {
    /// Ends the session. The first reason counts.
    pub(crate) fn end(&self, end: End) {
        let mut inside = self.inside();
        inside.end.get_or_insert(end);
        inside.wake();
    }

    /// Hands over a misdelivered reply. Returns whether there was room.
    pub(crate) fn stray(&self, text: String) -> bool {
        let mut inside = self.inside();
        let room = inside.strays.len() < STRAYS;
        if room {
            inside.strays.push(text);
            inside.wake();
        }
        room
    }

    /// The next event. The end is reported until nobody asks.
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<Received> {
        let mut inside = self.inside();
        if let Some(text) = inside.strays.pop() {
            return Poll::Ready(Received::Stray(text));
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
