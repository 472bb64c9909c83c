//! Cuts of the network between NATS and an agent, or NATS and the coordinator, in the middle of a level.

use std::thread;
use std::time::Duration;

use super::relay::Relay;
use super::{LONG, start_agents, the_second_level_is_complete};
use crate::harness::{Lab, Server, issue};
use crate::interrupt::{connections, until};
use crate::nats::server::NatsServer;

/// Asserts that after five seconds, at most `left` connections remain.
fn ends_in_time(bridge: &Server, left: usize) {
    thread::sleep(Duration::from_secs(5));
    let open = connections(bridge.port());
    assert!(open <= left, "{open}");
}

#[test]
fn an_agent_that_is_cut_off_ends_its_load_and_is_named() {
    let nats = NatsServer::start("jetstream: enabled");
    let relay = Relay::to(nats.port());
    let lab = Lab::new().with("go.ts", LONG);
    let _agents = start_agents(&lab, &nats, 2);
    let cut_off = lab.start(&["agent", "--nats", &relay.nats(), "--name", "a-3"]);
    until("an agent", || cut_off.heard().contains("waits for runs"));
    let bridge = Server::bridge(&[]);
    let url = nats.url();
    let fleet = [
        "--fleet",
        &url,
        "--agents",
        "3",
        "--workers",
        "1",
        "--lost-agent",
        "continue",
    ];
    let run = lab.start_run("go.ts", &bridge.url(), &fleet);
    until("load", || connections(bridge.port()) >= 8);
    thread::sleep(Duration::from_millis(1500)); // some load to measure; the amount does not matter
    relay.cut();
    ends_in_time(&bridge, 6);
    relay.mend();
    let ended = run.end();
    let record = lab.record();
    let lost = issue(&record["levels"][0], "lost_agent");
    assert_eq!(lost["agent"], "a-3", "{ended:#?}");
    assert_eq!(lost["severity"], "invalid");
    the_second_level_is_complete(&record, 2);
}

#[test]
fn a_coordinator_that_is_cut_off_ends_all_load_and_saves_what_was_measured() {
    let nats = NatsServer::start("jetstream: enabled");
    let relay = Relay::to(nats.port());
    let lab = Lab::new().with("go.ts", LONG);
    let _agents = start_agents(&lab, &nats, 3);
    let bridge = Server::bridge(&[]);
    let url = relay.nats();
    let fleet = ["--fleet", &url, "--agents", "3", "--workers", "1"];
    let run = lab.start_run("go.ts", &bridge.url(), &fleet);
    until("load", || connections(bridge.port()) >= 8);
    thread::sleep(Duration::from_millis(2500)); // until the first copies of the measurements have arrived
    relay.cut();
    ends_in_time(&bridge, 0);
    let ended = run.end();
    assert_eq!(ended.code, Some(98), "{ended:#?}");
    let record = lab.record();
    let level = &record["levels"][0];
    assert_eq!(issue(level, "lost_agent")["severity"], "invalid");
    assert!(level["measured"]["requests"]["GET /healthz"]["count"].as_u64() > Some(20));
    relay.mend();
}
