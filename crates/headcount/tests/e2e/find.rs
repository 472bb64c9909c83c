//! Searches for ceilings that follow from the configuration of the truth server.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::harness::{Ended, Lab, Server};
use crate::interrupt::until;

/// One server that takes 5 ms per request, and even arrivals: the queue stays empty up to 200 requests a second, and
/// grows without bound above.
const QUEUE: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  load: { rate: "10/s", warmup: "500ms" },
  thresholds: { requests: ["p95 < 50ms"] },
};
export default async function asks({ users: [user] }: Group) {
  await user!.get("/queue/1/5ms");
}
"#;
const CAPACITY: f64 = 200.0;

fn find(lab: &Lab, target: &Server, more: &[&str]) -> Ended {
    let url = target.url();
    let mut args = vec!["find", "queue.ts", "--target", &url, "--out", "found"];
    args.extend(more);
    lab.headcount(&args)
}

pub(crate) fn saved(lab: &Lab) -> Value {
    serde_json::from_str(&fs::read_to_string(lab.path("found/find.json")).unwrap()).unwrap()
}

#[test]
fn a_search_finds_the_capacity_of_a_queue() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("queue.ts", QUEUE);
    let more = ["--budget", "45s", "--precision", "10", "--first", "50"];
    let ended = find(&lab, &truth, &more);
    let saved = saved(&lab);
    let trials = saved["trials"].as_array().unwrap();
    assert_eq!(saved["answer"]["trials"], trials.len());
    assert_eq!(saved["quantity"], "rate");
    assert_eq!(saved["thresholds"][0], "requests: p95 < 50ms");
    // A busy machine, or the short time, can keep a search from an answer, but must not make it a wrong one.
    let answer = &saved["answer"];
    if let Some(stable) = answer["stable"]["load"].as_f64() {
        assert_eq!(ended.code, Some(0), "{}", ended.stdout);
        // A disturbed trial can make the claim too low, and the interval wide. No trial can make it too high.
        let high = answer["stable"]["interval"]["high"].as_f64().unwrap();
        assert!(stable < 1.05 * CAPACITY, "{answer:#}");
        assert!(high > 0.95 * CAPACITY, "{answer:#}");
        assert!(answer["fails"].as_f64() > Some(stable), "{answer:#}");
        assert!(ended.stdout.contains("stable ceiling"), "{}", ended.stdout);
        assert!(ended.stdout.contains("Why no more"), "{}", ended.stdout);
    } else {
        assert_ne!(ended.code, Some(0), "{}", ended.stdout);
        if let Some(high) = answer["probably"]["high"].as_f64() {
            assert!(high > 0.9 * CAPACITY, "{answer:#}");
        }
    }
    // One request at a time is served, and no CPU is busy: whatever is found must be that.
    for finding in saved["findings"].as_array().unwrap() {
        assert_eq!(finding["cause"], "fixed_concurrency", "{finding:#}");
        assert_eq!(finding["figures"]["places"], 1.0, "{finding:#}");
    }
}

#[test]
fn a_url_that_holds_the_largest_load_gives_at_least_that_load() {
    let truth = Server::truth(&[]);
    let lab = Lab::new();
    let url = format!("{}/delay/2ms", truth.url());
    let args = [
        "bench", &url, "--find", "--most", "40", "--budget", "30s", "--out", "found",
    ];
    let ended = lab.headcount(&args);
    let saved = saved(&lab);
    assert_eq!(saved["answer"]["stable"], Value::Null, "{saved:#}");
    assert_eq!(saved["default_thresholds"], true);
    if saved["answer"]["ended"] == "largest_load_held" {
        assert_eq!(ended.code, Some(0), "{}", ended.stdout);
        assert!(ended.stdout.contains("at least 40/s"), "{}", ended.stdout);
    } else {
        assert_ne!(ended.code, Some(0), "{}", ended.stdout);
    }
    let line = "thresholds: { requests: [\"p95 < 500ms\", \"failed < 1%\"]";
    assert!(ended.stderr.contains(line), "{}", ended.stderr);
}

