use model::Fault;
use wire::nats::Message;

use super::pulls::{Pulls, end_of_pull};

/// A subscription of a user.
#[derive(Debug)]
pub(crate) struct NatsSubscription {
    /// The key of its connection.
    pub(crate) connection: u32,
    pub(crate) subject: String,
    /// Number of messages after which the server ends the subscription.
    remaining: Option<u64>,
    /// The requests to the consumer that sends the messages.
    pub(crate) pulls: Option<Pulls>,
    /// Whether the connection has ended, which is a failure of the connection and not of this subscription.
    pub(super) connection_ended: bool,
}

impl NatsSubscription {
    pub(crate) fn new(
        connection: u32,
        subject: String,
        max: Option<u64>,
        pulls: Option<Pulls>,
    ) -> Self {
        Self {
            connection,
            subject,
            remaining: max,
            pulls,
            connection_ended: false,
        }
    }

    /// Handles a message that was passed to its consumers, or a status. Appends what must be sent. Returns whether the
    /// subscription is over.
    pub(crate) fn after(
        &mut self,
        out: &mut Vec<u8>,
        message: &Message<'_>,
    ) -> Result<bool, Fault> {
        if let Some(pulls) = self.pulls.as_mut().filter(|pulls| pulls.is_endless()) {
            match message.headers.status() {
                Some(status) => {
                    if let Some(end) = end_of_pull(&status) {
                        end?;
                        pulls.next(out, &self.subject)?;
                    }
                }
                None => pulls.after(out, &self.subject, message)?,
            }
        }
        Ok(self.count())
    }

    /// Whether the message is for a fetch, or is a status of a request, which is not for the script.
    pub(crate) fn is_pulled(&self, message: &Message<'_>) -> bool {
        let is_fetched = |pulls: &Pulls| !pulls.is_endless();
        let pulls = self.pulls.as_ref();
        pulls.is_some_and(|pulls| is_fetched(pulls) || message.headers.status().is_some())
    }

    /// Counts a message. Returns whether it was the last one.
    fn count(&mut self) -> bool {
        let Some(remaining) = &mut self.remaining else {
            return false;
        };
        *remaining = remaining.saturating_sub(1);
        *remaining == 0
    }
}
