//! The bounded queue of one WebSocket. Speakers fill the queue, and the connection's own task empties it. A slow
//! receiver fills only its own mailbox.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use axum::extract::ws::Utf8Bytes;
use tokio::time::Instant;

/// A message in a room, serialized once for all receivers.
#[derive(Debug)]
pub(crate) struct Said {
    /// The serialized event.
    pub(crate) text: Utf8Bytes,
    /// Number of the speaker's session.
    pub(crate) sender: u64,
    /// Index of the room.
    pub(crate) room: usize,
}

/// One item to send.
#[derive(Clone, Debug)]
pub(crate) enum Mail {
    /// A message in the room that this receiver listens to.
    Said(Arc<Said>),
    /// A message from another room, which an injected fault delivers to this receiver.
    Stray(Arc<Said>),
    /// An event for this receiver alone.
    Own(Utf8Bytes),
}

/// Reason why the bridge closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The session has ended.
    Ended,
    /// The bridge is stopping.
    Stopping,
    /// The receiver was too slow: its queue was full.
    TooSlow,
    /// The session was resumed by a newer connection.
    Replaced,
}

impl End {
    /// Returns whether queued items are delivered before the connection closes.
    fn delivers(self) -> bool {
        matches!(self, Self::Ended | Self::Stopping)
    }
}

/// The next action of a connection.
#[derive(Debug)]
pub(crate) enum Next {
    /// Send an item.
    Mail(Mail),
    /// Close the connection.
    End(End),
}

/// The queue of one connection, shared by speakers and the connection's task.
#[derive(Debug)]
pub(crate) struct Mailbox {
    limit: usize,
    /// Whether to record the time at which each item is posted. Only fault injection needs this time.
    timed: bool,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    waiting: VecDeque<(Mail, Option<Instant>)>,
    end: Option<End>,
    waker: Option<Waker>,
}

impl Mailbox {
    pub(crate) fn new(limit: u32, timed: bool) -> Self {
        Self {
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            timed,
            inside: Mutex::default(),
        }
    }

    /// Adds an item. If the queue is full, returns `false` and ends the connection as too slow.
    pub(crate) fn post(&self, mail: Mail) -> bool {
        let mut inside = self.inside();
        if inside.end.is_some() {
            return true;
        }
        let fits = inside.waiting.len() < self.limit;
        if fits {
            let posted = self.timed.then(Instant::now);
            inside.waiting.push_back((mail, posted));
        } else {
            inside.finish(End::TooSlow);
        }
        inside.wake();
        fits
    }

    /// Closes the queue for new items and ends the connection.
    pub(crate) fn finish(&self, end: End) {
        let mut inside = self.inside();
        if inside.end.is_none_or(End::delivers) {
            inside.finish(end);
        }
        inside.wake();
    }

    /// Takes the next action. `None` if there is nothing to do.
    pub(crate) fn next(&self) -> Option<Next> {
        let mut inside = self.inside();
        match inside.waiting.pop_front() {
            Some((mail, _)) => Some(Next::Mail(mail)),
            None => inside.end.map(Next::End),
        }
    }

    /// Waits until there is an action. Returns the time at which the next item was posted, if the mailbox records
    /// times.
    pub(crate) async fn ready(&self) -> Option<Instant> {
        let poll = |inside: &mut Inside| match inside.waiting.front() {
            Some((_, posted)) => Some(*posted),
            None => inside.end.map(|_| None),
        };
        self.wait(poll).await
    }

    /// Waits until the connection must close without delivering the rest of the queue.
    pub(crate) async fn cut(&self) -> End {
        self.wait(|inside| inside.end.filter(|end| !end.delivers()))
            .await
    }

    async fn wait<T>(&self, look: impl Fn(&mut Inside) -> Option<T>) -> T {
        let poll = |context: &mut Context<'_>| {
            let mut inside = self.inside();
            if let Some(found) = look(&mut inside) {
                return Poll::Ready(found);
            }
            match &mut inside.waker {
                Some(waker) => waker.clone_from(context.waker()),
                none => *none = Some(context.waker().clone()),
            }
            Poll::Pending
        };
        poll_fn(poll).await
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    fn finish(&mut self, end: End) {
        self.end = Some(end);
        if !end.delivers() {
            self.waiting = VecDeque::new();
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &'static str) -> Mail {
        Mail::Own(Utf8Bytes::from_static(text))
    }

    fn shown(next: Option<Next>) -> String {
        match next {
            Some(Next::Mail(Mail::Own(text))) => text.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_was_posted_before_a_stop_is_delivered_before_the_end() {
        let mailbox = Mailbox::new(4, false);
        mailbox.post(own("one"));
        mailbox.finish(End::Stopping);
        mailbox.post(own("after the end"));
        assert_eq!(shown(mailbox.next()), "one");
        assert_eq!(shown(mailbox.next()), "Some(End(Stopping))");
    }

    #[test]
    fn one_too_many_ends_the_connection_as_too_slow() {
        let mailbox = Mailbox::new(2, false);
        assert!(mailbox.post(own("one")) && mailbox.post(own("two")));
        assert!(!mailbox.post(own("three")));
        assert_eq!(shown(mailbox.next()), "Some(End(TooSlow))");
    }

    #[tokio::test]
    async fn a_waiting_connection_is_woken_by_mail_and_by_the_end() {
        let mailbox = Arc::new(Mailbox::new(2, true));
        let (waiting, cut) = (mailbox.clone(), mailbox.clone());
        let waiting = tokio::spawn(async move { waiting.ready().await });
        tokio::task::yield_now().await;
        mailbox.post(own("one"));
        assert!(
            waiting.await.unwrap().is_some(),
            "a timed mailbox knows when"
        );
        let cut = tokio::spawn(async move { cut.cut().await });
        tokio::task::yield_now().await;
        mailbox.finish(End::Replaced);
        assert_eq!(cut.await.unwrap(), End::Replaced);
    }
}
