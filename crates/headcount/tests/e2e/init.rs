//! `headcount init`, the first command of a new user.

use crate::harness::{Lab, Program, Server, npx_tsc};

#[test]
fn the_starter_compiles_and_runs_on_the_built_in_bridge() {
    let lab = Lab::new();
    let ended = lab.headcount(&["init", "here"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says(&["headcount serve bridge", "headcount run here/scenario.ts"]);
    let checked = Program::start(npx_tsc(&lab.path("here"))).end();
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);

    let bridge = Server::bridge(&[]);
    let short = [
        "--duration",
        "1s",
        "--ramp",
        "0s",
        "--warmup",
        "0s",
        "--users",
        "10",
    ];
    let level = lab.level("here/scenario.ts", &bridge.url(), &short);
    assert_eq!(level["iterations"]["failed"], 0, "{level:#}");
    assert_eq!(
        level["deliveries"]["delivered"],
        level["deliveries"]["expected"]
    );
}

#[test]
fn what_the_user_wrote_is_kept() {
    let lab = Lab::new().with("scenario.ts", "// mine");
    lab.headcount(&["init"])
        .says(&["kept", "scenario.ts", "written", "headcount.d.ts"]);
    assert_eq!(
        std::fs::read_to_string(lab.path("scenario.ts")).unwrap(),
        "// mine"
    );
}
