use model::{Fault, FaultKind};

/// Maximum number of bytes queued for a peer that does not read. Beyond this limit, the next write is refused.
pub(crate) const QUEUE_LIMIT: usize = 16 * 1024 * 1024;

/// Bytes that the kernel has not accepted yet, oldest first. Uses no heap memory when empty.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    bytes: Vec<u8>,
    sent: usize,
}

impl Outbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.sent
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// Removes the first `count` bytes of [`Outbox::unsent`], which the kernel has accepted.
    pub(crate) fn took(&mut self, count: usize) {
        self.sent += count;
        if self.sent == self.bytes.len() {
            *self = Self::default();
        } else if self.sent > self.bytes.len() / 2 {
            // Moves the rest only when more than half is sent, so that fewer bytes are moved than sent.
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
    }
}

/// The fault of a peer for which more than [`QUEUE_LIMIT`] bytes are queued.
pub(crate) fn not_read() -> Fault {
    Fault::target(
        FaultKind::Resources,
        "the peer does not read: more than 16 MiB are waiting to be sent",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_leave_in_order_and_memory_with_them() {
        let mut outbox = Outbox::default();
        outbox.push(b"hello ");
        outbox.push(b"world");
        outbox.took(2);
        assert_eq!(outbox.unsent(), b"llo world");
        outbox.took(6);
        assert_eq!((outbox.unsent(), outbox.len()), (b"rld".as_slice(), 3));
        outbox.took(3);
        assert!(outbox.is_empty());
        assert_eq!(outbox.bytes.capacity(), 0);
    }
}
