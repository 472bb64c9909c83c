use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kit::fault::Faults;

use crate::config::Config;
use crate::line::Lines;
use crate::metrics::Counters;
use crate::refusal::Refusal;
use crate::room::{Hall, Limits, Member, Room};

/// What all requests and connections share.
#[derive(Debug)]
pub(crate) struct Editor {
    pub(crate) hall: Hall,
    pub(crate) limits: crate::config::Limits,
    pub(crate) faults: Option<Arc<Faults>>,
    pub(crate) counters: Counters,
    pub(crate) lines: Arc<Lines>,
    visits: AtomicU64,
}

impl Editor {
    pub(crate) fn new(config: &Config, faults: Option<Arc<Faults>>) -> Self {
        let counters = Counters::default();
        let limits = Limits {
            rooms: config.limits.max_rooms as usize,
            members: config.limits.max_members as usize,
        };
        Self {
            hall: Hall::new(limits, counters.clone()),
            limits: config.limits.clone(),
            faults,
            counters,
            lines: Arc::default(),
            visits: AtomicU64::new(0),
        }
    }

    /// A number that no other visit of this process has.
    pub(crate) fn visit(&self) -> u64 {
        self.visits.fetch_add(1, Ordering::Relaxed)
    }

    /// Somebody comes into a room.
    pub(crate) fn join(&self, name: &str, member: Member) -> Result<Arc<Room>, Refusal> {
        let room = self.hall.enter(name).map_err(|_| Refusal::TooManyRooms)?;
        let mut state = room.state();
        let known = state.member(member.visit).is_some();
        if !known && state.members.len() >= self.hall.limits.members {
            return Err(Refusal::RoomFull);
        }
        state.join(member, &self.counters);
        drop(state);
        Ok(room)
    }

    /// Somebody leaves a room.
    pub(crate) fn leave(&self, room: &Room, visit: u64) {
        room.state().leave(visit, &self.counters);
    }
}