#[test]
fn ctrl_c_tells_what_is_known() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("queue.ts", QUEUE).with("rooms.ts", ROOMS);
    let url = truth.url();
    let program = lab.start(&["find", "queue.ts", "--target", &url, "--out", "found"]);
    let file = lab.path("found/find.json");
    until("the first trial", || file.exists());
    std::thread::sleep(Duration::from_millis(200));
    program.interrupt();
    let ended = program.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stdout.contains("interrupted"), "{}", ended.stdout);
    let saved = saved(&lab);
    assert_eq!(saved["answer"]["ended"], "interrupted");
    let before = saved["trials"].as_array().unwrap();
    assert!(!before.is_empty());

    // A resumed search keeps the trials, and goes on.
    let program = lab.start(&[
        "find", "queue.ts", "--target", &url, "--resume", "found", "--growth", "50",
    ]);
    until("another trial", || trials(&lab) > before.len());
    program.interrupt();
    assert_eq!(program.end().code, Some(130));
    let after = self::saved(&lab);
    assert_eq!(after["trials"][0], before[0]);
    assert_eq!(after["seed"], saved["seed"]);
    assert_eq!(after["production"]["growth_percent"], 50.0);

    // The trials say nothing about another target or scenario.
    for (scenario, target, why) in [
        (
            "queue.ts",
            "http://127.0.0.1:9",
            "the target of the saved search is http://127.0.0.1:",
        ),
        (
            "rooms.ts",
            url.as_str(),
            "the saved search is of queue.ts, not of rooms.ts",
        ),
    ] {
        let ended = lab.headcount(&["find", scenario, "--target", target, "--resume", "found"]);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(why), "{}", ended.stderr);
    }
}

#[test]
fn default_thresholds_are_those_of_a_low_load_even_if_the_first_is_high() {
    let truth = Server::truth(&[]);
    let lab = Lab::new();
    let url = format!("{}/queue/1/5ms", truth.url());
    // At 1,000/s, the queue grows by 4 s each second.
    let program = lab.start(&[
        "bench", &url, "--find", "--first", "1000", "--budget", "60s", "--out", "found",
    ]);
    until("the first trial", || lab.path("found/find.json").exists());
    program.interrupt();
    program.end();
    let saved = saved(&lab);
    assert_eq!(saved["thresholds"][0], "requests: p95 < 500ms");
    assert_eq!(saved["trials"][0]["load"], 1_000.0);
    assert_eq!(saved["trials"][0]["failed"], true);
}

#[test]
fn a_search_whose_target_ends_tells_what_is_known_and_why_it_ended() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("queue.ts", QUEUE);
    let url = truth.url();
    let program = lab.start(&["find", "queue.ts", "--target", &url, "--out", "found"]);
    until("the first trial", || lab.path("found/find.json").exists());
    drop(truth);
    let ended = program.end();
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let told = "no ceiling: a trial could not run";
    assert!(ended.stdout.contains(told), "{}", ended.stdout);
    assert!(ended.stderr.contains("error"), "{}", ended.stderr);
    assert_eq!(saved(&lab)["answer"]["ended"], "trial_error");
}

/// The number of saved trials. The file is replaced as a whole, so it is complete at any time.
fn trials(lab: &Lab) -> usize {
    saved(lab)["trials"].as_array().map_or(0, Vec::len)
}

#[test]
fn a_search_without_a_target_ends_like_a_run() {
    let lab = Lab::new().with("queue.ts", QUEUE);
    let args = ["find", "queue.ts", "--target", "http://127.0.0.1:9"];
    let ended = lab.headcount(&args);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let ended = lab.headcount(&[
        "find",
        "queue.ts",
        "--target",
        "http://127.0.0.1:9",
        "--budget",
        "3s",
    ]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
}

#[test]
fn a_search_that_cannot_begin_leaves_no_folder() {
    let slow = QUEUE.replace(r#"warmup: "500ms""#, r#"warmup: "4m""#);
    let lab = Lab::new().with("rooms.ts", ROOMS).with("slow.ts", &slow);
    let target = ["--target", "http://127.0.0.1:9", "--out", "found"];
    let by = [
        "find",
        "rooms.ts",
        "--by",
        "group-size=2,4",
        "--first",
        "1.5",
    ];
    let url = [
        "bench",
        "http://127.0.0.1:9/",
        "--find",
        "--budget",
        "3s",
        "--out",
        "found",
    ];
    let cases = [
        (
            [&["find", "slow.ts"][..], &target[..]].concat(),
            "4 min is too short",
        ),
        (
            [&by[..], &target[..]].concat(),
            "the number of groups must be a whole number",
        ),
        (url.to_vec(), "needs at least 20 s"),
    ];
    for (args, why) in cases {
        let ended = lab.headcount(&args);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(why), "{}", ended.stderr);
        assert!(!lab.path("found").exists(), "{args:?}");
    }
}

/// `setup` needs a request that fails once the load has used up the 300 requests of ten seconds.
const LOGIN: &str = r#"
import type { Group, Options, Setup } from "headcount";
export const options: Options = {
  load: { rate: "50/s", warmup: "500ms" },
  thresholds: { requests: ["failed < 1%"] },
};
export async function setup({ user }: Setup) {
  const { status } = await user.get("/limit/300/10s");
  if (status !== 200) throw new Error(`login: status ${status}`);
}
export default async function asks({ users: [user] }: Group) {
  await user!.get("/limit/300/10s");
}
"#;

#[test]
fn a_setup_that_fails_after_an_overload_does_not_end_the_search() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("login.ts", LOGIN);
    let url = truth.url();
    let ended = lab.headcount(&[
        "find", "login.ts", "--target", &url, "--budget", "40s", "--out", "found",
    ]);
    let saved = saved(&lab);
    let trials = saved["trials"].as_array().unwrap();
    let refused = |trial: &Value| {
        let why = trial["outcome"]["broken"][0].as_str();
        trial["purpose"] == "recovery" && why.is_some_and(|why| why.contains("login: status 429"))
    };
    let first = trials.iter().position(refused).expect("no setup failed");
    let after = &trials[first + 1..];
    assert!(
        after.iter().any(|trial| trial["failed"] == false),
        "{saved:#}"
    );
    assert!(!ended.stderr.contains("error"), "{}", ended.stderr);
}

