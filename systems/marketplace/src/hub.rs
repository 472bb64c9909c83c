use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Notify, watch};

use crate::store::outbox::Channel;
use crate::types::Id;

/// Wakes the streams of a user, and the sender of webhooks and Telegram messages. Passes no data: notifications are
/// read from the database.
#[derive(Debug)]
pub(crate) struct Hub {
    followed: Mutex<HashMap<Id, watch::Sender<()>>>,
    webhook: Notify,
    telegram: Notify,
    /// Each open stream has a receiver of this channel. The number of receivers is the number of streams, and shutdown
    /// can wait until it is 0.
    open: watch::Sender<()>,
    limit: usize,
    stopping: AtomicBool,
}

/// A stream's subscription. It wakes the stream when there may be new notifications, and counts as an open stream.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) woken: watch::Receiver<()>,
    _open: watch::Receiver<()>,
}

impl Hub {
    pub(crate) fn new(max_streams: u32) -> Self {
        Self {
            followed: Mutex::default(),
            webhook: Notify::new(),
            telegram: Notify::new(),
            open: watch::Sender::new(()),
            limit: max_streams as usize,
            stopping: AtomicBool::new(false),
        }
    }

    /// Subscribes a stream. `None` if too many streams are open, or if the marketplace is stopping.
    pub(crate) fn follow(&self, user: &Id) -> Option<Place> {
        if self.open.receiver_count() >= self.limit || self.is_stopping() {
            return None;
        }
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = followed
            .entry(user.clone())
            .or_insert_with(|| watch::Sender::new(()));
        Some(Place {
            woken: sender.subscribe(),
            _open: self.open.subscribe(),
        })
    }

    /// Wakes the streams of these users.
    pub(crate) fn wake(&self, users: &[Id]) {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        for user in users {
            // An error means that the user no longer has a stream.
            if followed
                .get(user)
                .is_some_and(|sender| sender.send(()).is_err())
            {
                followed.remove(user);
            }
        }
    }

    /// Wakes the sender.
    pub(crate) fn wake_sender(&self) {
        self.webhook.notify_one();
        self.telegram.notify_one();
    }

    pub(crate) async fn sender_woken(&self, channel: Channel) {
        let woken = match channel {
            Channel::Webhook => &self.webhook,
            Channel::Telegram => &self.telegram,
        };
        woken.notified().await;
    }

    /// Number of open streams.
    pub(crate) fn streams(&self) -> usize {
        self.open.receiver_count()
    }

    /// Ends all streams and refuses new ones.
    pub(crate) fn close(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        followed.retain(|_, sender| sender.send(()).is_ok());
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Waits until the last stream has ended.
    pub(crate) async fn closed(&self) {
        self.open.closed().await;
    }
}
