//! `find` and `bench` on a fleet, and what a record tells of its agents.

use std::fs;

use serde_json::Value;

use super::start_agents;
use crate::harness::{Lab, Program, Server};
use crate::interrupt::until;
use crate::nats::server::NatsServer;
use crate::starved::Quota;

/// A queue that serves 200 requests a second.
const QUEUE: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  load: { rate: "10/s", warmup: "300ms" },
  thresholds: { requests: ["p95 < 50ms"] },
};
export default async function asks({ users: [user] }: Group) { await user!.get("/queue/1/5ms"); }
"#;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

#[test]
fn a_search_on_a_fleet_brackets_the_capacity_of_a_queue() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("queue.ts", QUEUE);
    let url = truth.url();
    let ended = lab.headcount(&[
        "find",
        "queue.ts",
        "--target",
        &url,
        "--out",
        "found",
        "--fleet",
        "local:2",
        "--workers",
        "1",
        "--first",
        "100",
        "--budget",
        "30s",
        "--precision",
        "20",
    ]);
    assert!(
        ended.stderr.contains("local-1 (1), local-2 (1)"),
        "{}",
        ended.stderr
    );
    let found = json(&fs::read_to_string(lab.path("found/find.json")).unwrap());
    let trials = found["trials"].as_array().unwrap();
    assert!(trials.len() >= 4, "{}", ended.stderr);
    let loads = |failed: bool| {
        let chosen = trials.iter().filter(move |trial| trial["failed"] == failed);
        let valid = chosen.filter(|trial| trial["outcome"]["generator"] == json("[]"));
        valid.map(|trial| trial["trial"]["load"].as_f64().unwrap())
    };
    // A busy machine may leave few valid trials, but none may hold beyond the capacity.
    let held = loads(false).fold(0.0, f64::max);
    assert!(held < 1.1 * 200.0, "{trials:#?}");
    let failed = loads(true).fold(f64::MAX, f64::min);
    assert!(failed > 100.0, "{trials:#?}");
}

#[test]
fn bench_divides_its_connections_among_the_agents_of_a_fleet() {
    let truth = Server::truth(&[]);
    let lab = Lab::new();
    let url = format!("{}/delay/1ms", truth.url());
    let fleet = ["--fleet", "local:3", "--workers", "1", "--json"];
    let count = [
        "bench",
        &url,
        "--connections",
        "9",
        "--count",
        "300",
        "--out",
        "bench",
    ];
    let ended = lab.headcount(&[count.as_slice(), &fleet].concat());
    let record = json(&fs::read_to_string(lab.path("bench/run.json")).unwrap());
    let level = &record["levels"][0];
    let requests = level["measured"]["requests"].as_object().unwrap();
    let counts = requests.values().map(|request| request["count"].as_u64());
    assert_eq!(counts.sum::<Option<u64>>(), Some(300), "{ended:#?}");
    let uses = level["generator"]["agents"].as_array().unwrap();
    let names: Vec<_> = uses
        .iter()
        .map(|one| one["agent"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["local-1", "local-2", "local-3"]);
}

#[test]
fn bench_over_http2_is_refused_on_a_fleet() {
    let truth = Server::truth(&[]);
    let url = truth.url();
    let ended = Lab::new().headcount(&["bench", &url, "--http2", "--fleet", "local:2"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("--http2"), "{}", ended.stderr);
}

/// Each level states how busy each agent was, when it began, and how far apart the agents began.
#[test]
fn the_record_of_a_fleet_has_the_use_of_each_agent_and_the_start_skew() {
    let truth = Server::truth(&[]);
    let text = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: [4, 8], duration: "2s" } };
export default async function go({ users: [user] }: Group) { await user!.get("/delay/20ms"); }
"#;
    let lab = Lab::new().with("go.ts", text);
    let fleet = ["--fleet", "local:4", "--workers", "1"];
    let ended = lab.run("go.ts", &truth.url(), &fleet);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    let record = lab.record();
    for level in record["levels"].as_array().unwrap() {
        let generator = &level["generator"];
        let agents = generator["agents"].as_array().unwrap();
        assert_eq!(agents.len(), 4, "{generator:#}");
        let late = agents
            .iter()
            .map(|agent| agent["began_late_ms"].as_f64().unwrap());
        let spread = late.clone().fold(0.0, f64::max) - late.fold(f64::MAX, f64::min);
        let skew = generator["start_skew_ms"].as_f64().unwrap();
        assert!(
            skew >= spread && skew < 500.0,
            "{skew} ms, spread {spread} ms"
        );
        let busy = agents
            .iter()
            .map(|agent| agent["busiest_worker_percent"].as_f64().unwrap());
        let busiest = generator["busiest_worker_percent"].as_f64().unwrap();
        assert!(
            (busy.fold(0.0, f64::max) - busiest).abs() < 1e-9,
            "{generator:#}"
        );
    }
    let report = fs::read_to_string(lab.path("run/report.md")).unwrap();
    assert!(
        report.contains("All agents began each level within"),
        "{report}"
    );
}

