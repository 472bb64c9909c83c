//! The bounded queue of one inbox connection, and the messages that its receiver has not acknowledged yet. Multicasts
//! fill the queue, and the connection's own task empties it, so a slow receiver fills only its own mailbox.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::message::{Message, MessageId};
use crate::tracking::{State, Tracking};

/// Maximum number of messages of one connection that wait for their acknowledgement. The oldest are then forgotten.
pub(crate) const UNACKNOWLEDGED: usize = 4096;

/// Maximum size of the messages in the queue of an inbox, in bytes of memory. Thousands of inboxes with long queues of large
/// messages could otherwise use up the memory of a namespace.
pub(crate) const QUEUED: usize = 16 << 20;

/// Who must learn about an acknowledgement.
#[derive(Clone, Debug)]
pub(crate) enum Receipt {
    /// A multicast of this instance: the target's number.
    Here(Arc<Tracking>, usize),
    /// The instance that sent the message over NATS listens on this subject.
    There(async_nats::Subject),
    /// No multicast waits, because the message was saved earlier.
    Nobody,
}

impl Receipt {
    /// Whether a multicast waits for the acknowledgement.
    pub(crate) fn is_awaited(&self) -> bool {
        match self {
            Self::Here(tracking, _) => tracking.is_awaited(),
            Self::There(_) => true,
            Self::Nobody => false,
        }
    }

    /// Tells a multicast of this instance what is known about its target.
    pub(crate) fn settle(&self, state: State) {
        if let Self::Here(tracking, target) = self {
            tracking.settle(*target, state);
        }
    }
}

/// A message on its way to one receiver.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub(crate) message: Arc<Message>,
    pub(crate) receipt: Receipt,
}

/// Reason why the registry closes an inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The receiver's queue was full.
    TooSlow,
    /// The identity is no longer registered.
    Unregistered,
    /// The registry is stopping.
    Stopping,
}

/// The side of a mailbox on which messages are posted and acknowledged.
#[derive(Debug)]
pub(crate) struct Mailbox {
    queue: Sender<Delivery>,
    /// Size of the messages in the queue.
    queued: AtomicUsize,
    end: watch::Sender<Option<End>>,
    unacknowledged: Mutex<BTreeMap<MessageId, Sent>>,
}

/// A message that was sent and is not acknowledged yet. The message itself does not stay in memory, because a receiver that
/// never acknowledges could use up all memory.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) receipt: Receipt,
    /// Whether the message is kept in the store, and sent again from there.
    pub(crate) is_kept: bool,
    at: Instant,
}

/// The side of a mailbox from which the connection's task reads.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) mailbox: Arc<Mailbox>,
    queue: Receiver<Delivery>,
    end: watch::Receiver<Option<End>>,
}

/// Creates a mailbox for at most `limit` messages.
pub(crate) fn mailbox(limit: usize) -> Slot {
    let (queue, receiver) = channel(limit);
    let (end, ended) = watch::channel(None);
    let mailbox = Mailbox {
        queue,
        queued: AtomicUsize::new(0),
        end,
        unacknowledged: Mutex::default(),
    };
    Slot {
        mailbox: Arc::new(mailbox),
        queue: receiver,
        end: ended,
    }
}

impl Mailbox {
    /// Adds a message. Returns `false` if the queue is full or closed.
    pub(crate) fn post(&self, delivery: Delivery) -> bool {
        let cost = delivery.message.cost();
        if self.queued.fetch_add(cost, Ordering::Relaxed) + cost <= QUEUED
            && self.queue.try_send(delivery).is_ok()
        {
            return true;
        }
        self.queued.fetch_sub(cost, Ordering::Relaxed);
        false
    }

    /// Whether the queue has room for a message.
    pub(crate) fn has_room(&self, message: &Message) -> bool {
        self.queue.capacity() > 0 && self.queued.load(Ordering::Relaxed) + message.cost() <= QUEUED
    }

    /// Closes the connection. The first reason counts.
    pub(crate) fn finish(&self, end: End) {
        self.end.send_if_modified(|known| {
            let first = known.is_none();
            known.get_or_insert(end);
            first
        });
    }

    /// Remembers a message that is sent now. Returns `false` if it must not be sent, because a copy of it was sent less
    /// than `limit` ago and may still be acknowledged.
    pub(crate) fn admit(&self, delivery: &Delivery, limit: Duration, now: Instant) -> bool {
        let kept = delivery.message.mode.is_kept();
        let mut unacknowledged = self.unacknowledged();
        if kept && let Some(sent) = unacknowledged.get_mut(&delivery.message.id) {
            if matches!(sent.receipt, Receipt::Nobody) {
                sent.receipt = delivery.receipt.clone();
            }
            if now.saturating_duration_since(sent.at) < limit {
                return false;
            }
        }
        if kept || delivery.receipt.is_awaited() {
            let sent = Sent {
                receipt: delivery.receipt.clone(),
                is_kept: kept,
                at: now,
            };
            unacknowledged.insert(delivery.message.id.clone(), sent);
        }
        while unacknowledged.len() > UNACKNOWLEDGED {
            // Ids of older messages are smaller. A kept message that is forgotten here is sent again after the next
            // connect.
            unacknowledged.pop_first();
        }
        true
    }

    /// Ends the wait for an acknowledgement. `None` if the message was not sent or is already acknowledged.
    pub(crate) fn acknowledge(&self, id: &MessageId) -> Option<Sent> {
        self.unacknowledged().remove(id)
    }

