//! Acts for a worker's users: the scenario's script or, without one, a fixed request or message.

pub(crate) mod fixed;
pub(crate) mod fixed_users;

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use model::{Fault, FaultKind, GroupId};
use script::host::{Host, MemberCall, Wake};
use script::{Ended, GroupStart, Limits, Script, ScriptError, ScriptFault, UserStart};

use crate::config::RunConfig;
use crate::program::{Program, Scenario};
use crate::world::World;
use fixed::FixedRun;
use fixed_users::FixedUsers;

/// The behaviour of a worker's users.
#[derive(Debug)]
pub(crate) enum Driver {
    Script(Box<Script>),
    Fixed(Rc<RefCell<World>>),
}

impl Driver {
    pub(crate) fn load(
        config: &RunConfig,
        world: &Rc<RefCell<World>>,
    ) -> Result<Self, ScriptError> {
        let Program::Scenario(scenario) = &config.program else {
            return Ok(Self::Fixed(Rc::clone(world)));
        };
        let host: Rc<RefCell<dyn Host>> = Rc::<RefCell<World>>::clone(world);
        let limits = Limits {
            memory_bytes: config.options.script.memory,
            busy: config.options.script.time.into(),
        };
        let Scenario {
            bundle, data, env, ..
        } = &**scenario;
        let script = Script::load(bundle, data, env, host, limits)?;
        Ok(Self::Script(Box::new(script)))
    }

    /// Handles the events since the last turn.
    pub(crate) fn turn(&mut self, wakes: &mut dyn Iterator<Item = Wake>) {
        match self {
            Self::Script(script) => script.turn(wakes),
            Self::Fixed(world) => {
                wakes.for_each(|wake| with_users(world, |users| users.wake(wake)));
            }
        }
    }

    pub(crate) fn start_group(&mut self, start: GroupStart) {
        match self {
            Self::Script(script) => script.start_group(start),
            Self::Fixed(world) => {
                with_users(world, |users| users.begin(start.id, start.planned));
            }
        }
    }

    /// Takes the iterations that ended since the last call.
    pub(crate) fn take_ended(&mut self) -> Vec<Ended> {
        match self {
            Self::Script(script) => script.take_ended(),
            Self::Fixed(world) => {
                let run = &mut world.borrow_mut().fixed;
                run.as_mut().map(FixedRun::take_ended).unwrap_or_default()
            }
        }
    }

    pub(crate) fn cancel_group(&mut self, group: GroupId) {
        if let Self::Script(script) = self {
            script.cancel_group(group);
        }
    }

    /// The groups whose scripts wait, but can no longer be woken by any event.
    pub(crate) fn stuck(&mut self) -> Vec<GroupId> {
        match self {
            Self::Script(script) => script.stuck(),
            Self::Fixed(_) => Vec::new(),
        }
    }

    pub(crate) fn never_settles(&self, group: GroupId, detail: String) -> ScriptFault {
        match self {
            Self::Script(script) => script.never_settles(group, detail),
            Self::Fixed(_) => Fault::script(FaultKind::NeverSettles, detail).into(),
        }
    }

    /// The error that ends the run, if there is one.
    pub(crate) fn take_fatal(&mut self) -> Option<ScriptFault> {
        match self {
            Self::Script(script) => script.take_fatal(),
            Self::Fixed(_) => None,
        }
    }

    /// Asks the scenario how these members of a passive audience connect.
    pub(crate) fn members(
        &mut self,
        audience: usize,
        numbers: Range<u32>,
        setup: Option<&str>,
    ) -> Result<Vec<MemberCall>, Box<ScriptFault>> {
        match self {
            Self::Script(script) => script.members(audience, numbers, setup),
            Self::Fixed(_) => Ok(Vec::new()),
        }
    }

    pub(crate) fn collect_garbage(&mut self) {
        if let Self::Script(script) = self {
            script.collect_garbage();
        }
    }

    pub(crate) fn start_setup(&mut self, group: GroupId, user: UserStart) {
        if let Self::Script(script) = self {
            script.start_setup(group, user);
        }
    }

    pub(crate) fn start_teardown(&mut self, group: GroupId, user: UserStart, setup: Option<&str>) {
        if let Self::Script(script) = self {
            script.start_teardown(group, user, setup);
        }
    }
}

/// Lets the users without a script act, and handles what follows.
fn with_users(world: &RefCell<World>, act: impl FnOnce(&mut FixedUsers<'_>)) {
    let mut world = world.borrow_mut();
    if let Some(mut users) = world.fixed_users() {
        act(&mut users);
    } else {
        let what = "a run without a script has no users who repeat a request";
        world.base.inconsistent(what);
    }
    world.settle();
}
