//! Starts iterations of groups, `setup` and `teardown`.

use std::sync::Arc;

use model::{Fault, FaultKind, GroupId, Nanos, UserId};
use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Object, Persistent, Promise, Result, Value};

use crate::api::group_object;
use crate::boot::Entry;
use crate::exports::DEFAULT;
use crate::script::{Ended, Script};
use crate::state::{NOBODY, State};
use crate::work::{About, Kept, KeptObject};

/// One iteration of a group, before it starts.
#[derive(Clone, Debug)]
pub struct GroupStart {
    /// The group.
    pub id: GroupId,
    /// Number of the group within the level: 0, 1, 2, …
    pub number: u32,
    /// Number of previous iterations of the group.
    pub iteration: u32,
    /// The level: index, users, groups.
    pub level: (u32, u32, u32),
    /// Roles with their numbers of users, in the order of the users.
    pub roles: Option<Arc<Roles>>,
    /// Members of the group.
    pub users: Vec<UserStart>,
    /// The return value of `setup`, as JSON.
    pub setup: Option<Arc<str>>,
    /// The exported function to call. `None` means the default export.
    pub scenario: Option<Arc<str>>,
    /// Planned start of the iteration. The latency of messages sent before the first wait counts from this time. With
    /// `None`, it counts from the actual sending.
    pub planned: Option<Nanos>,
}

/// A member of a group, before the iteration starts.
#[derive(Clone, Debug)]
pub struct UserStart {
    /// The user.
    pub id: UserId,
    /// Name in the script, such as `u34-kpxwab`.
    pub name: Arc<str>,
    /// Number within the group: 0, 1, 2, …
    pub index: u32,
    /// Number within the level: 0, 1, 2, …
    pub number: u32,
    /// Role, if the group has roles.
    pub role: Option<Arc<str>>,
    /// Data that `setup` created for this user in a pool, as JSON.
    pub data: Option<Arc<str>>,
}

/// Roles with their numbers of users, in the order of the users.
pub type Roles = Vec<(String, u32)>;

impl Script {
    /// Starts an iteration: calls the scenario function with the group.
    pub fn start_group(&mut self, start: GroupStart) {
        let about = About {
            id: start.id.0,
            number: start.number,
            iteration: start.iteration,
            level: start.level,
            setup: start.setup,
            scenario: None,
        };
        let function = start.scenario.as_deref().unwrap_or(DEFAULT);
        let Some((key, function)) = self.enroll(function, about, start.users) else {
            return;
        };
        let mut kind = self.kind.take();
        self.enter(key, start.planned, |ctx, state, entry| {
            let group = match start.roles {
                None => entry.group.clone(),
                Some(roles) => group_with(ctx, entry, roles, &mut kind)?,
            };
            let group = group_object(key, group.restore(ctx)?)?;
            match function.restore(ctx)?.call((group,)) {
                Ok(ended) => story(ctx, entry, state, key, ended),
                Err(error) if error.is_exception() => {
                    let report = entry.report.clone().restore(ctx)?;
                    report.call((key, ctx.catch()))
                }
                Err(error) => Err(error),
            }
        });
        self.kind = kind;
    }

    /// Calls `setup` with one user.
    pub fn start_setup(&mut self, group: GroupId, user: UserStart) {
        self.start_aside("setup", group, user, None);
    }

    /// Calls `teardown` with one user and the return value of `setup`, as JSON.
    pub fn start_teardown(&mut self, group: GroupId, user: UserStart, setup: Option<&str>) {
        self.start_aside("teardown", group, user, setup.map(Arc::from));
    }

    fn start_aside(
        &mut self,
        name: &str,
        group: GroupId,
        user: UserStart,
        setup: Option<Arc<str>>,
    ) {
        let about = About {
            id: group.0,
            setup,
            ..About::default()
        };
        let Some((key, function)) = self.enroll(name, about, vec![user]) else {
            return;
        };
        self.enter(key, None, |ctx, _, entry| {
            let call = if name == "setup" {
                &entry.setup
            } else {
                &entry.teardown
            };
            let call = call.clone().restore(ctx)?;
            call.call((key, function.restore(ctx)?))
        });
    }

    /// Finds the function, and adds the group with its users.
    fn enroll(&self, function: &str, about: About, users: Vec<UserStart>) -> Option<(u32, Kept)> {
        let id = GroupId(about.id);
        let place = self.exports.find(function);
        let about = About {
            scenario: place,
            ..about
        };
        let refused = match place.and_then(|place| self.exports.at(place)) {
            None => {
                let detail = format!("the scenario exports no function `{function}`");
                Fault::script(FaultKind::Thrown, detail)
            }
            Some(function) => {
                let key = self.state.work.borrow_mut().add_group(about, users);
                if let Some(key) = key {
                    return Some((key, function));
                }
                let detail = "too many groups or users on one worker";
                Fault::generator(FaultKind::Resources, detail)
            }
        };
        self.state.outcome.borrow_mut().ended.push(Ended {
            group: id,
            outcome: Err(refused.into()),
        });
        None
    }

    fn enter(
        &mut self,
        key: u32,
        planned: Option<Nanos>,
        call: impl for<'js> FnOnce(&Ctx<'js>, &State, &Entry) -> Result<()>,
    ) {
        let first = {
            let work = self.state.work.borrow();
            let group = work.groups.get(key);
            group.and_then(|group| group.users.first().copied())
        };
        self.step(key, first.unwrap_or(NOBODY), planned, |ctx, state| {
            state
                .entry()
                .map_or(Ok(()), |entry| call(ctx, state, &entry))
        });
    }
}

/// Handles the return value of a scenario function. If it is a promise, the iteration ends when the promise settles.
fn story<'js>(
    ctx: &Ctx<'js>,
    entry: &Entry,
    state: &State,
    key: u32,
    ended: Value<'js>,
) -> Result<()> {
    if !ended.is_object() {
        state.end(key, Ok(None));
        return Ok(());
    }
    let promise: Promise<'js> = match ended.try_into_promise() {
        Ok(promise) => promise,
        Err(thenable) => entry.adopt.clone().restore(ctx)?.call((thenable,))?,
    };
    state
        .now
        .waits
        .set(promise.state() == PromiseState::Pending);
    if let Some(group) = state.work.borrow_mut().groups.get_mut(key) {
        group.story = Some(Persistent::save(ctx, promise));
    }
    Ok(())
}

/// Returns the group prototype for these roles. The last prototype is cached.
fn group_with(
    ctx: &Ctx<'_>,
    entry: &Entry,
    roles: Arc<Roles>,
    known: &mut Option<(Arc<Roles>, KeptObject)>,
) -> Result<KeptObject> {
    if let Some((_, kind)) = known.as_ref().filter(|(known, _)| *known == roles) {
        return Ok(kind.clone());
    }
    let flat = Array::new(ctx.clone())?;
    for (at, (name, count)) in roles.iter().enumerate() {
        flat.set(at * 2, name.as_str())?;
        flat.set(at * 2 + 1, *count)?;
    }
    let make = entry.group_with.clone().restore(ctx)?;
    let kind: Object<'_> = make.call((flat,))?;
    let kind = Persistent::save(ctx, kind);
    *known = Some((roles, kind.clone()));
    Ok(kind)
}
