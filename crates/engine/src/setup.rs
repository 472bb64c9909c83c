use delivery::CutOff;
use model::{GroupId, Nanos, UserId};
use script::ScriptFault;

use crate::level::{PooledUser, SetupResult, Span};
use crate::messages::{Event, SetupOutcome};
use crate::people::{Group, Stage, User};
use crate::timers::Alarm;
use crate::worker::Worker;
use crate::world::World;

/// The group of `setup` and `teardown`. The numbers of other groups begin at 1.
const ASIDE: GroupId = GroupId(0);

/// A running `setup` or `teardown`, which is not part of any level's figures.
#[derive(Debug)]
pub(crate) struct SetupRun {
    pub(crate) group: GroupId,
    outcome: Option<Result<Option<String>, ScriptFault>>,
}

impl Worker {
    pub(crate) fn start_setup(&mut self) {
        let user = self.begin_setup();
        let user = self.user_start(user, 0, 0, None);
        self.driver.start_setup(ASIDE, user);
    }

    pub(crate) fn start_teardown(&mut self, setup: &SetupResult) {
        let user = self.begin_setup();
        let user = self.user_start(user, 0, 0, None);
        self.driver
            .start_teardown(ASIDE, user, setup.value.as_deref());
    }

    fn begin_setup(&mut self) -> UserId {
        self.setup_run = Some(SetupRun {
            group: ASIDE,
            outcome: None,
        });
        let mut world = self.world.borrow_mut();
        // A function that settles without waiting causes no event, so the timer wakes the loop at once.
        let now = world.clock.now();
        world.level.timers.set(now, Alarm::Look);
        world.add_setup_group()
    }

    pub(crate) fn end_setup(&mut self, outcome: Result<Option<String>, ScriptFault>) {
        self.driver.cancel_group(ASIDE);
        if let Some(setup_run) = &mut self.setup_run {
            // Only the first outcome counts.
            setup_run.outcome.get_or_insert(outcome);
        }
    }

    /// Reports the outcome to control once there is one.
    pub(crate) fn advance_setup(&mut self) {
        let Some(SetupRun {
            outcome: Some(_), ..
        }) = &self.setup_run
        else {
            return;
        };
        let Some(SetupRun {
            outcome: Some(result),
            ..
        }) = self.setup_run.take()
        else {
            return;
        };
        let outcome = self.world.borrow_mut().end_setup_group(result);
        self.tell(Event::AsideDone(Box::new(outcome)));
    }
}

impl World {
    fn add_setup_group(&mut self) -> UserId {
        // Everything counts, from the first request on.
        self.level.hold = Span {
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
            self.config.run_id,
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
