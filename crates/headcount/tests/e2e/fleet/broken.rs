//! Agents and coordinators that end or stand still in the middle of a level, and fleets that cannot run.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::{LONG, start_agents, the_second_level_is_complete};
use crate::harness::{Ended, Lab, Program, Server, issue};
use crate::interrupt::{connections, until};
use crate::nats::server::NatsServer;

/// Three agents, of which a test may end one.
struct Fleet {
    agents: Vec<Program>,
    nats: NatsServer,
    bridge: Server,
    lab: Lab,
}

impl Fleet {
    fn start(text: &str) -> Self {
        let nats = NatsServer::start("jetstream: enabled");
        let lab = Lab::new().with("go.ts", text);
        Self {
            agents: start_agents(&lab, &nats, 3),
            nats,
            bridge: Server::bridge(&[]),
            lab,
        }
    }

    /// Starts a run, and waits until all agents generate load.
    fn under_way(&self, more: &[&str]) -> Program {
        let nats = self.nats.url();
        let fleet = ["--fleet", &nats, "--agents", "3", "--workers", "1"];
        let run = self
            .lab
            .start_run("go.ts", &self.bridge.url(), &[&fleet[..], more].concat());
        until("load", || connections(self.bridge.port()) >= 8);
        thread::sleep(Duration::from_millis(1500)); // some load to measure; the amount does not matter
        run
    }

    /// Asserts that the first level is invalid because this agent was lost in this way, and that the others have measured
    /// their parts.
    fn lost(&self, ended: &Ended, agent: &str, loss: &[&str]) {
        let record = self.lab.record();
        let level = &record["levels"][0];
        let issue = issue(level, "lost_agent");
        assert_eq!(issue["agent"], agent, "{ended:#?}");
        assert_eq!(issue["severity"], "invalid");
        let found = issue["loss"].as_str().unwrap();
        assert!(loss.contains(&found), "{issue:#}");
        assert!(level["measured"]["requests"]["GET /healthz"]["count"].as_u64() > Some(20));
        ended.says(&[agent]);
    }
}

