use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::line::{Bound, End, Frame, Outbox, TOO_SLOW, Waiting};
use crate::recipient::PollQueue;

/// The Engine.IO noop packet, which only ends a poll.
const NOOP: Bytes = Bytes::from_static(b"6");
/// The Engine.IO close packet, which ends the session.
const CLOSE: Bytes = Bytes::from_static(b"1");

/// The queue of packets for a polling client, which is bounded and from which polls fetch. After an upgrade, the
/// mailbox passes frames to the outbox of the WebSocket.
#[derive(Debug)]
pub(crate) struct Mailbox {
    bound: Bound,
    inside: Mutex<Inside>,
    over: Notify,
}

#[derive(Debug, Default)]
struct Inside {
    waiting: Waiting,
    line: Option<Arc<Outbox>>,
    end: Option<End>,
    /// Whether a poll is open.
    asked: bool,
    /// Whether the open poll, or else the next one, must end even without packets.
    nudged: bool,
    waker: Option<Waker>,
}

impl Mailbox {
    pub(super) fn new(bound: Bound) -> Self {
        Self {
            bound,
            inside: Mutex::default(),
            over: Notify::new(),
        }
    }

    /// Whether polling has ended, because the session is over or the client has upgraded.
    pub(super) fn is_over(&self) -> bool {
        let inside = self.inside();
        inside.end.is_some() || inside.line.is_some()
    }

    /// Whether the client has upgraded to a WebSocket.
    pub(super) fn went_over(&self) -> bool {
        self.inside().line.is_some()
    }

    fn end(&self, inside: &mut Inside, end: End) {
        inside.end = Some(end);
        inside.wake();
        self.over.notify_one();
    }

    /// Waits until polling has ended.
    pub(super) async fn over(&self) {
        self.over.notified().await;
    }

    /// Ends the open poll, or the next one.
    pub(super) fn nudge(&self) {
        let mut inside = self.inside();
        inside.nudged = true;
        inside.wake();
    }

    /// Passes the queued frames and all later ones to a WebSocket. Returns `false` if polling has already ended.
    pub(super) fn lead_to(&self, line: &Arc<Outbox>) -> bool {
        let mut inside = self.inside();
        if inside.end.is_some() || inside.line.is_some() {
            return false;
        }
        for (frame, caret) in inside.waiting.take() {
            line.post(&frame, caret);
        }
        inside.line = Some(line.clone());
        inside.wake();
        self.over.notify_one();
        true
    }

    /// Waits for packets and returns them in order. `None` if another poll is open.
    pub(super) async fn fetch(&self) -> Option<VecDeque<Bytes>> {
        let asks = Asks::open(self)?;
        Some(poll_fn(|context| asks.0.inside().packets(context)).await)
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PollQueue for Mailbox {
    fn post(&self, frame: &Frame, caret: Option<u64>) -> bool {
        let mut inside = self.inside();
        if let Some(line) = &inside.line {
            return line.post(frame, caret);
        }
        let behind = !inside.asked;
        if inside.end.is_some()
            || behind && caret.is_some_and(|sender| inside.waiting.renew(sender, frame))
        {
            return true;
        }
        let fits = inside.waiting.fits(frame.bytes().len(), self.bound);
        if fits {
            inside.waiting.push(frame, caret);
            inside.wake();
        } else {
            inside.waiting.forget();
            self.end(&mut inside, TOO_SLOW);
        }
        fits
    }

    fn ended(&self) -> bool {
        let inside = self.inside();
        inside.end.is_some() || inside.line.as_ref().is_some_and(|line| line.ended())
    }

    fn finish(&self, end: End) {
        let mut inside = self.inside();
        match &inside.line {
            Some(line) => line.finish(end),
            None if inside.end.is_none() => self.end(&mut inside, end),
            None => {}
        }
    }
}

impl Inside {
    fn packets(&mut self, context: &mut Context<'_>) -> Poll<VecDeque<Bytes>> {
        let waiting = self.waiting.take();
        let mut packets: VecDeque<Bytes> =
            waiting.iter().map(|(frame, _)| frame.payload()).collect();
        match self.end {
            // The client itself has closed the session, so it needs no close packet.
            Some(End::Gone) => packets.push_back(NOOP),
            Some(End::Closed(..)) => packets.push_back(CLOSE),
            None if packets.is_empty() && (self.nudged || self.line.is_some()) => {
                packets.push_back(NOOP);
            }
            None => {}
        }
        if packets.is_empty() {
            self.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        self.nudged = false;
        Poll::Ready(packets)
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// An open poll. Dropping this value closes the poll, because a client may abandon its request at any time.
struct Asks<'a>(&'a Mailbox);

impl<'a> Asks<'a> {
    fn open(mailbox: &'a Mailbox) -> Option<Self> {
        let mut inside = mailbox.inside();
        if inside.asked {
            return None;
        }
        inside.asked = true;
        Some(Self(mailbox))
    }
}

impl Drop for Asks<'_> {
    fn drop(&mut self) {
        let mut inside = self.0.inside();
        inside.asked = false;
        inside.waker = None;
    }
}
