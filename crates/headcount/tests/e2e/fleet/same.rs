//! One process and four agents run the same load.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::{Lab, Server};

/// Each request is named after its user, group, row, random number and scenario.
const NAMED: &str = r#"
import { csv, type Group, type Options } from "headcount";
export const options: Options = {
  group: 2, seed: 7, load: { users: 48, once: true }, mix: { walk: 2, ride: 1 },
};
const people = csv<{ name: string }>("people.csv", { take: "unique" });
async function ask(group: Group, way: string) {
  await group.everyone(async (user) => {
    const row = user.row(people).name;
    const name = [way, group.number, user.name, row, group.random(1000000)].join(" ");
    await user.get("/delay/1ms", { name });
  });
}
export async function walk(group: Group) { await ask(group, "walk"); }
export async function ride(group: Group) { await ask(group, "ride"); }
"#;

const ARRIVALS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  seed: 9, load: { rate: "150/s", arrivals: "poisson", duration: "2s", users: 100 }, mix: { walk: 2, ride: 1 },
};
export async function walk({ users: [user] }: Group) { await user!.get("/delay/1ms?walk"); }
export async function ride({ users: [user] }: Group) { await user!.get("/delay/1ms?ride"); }
"#;

fn lab(text: &str) -> Lab {
    let rows: Vec<String> = (0..48).map(|row| format!("person-{row}")).collect();
    Lab::new()
        .with("same.ts", text)
        .with("people.csv", &format!("name\n{}\n", rows.join("\n")))
}

/// The measured part of the only level.
fn measured(text: &str, more: &[&str]) -> (Value, Value) {
    let truth = Server::truth(&[]);
    let lab = lab(text);
    let ended = lab.run("same.ts", &truth.url(), more);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    let mut record = lab.record();
    let measured = record["levels"][0]["measured"].take();
    (measured, record)
}

fn counts(measured: &Value) -> BTreeMap<String, u64> {
    let requests = measured["requests"].as_object().unwrap().iter();
    requests
        .map(|(name, request)| (name.clone(), request["count"].as_u64().unwrap()))
        .collect()
}

#[test]
fn four_agents_have_the_users_rows_random_numbers_and_mix_of_one_process() {
    let (one, _) = measured(NAMED, &["--workers", "1"]);
    let (fleet, record) = measured(NAMED, &["--fleet", "local:4", "--workers", "1"]);
    assert_eq!(counts(&one).len(), 48, "{one:#}");
    assert_eq!(counts(&one), counts(&fleet));
    assert_eq!(one["iterations"]["succeeded"], 24, "{one:#}");
    assert_eq!(
        one["iterations"]["succeeded"],
        fleet["iterations"]["succeeded"]
    );
    let agents = record["agents"].as_array().unwrap();
    let names: Vec<_> = agents
        .iter()
        .map(|agent| agent["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["local-1", "local-2", "local-3", "local-4"]);
    assert_eq!(record["workers"], 4);
    for agent in agents {
        let clock = &agent["clock"];
        assert!(clock["error_ms"].as_f64() < Some(50.0), "{agent:#}");
        assert_eq!(agent["lost"], Value::Null);
    }
}

#[test]
fn four_agents_have_the_arrivals_and_the_mix_of_one_process() {
    let (one, _) = measured(ARRIVALS, &["--workers", "1"]);
    let (fleet, _) = measured(ARRIVALS, &["--fleet", "local:4", "--workers", "1"]);
    let planned = |measured: &Value| {
        let scenarios = &measured["scenarios"];
        ["walk", "ride"].map(|name| scenarios[name]["planned"].as_u64().unwrap())
    };
    assert!(planned(&one).iter().sum::<u64>() > 200, "{one:#}");
    assert_eq!(planned(&one), planned(&fleet));
    assert_eq!(one["iterations"]["planned"], fleet["iterations"]["planned"]);
}

/// The return value of `setup` and the users of its pool reach all agents, and `teardown` runs once.
#[test]
fn the_users_of_setup_reach_all_agents() {
    let text = r#"
import type { Group, Options, Setup } from "headcount";
export const options: Options = { load: { users: 12, once: true } };
export async function setup({ pool }: Setup) {
  await pool(12, async (user, index) => {
    await user.get("/delay/1ms", { name: "sign up" });
    return { index };
  });
  return { room: "tower" };
}
export default async function go({ users: [user], setup }: Group) {
  await user!.get("/delay/1ms", { name: `${setup.room} ${user!.data.index}` });
}
export async function teardown() { console.log("torn down"); }
"#;
    let (fleet, record) = measured(text, &["--fleet", "local:3", "--workers", "1"]);
    let names: Vec<_> = counts(&fleet).into_keys().collect();
    let mut expected: Vec<_> = (0..12).map(|index| format!("tower {index}")).collect();
    expected.sort();
    assert_eq!(names, expected);
    assert_eq!(record["setup"]["users"], 12);
    assert_eq!(record["setup"]["requests"]["sign up"]["count"], 12);
    assert!(record["teardown"].is_object(), "{record:#}");
}