fn signal(program: &Program, signal: Signal) {
    let pid = i32::try_from(program.id()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[test]
fn a_killed_agent_is_named_and_the_run_stops() {
    let fleet = Fleet::start(LONG);
    let run = fleet.under_way(&[]);
    signal(&fleet.agents[1], Signal::KILL);
    let ended = run.end();
    assert_eq!(ended.code, Some(98), "{ended:#?}");
    fleet.lost(&ended, "a-2", &["silent"]);
    let record = fleet.lab.record();
    assert_eq!(record["levels"].as_array().unwrap().len(), 1);
    assert_eq!(record["agents"][1]["lost"], "silent");
    assert!(record["levels"][0]["phases"]["duration_s"].as_f64() < Some(11.0));
}

#[test]
fn a_run_continues_without_a_killed_agent_and_the_next_level_is_complete() {
    let fleet = Fleet::start(LONG);
    let run = fleet.under_way(&["--lost-agent", "continue", "--duration", "7s"]);
    signal(&fleet.agents[0], Signal::KILL);
    let ended = run.end();
    fleet.lost(&ended, "a-1", &["silent"]);
    let record = fleet.lab.record();
    the_second_level_is_complete(&record, 2);
}

/// A threshold that held under less load than planned proves nothing.
#[test]
fn without_a_killed_agent_a_threshold_that_held_is_inconclusive() {
    let text = LONG.replace(
        "[8, 6], duration: \"12s\" }",
        "8, duration: \"7s\" }, thresholds: { requests: \"p95 < 5s\" }",
    );
    let fleet = Fleet::start(&text);
    let run = fleet.under_way(&["--lost-agent", "continue"]);
    signal(&fleet.agents[1], Signal::KILL);
    let ended = run.end();
    assert_eq!(ended.code, Some(98), "{ended:#?}");
    fleet.lost(&ended, "a-2", &["silent"]);
    let threshold = &fleet.lab.record()["thresholds"][0];
    assert_eq!(threshold["held"], serde_json::Value::Null, "{threshold:#}");
    assert_eq!(threshold["inconclusive"]["shortfall"]["why"], "agents_lost");
}

#[test]
fn the_starts_of_an_open_load_without_a_killed_agent_add_up() {
    let fleet = Fleet::start(LONG);
    let (nats, url) = (fleet.nats.url(), format!("{}/healthz", fleet.bridge.url()));
    let plan = ["--rate", "300/s", "--duration", "7s", "--workers", "1"];
    let agents = [
        "--fleet",
        &nats,
        "--agents",
        "3",
        "--lost-agent",
        "continue",
    ];
    let bench = ["bench", url.as_str(), "--quiet", "--out", "run"];
    let args = [bench.as_slice(), &plan, &agents].concat();
    let run = fleet.lab.start(&args);
    until("load", || connections(fleet.bridge.port()) >= 3);
    thread::sleep(Duration::from_millis(2500)); // until copies of the measurements have arrived
    signal(&fleet.agents[1], Signal::KILL);
    let ended = run.end();
    assert_ne!(ended.code, Some(1), "{ended:#?}");
    let iterations = &fleet.lab.record()["levels"][0]["measured"]["iterations"];
    let count = |key: &str| iterations[key].as_u64().unwrap();
    assert_eq!(
        count("planned"),
        count("started") + count("dropped"),
        "{ended:#?}"
    );
    assert!(count("started") > 1000, "{iterations:#}");
}

/// The agent stands still for longer than its lease is valid. When it goes on, it must not send any more.
#[test]
fn a_stopped_agent_is_lost_and_does_not_resume_its_load() {
    let fleet = Fleet::start(LONG);
    let run = fleet.under_way(&["--lost-agent", "continue"]);
    signal(&fleet.agents[2], Signal::STOP);
    thread::sleep(Duration::from_secs(5));
    signal(&fleet.agents[2], Signal::CONT);
    until("the end of its load", || {
        connections(fleet.bridge.port()) <= 6
    });
    let ended = run.end();
    fleet.lost(&ended, "a-3", &["silent", "lease_lapsed"]);
    assert_eq!(fleet.lab.record()["levels"].as_array().unwrap().len(), 2);
}

#[test]
fn all_load_ends_within_five_seconds_after_the_coordinator_is_killed() {
    let fleet = Fleet::start(LONG);
    let run = fleet.under_way(&[]);
    signal(&run, Signal::KILL);
    thread::sleep(Duration::from_secs(5));
    assert_eq!(connections(fleet.bridge.port()), 0);
    // The agents are free for the next run.
    let text = LONG.replace("[8, 6], duration: \"12s\"", "3, once: true");
    fs::write(fleet.lab.path("once.ts"), text).unwrap();
    fs::remove_dir_all(fleet.lab.path("run")).unwrap(); // it belongs to the killed run
    let nats = fleet.nats.url();
    let level = fleet.lab.level(
        "once.ts",
        &fleet.bridge.url(),
        &["--fleet", &nats, "--agents", "3"],
    );
    assert_eq!(level["iterations"]["succeeded"], 3, "{level:#}");
}

/// The coordinator stands still for longer than the leases are valid. When it goes on, the load must not resume.
#[test]
fn a_stopped_coordinator_ends_all_load_and_saves_what_was_measured() {
    let fleet = Fleet::start(LONG);
    let run = fleet.under_way(&[]);
    signal(&run, Signal::STOP);
    thread::sleep(Duration::from_secs(5));
    assert_eq!(connections(fleet.bridge.port()), 0);
    signal(&run, Signal::CONT);
    let ended = run.end();
    assert_eq!(ended.code, Some(98), "{ended:#?}");
    let record = fleet.lab.record();
    let level = &record["levels"][0];
    let issue = issue(level, "lost_agent");
    assert_eq!(issue["severity"], "invalid", "{ended:#?}");
    assert_eq!(issue["loss"], "lease_lapsed");
    assert!(level["measured"]["requests"]["GET /healthz"]["count"].as_u64() > Some(20));
}

#[test]
fn a_coordinator_that_stands_still_for_a_second_loses_no_agent() {
    let fleet = Fleet::start(LONG);
    let run = fleet.under_way(&["--duration", "5s"]);
    signal(&run, Signal::STOP);
    thread::sleep(Duration::from_millis(1200));
    signal(&run, Signal::CONT);
    let ended = run.end();
    let record = fleet.lab.record();
    let levels = record["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 2, "{ended:#?}");
    for level in levels {
        let issues = level["issues"].as_array().unwrap();
        let is_lost = issues.iter().any(|issue| issue["cause"] == "lost_agent");
        assert!(!is_lost, "{issues:#?}");
    }
}

#[test]
fn ctrl_c_at_the_coordinator_ends_all_agents_in_order() {
    let fleet = Fleet::start(LONG);
    let run = fleet.under_way(&[]);
    run.interrupt();
    let ended = run.end();
    ended.refused(130, &["stopping", "saved"]);
    let record = fleet.lab.record();
    let level = &record["levels"][0];
    assert_eq!(level["measured"]["iterations"]["failed"], 0);
    assert_eq!(level["generator"]["workers"].as_array().unwrap().len(), 3);
    assert!(level["phases"]["duration_s"].as_f64() < Some(11.0));
    until("the end of all load", || {
        connections(fleet.bridge.port()) == 0
    });
    until("a free agent", || {
        let heard = fleet.agents[0].heard();
        let took_part = heard.split_once("takes part in a run");
        took_part.is_some_and(|(_, after)| after.contains("waits for runs"))
    });
}

#[test]
fn the_processes_of_a_local_fleet_end_with_a_killed_coordinator() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with("go.ts", LONG);
    let run = lab.start_run(
        "go.ts",
        &bridge.url(),
        &["--fleet", "local:2", "--workers", "1"],
    );
    until("load", || connections(bridge.port()) >= 8);
    let children = children_of(run.id());
    assert_eq!(children.len(), 3, "a server and two agents");
    signal(&run, Signal::KILL);
    until("the end of all processes", || {
        connections(bridge.port()) == 0 && children.iter().all(|&child| has_ended(child))
    });
}

fn children_of(parent: u32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).unwrap();
    let children = tasks.map(|task| {
        let text = fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default();
        text.split_whitespace()
            .map(|id| id.parse().unwrap())
            .collect::<Vec<i32>>()
    });
    children.flatten().collect()
}

fn has_ended(process: i32) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.is_empty() || state.contains(") Z")
}

#[test]
fn a_fleet_that_cannot_run_is_refused_with_the_reason() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with("go.ts", LONG);
    let refused = |place: &str, code: i32, said: &[&str]| {
        let ended = lab.run("go.ts", &bridge.url(), &["--fleet", place]);
        ended.refused(code, said);
        assert!(!lab.path("run").exists(), "nothing was measured");
    };
    refused(
        "nats://127.0.0.1:1",
        4,
        &["cannot connect to NATS at nats://127.0.0.1:1"],
    );
    refused("http://127.0.0.1:1", 2, &["expected nats://HOST:PORT"]);
    refused("local:0", 2, &["1 to 64 agents"]);
    let plain = NatsServer::start("");
    refused(&plain.url(), 2, &["JetStream"]);
    let empty = NatsServer::start("jetstream: enabled");
    refused(&empty.url(), 4, &["0 of 1 agents are free"]);
}

