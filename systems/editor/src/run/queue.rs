//! Admits programs. A fixed number may run, a fixed number may wait, and all others are refused.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Two semaphores, which a program acquires one after the other: for entering the queue, and for running.
#[derive(Debug)]
pub(super) struct Queue {
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

/// The permission to run. Dropping this value returns the permission.
#[derive(Debug)]
pub(super) struct Turn {
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

impl Queue {
    pub(super) fn new(running: usize, waiting: usize) -> Self {
        let running = running.max(1);
        Self {
            places: Arc::new(Semaphore::new(running + waiting)),
            turns: Arc::new(Semaphore::new(running)),
        }
    }

    /// Waits for the permission to run, in order of arrival. Returns `None` at once if the queue is full.
    pub(super) async fn turn(&self) -> Option<Turn> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        Some(Turn {
            _place: place,
            _turn: turn,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Waker};

    use super::*;

    fn waits(turn: Pin<&mut impl Future>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        turn.poll(&mut context).is_pending()
    }

    #[tokio::test]
    async fn who_comes_when_the_queue_is_full_is_refused_at_once() {
        let queue = Arc::new(Queue::new(1, 1));
        let first = queue.turn().await.expect("a turn");
        let mut second = Box::pin(queue.turn());
        assert!(waits(second.as_mut()), "it waits");
        assert!(queue.turn().await.is_none(), "the queue is full");
        drop(first);
        assert!(second.await.is_some(), "its turn came");
        assert!(queue.turn().await.is_some(), "all have gone");
    }

    #[tokio::test]
    async fn who_gives_up_waiting_leaves_the_queue() {
        let queue = Queue::new(1, 1);
        let first = queue.turn().await;
        let mut second = Box::pin(queue.turn());
        assert!(waits(second.as_mut()));
        drop(second);
        let mut third = Box::pin(queue.turn());
        assert!(waits(third.as_mut()), "there is room again");
        drop(first);
        assert!(third.await.is_some());
    }
}
