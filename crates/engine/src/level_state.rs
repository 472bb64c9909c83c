use std::collections::HashSet;

use model::{GroupId, Nanos, UserId};
use rustc_hash::FxHashMap;

use crate::little::AtWork;
use crate::people::{Group, Users};
use crate::recorder::Recorder;
use crate::timers::Timers;

/// Everything on a worker that ends with a level, or with `setup` or `teardown`. It is replaced as a whole, so no state
/// of a level can remain in the next.
#[derive(Debug, Default)]
pub(crate) struct LevelState {
    /// The start of the level, including ramp-up and warm-up.
    pub(crate) start: Nanos,
    /// Whether the measured time is over and its deliveries have settled. `stay()` then ends at once.
    pub(crate) hold_is_settled: bool,
    pub(crate) users: Users,
    pub(crate) groups: Vec<Group>,
    pub(crate) group_slots: FxHashMap<GroupId, usize>,
    pub(crate) timers: Timers,
    /// Sockets that the script has closed. Using such a socket later is the script's fault.
    pub(crate) closed_by_script: HashSet<u32>,
    pub(crate) recorder: Recorder,
    pub(crate) arrivals: Arrivals,
    pub(crate) at_work: AtWork,
}

/// The starts of a level's iterations.
#[derive(Debug)]
pub(crate) struct Arrivals {
    /// Whether the load is open: iterations start when they are due, and not when others end.
    pub(crate) is_open: bool,
    /// The time at which the next iteration of an open load is due.
    pub(crate) next: Nanos,
    /// Number of iterations of the closed load that have begun. In a mix, this number selects the scenario.
    pub(crate) begun: u64,
    /// The time and the result of the last check whether most groups wait for the target; `None` before the first.
    pub(crate) awaiting: Option<(Nanos, bool)>,
}

impl LevelState {
    /// The group of a user, the user's member number, and the recorder, which has the tallies of the group's ledger.
    pub(crate) fn group_of(&mut self, user: UserId) -> Option<(&mut Group, u32, &mut Recorder)> {
        let user = self.users.get(user)?;
        let member = user.member;
        let group = self.groups.get_mut(user.group)?;
        Some((group, member, &mut self.recorder))
    }

    /// The state after this one. It remembers only which user IDs are taken, so an ID that a script has kept finds no
    /// user.
    pub(crate) fn next(&self) -> Self {
        Self {
            users: self.users.next(),
            ..Self::default()
        }
    }
}

impl Default for Arrivals {
    fn default() -> Self {
        Self {
            is_open: false,
            next: Nanos::MAX,
            begun: 0,
            awaiting: None,
        }
    }
}
