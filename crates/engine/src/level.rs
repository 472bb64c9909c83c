use std::sync::Arc;

use model::{GroupId, Nanos};
use plan::{Grouping, LevelLoad, Load, Phases};
use serde::{Deserialize, Serialize};

/// An interval of the run's time. Operations that begin in the interval belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: Nanos,
    pub(crate) end: Nanos,
}

impl Span {
    pub(crate) fn contains(self, at: Nanos) -> bool {
        self.start <= at && at < self.end
    }

    /// Whether an operation belongs to the span: it began in the span, or was in flight during all of it. Without the
    /// second rule, operations that begin in the warm-up and outlast the measured time would be missing from all
    /// figures.
    pub(crate) fn measures(self, began: Nanos, until: Nanos) -> bool {
        let spanned = began < self.start && self.start < self.end && self.end <= until;
        spanned || self.contains(began)
    }

    /// Ends the span at `now`, unless it has ended before. A span that has not begun becomes empty.
    pub(crate) fn cut_short(&mut self, now: Nanos) {
        self.end = self.end.min(now.max(self.start));
    }

    /// Whether the span contains a part of the time from `since` to `until`.
    pub(crate) fn overlaps(self, since: Nanos, until: Nanos) -> bool {
        self.start < self.end && self.start <= until && since < self.end
    }
}

/// The result of `setup`, which the groups receive.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SetupResult {
    /// The return value, as JSON.
    pub(crate) value: Option<Arc<str>>,
    /// The users of the pool.
    pub(crate) pool: Vec<PooledUser>,
}

/// A user that `setup` created, ready to take a place in a group.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PooledUser {
    pub(crate) data: Arc<str>,
    pub(crate) cookies: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) tags: Vec<(String, String)>,
}

/// The part of a level that the workers of a process run. The plan of a level is split into slots, one for each worker
/// of the run. Which groups, arrivals and members a slot has depends only on its number and on the number of slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SlotRange {
    /// The slot of the first worker of the process.
    pub(crate) first: u32,
    /// The number of slots of all processes together.
    pub(crate) all: u32,
}

impl SlotRange {
    /// The slots of a process that runs the whole level.
    pub(crate) fn of_all(workers: usize) -> Self {
        Self {
            first: 0,
            all: u32::try_from(workers).unwrap_or(u32::MAX).max(1),
        }
    }

    /// The slot of a worker of the process.
    pub(crate) fn of(self, worker: u32) -> u32 {
        self.first + worker
    }
}

/// The plan of one level, which every worker receives.
#[derive(Clone, Debug)]
pub(crate) struct LevelPlan {
    pub(crate) index: u32,
    pub(crate) load: LevelLoad,
    /// Number of the first group. Groups are numbered consecutively over the whole run.
    pub(crate) first_group: GroupId,
    /// Number of the first user, for the users' names. Users are numbered consecutively over the whole run.
    pub(crate) first_user: u32,
    pub(crate) start: Nanos,
    pub(crate) phases: Phases,
    pub(crate) ramp: Nanos,
    pub(crate) once: bool,
    pub(crate) settle: Nanos,
    pub(crate) roles: Option<Arc<Vec<(String, u32)>>>,
    pub(crate) setup: Arc<SetupResult>,
    pub(crate) slots: SlotRange,
}

impl LevelPlan {
    pub(crate) fn hold(&self) -> Span {
        Span {
            start: self.start + self.phases.hold_starts,
            end: self.start + self.phases.hold_ends,
        }
    }
}

/// Plans the levels of a load, without their start times.
pub(crate) fn plans(
    load: &Load,
    grouping: &Grouping,
    settle: Nanos,
    setup: &Arc<SetupResult>,
) -> Vec<LevelPlan> {
    let roles = match grouping {
        Grouping::Roles(roles) => Some(Arc::new(roles.clone())),
        Grouping::Size(_) | Grouping::Count(_) => None,
    };
    let (mut first_group, mut first_user) = (1, 1);
    let levels = load.levels.iter().zip(0..).map(|(level, index)| {
        let plan = LevelPlan {
            index,
            load: level.clone(),
            first_group: GroupId(first_group),
            first_user,
            start: Nanos::ZERO,
            phases: Phases::of(load, level),
            ramp: load.ramp,
            once: load.once.is_some(),
            settle,
            roles: roles.clone(),
            setup: Arc::clone(setup),
            slots: SlotRange::of_all(1),
        };
        first_group += level.groups;
        first_user += level.users;
        plan
    });
    levels.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use plan::Options;
    use serde_json::{Value, json};

    use super::*;

    /// The first level of this load.
    pub(crate) fn plan_of(load: &Value) -> LevelPlan {
        let options = Options::from_json(&json!({ "load": load })).unwrap();
        let plans = plans(
            &options.load,
            &options.grouping,
            options.settle,
            &Arc::default(),
        );
        plans.into_iter().next().unwrap()
    }

    #[test]
    fn a_span_is_cut_short_only_after_its_start_and_before_its_end() {
        let end_after = |now| {
            let [start, end] = [10, 20].map(Nanos::from_secs);
            let mut span = Span { start, end };
            span.cut_short(Nanos::from_secs(now));
            assert_eq!(span.start, start);
            span.end
        };
        assert_eq!(end_after(5), Nanos::from_secs(10));
        assert_eq!(end_after(15), Nanos::from_secs(15));
        assert_eq!(end_after(25), Nanos::from_secs(20));
    }
}
