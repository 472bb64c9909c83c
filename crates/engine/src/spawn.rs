use std::sync::Arc;

use model::{GroupId, UserId};
use wire::http::CookieJar;

use crate::level::LevelPlan;
use crate::level_state::LevelState;
use crate::people::{Group, User};
use crate::timers::Alarm;
use crate::world::World;

impl World {
    /// Creates one group of a level with its users. Returns its slot.
    pub(crate) fn add_group(&mut self, plan: &LevelPlan, number: u32) -> usize {
        let id = GroupId(plan.first_group.0 + number);
        let slot = self.level.groups.len();
        let first = plan.load.users_before(number);
        let users = (0..plan.load.group_size(number)).map(|member| {
            let within = first + member;
            let name = format!("u{}-{}", plan.first_user + within, self.config.run.tag);
            let mut user = User::new(name, slot, member, self.config.seed_of(plan.index, within));
            user.number = within;
            if let Some(pooled) = plan.setup.pool.get(within as usize) {
                user.data = Some(Arc::clone(&pooled.data));
                user.standing.headers.clone_from(&pooled.headers);
                user.standing.tags.clone_from(&pooled.tags);
                user.standing.cookies = CookieJar::import(
                    pooled
                        .cookies
                        .iter()
                        .map(|(url, cookie)| (url.as_str(), cookie.as_str())),
                );
            }
            self.level.users.add(user)
        });
        let users: Vec<UserId> = users.collect();
        let roles = plan
            .roles
            .iter()
            .flat_map(|roles| roles.iter())
            .flat_map(|(role, count)| {
                let role: Arc<str> = role.as_str().into();
                (0..*count).map(move |_| Some(Arc::clone(&role)))
            });
        let roles = roles
            .chain(std::iter::repeat(None))
            .take(users.len())
            .collect();
        self.level.groups.push(Group::new(
            id,
            number,
            users,
            roles,
            self.config.run.id,
            self.config.options.settle,
        ));
        self.level.group_slots.insert(id, slot);
        slot
    }

    /// Creates one group of a closed load, and plans its start.
    pub(crate) fn plan_group(&mut self, plan: &LevelPlan, number: u32) {
        let slot = self.add_group(plan, number);
        let start = plan.start + plan::start_of(number, plan.load.groups, plan.ramp);
        self.level
            .timers
            .set(start, Alarm::Begin(u32::try_from(slot).unwrap_or(u32::MAX)));
    }

    /// Closes the ledgers of the level, removes its users, and returns the measurements.
    pub(crate) fn end_level(&mut self) -> record::Measured {
        for group in &mut self.level.groups {
            group.ledger.close(&mut self.level.recorder.tallies);
        }
        self.level.recorder.end_blocks();
        let recorder = self.take_level().recorder;
        recorder.into_measured(self.config.scenario_names())
    }

    /// Takes the level's state, and ends all connections.
    pub(crate) fn take_level(&mut self) -> LevelState {
        self.net.clear();
        if let Some(run) = &mut self.fixed {
            run.end_level();
        }
        self.wakes.clear();
        let next = self.level.next();
        std::mem::replace(&mut self.level, next)
    }
}
