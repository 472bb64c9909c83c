//! The bounded queue of one inbox connection, and the messages that its receiver has not acknowledged yet. Multicasts
//! fill the queue, and the connection's own task empties it, so a slow receiver fills only its own mailbox.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

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
    /// Maximum number of messages in the queue.
    limit: usize,
    /// One lock for everything, because a multicast posts to thousands of mailboxes, and each step on the way of a message
    /// takes it once.
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    queue: VecDeque<Delivery>,
    /// Size of the messages in the queue.
    queued: usize,
    end: Option<End>,
    /// Whether the connection is gone, so that nobody empties the queue.
    is_abandoned: bool,
    /// The connection's task, if it waits for a message or the end.
    task: Option<Waker>,
    unacknowledged: BTreeMap<MessageId, Sent>,
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

/// The side of a mailbox from which the connection's task reads. Only one task may wait, also if it waits for several
/// things.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) mailbox: Arc<Mailbox>,
}

/// Creates a mailbox for at most `limit` messages.
pub(crate) fn mailbox(limit: usize) -> Slot {
    let mailbox = Arc::new(Mailbox {
        limit,
        inside: Mutex::default(),
    });
    Slot { mailbox }
}

impl Mailbox {
    /// Adds a message. Returns `false` if the queue is full or closed.
    pub(crate) fn post(&self, delivery: Delivery) -> bool {
        let mut inside = self.inside();
        if inside.is_abandoned || !self.fits(&inside, &delivery.message) {
            return false;
        }
        inside.queued += delivery.message.cost();
        inside.queue.push_back(delivery);
        wake(inside);
        true
    }

    /// Whether the queue has room for a message.
    pub(crate) fn has_room(&self, message: &Message) -> bool {
        self.fits(&self.inside(), message)
    }

    fn fits(&self, inside: &Inside, message: &Message) -> bool {
        inside.queue.len() < self.limit && inside.queued + message.cost() <= QUEUED
    }

    /// Closes the connection. The first reason counts.
    pub(crate) fn finish(&self, end: End) {
        let mut inside = self.inside();
        if inside.end.is_none() {
            inside.end = Some(end);
            wake(inside);
        }
    }

    /// Ends the wait for an acknowledgement. `None` if the message was not sent or is already acknowledged.
    pub(crate) fn acknowledge(&self, id: &str) -> Option<(MessageId, Sent)> {
        self.inside().unacknowledged.remove_entry(id)
    }

    /// The number of kept messages that were sent before `limit` ago. Other messages of that age are forgotten.
    pub(crate) fn overdue(&self, limit: Duration, now: Instant) -> usize {
        let unacknowledged = &mut self.inside().unacknowledged;
        let is_old = |sent: &Sent| now.saturating_duration_since(sent.at) >= limit;
        unacknowledged.retain(|_, sent| !is_old(sent) || sent.is_kept);
        unacknowledged.values().filter(|sent| is_old(sent)).count()
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes the connection's task, after unlocking what it reads first.
fn wake(mut inside: MutexGuard<'_, Inside>) {
    let task = inside.task.take();
    drop(inside);
    if let Some(task) = task {
        task.wake();
    }
}

impl Inside {
    /// Waits for [`wake`].
    fn wait<T>(&mut self, context: &Context<'_>) -> Poll<T> {
        match &mut self.task {
            Some(task) => task.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn take(&mut self) -> Option<Delivery> {
        let delivery = self.queue.pop_front()?;
        self.queued -= delivery.message.cost();
        Some(delivery)
    }

    /// Remembers a message that is sent now. Returns `false` if it must not be sent, because a copy of it was sent less
    /// than `limit` ago and may still be acknowledged.
    fn admit(&mut self, delivery: &Delivery, limit: Duration, now: Instant) -> bool {
        let kept = delivery.message.mode.is_kept();
        let unacknowledged = &mut self.unacknowledged;
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
}

impl Slot {
    /// Waits for messages and appends at most `most` of them, unless the connection must close. Leaves out a message of
    /// which a copy was sent less than `limit` ago. Cancel safe.
    pub(crate) async fn receive(
        &mut self,
        into: &mut Vec<Delivery>,
        most: usize,
        limit: Duration,
    ) -> Result<(), End> {
        poll_fn(|context| {
            let mut inside = self.mailbox.inside();
            if let Some(end) = inside.end {
                return Poll::Ready(Err(end));
            }
            if inside.queue.is_empty() {
                return inside.wait(context);
            }
            let now = Instant::now();
            for _ in 0..most {
                let Some(delivery) = inside.take() else {
                    break;
                };
                if inside.admit(&delivery, limit, now) {
                    into.push(delivery);
                }
            }
            Poll::Ready(Ok(()))
        })
        .await
    }

    /// Appends what is queued, without waiting.
    pub(crate) fn rest(&mut self, into: &mut Vec<Delivery>) {
        let mut inside = self.mailbox.inside();
        while let Some(delivery) = inside.take() {
            into.push(delivery);
        }
    }

    /// Waits until the connection must close. Cancel safe.
    pub(crate) async fn ended(&self) -> End {
        poll_fn(|context| {
            let mut inside = self.mailbox.inside();
            match inside.end {
                Some(end) => Poll::Ready(end),
                None => inside.wait(context),
            }
        })
        .await
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut inside = self.mailbox.inside();
        inside.is_abandoned = true;
        while inside.take().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Mode;
    use crate::name::Name;
    use crate::time::Time;

    const LIMIT: Duration = Duration::from_secs(5);

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
        assert_eq!(slot.receive(&mut found, 8, LIMIT).await, Err(End::TooSlow));
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
        slot.receive(&mut Vec::new(), 1, LIMIT).await.unwrap();
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
        let admit = |delivery, now| slot.mailbox.inside().admit(delivery, LIMIT, now);
        for delivery in &sent {
            assert!(admit(delivery, begin));
        }
        assert!(!admit(&sent[0], begin), "it was just sent");
        let before = begin + Duration::from_secs(4);
        assert_eq!(slot.mailbox.overdue(LIMIT, before), 0);
        let after = begin + LIMIT;
        assert_eq!(slot.mailbox.overdue(LIMIT, after), 1);
        assert!(admit(&sent[0], after));
        assert!(slot.mailbox.acknowledge("fleeting").is_none());
        assert!(slot.mailbox.acknowledge("kept").is_some());
        assert!(slot.mailbox.acknowledge("kept").is_none());
        assert_eq!(slot.mailbox.overdue(LIMIT, after + LIMIT), 0);
    }

    #[tokio::test]
    async fn whoever_waits_is_woken_by_a_message_and_by_the_end() {
        let mut slot = mailbox(8);
        let mailbox = slot.mailbox.clone();
        let waiting = tokio::spawn(async move {
            let mut found = Vec::new();
            let received = slot.receive(&mut found, 8, LIMIT).await;
            (received, found.len(), slot.ended().await)
        });
        tokio::task::yield_now().await;
        assert!(mailbox.post(delivery("1", Mode::AtMostOnce, Receipt::Nobody)));
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        mailbox.finish(End::Stopping);
        assert_eq!(waiting.await.unwrap(), (Ok(()), 1, End::Stopping));
        let late = delivery("2", Mode::AtMostOnce, Receipt::Nobody);
        assert!(!mailbox.post(late), "the connection is gone");
    }
}
