use std::rc::Rc;

use delivery::{BroadcastLog, Leaving, Listeners};
use model::{Fault, Nanos};

use crate::owner::MemberId;
use crate::recorder::{Recorder, Scene};
use crate::shared_connections::SharedConnections;
use crate::socket::Sight;

/// The passive audiences of a level on this worker. Empty if the scenario has none.
#[derive(Debug, Default)]
pub(crate) struct Audiences {
    pub(super) run: u32,
    pub(super) shards: Vec<AudienceShard>,
    /// The tally of each channel, by the number of the channel.
    pub(super) tallies: Vec<usize>,
    /// The connections that members share.
    pub(super) shared: SharedConnections,
    /// The time at which the connections were closed.
    pub(super) closed: Nanos,
}

/// One audience on this worker.
#[derive(Debug)]
pub(super) struct AudienceShard {
    pub(super) name: String,
    pub(super) channels: Vec<ReceivedChannel>,
    pub(super) listeners: Listeners,
    /// The keys of the members' connections, including connections that have broken.
    pub(super) connections: Vec<u32>,
    /// Number of members that neither listen nor have failed.
    pub(super) pending: u32,
    /// Number of members on this worker.
    pub(super) members: u32,
    /// Whether the failure was counted that messages have no room.
    pub(super) is_full: bool,
    /// Number of messages that were searched for misplaced stamps, and contained no stamp.
    pub(super) searched: u16,
}

/// A channel that the members of an audience receive.
#[derive(Debug)]
pub(super) struct ReceivedChannel {
    /// The number of the channel among those of all audiences.
    pub(super) number: u16,
    pub(super) deadline: Nanos,
    pub(super) sight: Rc<Sight>,
}

impl AudienceShard {
    /// Notes that a member listens.
    pub(super) fn listen(&mut self, slot: u32) {
        self.listeners.join(slot);
        self.pending -= 1;
    }
}

impl Audiences {
    pub(crate) fn is_empty(&self) -> bool {
        self.shards.is_empty()
    }

    /// Sets the groups of the level, `count` from number `first` on.
    pub(crate) fn begin_level(&mut self, first: u32, count: u32) {
        for shard in &mut self.shards {
            shard.listeners.expect_groups(first..first + count);
        }
    }

    /// Counts the failure of a member. If the member listened, its deliveries are not awaited any more.
    pub(super) fn fail(
        &mut self,
        recorder: &mut Recorder,
        (member, listened): (MemberId, bool),
        now: Nanos,
        fault: &Fault,
    ) {
        let shard = &mut self.shards[member.audience];
        if listened {
            shard
                .listeners
                .leave(member.slot, now, Leaving::Disconnected);
        } else {
            shard.pending -= 1;
        }
        let scene = Scene {
            what: shard.name.clone(),
            at: now,
            ..Scene::default()
        };
        recorder.fail(fault, scene, None, None);
    }

    /// Whether all listening members of every audience have received all messages. `sent` has the number of messages of
    /// each channel.
    pub(super) fn have_all(&self, sent: &[u64]) -> bool {
        self.shards.iter().all(|shard| {
            let channels = shard.channels.iter();
            let counts = channels.map(|channel| sent.get(usize::from(channel.number)));
            shard.listeners.have_all(counts.flatten().sum())
        })
    }

    /// The number of measured messages on each channel that these groups have sent.
    pub(super) fn count_sent<'a>(&self, logs: impl Iterator<Item = &'a BroadcastLog>) -> Vec<u64> {
        let mut counts = vec![0; self.tallies.len()];
        for log in logs {
            log.count_sent(&mut counts);
        }
        counts
    }
}
