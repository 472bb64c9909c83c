//! A world without users and load, for tests.

use std::path::Path;
use std::sync::Arc;

use plan::Options;
use script::{Bundle, DataStore, Env};
use serde_json::json;
use url::Url;
use wire::TlsSettings;

use crate::certificates::Certificates;
use crate::clock::Clock;
use crate::config::{RunConfig, RunIdentity};
use crate::program::{Program, Scenario};
use crate::run_tag::run_tag;
use crate::world::World;

pub(crate) fn empty_world() -> World {
    let config = RunConfig {
        program: Program::Scenario(Box::new(Scenario {
            bundle: Bundle::embedded("x.ts", "").unwrap(),
            data: DataStore::new(Path::new(".")),
            env: Env::default(),
            audiences: Vec::new(),
            http2: false,
            has_setup: false,
            has_teardown: false,
        })),
        options: Options::from_json(&json!({ "load": { "users": 1 } })).unwrap(),
        options_json: json!({}),
        target: Url::parse("http://127.0.0.1/").unwrap(),
        target_is_mine: false,
        workers: 1,
        cores: Vec::new(),
        seed: 0,
        run: RunIdentity {
            tag: run_tag(0),
            id: 0,
        },
        target_pid: None,
        certificates: Certificates::default(),
        trace: false,
    };
    let tls = TlsSettings::new(true, None).unwrap();
    World::new(Arc::new(config), 0, Clock::start(), tls).unwrap()
}
