//! Thresholds that end at a load, and thresholds that end the run when they break.

use crate::harness::{Lab, Server};

const STAIRS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  load: { users: [2, 4, 6], duration: "4s" },
  thresholds: { THRESHOLDS },
};
export default async function asks({ users: [user] }: Group) {
  await user!.get("/delay/20ms");
}
"#;

fn run(thresholds: &str) -> (serde_json::Value, crate::harness::Ended) {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("stairs.ts", &STAIRS.replace("THRESHOLDS", thresholds));
    let ended = lab.run("stairs.ts", &truth.url(), &[]);
    (lab.record(), ended)
}

#[test]
fn a_threshold_holds_for_the_load_up_to_which_it_was_given() {
    let (record, _) = run(r#""requests": "p50 < 1ms up to 4 users""#);
    let levels: Vec<_> = record["thresholds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["level"].clone())
        .collect();
    assert_eq!(levels, [0, 1], "no threshold applies to the third level");
}

#[test]
fn a_threshold_that_can_no_longer_hold_aborts_the_run() {
    let (record, ended) = run(r#""requests": ["count < 10 or abort"]"#);
    assert_eq!(
        record["levels"].as_array().unwrap().len(),
        1,
        "the next levels are not run"
    );
    let held = record["levels"][0]["phases"]["duration_s"]
        .as_f64()
        .unwrap();
    assert!(held < 3.5, "the hold was cut short: {held} s");
    assert!(matches!(ended.code, Some(99 | 98)), "{ended:#?}");
    ended.says(&["aborted in level 1: requests: count < 10 or abort can no longer hold"]);
}

#[test]
fn a_threshold_that_holds_aborts_nothing() {
    let (record, _) = run(r#""requests": ["failed == 0 or abort"]"#);
    assert_eq!(record["levels"].as_array().unwrap().len(), 3);
    assert_eq!(
        record["notes"].as_array().unwrap().len(),
        0,
        "{:#}",
        record["notes"]
    );
}

#[test]
fn the_targets_memory_aborts_a_run_too() {
    let (record, ended) = run(r#""target": "memory < 1MB or abort""#);
    let levels = record["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 1, "the next levels are not run");
    ended.says(&["aborted in level 1: target: memory < 1MB or abort can no longer hold"]);
}

#[test]
fn a_count_that_may_still_be_reached_aborts_nothing() {
    let (record, _) = run(r#""requests": "count >= 150 up to 2 users or abort""#);
    assert_eq!(record["levels"].as_array().unwrap().len(), 3);
}

const EARLY: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 1, warmup: "1s", duration: "1s" } };
let calls = 0;
export default async function asks({ users: [user] }: Group) {
  calls += 1;
  if (calls === 1) throw new Error("not yet");
  await user!.get("/delay/20ms");
}
"#;

#[test]
fn what_fails_before_the_hold_is_in_no_list_of_failures() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("early.ts", EARLY);
    lab.run("early.ts", &truth.url(), &["--workers", "1"]);
    let measured = &lab.record()["levels"][0]["measured"];
    assert_eq!(measured["before"]["iterations_failed"], 1);
    assert_eq!(measured["failures"], serde_json::json!([]));
}

#[test]
fn a_misspelt_name_is_told_after_the_first_level() {
    let truth = Server::truth(&[]);
    let thresholds = r#""request(GET /dely)": "p50 < 1s""#;
    let short = STAIRS
        .replace("THRESHOLDS", thresholds)
        .replace("4s", "200ms");
    let lab = Lab::new().with("stairs.ts", &short);
    let ended = lab
        .start(&["run", "stairs.ts", "--target", &truth.url(), "--out", "run"])
        .end();
    let warning = "the threshold on request(GET /dely) matches nothing in the first level: did you mean `GET /delay/20ms`?";
    assert_eq!(ended.stderr.matches(warning).count(), 1, "{ended:#?}");
    assert!(
        ended.stdout.contains("did you mean `GET /delay/20ms`?"),
        "{ended:#?}"
    );
    let note = &lab.record()["notes"][0];
    assert_eq!(note["kind"], "unknown_name", "{note:#}");
    assert_eq!(note["nearest"], "GET /delay/20ms", "{note:#}");
}

/// Everything but the requests of the loop happens once, at the start of the session, and `GET /rooms` in `setup`.
const SESSION: &str = r#"
import { Counter, type Group, type Options } from "headcount";
export const options: Options = {
  load: { users: 2, warmup: "3s", duration: "500ms" },
  thresholds: {
    "request(GET /login)": "failed == 0", "request(GET /rooms)": "failed == 0", "step(log in)": "p95 < 1s",
    "check(logged in)": "failed == 0", "metric(logins)": "count >= 1", "delivery(hello)": "lost == 0",
    "roundTrip(greeting)": "failed == 0", "connection(/echo)": "failed == 0", "request(GET /delay/20ms)": "failed == 0",
  },
};
const logins = new Counter("logins");
export async function setup({ user }: any) { await user.get("/delay/1ms", { name: "GET /rooms" }); }
export default async function session(group: Group) {
  const user = group.users[0]!;
  await group.step("log in", async () => { await user.get("/delay/1ms", { name: "GET /login" }); });
  group.check("logged in", true);
  logins.add(1);
  const socket = await user.websocket("/echo");
  group.channel("hello", { to: "everyone" }).stamp(user);
  await socket.request("hi", { name: "greeting" });
  while (group.active) await user.get("/delay/20ms");
}
"#;

#[test]
fn a_name_that_occurs_only_before_the_measured_time_is_told_as_such() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("session.ts", SESSION);
    lab.run("session.ts", &truth.url(), &[]);
    let record = lab.record();
    let notes = record["notes"].as_array().unwrap();
    let subjects = |in_setup: bool| -> Vec<&str> {
        let told = notes.iter().filter(|note| note["kind"] == "not_measured");
        let told = told.filter(|note| note["in_setup"] == in_setup);
        told.map(|note| note["subject"].as_str().unwrap()).collect()
    };
    let mut outside = subjects(false);
    outside.sort_unstable();
    assert_eq!(
        outside,
        [
            "check(logged in)",
            "connection(/echo)",
            "delivery(hello)",
            "metric(logins)",
            "request(GET /login)",
            "roundTrip(greeting)",
            "step(log in)",
        ],
        "{notes:#?}"
    );
    assert_eq!(subjects(true), ["request(GET /rooms)"], "{notes:#?}");
    assert_eq!(notes.len(), 8, "{notes:#?}");
}
