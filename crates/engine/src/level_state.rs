use std::collections::HashSet;

use model::{Fault, FaultKind, GroupId, Nanos, UserId};
use rustc_hash::FxHashMap;
use script::host::{CheckPlace, OpId};

use crate::audience::Audiences;
use crate::little::AtWork;
use crate::people::{Group, Users};
use crate::recorder::{Recorder, Scene};
use crate::shared_connections::SharedConnections;
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
    /// The passive audiences of the level.
    pub(crate) audience: Audiences,
    /// The connections that users share.
    pub(crate) shared: SharedConnections,
}

/// The starts of a level's iterations.
#[derive(Debug)]
pub(crate) struct Arrivals {
    /// Whether the load is open: iterations start when they are due, and not when others end.
    pub(crate) is_open: bool,
    /// The time at which the next iteration of an open load is due.
    pub(crate) next: Nanos,
    /// The time and the result of the last check whether most groups wait for the target; `None` before the first.
    pub(crate) awaiting: Option<(Nanos, bool)>,
}

impl LevelState {
    /// The group with this ID.
    pub(crate) fn group_by_id(&mut self, id: GroupId) -> Option<&mut Group> {
        let slot = *self.group_slots.get(&id)?;
        self.groups.get_mut(slot)
    }

    /// The member numbers of these users in their groups.
    pub(crate) fn members(&mut self, users: &[UserId]) -> Vec<u32> {
        let member = |&user: &UserId| Some(self.users.get(user)?.member);
        users.iter().filter_map(member).collect()
    }

    /// Whether the user is still in this iteration.
    pub(crate) fn is_current(&mut self, user: UserId, epoch: u32) -> bool {
        self.users.get(user).is_some_and(|user| user.epoch == epoch)
    }

    /// Counts a failure of a user under the name of the operation, if a part of `during` is measured.
    pub(crate) fn fail_during(
        &mut self,
        (since, until): (Nanos, Nanos),
        (user, what): (UserId, &str),
        at: Nanos,
        fault: &Fault,
    ) {
        if self.recorder.overlaps(since, until) {
            self.fail(user, what, at, fault);
        }
    }

    /// Counts a failure of an operation that the recorder has counted, under the name of the operation.
    pub(crate) fn fail(&mut self, user: UserId, what: &str, at: Nanos, fault: &Fault) {
        self.fail_at(None, (Some(user), what), at, fault);
    }

    /// Like [`LevelState::fail`], but for a failure whose place in the script may be known, and whose user may not.
    pub(crate) fn fail_at(
        &mut self,
        place: Option<CheckPlace>,
        (user, what): (Option<UserId>, &str),
        at: Nanos,
        fault: &Fault,
    ) {
        let (name, step) = match user.and_then(|user| self.users.get(user)) {
            Some(user) => {
                let counts = &self.recorder.funnel;
                let own = user.steps.innermost().map(|node| counts.name_of(node));
                let of_group = || self.groups.get(user.group)?.step_name(counts);
                let step = own.or_else(of_group);
                (Some(user.name.to_string()), step.map(str::to_owned))
            }
            None => (None, None),
        };
        self.recorder.fail(
            fault,
            Scene {
                what: what.to_owned(),
                at,
                user: name,
                step,
            },
            place.as_ref().map(|place| place.location.to_string()),
            place.and_then(|place| place.frame),
        );
    }

    /// Counts a reply that arrived after the time limit of its request, under the name `what`.
    pub(crate) fn count_late_reply(&mut self, user: UserId, what: &'static str, now: Nanos) {
        let detail = "a reply arrived after the time limit of its request";
        let fault = Fault::target(FaultKind::TimedOut, detail);
        self.fail_during((now, now), (user, what), now, &fault);
    }

    /// The group of a user, the user's member number, and the recorder, which has the tallies of the group's ledger.
    pub(crate) fn group_of(&mut self, user: UserId) -> Option<(&mut Group, u32, &mut Recorder)> {
        let user = self.users.get(user)?;
        let member = user.member;
        let group = self.groups.get_mut(user.group)?;
        Some((group, member, &mut self.recorder))
    }

    /// Lets a call of `stay()` wait until the deliveries have settled. Returns false if it has nothing to wait for.
    pub(crate) fn stay(&mut self, op: OpId, user: UserId, now: Nanos) -> bool {
        let over = self.hold_is_settled;
        let Some((group, _, recorder)) = self.group_of(user) else {
            return false;
        };
        if !over {
            group.stays.waiting.push(op);
        }
        recorder.stay(now);
        !over
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

/// The fault of a call for a user of an earlier level. A script may keep a user beyond the user's level.
pub(crate) fn level_over() -> Fault {
    Fault::script(FaultKind::Thrown, "the user's level is over")
}

impl Default for Arrivals {
    fn default() -> Self {
        Self {
            is_open: false,
            next: Nanos::MAX,
            awaiting: None,
        }
    }
}
