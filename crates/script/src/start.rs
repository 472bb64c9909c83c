//! Begins stories: an iteration of a group, `setup`, `teardown`.

use std::sync::Arc;

use model::{Fault, FaultKind, GroupId, UserId};
use rquickjs::{Array, Ctx, Result};

use crate::boot::Entry;
use crate::script::{Ended, Script};
use crate::state::{NOBODY, State};

/// One iteration of a group, about to begin.
#[derive(Clone, Debug)]
pub struct GroupStart {
    /// Which group.
    pub id: GroupId,
    /// Its name in the script, e.g. `g12`.
    pub name: String,
    /// 0, 1, 2, … within the level.
    pub number: u32,
    /// How many iterations it has run before.
    pub iteration: u32,
    /// The level: index, users, groups.
    pub level: (u32, u32, u32),
    /// Roles with their numbers of users, in the order of the users.
    pub roles: Option<Vec<(String, u32)>>,
    /// Its members.
    pub users: Vec<UserStart>,
    /// What `setup` returned, as JSON.
    pub setup: Option<Arc<str>>,
}

/// One member of a group, about to begin.
#[derive(Clone, Debug)]
pub struct UserStart {
    /// Which user.
    pub id: UserId,
    /// The name in the script, e.g. `u34`.
    pub name: String,
    /// 0, 1, 2, … within the group.
    pub index: u32,
    /// 0, 1, 2, … within the level.
    pub number: u32,
    /// The role, if the group has roles.
    pub role: Option<String>,
    /// What the set-up pool made for this user, as JSON.
    pub data: Option<Arc<str>>,
}

impl Script {
    /// Starts an iteration: calls the default function with its group.
    pub fn start_group(&mut self, start: GroupStart) {
        let main = self.main.clone();
        self.start(
            start.id,
            start.setup.clone(),
            &start.users,
            |ctx, entry, key, users| {
                let call = entry.run.clone().restore(ctx)?;
                let main = main.map(|main| main.restore(ctx)).transpose()?;
                let (index, level_users, groups) = start.level;
                let roles = start
                    .roles
                    .map(|roles| flat_roles(ctx, roles))
                    .transpose()?;
                call.call::<_, ()>((
                    key,
                    main,
                    start.name,
                    vec![start.number, start.iteration, index, level_users, groups],
                    roles,
                    users,
                ))
            },
        );
    }

    /// Calls `setup` with one user.
    pub fn start_setup(&mut self, group: GroupId, user: UserStart) {
        let setup = self.export("setup");
        self.start(group, None, &[user], |ctx, entry, key, users| {
            let setup = setup.map(|setup| setup.restore(ctx)).transpose()?;
            entry
                .setup
                .clone()
                .restore(ctx)?
                .call::<_, ()>((key, setup, users))
        });
    }

    /// Calls `teardown` with one user and what `setup` returned, as JSON.
    pub fn start_teardown(&mut self, group: GroupId, user: UserStart, setup: Option<&str>) {
        let teardown = self.export("teardown");
        self.start(
            group,
            setup.map(Arc::from),
            &[user],
            |ctx, entry, key, users| {
                let teardown = teardown.map(|teardown| teardown.restore(ctx)).transpose()?;
                entry
                    .teardown
                    .clone()
                    .restore(ctx)?
                    .call::<_, ()>((key, teardown, users))
            },
        );
    }

    fn start(
        &mut self,
        id: GroupId,
        setup: Option<Arc<str>>,
        users: &[UserStart],
        call: impl for<'js> FnOnce(&Ctx<'js>, &Entry, u32, Array<'js>) -> Result<()>,
    ) {
        let Some((key, keys)) = enroll(&self.state, id, setup, users) else {
            let detail = "too many groups or users on one worker";
            let fault = Fault::generator(FaultKind::Resources, detail).into();
            self.state.outcome.borrow_mut().ended.push(Ended {
                group: id,
                outcome: Err(fault),
            });
            return;
        };
        let first = keys.first().copied().unwrap_or(NOBODY);
        self.step(key, first, |ctx, state| {
            let Some(entry) = state.entry() else {
                return Ok(());
            };
            call(ctx, &entry, key, flat_users(ctx, &keys, users)?)
        });
    }
}

/// The keys of a group and its users, taken in.
fn enroll(
    state: &State,
    id: GroupId,
    setup: Option<Arc<str>>,
    users: &[UserStart],
) -> Option<(u32, Vec<u32>)> {
    let mut work = state.work.borrow_mut();
    let key = work.add_group(id, setup)?;
    let mut add = |user: &UserStart| work.add_member(key, user.id, user.data.clone());
    let keys: Option<Vec<u32>> = users.iter().map(&mut add).collect();
    if keys.is_none() {
        work.remove_group(id);
    }
    Some((key, keys?))
}

/// Five values for each user, one behind the other: a call with one array is cheap.
fn flat_users<'js>(ctx: &Ctx<'js>, keys: &[u32], users: &[UserStart]) -> Result<Array<'js>> {
    let flat = Array::new(ctx.clone())?;
    for (at, (key, user)) in keys.iter().zip(users).enumerate() {
        flat.set(at * 5, *key)?;
        flat.set(at * 5 + 1, user.name.as_str())?;
        flat.set(at * 5 + 2, user.index)?;
        flat.set(at * 5 + 3, user.number)?;
        flat.set(at * 5 + 4, user.role.as_deref())?;
    }
    Ok(flat)
}

/// Name and number, one behind the other.
fn flat_roles<'js>(ctx: &Ctx<'js>, roles: Vec<(String, u32)>) -> Result<Array<'js>> {
    let flat = Array::new(ctx.clone())?;
    for (at, (name, count)) in roles.into_iter().enumerate() {
        flat.set(at * 2, name)?;
        flat.set(at * 2 + 1, count)?;
    }
    Ok(flat)
}
