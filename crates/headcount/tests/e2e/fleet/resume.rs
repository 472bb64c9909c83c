//! A coordinator that is killed in the middle of a run, and another one that resumes the run.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::start_agents;
use crate::harness::{Ended, Lab, Program, Server, ask, issue};
use crate::interrupt::until;
use crate::nats::server::NatsServer;

/// Three levels of four users. Each user sends 100 requests, all in the measured time. The path names the level.
const LEVELS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: [4, 4, 4], duration: "9s" }, settle: "500ms" };
export default async function go({ level, users: [user], think }: Group) {
  for (let i = 0; i < 100; i++) {
    await user!.get(`/delay/1ms?level=${level.index + 1}`);
    await think("60ms");
  }
  await user!.stay();
}
"#;
const ALL: u64 = 4 * 100;

/// What a test needs, with two agents.
struct Fleet {
    agents: Vec<Program>,
    nats: NatsServer,
    truth: Server,
    lab: Lab,
}

impl Fleet {
    fn start() -> Self {
        let nats = NatsServer::start("jetstream: enabled");
        let lab = Lab::new().with("go.ts", LEVELS);
        Self {
            agents: start_agents(&lab, &nats, 2),
            nats,
            truth: Server::truth(&[]),
            lab,
        }
    }

    /// Starts a run, and kills its coordinator in the middle of the second level.
    fn killed_in_the_second_level(&self, more: &[&str]) {
        let nats = self.nats.url();
        let fleet = ["--fleet", &nats, "--agents", "2", "--workers", "1"];
        let options = [fleet.as_slice(), more].concat();
        let run = self.lab.start_run("go.ts", &self.truth.url(), &options);
        until("the first level", || self.truly(1) >= 40);
        until("the second level", || self.truly(2) >= 40);
        sleep(Duration::from_millis(1200)); // until the first copies of the measurements have arrived
        let pid = i32::try_from(run.id()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        drop(run);
        assert!(!self.lab.path("run/run.json").exists());
    }

    fn resume(&self, more: &[&str]) -> Ended {
        let (nats, target) = (self.nats.url(), self.truth.url());
        let run = ["run", "go.ts", "--target", &target, "--quiet"];
        let resume = ["--fleet", &nats, "--workers", "1", "--resume", "run"];
        let arguments = [run.as_slice(), &resume, more].concat();
        self.lab.headcount(&arguments)
    }

    /// The requests of a level, as the truth server counted them.
    fn truly(&self, level: u32) -> u64 {
        let found = ask(&format!("{}/truth", self.truth.url()));
        let route = &found["routes"][format!("/delay/1ms?level={level}")];
        route["requests"].as_u64().unwrap_or(0)
    }

    /// Asserts that the first level is complete, and that the second is invalid and has what was sent before the load
    /// ended. Up to four requests were in flight then.
    fn has_both_levels(&self, record: &Value) {
        let levels = record["levels"].as_array().unwrap();
        let [first, second] = [counted(&levels[0]), counted(&levels[1])];
        assert_eq!((first, self.truly(1)), (ALL, ALL));
        let truly = self.truly(2);
        assert!(
            second <= truly && truly <= second + 4,
            "{second} of {truly}"
        );
        assert!(truly < ALL, "the level was not repeated");
        let lost = issue(&levels[1], "lost_agent");
        assert_eq!(
            (&lost["severity"], &lost["loss"]),
            (&"invalid".into(), &"lease_lapsed".into())
        );
        let issues = levels[0]["issues"].as_array().unwrap();
        assert!(issues.iter().all(|issue| issue["cause"] != "lost_agent"));
    }

    /// Asserts that nothing of the run is left on the server and in the folder.
    fn is_forgotten(&self) {
        assert!(!self.lab.path("run/fleet.json").exists());
        let streams = self.nats.page("jsz?streams=true");
        let streams = &streams["account_details"][0]["stream_detail"];
        let runs = streams
            .as_array()
            .unwrap()
            .iter()
            .find(|stream| stream["name"] == "hc_runs");
        assert_eq!(runs.unwrap()["state"]["messages"], 0);
    }
}

/// The requests of a level, as the record counts them.
fn counted(level: &Value) -> u64 {
    let requests = level["measured"]["requests"].as_object().unwrap();
    let counts = requests
        .values()
        .map(|request| request["count"].as_u64().unwrap());
    counts.sum()
}

#[test]
fn a_killed_coordinator_is_resumed_and_nothing_is_lost_or_counted_twice() {
    let fleet = Fleet::start();
    let seed = ["--seed", "7"];
    fleet.killed_in_the_second_level(&seed);
    let ended = fleet.resume(&seed);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    ended.says(&["1 level complete, 1 level left to run"]);
    let record = fleet.lab.record();
    assert_eq!(record["levels"].as_array().unwrap().len(), 3, "{ended:#?}");
    fleet.has_both_levels(&record);
    let third = &record["levels"][2];
    assert_eq!((counted(third), fleet.truly(3)), (ALL, ALL), "{ended:#?}");
    let started = |level: usize| record["levels"][level]["started_s"].as_f64().unwrap();
    assert!(
        started(0) < started(1) && started(1) + 6.0 < started(2),
        "one clock"
    );
    fleet.is_forgotten();
    let again = fleet.resume(&seed);
    again.refused(2, &["contains the record of its run"]);
}

#[test]
fn without_agents_a_resumed_run_saves_what_was_measured() {
    let mut fleet = Fleet::start();
    fleet.killed_in_the_second_level(&[]);
    sleep(Duration::from_secs(6)); // the agents end their load and report
    fleet.agents.clear();
    sleep(Duration::from_secs(5)); // their entries expire
    let ended = fleet.resume(&[]);
    ended.refused(98, &["number of levels that did not run: 1"]);
    let record = fleet.lab.record();
    assert_eq!(record["levels"].as_array().unwrap().len(), 2);
    let agents = record["agents"].as_array().unwrap();
    let lost: Vec<_> = agents.iter().map(|agent| &agent["lost"]).collect();
    assert_eq!(lost, ["lease_lapsed", "lease_lapsed"]);
    fleet.has_both_levels(&record);
    fleet.is_forgotten();
}

#[test]
fn a_run_that_cannot_be_resumed_is_refused_with_the_reason() {
    let fleet = Fleet::start();
    fleet.killed_in_the_second_level(&[]);
    let target = fleet.truth.url();
    let nats = fleet.nats.url();
    let refused = |scenario: &str, place: &str, folder: &str, said: &[&str]| {
        let run = ["run", scenario, "--target", &target, "--resume", folder];
        let ended = fleet
            .lab
            .headcount(&[run.as_slice(), &["--fleet", place]].concat());
        ended.refused(2, said);
    };
    let local = ["--resume", "local fleet"];
    refused("go.ts", "local:2", "run", &local);
    fs::create_dir(fleet.lab.path("empty")).unwrap();
    refused("go.ts", &nats, "empty", &["no run on a fleet"]);
    let changed = LEVELS.replace("60ms", "61ms");
    fs::write(fleet.lab.path("changed.ts"), changed).unwrap();
    refused("changed.ts", &nats, "run", &["the scenario", "differs"]);
    let another = fleet.resume(&["--seed", "8"]);
    another.refused(2, &["an option differs"]);
    let unknown = r#"{ "kind": "headcount-fleet-run", "runs": ["unknown"] }"#;
    fs::write(fleet.lab.path("empty/fleet.json"), unknown).unwrap();
    refused("go.ts", &nats, "empty", &["start the run anew"]);
}
