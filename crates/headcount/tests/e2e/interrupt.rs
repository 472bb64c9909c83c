//! Ctrl-C, a target that dies, a full disk: the measurements so far are not lost.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::harness::{Lab, Program, Server};

const LONG: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 4, duration: "50s" }, settle: "1s" };
export default async function go({ users: [user], think }: Group) {
  await user!.get("/healthz");
  await think("20ms");
}
"#;

/// Polls until the condition is true. Panics after twenty seconds.
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = SystemTime::now();
    while !is_so() {
        assert!(
            began.elapsed().unwrap_or_default() < Duration::from_secs(20),
            "{what} never came"
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a long run, and waits until the bridge has counted some requests.
fn under_way(lab: &Lab, bridge: &Server, more: &[&str]) -> Program {
    let program = lab.start_run("go.ts", &bridge.url(), more);
    until("load", || connections(bridge.port()) >= 4);
    thread::sleep(Duration::from_millis(300)); // some load to measure; the amount does not matter
    program
}

/// Returns the number of connections to a port of this machine.
pub(crate) fn connections(port: u16) -> usize {
    let port = format!(":{port:04X}");
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let established = table.lines().filter(|line| {
        let fields: Vec<_> = line.split_whitespace().collect();
        fields.len() > 3 && fields[1].ends_with(&port) && fields[3] == "01"
    });
    established.count()
}

#[test]
fn the_first_ctrl_c_ends_the_run_in_order() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with("go.ts", LONG);
    let program = under_way(&lab, &bridge, &[]);
    program.interrupt();
    let ended = program.end();
    ended.refused(130, &["stopping", "Interrupted", "saved"]);
    let record = lab.record();
    assert_eq!(record["interrupted"], true);
    let level = &record["levels"][0];
    assert!(
        level["phases"]["duration_s"].as_f64() < Some(49.0),
        "{}",
        level["phases"]
    );
    assert!(level["measured"]["requests"]["GET /healthz"]["count"].as_u64() >= Some(1));
    assert_eq!(level["measured"]["iterations"]["failed"], 0);
}

#[test]
fn the_second_ctrl_c_ends_it_at_once() {
    let bridge = Server::bridge(&[]);
    // The run cannot end by itself soon, because each iteration pauses for a minute.
    let text = LONG
        .replace("await think(\"20ms\")", "await think(\"60s\")")
        .replace("\"1s\"", "\"40s\"");
    let lab = Lab::new().with("go.ts", &text);
    let program = under_way(&lab, &bridge, &[]);
    let began = SystemTime::now();
    program.interrupt();
    thread::sleep(Duration::from_millis(200)); // the kernel merges two signals that arrive together
    program.interrupt();
    let ended = program.end();
    ended.refused(130, &["stopping at once", "saved"]);
    assert!(began.elapsed().unwrap() < Duration::from_secs(20));
    assert_eq!(lab.record()["interrupted"], true);
    assert_eq!(
        lab.record()["levels"][0]["measured"]["requests"]["GET /healthz"]["count"],
        4
    );
}

#[test]
fn ctrl_c_in_the_ramp_claims_nothing() {
    let bridge = Server::bridge(&[]);
    let text = LONG.replace("users: 4", "users: 20, ramp: \"40s\"");
    let lab = Lab::new().with("go.ts", &text);
    let program = lab.start_run("go.ts", &bridge.url(), &[]);
    until("load", || connections(bridge.port()) >= 2);
    program.interrupt();
    let ended = program.end();
    ended.refused(130, &["before its measurement began"]);
    assert_eq!(lab.record()["verdict"], "inconclusive");
    assert_eq!(
        lab.record()["levels"][0]["measured"]["iterations"]["started"],
        0
    );
}

#[test]
fn a_target_that_dies_is_told_by_side_and_kind() {
    let mut bridge = Server::bridge(&[]);
    let text = LONG.replace("\"50s\"", "\"2s\"");
    let lab = Lab::new().with("go.ts", &text);
    let program = under_way(&lab, &bridge, &[]);
    bridge.kill();
    let ended = program.end();
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    ended.says(&["target: refused", "nothing listens on 127.0.0.1:"]);
    let refused = lab.failure("target", "refused", "GET /healthz");
    assert!(refused["count"].as_u64() >= Some(1));
    let level = &lab.record()["levels"][0];
    let iterations = &level["measured"]["iterations"];
    assert!(iterations["succeeded"].as_u64() >= Some(1));
    assert!(iterations["failed"].as_u64() >= Some(1));
    let kinds = ["reset", "refused", "closed"];
    let strange = lab.failures().into_iter().find(|failure| {
        failure["side"] != "target" || !kinds.contains(&failure["kind"].as_str().unwrap())
    });
    assert_eq!(strange, None);
}

#[test]
fn a_folder_that_goes_away_does_not_take_the_record_along() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with("go.ts", &LONG.replace("\"50s\"", "\"1s\""));
    fs::create_dir(lab.path("tmp")).unwrap();
    let program = start_with(
        &lab,
        &bridge,
        &format!("TMPDIR={}", lab.path("tmp").display()),
    );
    until("the folder", || lab.path("run").is_dir());
    until("load", || connections(bridge.port()) >= 1);
    fs::remove_dir_all(lab.path("run")).unwrap();
    fs::write(lab.path("run"), "no folder any more").unwrap();
    let ended = program.end();
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    ended.says(&[
        "warning: cannot save the record in run",
        "saved in",
        "GET /healthz",
    ]);
    assert!(lab.path("tmp/run/run.json").is_file());
    assert!(lab.path("tmp/run/report.md").is_file());
}

/// No file may grow beyond a few bytes, which the program cannot distinguish from a full disk.
#[test]
fn on_a_full_disk_the_report_is_still_printed() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with("go.ts", &LONG.replace("\"50s\"", "\"1s\""));
    let program = start_with(&lab, &bridge, "trap '' XFSZ; ulimit -f 1;");
    let ended = program.end();
    ended.refused(1, &["cannot save the record", "GET /healthz"]);
    assert!(!lab.path("run/run.json").exists(), "half a record is none");
    assert!(!lab.path("run/run.part").exists());
}

/// Starts the run behind a shell prefix.
fn start_with(lab: &Lab, bridge: &Server, before: &str) -> Program {
    let mut command = Command::new("bash");
    let binary = Path::new(env!("CARGO_BIN_EXE_headcount"));
    let exec = if before.ends_with(';') {
        format!("{before} exec")
    } else {
        format!("exec env {before}")
    };
    command
        .arg("-c")
        .arg(format!(
            "{exec} {} run go.ts --target {} --out run --quiet",
            binary.display(),
            bridge.url()
        ))
        .current_dir(lab.path(""));
    Program::start(command)
}
