use delivery::CutOff;
use model::{GroupId, Nanos, UserId};
use script::{ScriptFault, UserStart};

use crate::config::RunConfig;
use crate::level::{PooledUser, SetupResult, Span};
use crate::level_state::LevelState;
use crate::messages::{Event, SetupOutcome};
use crate::people::{Group, Stage, User, Users};
use crate::socket::Sockets;
use crate::timers::Alarm;
use crate::worker_parts::WorkerParts;

/// The group of `setup` and `teardown`. The numbers of other groups begin at 1.
const ASIDE: GroupId = GroupId(0);

/// A running `setup` or `teardown`, which is not part of any level's figures.
#[derive(Debug)]
pub(crate) struct SetupRun {
    outcome: Option<Result<Option<String>, ScriptFault>>,
}

impl SetupRun {
    /// Starts `setup`.
    pub(crate) fn set_up(parts: &mut WorkerParts) -> Self {
        let user = add_user(parts);
        parts.driver.start_setup(ASIDE, user);
        Self { outcome: None }
    }

    /// Starts `teardown`.
    pub(crate) fn tear_down(parts: &mut WorkerParts, setup: &SetupResult) -> Self {
        let user = add_user(parts);
        parts
            .driver
            .start_teardown(ASIDE, user, setup.value.as_deref());
        Self { outcome: None }
    }

    /// Whether this is the group of `setup` and `teardown`.
    pub(crate) fn is_of(group: GroupId) -> bool {
        group == ASIDE
    }

    /// Notes that the function has ended.
    pub(crate) fn end(
        &mut self,
        parts: &mut WorkerParts,
        outcome: Result<Option<String>, ScriptFault>,
    ) {
        parts.driver.cancel_group(ASIDE);
        // Only the first outcome counts.
        self.outcome.get_or_insert(outcome);
    }

    /// Reports the outcome to control once there is one. Returns whether it did.
    pub(crate) fn report(&mut self, parts: &WorkerParts) -> bool {
        let Some(result) = self.outcome.take() else {
            return false;
        };
        let mut world = parts.world.borrow_mut();
        let mut pools = std::mem::take(&mut world.pools);
        let pool = pooled(&mut world.base.level.users, pools.take_members());
        let group = world.base.level.groups.first();
        for user in group.map(|group| group.users.clone()).unwrap_or_default() {
            world.base.abandon_http(user);
            world.lend(|base| Sockets { base }.close_all_of(user, CutOff::IterationEnded));
        }
        let measured = world.take_level().recorder.into_measured(&[]);
        parts.tell(Event::AsideDone(Box::new(SetupOutcome {
            result,
            pool,
            pools: pools.told(),
            measured,
        })));
        true
    }
}

/// Adds the user who runs `setup` or `teardown`.
fn add_user(parts: &WorkerParts) -> UserStart {
    let world = &mut *parts.world.borrow_mut();
    // A function that settles without waiting causes no event, so the timer wakes the loop at once.
    let now = world.base.clock.now();
    world.base.level.timers.set(now, Alarm::Look);
    let user = add_setup_group(&mut world.base.level, &world.base.config, now);
    world.base.level.users.start_of(user, (0, 0), None)
}

/// Adds the group of `setup` or `teardown` with its user.
fn add_setup_group(level: &mut LevelState, config: &RunConfig, now: Nanos) -> UserId {
    // Everything counts, from the first request on.
    level.recorder.hold = Span {
        start: Nanos::ZERO,
        end: Nanos::MAX,
    };
    // `stay()` returns at once, because no deliveries are awaited.
    level.hold_is_settled = true;
    let seed = config.seed_of(u32::MAX, u32::MAX);
    let user = User::new("setup".to_owned(), 0, 0, seed);
    let user = level.users.add(user);
    let (users, roles) = (vec![user], vec![None]);
    let mut group = Group::new(ASIDE, 0, users, roles, config.run.id, config.options.settle);
    group.stage = Stage::Running {
        planned: now,
        since: now,
    };
    level.groups.push(group);
    level.group_slots.insert(ASIDE, 0);
    user
}

/// The users of the pools, with everything that the users of the levels take over.
fn pooled(users: &mut Users, members: Vec<(UserId, String)>) -> Vec<PooledUser> {
    let pool = members.into_iter().filter_map(|(user, data)| {
        let user = users.get(user)?;
        Some(PooledUser {
            data: data.into(),
            cookies: user.standing.cookies.export(),
            headers: user.standing.headers.clone(),
            tags: user.standing.tags.clone(),
        })
    });
    pool.collect()
}