#[test]
fn a_mistake_in_the_scenario_ends_the_search_at_once() {
    let truth = Server::truth(&[]);
    // The first mistake of many: the argument is a group, and only its users have calls.
    let mistaken = QUEUE
        .replace("{ users: [user] }: Group", "user: Group")
        .replace("user!.get", "(user as any).get");
    let unlimited = mistaken.replace(r#"thresholds: { requests: ["p95 < 50ms"] },"#, "");
    let lab = Lab::new()
        .with("mistaken.ts", &mistaken)
        .with("unlimited.ts", &unlimited);
    for scenario in ["mistaken.ts", "unlimited.ts"] {
        let ended = lab.headcount(&[
            "find",
            scenario,
            "--target",
            &truth.url(),
            "--budget",
            "40s",
        ]);
        assert_eq!(ended.code, Some(3), "{}", ended.stderr);
        let told = format!("no iteration succeeds at the first load: {scenario}:8:");
        assert!(ended.stderr.contains(&told), "{}", ended.stderr);
        assert!(
            ended.stderr.contains("get is not a function"),
            "{}",
            ended.stderr
        );
        assert!(!ended.stderr.contains("trial 2"), "{}", ended.stderr);
    }
}

#[test]
fn options_of_a_search_need_one() {
    let lab = Lab::new();
    let refused = |more: &[&str], why: &str| {
        let ended = lab.headcount(&[&["bench", "http://127.0.0.1:9/"][..], more].concat());
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(why), "{}", ended.stderr);
    };
    refused(&["--budget", "1m"], "add --find");
    refused(&["--find", "--growth", "-5"], "-5 is not in 0..=10000");
    refused(&["--find", "--first", "-5"], "--first -5");
}

/// Rooms in which each member writes ten messages per second. The truth server delivers each to all others.
const ROOMS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  group: 2,
  load: { groups: 1, ramp: "100ms", warmup: "100ms" },
  thresholds: { deliveries: ["p95 < 200ms", "lost == 0"] },
};
export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket(`/room/${id}`);
    socket.receives(said);
    await here("listening");
    user.every("100ms", () => socket.send(said.stamp(user)));
    await user.stay();
  });
}
"#;

#[test]
fn group_sizes_are_searched_one_after_the_other_and_compared() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("rooms.ts", ROOMS);
    let url = truth.url();
    let by = "group-size=4,2";
    let args = [
        "find", "rooms.ts", "--target", &url, "--by", by, "--budget", "44s", "--most", "3",
        "--out", "found",
    ];
    let ended = lab.headcount(&args);
    let read = |path: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(lab.path(path)).unwrap()).unwrap()
    };
    let map = read("found/find-map.json");
    let sizes: Vec<_> = map["searches"].as_array().unwrap().iter().collect();
    assert_eq!(sizes.len(), 2, "{}", ended.stderr);
    for (search, size) in sizes.into_iter().zip([2, 4]) {
        assert_eq!(search["group_size"], size);
        assert_eq!(search["search"]["quantity"], "groups");
        assert!(!search["search"]["trials"].as_array().unwrap().is_empty());
        let own = read(&format!("found/group-size-{size}/find.json"));
        assert_eq!(own["answer"], search["search"]["answer"]);
    }
    assert!(
        ended.stdout.contains("Ceiling by group size"),
        "{}",
        ended.stdout
    );
}
