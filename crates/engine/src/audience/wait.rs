//! Lets deliveries to passive audiences settle. Messages of other workers may still arrive when the groups of a worker have
//! settled, so each worker reports how many messages it has sent, and control returns the sums.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::Nanos;

use super::state::Audiences;
use crate::level_state::LevelState;
use crate::settling::LOOK;
use crate::timers::Alarm;

/// Progress of the wait for deliveries to audiences.
///
/// | state | ends when | next state |
/// |---|---|---|
/// | `Sending` | the groups of this worker have settled | `Sent` |
/// | `Sent` | the groups of all workers have settled | `Settling` |
/// | `Settling` | all members have received all messages, or the time is over | – |
#[derive(Debug, Default)]
pub(crate) enum AudienceWait {
    #[default]
    Sending,
    Sent,
    Settling {
        /// The number of messages that all workers have sent on each channel.
        sent: Arc<Vec<u64>>,
        until: Nanos,
    },
}

impl AudienceWait {
    /// Notes that the groups of this worker have settled. Returns the number of messages that they have sent on each
    /// channel, the first time.
    pub(crate) fn groups_settled(&mut self, level: &LevelState) -> Option<Vec<u64>> {
        if !matches!(self, Self::Sending) {
            return None;
        }
        *self = Self::Sent;
        let logs = level.groups.iter().map(|group| group.ledger.broadcasts());
        Some(level.audience.count_sent(logs))
    }

    /// Begins to wait for the messages of all workers, at most until `until`.
    pub(crate) fn settle(&mut self, sent: Arc<Vec<u64>>, until: Nanos) {
        *self = Self::Settling { sent, until };
    }

    /// Whether the deliveries have settled.
    pub(crate) fn is_over(&self, level: &mut LevelState, now: Nanos) -> bool {
        let Self::Settling { sent, until } = self else {
            return false;
        };
        let audiences: &Audiences = &level.audience;
        if now >= *until || audiences.have_all(sent) {
            return true;
        }
        level.timers.set(now + LOOK, Alarm::Look);
        false
    }
}

/// Adds up the messages that the workers have sent to the audiences, for control.
#[derive(Debug, Default)]
pub(crate) struct SentToAudiences {
    sent: Vec<u64>,
    /// Workers whose groups have settled, or that are lost.
    workers: BTreeSet<u32>,
}

impl SentToAudiences {
    /// Adds the messages of one worker. Returns the sums when all `workers` have reported. A worker that is lost reports
    /// nothing.
    pub(crate) fn add(
        &mut self,
        worker: u32,
        sent: Vec<u64>,
        workers: usize,
    ) -> Option<Arc<Vec<u64>>> {
        if !self.workers.insert(worker) {
            return None;
        }
        self.sent.resize(self.sent.len().max(sent.len()), 0);
        for (sum, sent) in self.sent.iter_mut().zip(sent) {
            *sum += sent;
        }
        (self.workers.len() == workers).then(|| Arc::new(std::mem::take(&mut self.sent)))
    }
}
