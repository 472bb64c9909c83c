//! Compares what was sent to passive audiences with what they have received.

use delivery::Broadcasts;
use model::Nanos;
use record::{IssueCause, Measured};
use script::host::AudienceSpec;
use serde::{Deserialize, Serialize};

use super::channel::channels_of;
use crate::deliveries::deliveries_of;
use crate::level_state::LevelState;

/// Numbers of members of the audiences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AudienceCount {
    pub(crate) members: u64,
    /// Members that listened when the level started.
    pub(crate) listening: u64,
}

/// What the workers know about the audiences of a level.
#[derive(Debug, Default)]
pub(crate) struct AudienceResult {
    pub(crate) count: AudienceCount,
    pub(crate) broadcasts: Broadcasts,
}

/// Takes what this worker knows about the messages to audiences. The ledgers are closed.
pub(crate) fn take_broadcasts(level: &mut LevelState) -> Broadcasts {
    let mut broadcasts = Broadcasts::default();
    for group in &mut level.groups {
        broadcasts.add_sent(group.ledger.take_broadcasts());
    }
    let closed = level.audience.closed;
    for (number, shard) in level.audience.shards.drain(..).enumerate() {
        broadcasts.add_listeners(number, shard.listeners, closed);
    }
    broadcasts
}

impl AudienceCount {
    /// Adds the members on another worker.
    pub(crate) fn add(&mut self, other: Self) {
        self.members += other.members;
        self.listening += other.listening;
    }
}

impl AudienceResult {
    /// Adds the expected and the missing deliveries to the measurements.
    pub(crate) fn count_into(
        &self,
        audiences: &[AudienceSpec],
        settle: Nanos,
        measured: &mut Measured,
    ) {
        let channels: Vec<_> = channels_of(audiences).collect();
        let audience_of: Vec<usize> = channels.iter().map(|(_, audience, _)| *audience).collect();
        for (number, tally) in self.broadcasts.fates(&audience_of, settle) {
            if let Some((.., channel)) = channels.get(usize::from(number)) {
                let deliveries = measured.deliveries.entry(channel.name.clone());
                deliveries.or_default().merge(&deliveries_of(tally, None));
            }
        }
    }

    /// An issue, if not all members could connect.
    pub(crate) fn issue(&self) -> Option<IssueCause> {
        let AudienceCount { members, listening } = self.count;
        (listening < members).then_some(IssueCause::AudienceIncomplete { members, listening })
    }
}

/// Notes the error of the latencies of channels to audiences, whose members can be on other machines than the senders.
pub(crate) fn note_clock_error(audiences: &[AudienceSpec], error: Nanos, measured: &mut Measured) {
    for (.., channel) in channels_of(audiences) {
        if let Some(deliveries) = measured.deliveries.get_mut(&channel.name) {
            deliveries.clock_error_ms = Some(error.as_millis_f64());
        }
    }
}
