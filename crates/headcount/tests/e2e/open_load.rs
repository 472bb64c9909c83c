//! Open load against the truth server, which counts its requests itself.

use serde_json::Value;

use crate::harness::{Lab, Server, ask};

/// Requests one path. `LOAD` is a placeholder.
const ASK: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { LOAD } };
export default async function asks({ users: [user] }: Group) {
  await user!.get("PATH");
}
"#;

fn asking(load: &str, path: &str) -> Lab {
    let text = ASK.replace("LOAD", load).replace("PATH", path);
    Lab::new().with("ask.ts", &text)
}

fn requests_of(truth: &Server, path: &str) -> Value {
    ask(&format!("{}/truth", truth.url()))["routes"][path]["requests"].clone()
}

#[test]
fn an_open_load_starts_exactly_what_was_planned() {
    let truth = Server::truth(&[]);
    let lab = asking("rate: \"200/s\", duration: \"2s\"", "/delay/5ms");
    let level = lab.level("ask.ts", &truth.url(), &[]);
    let iterations = &level["iterations"];
    assert_eq!(iterations["planned"], 400, "{level:#}");
    assert_eq!(iterations["started"], 400, "{level:#}");
    assert_eq!(iterations["succeeded"], 400, "{level:#}");
    assert_eq!(
        requests_of(&truth, "/delay/5ms"),
        400,
        "as the server counts"
    );
    assert_eq!(level["load"]["rate_per_s"], 200.0);
}

#[test]
fn arrivals_wait_for_nobodys_answer() {
    let truth = Server::truth(&[]);
    let lab = asking("rate: \"50/s\", duration: \"2s\"", "/delay/1s");
    let level = lab.level("ask.ts", &truth.url(), &["--workers", "1"]);
    assert_eq!(level["iterations"]["started"], 100, "{level:#}");
    assert_eq!(level["iterations"]["dropped"], 0);
    assert_eq!(level["requests"]["count"], 100);
    assert!(
        level["requests"]["p50_ms"].as_f64() >= Some(1000.0),
        "{level:#}"
    );
}

#[test]
fn a_burst_comes_and_goes_as_it_was_written() {
    let truth = Server::truth(&[]);
    let lab = asking(
        "rate: \"100/s for 500ms, nothing for 500ms, 2 times\"",
        "/delay/1ms",
    );
    let level = lab.level("ask.ts", &truth.url(), &[]);
    assert_eq!(level["iterations"]["started"], 100, "{level:#}");
    let series = lab.record()["levels"][0]["measured"]["iterations"]["planned"].clone();
    assert_eq!(series, 100);
}

#[test]
fn a_start_that_finds_nobody_free_is_dropped_with_its_cause() {
    let truth = Server::truth(&[]);
    let lab = asking("rate: \"50/s\", duration: \"2s\", users: 5", "/delay/4s");
    let more = ["--workers", "1"];
    let level = lab.level("ask.ts", &truth.url(), &more);
    let iterations = &level["iterations"];
    assert_eq!(iterations["planned"], 100);
    assert_eq!(iterations["started"], 5);
    assert_eq!(iterations["dropped"], 95);
    assert_eq!(
        iterations["succeeded"], 5,
        "in flight when it was over, and waited for"
    );
    assert_eq!(iterations["dropped_by_cause"]["users_waiting"], 95);
    assert_ne!(
        level["validity"], "valid",
        "what was dropped is in no percentile: {level:#}"
    );
}

#[test]
fn pauses_of_the_scenario_are_not_blamed_on_the_target() {
    let truth = Server::truth(&[]);
    let lab = asking("rate: \"20/s\", duration: \"1s\", users: 1", "/delay/1ms");
    let text = ASK
        .replace("LOAD", "rate: \"20/s\", duration: \"1s\", users: 1")
        .replace("PATH", "/delay/1ms")
        .replace("  await user", "  await user!.think(\"5s\");\n  await user");
    let level = lab
        .with("ask.ts", &text)
        .level("ask.ts", &truth.url(), &["--workers", "1"]);
    let causes = &level["iterations"]["dropped_by_cause"];
    assert_eq!(causes["users_busy"], 19, "{level:#}");
}

