use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Notify, watch};

use crate::store::outbox::Channel;
use crate::types::Id;

/// Wakes whoever follows a user's list, and the sender. It carries nothing: what there is to tell is
/// in the database.
#[derive(Debug)]
pub(crate) struct Hub {
    followed: Mutex<HashMap<Id, watch::Sender<()>>>,
    webhook: Notify,
    telegram: Notify,
    /// Held by each stream, so that a stop can wait for the last.
    open: watch::Sender<()>,
    limit: usize,
    stopping: AtomicBool,
}

/// A place in the hub: hears when there may be news, and counts as an open stream.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) woken: watch::Receiver<()>,
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

    /// A place for one stream; `None` when there are too many, or no more are taken.
    pub(super) fn follow(&self, user: &Id) -> Option<Place> {
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

    /// There may be news for these users.
    pub(crate) fn wake(&self, users: &[Id]) {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        for user in users {
            // An error means that nobody follows any longer.
            if followed
                .get(user)
                .is_some_and(|sender| sender.send(()).is_err())
            {
                followed.remove(user);
            }
        }
    }

    /// There may be something to send.
    pub(crate) fn wake_sender(&self) {
        self.webhook.notify_one();
        self.telegram.notify_one();
    }

    pub(super) async fn sender_woken(&self, channel: Channel) {
        let woken = match channel {
            Channel::Webhook => &self.webhook,
            Channel::Telegram => &self.telegram,
        };
        woken.notified().await;
    }

    /// Open streams.
    pub(crate) fn streams(&self) -> usize {
        self.open.receiver_count()
    }

    /// Tells every stream to end.
    pub(crate) fn close(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        followed.retain(|_, sender| sender.send(()).is_ok());
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Waits for the last stream's end.
    pub(crate) async fn closed(&self) {
        self.open.closed().await;
    }
}
