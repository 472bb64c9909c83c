use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use kit::fault::{Faults, Kind, Lane, Step};
use tokio::time::{Instant, Sleep, sleep_until};

use super::outbox::Item;

/// Applies injected faults to the replies of one session. A reply is a delivery.
pub(super) struct Faulty {
    faults: Arc<Faults>,
    lane: Lane<(), String>,
    /// Replies in order, with the time at which each was ready.
    waiting: VecDeque<(String, Instant)>,
    /// The delay or stall of the first one.
    hold: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    release: Option<Pin<Box<Sleep>>>,
}

/// A reply to send, after the faults.
#[derive(Debug)]
pub(super) enum Sent {
    /// Send it to this client.
    Here(Item),
    /// Send it to this client, and also to one of another session.
    Stray(String),
}

impl Faulty {
    pub(super) fn new(faults: Arc<Faults>) -> Self {
        Self {
            faults,
            lane: Lane::default(),
            waiting: VecDeque::new(),
            hold: None,
            release: None,
        }
    }

    pub(super) fn push(&mut self, text: String, ready: Instant) {
        self.waiting.push_back((text, ready));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.lane.next_release().is_none()
    }

    pub(super) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The next replies to send. A held swap is released early if `ending`.
    pub(super) fn poll(&mut self, ending: bool, cx: &mut Context<'_>) -> Poll<Vec<Sent>> {
        let mut steps = Vec::new();
        if self.poll_first(cx).is_ready()
            && let Some((text, _)) = self.waiting.pop_front()
        {
            let turn = self.faults.next_turn();
            self.lane.offer((), text, turn, Instant::now(), &mut steps);
        } else if ending && self.waiting.is_empty() {
            self.lane.release_all(&mut steps);
        } else if self.poll_release(cx).is_ready() {
            self.lane.release(Instant::now(), &mut steps);
        }
        if steps.is_empty() {
            return Poll::Pending;
        }
        Poll::Ready(self.sent(steps))
    }

    fn poll_first(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some((_, ready)) = self.waiting.front() else {
            return Poll::Pending;
        };
        let (faults, ready) = (self.faults.clone(), *ready);
        let hold = self
            .hold
            .get_or_insert_with(|| Box::pin(async move { faults.hold(ready).await }));
        if hold.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.hold = None;
        Poll::Ready(())
    }

    fn poll_release(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(until) = self.lane.next_release() else {
            return Poll::Pending;
        };
        let sleep = self
            .release
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        if sleep.deadline() != until {
            sleep.as_mut().reset(until);
        }
        sleep.as_mut().poll(cx)
    }

    /// Attaches each count to the reply before it, so that it is counted when that reply was written.
    fn sent(&self, steps: Vec<Step<String>>) -> Vec<Sent> {
        let mut sent = Vec::new();
        for step in steps {
            match step {
                Step::Send(text) => sent.push(Sent::Here(Item::kept(text))),
                Step::Stray(text) => sent.push(Sent::Stray(text)),
                Step::Count(kind) => match sent.last_mut() {
                    Some(Sent::Here(item)) => item.count = Some(kind),
                    _ => self.count(kind),
                },
            }
        }
        sent
    }

    fn count(&self, kind: Kind) {
        self.faults.tally().add(kind, 1);
    }
}
