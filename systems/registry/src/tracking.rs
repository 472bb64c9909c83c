use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::timeout;

/// What is known about the delivery to one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// The receiver acknowledged the message.
    Received,
    /// The message was handed to the receiver's connection or to NATS. The multicast did not wait for an
    /// acknowledgement.
    Published,
    /// The message is saved and will be sent later: the receiver is offline or too slow, or the backend did not accept the
    /// first delivery.
    Queued,
    /// The message was handed over, but no acknowledgement came in time. A message that is kept is sent again.
    TimedOut,
    /// The message was not delivered and will not be.
    Failed,
}

/// The cause of a failed delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    /// Nobody is registered under this identity.
    NotRegistered,
    /// The receiver is offline, and the message is not kept.
    NoReceiver,
    /// The receiver's queue is full.
    SlowReceiver,
    /// Too many messages already wait for this identity.
    QueueFull,
    /// The backend did not accept the message.
    Backend,
}

impl State {
    fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::HandedOver)
    }
}

impl Cause {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::NotRegistered => "not_registered",
            Self::NoReceiver => "no_receiver",
            Self::SlowReceiver => "slow_receiver",
            Self::QueueFull => "queue_full",
            Self::Backend => "backend",
        }
    }
}

/// The state of one target while a multicast is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Open,
    /// An inbox at this instance has the message.
    HandedOver,
    Received,
    Failed(Cause),
}

/// Collects the acknowledgements of one multicast.
#[derive(Debug)]
pub(crate) struct Tracking {
    /// Number of the multicast in this process.
    pub(crate) number: u64,
    /// Time to wait for acknowledgements.
    limit: Duration,
    inside: Mutex<Inside>,
    complete: Notify,
}

#[derive(Debug)]
struct Inside {
    states: Vec<State>,
    open: usize,
}

impl Tracking {
    /// All targets are open.
    pub(crate) fn new(number: u64, targets: usize, limit: Duration) -> Self {
        Self {
            number,
            limit,
            inside: Mutex::new(Inside {
                states: vec![State::Open; targets],
                open: targets,
            }),
            complete: Notify::new(),
        }
    }

    /// Whether the multicast waits for acknowledgements.
    pub(crate) fn is_awaited(&self) -> bool {
        !self.limit.is_zero()
    }

    /// Settles one target. The first result counts, except that an acknowledgement overrides a failure: one of several
    /// connections of the receiver was slow, another one was not.
    pub(crate) fn settle(&self, target: usize, state: State) {
        let mut inside = self.inside();
        let Some(known) = inside.states.get_mut(target) else {
            return;
        };
        let was_open = known.is_open();
        if *known == State::Open || state == State::Received {
            *known = state;
        }
        if was_open && !known.is_open() {
            inside.open -= 1;
            if inside.open == 0 {
                self.complete.notify_one();
            }
        }
    }

    /// Waits until every target is settled or the time is over. Returns the states at the end.
    pub(crate) async fn wait(&self) -> Vec<State> {
        let done = async {
            while self.inside().open > 0 {
                self.complete.notified().await;
            }
        };
        if self.is_awaited() {
            // Targets that are still open when the time limit passes have timed out.
            let _ = timeout(self.limit, done).await;
        }
        self.inside().states.clone()
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_wait_ends_with_the_last_acknowledgement() {
        let tracking = Arc::new(Tracking::new(1, 2, Duration::from_mins(1)));
        let waiting = tokio::spawn({
            let tracking = tracking.clone();
            async move { tracking.wait().await }
        });
        tracking.settle(0, State::Failed(Cause::SlowReceiver));
        tracking.settle(0, State::Received);
        tracking.settle(0, State::Failed(Cause::NoReceiver));
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        tracking.settle(1, State::Received);
        assert_eq!(waiting.await.unwrap(), [State::Received, State::Received]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_answer_stays_open() {
        let tracking = Tracking::new(1, 2, Duration::from_millis(50));
        tracking.settle(1, State::Received);
        let states = tracking.wait().await;
        assert_eq!(states, [State::Open, State::Received]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_that_an_inbox_has_waits_for_its_acknowledgement_whatever_nats_says() {
        let tracking = Tracking::new(1, 2, Duration::from_millis(50));
        for target in [0, 1] {
            tracking.settle(target, State::HandedOver);
            tracking.settle(target, State::Failed(Cause::NoReceiver));
        }
        tracking.settle(1, State::Received);
        let states = tracking.wait().await;
        assert_eq!(states, [State::HandedOver, State::Received]);
    }
}
