use delivery::CutOff;
use model::{GroupId, Nanos, UserId};
use script::{ScriptFault, UserStart};

use crate::level::{PooledUser, SetupResult, Span};
use crate::messages::{Event, SetupOutcome};
use crate::people::{Group, Stage, User};
use crate::timers::Alarm;
use crate::worker_parts::WorkerParts;
use crate::world::World;

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
        let outcome = parts.world.borrow_mut().end_setup_group(result);
        parts.tell(Event::AsideDone(Box::new(outcome)));
        true
    }
}

/// Adds the user who runs `setup` or `teardown`.
fn add_user(parts: &WorkerParts) -> UserStart {
    let mut world = parts.world.borrow_mut();
    // A function that settles without waiting causes no event, so the timer wakes the loop at once.
    let now = world.clock.now();
    world.level.timers.set(now, Alarm::Look);
    let user = world.add_setup_group();
    world.level.users.start_of(user, (0, 0), None)
}

impl World {
    fn add_setup_group(&mut self) -> UserId {
        // Everything counts, from the first request on.
        self.level.recorder.hold = Span {
            start: Nanos::ZERO,
            end: Nanos::MAX,
        };
        // `stay()` returns at once, because no deliveries are awaited.
        self.level.hold_is_settled = true;
        let seed = self.config.seed_of(u32::MAX, u32::MAX);
        let user = self
            .level
            .users
            .add(User::new("setup".to_owned(), 0, 0, seed));
        let mut group = Group::new(
            ASIDE,
            0,
            vec![user],
            vec![None],
            self.config.run.id,
            self.config.options.settle,
        );
        let now = self.clock.now();
        group.stage = Stage::Running {
            planned: now,
            since: now,
        };
        self.level.groups.push(group);
        self.level.group_slots.insert(ASIDE, 0);
        user
    }

    fn end_setup_group(&mut self, result: Result<Option<String>, ScriptFault>) -> SetupOutcome {
        let mut pools = std::mem::take(&mut self.pools);
        let pooled = pools.take_members();
        let pool = pooled.into_iter().filter_map(|(user, data)| {
            let user = self.level.users.get(user)?;
            Some(PooledUser {
                data: data.into(),
                cookies: user.standing.cookies.export(),
                headers: user.standing.headers.clone(),
                tags: user.standing.tags.clone(),
            })
        });
        let pool: Vec<PooledUser> = pool.collect();
        for user in self
            .level
            .groups
            .first()
            .map(|group| group.users.clone())
            .unwrap_or_default()
        {
            self.abandon_http(user);
            self.close_sockets_of(user, CutOff::IterationEnded);
        }
        let measured = self.take_level().recorder.into_measured(&[]);
        SetupOutcome {
            result,
            pool,
            pools: pools.told(),
            measured,
        }
    }
}
