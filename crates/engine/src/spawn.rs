use std::sync::Arc;

use model::{GroupId, UserId};
use wire::http::CookieJar;

use crate::config::RunConfig;
use crate::level::LevelPlan;
use crate::level_state::LevelState;
use crate::people::{Group, User};
use crate::timers::Alarm;

/// Creates one group of a level with its users. Returns its slot.
pub(crate) fn add_group(
    level: &mut LevelState,
    config: &RunConfig,
    plan: &LevelPlan,
    number: u32,
) -> usize {
    let id = GroupId(plan.first_group.0 + number);
    let slot = level.groups.len();
    let first = plan.load.users_before(number);
    let users = (0..plan.load.group_size(number)).map(|member| {
        let within = first + member;
        let name = format!("u{}-{}", plan.first_user + within, config.run.tag);
        let mut user = User::new(name, slot, member, config.seed_of(plan.index, within));
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
        level.users.add(user)
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
    level.groups.push(Group::new(
        id,
        number,
        users,
        roles,
        config.run.id,
        config.options.settle,
    ));
    level.group_slots.insert(id, slot);
    slot
}

/// Creates one group of a closed load, and plans its start.
pub(crate) fn plan_group(
    level: &mut LevelState,
    config: &RunConfig,
    plan: &LevelPlan,
    number: u32,
) {
    let slot = add_group(level, config, plan, number);
    let start = plan.start + plan::start_of(number, plan.load.groups, plan.ramp);
    level
        .timers
        .set(start, Alarm::Begin(u32::try_from(slot).unwrap_or(u32::MAX)));
}