#[test]
fn an_agent_must_allow_targets_beyond_private_networks_itself() {
    let nats = NatsServer::start("jetstream: enabled");
    let lab = Lab::new().with("go.ts", LONG);
    let agent = lab.start(&["agent", "--nats", &nats.url(), "--name", "strict"]);
    until("the agent", || agent.heard().contains("waits for runs"));
    // An address for documentation, at which nobody is. The agent must not even try to connect.
    let target = "http://192.0.2.1:9";
    let ended = lab.run(
        "go.ts",
        target,
        &["--fleet", &nats.url(), "--target-is-mine"],
    );
    ended.refused(
        2,
        &["agent `strict` cannot take part", "--allow-any-target"],
    );
}

#[test]
fn names_of_agents_are_unique() {
    let nats = NatsServer::start("jetstream: enabled");
    let lab = Lab::new();
    let agent = ["agent", "--nats", &nats.url(), "--name", "twin"];
    let first = lab.start(&agent);
    until("the agent", || first.heard().contains("waits for runs"));
    lab.headcount(&agent)
        .refused(2, &["an agent named `twin` has joined already"]);
}

/// A container ends an agent like this, and its successor may have the same name.
#[test]
fn an_agent_ends_at_sigterm_and_sigint_and_frees_its_name() {
    let nats = NatsServer::start("jetstream: enabled");
    let lab = Lab::new();
    for end in [Signal::TERM, Signal::INT] {
        let agent = lab.start(&["agent", "--nats", &nats.url(), "--name", "heir"]);
        until("the agent", || agent.heard().contains("waits for runs"));
        signal(&agent, end);
        let ended = agent.end();
        assert_eq!(ended.code, Some(0), "{ended:#?}");
    }
}

#[test]
fn a_token_from_the_environment_opens_the_server_of_a_fleet() {
    let nats = NatsServer::start("jetstream: enabled\nauthorization { token: s3cret }");
    let bridge = Server::bridge(&[]);
    let text = LONG.replace("[8, 6], duration: \"12s\"", "3, once: true");
    let lab = Lab::new().with("go.ts", &text);
    let start = |args: &[&str], token: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headcount"));
        command.args(args).current_dir(lab.path(""));
        command.env("HEADCOUNT_NATS_TOKEN", token);
        Program::start(command)
    };
    let url = nats.url();
    let agent = ["agent", "--nats", &url, "--name", "guarded"];
    let refused = start(&agent, "wrong").end();
    refused.refused(4, &["cannot connect to NATS"]);
    assert!(!refused.stderr.contains("wrong"), "{refused:#?}");
    let agent = start(&agent, "s3cret");
    until("the agent", || agent.heard().contains("waits for runs"));
    let target = bridge.url();
    let run = ["run", "go.ts", "--target", &target, "--fleet", &url];
    let ended = start(&run, "s3cret").end();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
}