/// An agent with three workers has three times the groups of one with one.
#[test]
fn the_share_of_an_agent_follows_its_weight() {
    let truth = Server::truth(&[]);
    let text = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 40, once: true } };
export default async function go({ users: [user] }: Group) { await user!.get("/delay/1ms"); }
"#;
    let lab = Lab::new().with("go.ts", text);
    let fleet = ["--fleet", "local:2", "--weights", "local-1=3,local-2=1"];
    lab.run("go.ts", &truth.url(), &fleet);
    let record = lab.record();
    assert_eq!(
        record["levels"][0]["measured"]["iterations"]["succeeded"],
        40
    );
    let workers = record["agents"].as_array().unwrap().iter();
    let workers: Vec<_> = workers
        .map(|agent| agent["workers"].as_u64().unwrap())
        .collect();
    assert_eq!(workers, [3, 1]);
}

#[test]
fn a_weight_of_an_agent_that_does_not_take_part_is_refused() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("queue.ts", QUEUE);
    let fleet = ["--fleet", "local:1", "--weights", "local-9=2"];
    let ended = lab.run("queue.ts", &truth.url(), &fleet);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("agent `local-9` does not take part"),
        "{}",
        ended.stderr
    );
}

/// Of two agents, one may use 5 % of a core. It is named with its quota, and the other is not.
#[test]
fn an_agent_stopped_by_its_cpu_quota_is_named() {
    let Some(quota) = Quota::new("agent") else {
        eprintln!("not tested: no control group can be made here");
        return;
    };
    let truth = Server::truth(&[]);
    let nats = NatsServer::start("jetstream: enabled");
    let text = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { rate: "200/s", duration: "3s" } };
export default async function go({ users: [user] }: Group) {
  let sum = 0;
  for (let i = 0; i < 100000; i++) sum += i % 7;
  if (sum > 0) await user!.get("/delay/1ms");
}
"#;
    let lab = Lab::new().with("go.ts", text);
    let _free = start_agents(&lab, &nats, 1);
    let mut command = quota.headcount();
    let small = ["agent", "--nats", &nats.url(), "--name", "small"];
    command.args(small).current_dir(lab.path(""));
    let small = Program::start(command);
    until("the agent", || small.heard().contains("waits for runs"));
    let url = nats.url();
    let fleet = ["--fleet", &url, "--agents", "2", "--workers", "1"];
    let ended = lab.run("go.ts", &truth.url(), &fleet);
    let record = lab.record();
    let level = &record["levels"][0];
    let agents = level["generator"]["agents"].as_array().unwrap();
    let throttled = |number: usize| agents[number]["throttled_ms"].as_f64();
    assert!(throttled(1) > Some(500.0), "{agents:#?}");
    assert!(throttled(0) < Some(100.0), "{agents:#?}");
    assert!(agents.iter().all(|one| one["stolen_percent"].is_f64()));
    let issues = level["issues"].as_array().unwrap();
    let is_quota = |issue: &&Value| issue["of"]["cause"] == "cpu_quota";
    let quotas: Vec<_> = issues.iter().filter(is_quota).collect();
    assert_eq!(quotas.len(), 1, "{issues:#?}");
    assert_eq!(quotas[0]["agent"], "small");
    assert_eq!(quotas[0]["severity"], "invalid");
    ended.says(&["agent `small`"]);
    drop(small); // a control group can be removed when it is empty
}
