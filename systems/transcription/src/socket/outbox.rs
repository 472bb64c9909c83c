use std::collections::VecDeque;
use std::time::Duration;

use kit::fault::Kind;
use tokio::time::Instant;

use crate::limits::SlowClients;

/// The replies that wait for a client to read. The queue has a limit: if it is full, partial results are dropped, and a
/// client that keeps it full is too slow.
#[derive(Debug)]
pub(super) struct Outbox {
    waiting: VecDeque<Item>,
    limit: usize,
    timeout: Duration,
    threshold: u32,
    /// Number of replies in a row that found the queue full.
    full: u32,
    /// Number of replies dropped since the last call of [`Self::take_dropped`].
    dropped: u64,
}

/// One reply.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) text: String,
    /// Whether the reply may be dropped if the client is slow. Partial results may; the words return in the final.
    pub(super) droppable: bool,
    /// The injected fault to count when the reply was written.
    pub(super) count: Option<Kind>,
}

impl Item {
    pub(super) fn kept(text: String) -> Self {
        Self {
            text,
            droppable: false,
            count: None,
        }
    }

    pub(super) fn droppable(text: String) -> Self {
        Self {
            droppable: true,
            ..Self::kept(text)
        }
    }
}

/// The client does not read its replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooSlow;

impl Outbox {
    pub(super) fn new(config: &SlowClients) -> Self {
        Self {
            waiting: VecDeque::new(),
            limit: config.send_queue as usize,
            timeout: Duration::from_secs_f64(config.send_timeout),
            threshold: config.slow_threshold,
            full: 0,
            dropped: 0,
        }
    }

    /// Queues a reply.
    pub(super) fn push(&mut self, item: Item) -> Result<(), TooSlow> {
        if self.waiting.len() < self.limit {
            self.full = 0;
            self.waiting.push_back(item);
            return Ok(());
        }
        self.full += 1;
        if self.full >= self.threshold {
            return Err(TooSlow);
        }
        self.dropped += 1;
        if item.droppable {
            return Ok(());
        }
        let oldest = self.waiting.iter().position(|waiting| waiting.droppable);
        // Without a partial result to drop, a final has to be dropped as well: the limit holds.
        self.waiting.remove(oldest.unwrap_or(0));
        self.waiting.push_back(item);
        Ok(())
    }

    pub(super) fn pop(&mut self) -> Option<Item> {
        self.waiting.pop_front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Drops all partial results, if the client has read nothing for the time limit.
    pub(super) fn expire(&mut self, blocked_since: Option<Instant>, now: Instant) {
        let blocked = blocked_since.map(|since| now.saturating_duration_since(since));
        if blocked.is_none_or(|blocked| blocked < self.timeout) {
            return;
        }
        let before = self.waiting.len();
        self.waiting.retain(|item| !item.droppable);
        self.dropped += (before - self.waiting.len()) as u64;
    }

    /// Drops everything.
    pub(super) fn clear(&mut self) {
        self.waiting = VecDeque::new();
    }

    /// Number of replies dropped since the previous call.
    pub(super) fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbox(limit: u32, threshold: u32) -> Outbox {
        let mut config = crate::testing::config(&[]).slow;
        config.send_queue = limit;
        config.slow_threshold = threshold;
        Outbox::new(&config)
    }

    fn texts(outbox: &mut Outbox) -> Vec<String> {
        std::iter::from_fn(|| outbox.pop())
            .map(|item| item.text)
            .collect()
    }

    fn partial(text: &str) -> Item {
        Item::droppable(text.to_owned())
    }

    fn last(text: &str) -> Item {
        Item::kept(text.to_owned())
    }

    #[test]
    fn a_full_queue_drops_partial_results_and_keeps_finals() {
        let mut outbox = outbox(3, 10);
        for item in [
            partial("a"),
            last("b"),
            partial("c"),
            partial("d"),
            last("e"),
            last("f"),
        ] {
            outbox.push(item).unwrap();
        }
        assert_eq!(texts(&mut outbox), ["b", "e", "f"]);
        assert_eq!(outbox.take_dropped(), 3);
        assert_eq!(outbox.take_dropped(), 0);
    }

    #[test]
    fn a_client_is_too_slow_after_so_many_full_queues_in_a_row() {
        let mut outbox = outbox(1, 3);
        let push = |outbox: &mut Outbox| outbox.push(partial("x"));
        assert_eq!([(); 3].map(|()| push(&mut outbox)), [Ok(()); 3]);
        outbox.pop();
        assert_eq!([(); 3].map(|()| push(&mut outbox)), [Ok(()); 3]);
        assert_eq!(push(&mut outbox), Err(TooSlow));
    }

    #[test]
    fn old_partial_results_are_dropped_and_finals_are_not() {
        let mut outbox = outbox(9, 9);
        for item in [partial("a"), last("b")] {
            outbox.push(item).unwrap();
        }
        let now = Instant::now();
        outbox.expire(None, now);
        outbox.expire(Some(now), now + Duration::from_secs(4));
        assert_eq!(outbox.waiting.len(), 2);
        outbox.expire(Some(now), now + Duration::from_secs(5));
        assert_eq!(texts(&mut outbox), ["b"]);
        assert_eq!(outbox.take_dropped(), 1);
    }
}
