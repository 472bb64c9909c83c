//! A fleet of agents on this machine: its runs equal those of one process, and an agent or a coordinator that ends or
//! stands still is noticed.

mod access;
mod broken;
mod clocks;
mod commands;
mod cut;
mod operator;
mod relay;
mod resume;
mod same;
mod truth;

use serde_json::Value;

use crate::harness::{Lab, Program};
use crate::interrupt::until;
use crate::nats::server::NatsServer;

/// A load of two levels, long enough for something to break in the first.
const LONG: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: [8, 6], duration: "12s" }, settle: "1s" };
export default async function go({ users: [user], think }: Group) {
  await user!.get("/healthz");
  await think("20ms");
}
"#;

/// Starts this number of agents, named `a-1` and so on.
fn start_agents(lab: &Lab, nats: &NatsServer, number: usize) -> Vec<Program> {
    let start = |number| {
        let name = format!("a-{number}");
        lab.start(&["agent", "--nats", &nats.url(), "--name", &name])
    };
    let agents: Vec<Program> = (1..=number).map(start).collect();
    for agent in &agents {
        let says = |words| agent.heard().contains(words);
        until("an agent", || says("waits for runs") || says("error:"));
        assert!(says("waits for runs"), "{}", agent.heard());
    }
    agents
}

/// Asserts that there are two levels, and that this number of workers ran all of the second.
fn the_second_level_is_complete(record: &Value, workers: usize) {
    let levels = record["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 2, "{record:#}");
    let causes = levels[1]["issues"].as_array().unwrap();
    assert!(
        causes.iter().all(|issue| issue["cause"] != "lost_agent"),
        "{causes:#?}"
    );
    assert_eq!(
        levels[1]["generator"]["workers"].as_array().unwrap().len(),
        workers
    );
}
