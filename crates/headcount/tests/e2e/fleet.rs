//! A fleet of agents on this machine: its runs equal those of one process, and an agent or a coordinator that ends or
//! stands still is noticed.

mod broken;
mod commands;
mod cut;
mod relay;
mod same;
mod truth;

use crate::harness::{Lab, Program};
use crate::interrupt::until;
use crate::nats::server::NatsServer;

/// Starts this number of agents, named `a-1` and so on.
fn start_agents(lab: &Lab, nats: &NatsServer, number: usize) -> Vec<Program> {
    let start = |number| {
        let name = format!("a-{number}");
        lab.start(&["agent", "--nats", &nats.url(), "--name", &name])
    };
    let agents: Vec<Program> = (1..=number).map(start).collect();
    for agent in &agents {
        until("an agent", || agent.heard().contains("waits for runs"));
    }
    agents
}
