//! Begins stories: an iteration of a group, `setup`, `teardown`.

use std::sync::Arc;

use model::{Fault, FaultKind, GroupId, Nanos, UserId};
use rquickjs::{Array, Ctx, Function, Result};

use crate::boot::Entry;
use crate::exports::DEFAULT;
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
    /// The exported function that is called; `None`: the default one.
    pub scenario: Option<Arc<str>>,
    /// When the iteration should have begun, if what it sends until it first waits for something counts
    /// from there; `None`: from when it is sent.
    pub planned: Option<Nanos>,
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

/// What is the same for every kind of story.
struct Story<'s> {
    group: GroupId,
    /// The exported function that is called.
    function: &'s str,
    setup: Option<Arc<str>>,
    planned: Option<Nanos>,
    users: &'s [UserStart],
}

impl Script {
    /// Starts an iteration: calls its scenario's function with the group.
    pub fn start_group(&mut self, start: GroupStart) {
        let story = Story {
            group: start.id,
            function: start.scenario.as_deref().unwrap_or(DEFAULT),
            setup: start.setup,
            planned: start.planned,
            users: &start.users,
        };
        self.start(&story, |ctx, entry, key, function, users| {
            let call = entry.run.clone().restore(ctx)?;
            let (index, level_users, groups) = start.level;
            let roles = start
                .roles
                .map(|roles| flat_roles(ctx, roles))
                .transpose()?;
            call.call::<_, ()>((
                key,
                function,
                start.name,
                vec![start.number, start.iteration, index, level_users, groups],
                roles,
                users,
            ))
        });
    }

    /// Calls `setup` with one user.
    pub fn start_setup(&mut self, group: GroupId, user: UserStart) {
        let story = Story {
            group,
            function: "setup",
            setup: None,
            planned: None,
            users: &[user],
        };
        self.start(&story, |ctx, entry, key, function, users| {
            let call = entry.setup.clone().restore(ctx)?;
            call.call::<_, ()>((key, function, users))
        });
    }

    /// Calls `teardown` with one user and what `setup` returned, as JSON.
    pub fn start_teardown(&mut self, group: GroupId, user: UserStart, setup: Option<&str>) {
        let story = Story {
            group,
            function: "teardown",
            setup: setup.map(Arc::from),
            planned: None,
            users: &[user],
        };
        self.start(&story, |ctx, entry, key, function, users| {
            let call = entry.teardown.clone().restore(ctx)?;
            call.call::<_, ()>((key, function, users))
        });
    }

    fn start(
        &mut self,
        story: &Story<'_>,
        call: impl for<'js> FnOnce(&Ctx<'js>, &Entry, u32, Function<'js>, Array<'js>) -> Result<()>,
    ) {
        let found = self.exports.find(story.function);
        let function = found.and_then(|place| self.exports.at(place));
        let Some(function) = function else {
            let detail = format!("the scenario exports no function `{}`", story.function);
            return self.refuse(story.group, Fault::script(FaultKind::Thrown, detail));
        };
        let Some((key, keys)) = enroll(&self.state, story, found) else {
            let detail = "too many groups or users on one worker";
            return self.refuse(story.group, Fault::generator(FaultKind::Resources, detail));
        };
        let first = keys.first().copied().unwrap_or(NOBODY);
        self.step(key, first, story.planned, |ctx, state| {
            let Some(entry) = state.entry() else {
                return Ok(());
            };
            let users = flat_users(ctx, &keys, story.users)?;
            call(ctx, &entry, key, function.restore(ctx)?, users)
        });
    }

    /// The story cannot even begin.
    fn refuse(&mut self, group: GroupId, fault: Fault) {
        self.state.outcome.borrow_mut().ended.push(Ended {
            group,
            outcome: Err(fault.into()),
        });
    }
}

/// The keys of a group and its users, taken in.
fn enroll(state: &State, story: &Story<'_>, function: Option<usize>) -> Option<(u32, Vec<u32>)> {
    let mut work = state.work.borrow_mut();
    let key = work.add_group(story.group, function, story.setup.clone())?;
    let mut add = |user: &UserStart| work.add_member(key, user.id, user.data.clone());
    let keys: Option<Vec<u32>> = story.users.iter().map(&mut add).collect();
    if keys.is_none() {
        work.remove_group(story.group);
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