    /// The number of kept messages that were sent before `limit` ago. Other messages of that age are forgotten.
    pub(crate) fn overdue(&self, limit: Duration, now: Instant) -> usize {
        let mut unacknowledged = self.unacknowledged();
        let is_old = |sent: &Sent| now.saturating_duration_since(sent.at) >= limit;
        unacknowledged.retain(|_, sent| !is_old(sent) || sent.is_kept);
        unacknowledged.values().filter(|sent| is_old(sent)).count()
    }

    fn unacknowledged(&self) -> MutexGuard<'_, BTreeMap<MessageId, Sent>> {
        self.unacknowledged
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// Waits for messages and appends at most `most` of them, unless the connection must close. Cancel safe.
    pub(crate) async fn receive(
        &mut self,
        into: &mut Vec<Delivery>,
        most: usize,
    ) -> Result<(), End> {
        let before = into.len();
        tokio::select! {
            biased;
            end = ended(&mut self.end) => return Err(end),
            _ = self.queue.recv_many(into, most) => {}
        }
        for delivery in into.iter().skip(before) {
            self.taken(delivery);
        }
        Ok(())
    }

    /// The message no longer takes room in the queue.
    fn taken(&self, delivery: &Delivery) {
        let cost = delivery.message.cost();
        self.mailbox.queued.fetch_sub(cost, Ordering::Relaxed);
    }

    /// Appends what is queued, without waiting.
    pub(crate) fn rest(&mut self, into: &mut Vec<Delivery>) {
        while let Ok(delivery) = self.queue.try_recv() {
            self.taken(&delivery);
            into.push(delivery);
        }
    }

    /// Waits until the connection must close. Cancel safe.
    pub(crate) fn ended(&self) -> impl Future<Output = End> + Send + use<> {
        let mut end = self.end.clone();
        async move { ended(&mut end).await }
    }
}

async fn ended(end: &mut watch::Receiver<Option<End>>) -> End {
    let found = end.wait_for(Option::is_some).await;
    // Without a mailbox, nothing more can arrive.
    found.ok().and_then(|end| *end).unwrap_or(End::Stopping)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Mode;
    use crate::name::Name;
    use crate::time::Time;

    fn delivery(id: &str, mode: Mode, receipt: Receipt) -> Delivery {
        let message = Message::new(
            MessageId::new(id).unwrap(),
            Name::new("default").unwrap(),
            "text/plain".into(),
            mode,
            "x".into(),
            Time::of_millis(0),
        );
        let message = Arc::new(message);
        Delivery { message, receipt }
    }

    #[tokio::test]
    async fn a_full_mailbox_refuses_and_the_first_end_counts() {
        let mut slot = mailbox(1);
        let post = |id| {
            slot.mailbox
                .post(delivery(id, Mode::AtMostOnce, Receipt::Nobody))
        };
        assert!(post("1"));
        assert!(!post("2"));
        slot.mailbox.finish(End::TooSlow);
        slot.mailbox.finish(End::Stopping);
        assert_eq!(slot.ended().await, End::TooSlow);
        let mut found = Vec::new();
        assert_eq!(slot.receive(&mut found, 8).await, Err(End::TooSlow));
        slot.rest(&mut found);
        assert_eq!(found.len(), 1);
    }

    #[tokio::test]
    async fn large_messages_fill_a_mailbox_before_their_number_does() {
        let mut slot = mailbox(1000);
        let large = || {
            let message = Message::new(
                MessageId::new("1").unwrap(),
                Name::new("default").unwrap(),
                "image/png".into(),
                Mode::AtMostOnce,
                vec![0; 1 << 20].into(),
                Time::of_millis(0),
            );
            Delivery {
                message: Arc::new(message),
                receipt: Receipt::Nobody,
            }
        };
        let posted = (0..1000).filter(|_| slot.mailbox.post(large())).count();
        assert_eq!(posted, 6, "16 MiB, with the frame of each");
        assert!(!slot.mailbox.has_room(&large().message));
        slot.receive(&mut Vec::new(), 1).await.unwrap();
        assert!(slot.mailbox.has_room(&large().message));
        assert!(slot.mailbox.post(large()) && !slot.mailbox.post(large()));
    }

    #[test]
    fn kept_messages_are_sent_again_until_they_are_acknowledged_and_others_are_forgotten() {
        let slot = mailbox(8);
        let tracking = Arc::new(Tracking::new(1, 1, Duration::from_secs(1)));
        let begin = Instant::now();
        let sent = [
            delivery("kept", Mode::AtLeastOnce, Receipt::Nobody),
            delivery("fleeting", Mode::AtMostOnce, Receipt::Here(tracking, 0)),
        ];
        let limit = Duration::from_secs(5);
        for delivery in &sent {
            assert!(slot.mailbox.admit(delivery, limit, begin));
        }
        assert!(
            !slot.mailbox.admit(&sent[0], limit, begin),
            "it was just sent"
        );
        let before = begin + Duration::from_secs(4);
        assert_eq!(slot.mailbox.overdue(limit, before), 0);
        let after = begin + limit;
        assert_eq!(slot.mailbox.overdue(limit, after), 1);
        assert!(slot.mailbox.admit(&sent[0], limit, after));
        let id = |id| MessageId::new(id).unwrap();
        assert!(slot.mailbox.acknowledge(&id("fleeting")).is_none());
        assert!(slot.mailbox.acknowledge(&id("kept")).is_some());
        assert!(slot.mailbox.acknowledge(&id("kept")).is_none());
        assert_eq!(slot.mailbox.overdue(limit, after + limit), 0);
    }
}
