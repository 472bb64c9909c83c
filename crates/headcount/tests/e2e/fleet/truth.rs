//! Deliveries on a fleet equal the counts of the truth server, in rooms of a group and in audiences of all agents.

use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use super::start_agents;
use crate::harness::{Lab, Server, ask, has_the_faults};
use crate::interrupt::{connections, until};
use crate::nats::server::NatsServer;

/// Eight rooms of five, on four agents.
const TALK: &str = r#"
import { env, type Group, type Options } from "headcount";
export const options: Options = { group: 5, load: { users: 40, duration: "4s" }, settle: "2s", deadline: "2s" };
export default async function talk({ number, everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket(`/room/${number}?${env("FAULTS", "")}`);
    socket.receives(said, { at: "/text" });
    await here("listening");
    let left = 50;
    const ticker = user.every("40ms", () => {
      socket.send({ text: said.stamp(user) });
      if (--left === 0) ticker.stop();
    }, { first: "500ms" });
    await user.stay();
  });
}
"#;

/// Two halls whose listeners are spread over all agents.
const HALLS: &str = r#"
import { audience, env, type Group, type Options } from "headcount";
export const options: Options = { groups: 2, load: { users: 2, duration: "5s" }, settle: "3s", deadline: "2s" };
const halls = ["/room/east", "/room/west"].map((path) => {
  const url = path + "?" + env("FAULTS", "");
  const listeners = audience(100, { receives: { said: { at: "/text" } }, connect: () => ({ websocket: url }) });
  return { url, listeners };
});
export default async function speak({ number, users: [speaker], channel }: Group) {
  const { url, listeners } = halls[number]!;
  const said = channel("said", { to: listeners });
  const socket = await speaker!.websocket(url);
  let left = 20;
  const ticker = speaker!.every("100ms", () => {
    socket.send({ text: said.stamp(speaker!) });
    if (--left === 0) ticker.stop();
  }, { first: "500ms" });
  await speaker!.stay();
}
"#;

/// Runs on four agents, and asserts that all faults are found. Returns the channel of the record.
fn found_exactly(text: &str, faults: &str, expected: u64) -> Value {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("talk.ts", text);
    let faults = format!("FAULTS={faults}");
    let fleet = ["--fleet", "local:4", "--workers", "1", "--env", &faults];
    let level = lab.level("talk.ts", &truth.url(), &fleet);
    is_exact(&level, &truth, expected);
    let mut record = lab.record();
    record["levels"][0]["measured"]["deliveries"]["said"].take()
}

/// Asserts that the level's deliveries are those that the truth server counted, with all of its faults.
fn is_exact(level: &Value, truth: &Server, expected: u64) {
    let done = ask(&format!("{}/truth", truth.url()))["websocket"]["sum"].clone();
    let found: &Value = &level["deliveries"];
    assert_eq!(found["expected"], expected, "{found:#} {done:#}");
    assert_eq!(done["deliveries"], expected, "{done:#}");
    has_the_faults(found, &done);
    let faults = ["dropped", "duplicated", "swapped", "strayed"];
    let all: u64 = faults
        .iter()
        .map(|fault| done[fault].as_u64().unwrap())
        .sum();
    assert!(all > 100, "the faults were hardly injected: {done:#}");
}

#[test]
fn every_fault_in_the_rooms_of_four_agents_is_counted_exactly() {
    let faults = "drop=97&duplicate=89&swap=53&stray=101";
    let said = found_exactly(TALK, faults, 40 * 50 * 4);
    assert!(said["clock_error_ms"].is_null(), "a group has one clock");
}

#[test]
fn every_fault_in_audiences_across_four_agents_is_counted_exactly() {
    let said = found_exactly(HALLS, "drop=47&duplicate=41&swap=43", 2 * 100 * 20);
    let error = said["clock_error_ms"].as_f64();
    assert!(error > Some(0.0) && error < Some(20.0), "{error:?}");
}

/// NATS is killed and started again while the users talk, and once more while their agents report.
#[test]
fn restarts_of_nats_lose_nothing_and_count_nothing_twice() {
    let mut nats = NatsServer::start("jetstream: enabled");
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("talk.ts", TALK);
    let _agents = start_agents(&lab, &nats, 4);
    let url = nats.url();
    let fleet = ["--fleet", &url, "--agents", "4", "--workers", "1", "--json"];
    let faults = ["--env", "FAULTS=drop=97&duplicate=89&swap=53&stray=101"];
    let run = lab.start_run(
        "talk.ts",
        &truth.url(),
        &[fleet.as_slice(), &faults].concat(),
    );
    until("load", || connections(truth.port()) >= 40);
    nats.restart();
    sleep(Duration::from_secs(2));
    nats.restart();
    until("the end of the load", || connections(truth.port()) == 0);
    nats.restart();
    let mut summary = run.end().summary();
    let level = summary["levels"][0].take();
    let issues = level["issues"].as_array().unwrap();
    assert!(
        issues.iter().all(|issue| issue["cause"] != "lost_agent"),
        "{issues:#?}"
    );
    is_exact(&level, &truth, 40 * 50 * 4);
    let record = lab.record();
    let agents = record["agents"].as_array().unwrap();
    assert!(
        agents.iter().all(|agent| agent["lost"].is_null()),
        "{agents:#?}"
    );
}