const MIX: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  load: { rate: "200/s", duration: "1s" },
  mix: { register: 50, enumerate: 30, multicast: 20 },
};
export async function register({ users: [user] }: Group) { await user!.post("/delay/1ms?register"); }
export async function enumerate({ users: [user] }: Group) { await user!.get("/delay/1ms?enumerate"); }
export async function multicast({ users: [user] }: Group) { await user!.post("/delay/1ms?multicast"); }
"#;

#[test]
fn a_mix_by_weight_is_exact_over_the_run() {
    for workers in ["1", "2"] {
        let truth = Server::truth(&[]);
        let lab = Lab::new().with("mix.ts", MIX);
        lab.level("mix.ts", &truth.url(), &["--workers", workers]);
        let scenarios = lab.record()["levels"][0]["measured"]["scenarios"].clone();
        for (name, count) in [("register", 100), ("enumerate", 60), ("multicast", 40)] {
            assert_eq!(scenarios[name]["planned"], count, "{scenarios:#}");
            assert_eq!(scenarios[name]["succeeded"], count, "{scenarios:#}");
            let path = format!("/delay/1ms?{name}");
            assert_eq!(
                requests_of(&truth, &path),
                count,
                "{name} as the server counts"
            );
        }
    }
}

#[test]
fn a_closed_load_takes_its_iterations_from_the_mix_too() {
    let truth = Server::truth(&[]);
    let text = MIX.replace(
        "rate: \"200/s\", duration: \"1s\"",
        "users: 10, duration: \"1s\"",
    );
    let lab = Lab::new().with("mix.ts", &text);
    lab.level("mix.ts", &truth.url(), &["--workers", "1"]);
    let scenarios = lab.record()["levels"][0]["measured"]["scenarios"].clone();
    let started = |name: &str| scenarios[name]["started"].as_f64().unwrap();
    let all = started("register") + started("enumerate") + started("multicast");
    assert!(
        (started("register") - all / 2.0).abs() <= 2.0,
        "{scenarios:#}"
    );
    assert!(
        (started("multicast") - all / 5.0).abs() <= 2.0,
        "{scenarios:#}"
    );
}

#[test]
fn a_mix_of_unknown_scenarios_is_refused_before_the_run() {
    let lab = Lab::new().with("mix.ts", &MIX.replace("enumerate: 30", "enumarate: 30"));
    let ended = lab.run("mix.ts", "http://127.0.0.1:1", &[]);
    ended.refused(2, &["mix.enumarate", "did you mean `enumerate`?"]);
}

#[test]
fn a_rate_that_cannot_be_read_is_refused_before_the_run() {
    let lab = asking("users: 1", "/");
    let ended = lab.run("ask.ts", "http://127.0.0.1:1", &["--rate", "fast"]);
    ended.refused(2, &["load.rate: expected a rate such as `100/s`"]);
}

#[test]
fn ctrl_c_in_an_open_load_still_adds_up() {
    let truth = Server::truth(&[]);
    let lab = asking("rate: \"300/s\", duration: \"30s\"", "/delay/20ms");
    let running = lab.start_run("ask.ts", &truth.url(), &["--json"]);
    while requests_of(&truth, "/delay/20ms").as_u64() < Some(200) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    running.interrupt();
    assert_eq!(running.end().code, Some(130));
    let iterations = lab.record()["levels"][0]["measured"]["iterations"].clone();
    let count = |name: &str| iterations[name].as_u64().unwrap();
    assert!(
        count("planned") >= 200 && count("planned") < 9000,
        "{iterations}"
    );
    assert_eq!(
        count("planned"),
        count("started") + count("dropped"),
        "{iterations}"
    );
}
