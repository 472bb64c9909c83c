//! The sample scenarios run from their files, through every call of the API.
#![allow(clippy::unwrap_used, reason = "functions around tests")]

#[path = "common/stage.rs"]
mod common;

use std::path::Path;

use common::{Stage, group, reply, try_stage_of, user};
use model::{Fault, FaultKind, GroupId};
use script::host::{SocketId, Value};
use script::{Bundle, Limits};

fn sample(name: &str) -> Stage {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenarios"));
    let bundle = Bundle::read(&folder.join(name)).unwrap();
    try_stage_of(&bundle, folder, Limits::default()).unwrap()
}

#[test]
fn the_room_is_played_to_its_end() {
    let mut stage = sample("room.ts");
    assert_eq!(stage.script.declared().unwrap().options["group"], 5);
    stage.start(5);
    for (id, (op, name)) in (0..).zip(stage.ops()) {
        assert_eq!(name, "/rooms/:id");
        stage.done(op, Value::Socket(SocketId(id), None));
    }
    let ops = stage.ops();
    assert_eq!(
        ops.iter()
            .filter(|(_, name)| name.starts_with("stay"))
            .count(),
        5
    );
    for (op, _) in ops {
        stage.done(op, Value::Nothing);
    }
    stage.answer_all(&Value::Nothing);
    stage.ends_well();
}

#[test]
fn the_trade_is_played_to_its_end() {
    let mut stage = sample("trade.ts");
    stage.script.start_setup(GroupId(7), user(1, 0));
    stage.answer_all(&reply(200, r#"{"token":"t"}"#));
    assert_eq!(
        stage.ended()[0].outcome,
        Ok(Some(r#"{"made":4}"#.to_owned()))
    );
    let mut start = group(1, 4);
    start.roles = Some(vec![("buyer".to_owned(), 1), ("sellers".to_owned(), 3)].into());
    stage.script.start_group(start);
    let mut seen = Vec::new();
    for _ in 0..20 {
        for (op, name) in stage.ops() {
            if name == "GET /slow" {
                stage.fails(op, Fault::target(FaultKind::TimedOut, "late"));
            } else {
                stage.done(op, reply(201, r#"{"id":3,"items":[1]}"#));
            }
            seen.push(name);
        }
    }
    stage.ends_well();
    assert_eq!(
        seen.iter()
            .filter(|name| *name == "POST /requests/:id/offers")
            .count(),
        3
    );
    assert_eq!(stage.logged(), ["slow target timed_out"]);
}
