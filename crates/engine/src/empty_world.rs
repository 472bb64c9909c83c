//! A world without load, for tests.

use std::path::Path;
use std::sync::Arc;

use model::{GroupId, Nanos, UserId};
use plan::Options;
use script::{Bundle, DataStore, Env};
use serde_json::{Value, json};
use url::Url;
use wire::TlsSettings;

use crate::certificates::Certificates;
use crate::clock::Clock;
use crate::config::{RunConfig, RunIdentity};
use crate::level::Span;
use crate::people::{Group, User};
use crate::program::{Program, Scenario};
use crate::run_tag::run_tag;
use crate::world::World;

/// The group of the user in [`world_of_one`].
pub(crate) const GROUP: GroupId = GroupId(7);

/// A run with these options.
pub(crate) fn config_of(options: &Value) -> RunConfig {
    RunConfig {
        program: Program::Scenario(Box::new(Scenario {
            bundle: Bundle::embedded("x.ts", "").unwrap(),
            data: DataStore::new(Path::new(".")),
            env: Env::default(),
            audiences: Vec::new(),
            http2: false,
            has_setup: false,
            has_teardown: false,
        })),
        options: Options::from_json(options).unwrap(),
        options_json: options.clone(),
        target: Url::parse("http://127.0.0.1/").unwrap(),
        target_is_mine: false,
        workers: 1,
        cores: Vec::new(),
        seed: 0,
        run: RunIdentity {
            tag: run_tag(0),
            id: 0,
            target_version: None,
        },
        target_pid: None,
        certificates: Certificates::default(),
        trace: false,
    }
}

/// A world without users.
pub(crate) fn empty_world() -> World {
    let config = config_of(&json!({ "load": { "users": 1 } }));
    let tls = TlsSettings::new(true, None).unwrap();
    World::new(Arc::new(config), Clock::start(), tls).unwrap()
}

/// A world of one user, in which all time is measured.
pub(crate) fn world_of_one() -> (World, UserId) {
    let mut world = empty_world();
    let user = world.base.level.users.add(User::new("ann", 0, 0, 0));
    let settle = Nanos::from_secs(1);
    let group = Group::new(GROUP, 0, vec![user], vec![None], 0, settle);
    world.base.level.groups.push(group);
    world.base.level.group_slots.insert(GROUP, 0);
    world.base.level.recorder.hold = Span {
        start: Nanos::ZERO,
        end: Nanos::MAX,
    };
    (world, user)
}
