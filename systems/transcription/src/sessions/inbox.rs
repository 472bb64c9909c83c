use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Maximum number of misdelivered replies that wait for one connection.
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
    /// The result of a search, for the client.
    Found(String),
    /// A reply of another session, which fault injection misdelivered.
    Posted(String),
}

/// Passes events to the task of a connection.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    end: Option<End>,
    waiting: VecDeque<Received>,
    waker: Option<Waker>,
}

impl Inbox {
    /// Ends the session. The first reason counts.
    pub(crate) fn end(&self, end: End) {
        let mut inside = self.inside();
        inside.end.get_or_insert(end);
        inside.wake();
    }

    /// Hands over the result of a search. The connection limits the number of searches.
    pub(crate) fn found(&self, text: String) {
        let mut inside = self.inside();
        inside.waiting.push_back(Received::Found(text));
        inside.wake();
    }

    /// Hands over a misdelivered reply. Returns whether there was room.
    pub(crate) fn post(&self, text: String) -> bool {
        let mut inside = self.inside();
        let room = inside.waiting.len() < POSTED;
        if room {
            inside.waiting.push_back(Received::Posted(text));
            inside.wake();
        }
        room
    }

    /// The next event, in the order in which they came. The end comes last, and is reported until `ends` is false.
    pub(crate) fn poll(&self, ends: bool, cx: &mut Context<'_>) -> Poll<Received> {
        let mut inside = self.inside();
        if let Some(received) = inside.waiting.pop_front() {
            return Poll::Ready(received);
        }
        if let Some(end) = inside.end.filter(|_| ends) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_their_order_and_the_end_comes_last() {
        let inbox = Inbox::default();
        inbox.end(End::Closed);
        inbox.found("a".to_owned());
        assert!(inbox.post("b".to_owned()));
        inbox.found("c".to_owned());
        let mut cx = Context::from_waker(Waker::noop());
        let mut next = |ends| inbox.poll(ends, &mut cx);
        assert_eq!(next(true), Poll::Ready(Received::Found("a".to_owned())));
        assert_eq!(next(true), Poll::Ready(Received::Posted("b".to_owned())));
        assert_eq!(next(true), Poll::Ready(Received::Found("c".to_owned())));
        assert_eq!(next(true), Poll::Ready(Received::End(End::Closed)));
        assert_eq!(next(false), Poll::Pending);
    }

    #[test]
    fn misdelivered_replies_have_a_limit_and_results_of_searches_pass_it() {
        let inbox = Inbox::default();
        let posted = (0..POSTED + 5).filter(|_| inbox.post(String::new()));
        assert_eq!(posted.count(), POSTED);
        inbox.found(String::new());
        assert_eq!(inbox.inside().waiting.len(), POSTED + 1);
    }
}
