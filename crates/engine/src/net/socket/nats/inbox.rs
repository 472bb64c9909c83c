use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};

use model::Fault;
use wire::nats::encode_subscribe;

/// The subjects on which replies and the messages of consumers arrive.
#[derive(Debug)]
pub(crate) struct Inbox {
    /// The first words of the subjects.
    subject: String,
    /// Number of requests so far. The subjects of replies are subscribed with the first one.
    requests: u64,
    /// Number of consumers so far.
    consumers: u64,
    /// The numbers of the last requests whose time limit passed before their reply arrived.
    expired: VecDeque<u64>,
}

/// Maximum number of requests without a reply that are remembered, to tell a late reply from a second one.
const EXPIRED: usize = 1000;

impl Inbox {
    pub(super) fn new() -> Self {
        // Other runs can use the same server and the same seed, so the subject must not depend on the seed.
        let random = RandomState::new().hash_one(0);
        Self {
            subject: format!("_INBOX.{random:016x}"),
            requests: 0,
            consumers: 0,
            expired: VecDeque::new(),
        }
    }

    /// The number of the next request, and the subject of its reply. The first request appends the subscription to these
    /// subjects, with the key of the socket that receives the replies.
    pub(crate) fn next_request(
        &mut self,
        out: &mut Vec<u8>,
        key: u32,
    ) -> Result<(u64, String), Fault> {
        if self.requests == 0 {
            encode_subscribe(out, &format!("{}.r.*", self.subject), None, key.into())?;
        }
        self.requests += 1;
        Ok((
            self.requests,
            format!("{}.r.{}", self.subject, self.requests),
        ))
    }

    /// Notes that the time limit of a request has passed.
    pub(crate) fn expire(&mut self, number: u64) {
        if self.expired.len() == EXPIRED {
            self.expired.pop_front();
        }
        self.expired.push_back(number);
    }

    /// Whether the time limit of this request had passed. True only for the first reply.
    pub(crate) fn take_expired(&mut self, number: u64) -> bool {
        let at = self.expired.iter().position(|expired| *expired == number);
        at.and_then(|at| self.expired.remove(at)).is_some()
    }

    /// A new subject for the messages of a consumer.
    pub(crate) fn next_consumer(&mut self) -> String {
        self.consumers += 1;
        format!("{}.c.{}", self.subject, self.consumers)
    }
}
