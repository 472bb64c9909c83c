//! The figures of the target, against servers with known behaviour: busy threads, growing memory, a full listen queue,
//! a process that ends, and an endpoint with invented figures.

use serde_json::Value;

use crate::endpoint::{Exporter, wait_for_traffic};
use crate::harness::{Lab, Server};

/// A scenario whose users request one path repeatedly.
fn scenario(path: &str, users: u32, options: &str) -> String {
    format!(
        r#"
import type {{ Group, Options }} from "headcount";
export const options: Options = {{ load: {{ users: {users}, duration: "4s" }}, settle: "2s", {options} }};
export default async function ask({{ users }}: Group) {{
  await users[0]!.get("{path}");
}}
"#
    )
}

/// Returns the target figures of the run's only level.
fn target(server: &Server, text: &str, more: &[&str]) -> Value {
    let lab = Lab::new().with("ask.ts", text);
    lab.run("ask.ts", &server.url(), more);
    let record = lab.record();
    assert_eq!(record["levels"].as_array().unwrap().len(), 1);
    record["levels"][0]["target"].clone()
}

fn number(value: &Value, pointer: &str) -> f64 {
    let found = value.pointer(pointer).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("no number at {pointer} in {value:#}"))
}

/// Share of the time in which a thread ran or waited for a CPU. It is the same on a busy machine as on an idle one.
fn wanted(thread: &Value) -> f64 {
    number(thread, "/cpu_percent") + number(thread, "/waiting_percent")
}

/// Number of threads that wanted a CPU for more than 80 % of the time. A busy machine may add threads to those of the
/// test.
fn wanting_cpu(target: &Value) -> u64 {
    let threads = threads(target, "");
    threads
        .into_iter()
        .filter(|thread| wanted(thread) > 80.0)
        .count() as u64
}

fn threads<'a>(target: &'a Value, start: &str) -> Vec<&'a Value> {
    let threads = target["busiest_threads"].as_array().unwrap().iter();
    let named = |thread: &&Value| thread["name"].as_str().unwrap().starts_with(start);
    threads.filter(named).collect()
}

#[test]
fn one_busy_thread_is_told_by_name() {
    let server = Server::truth(&[]);
    // Two users, so that a request is always waiting.
    let target = target(&server, &scenario("/burn/5ms", 2, ""), &[]);
    assert_eq!(target["source"], "proc");
    assert_eq!(target["pid"], server.pid());
    assert_eq!(target["runtime"], "Rust");
    assert_eq!(target["busiest_thread"]["name"], "truth-loop");
    assert_eq!(target["busy_threads"], wanting_cpu(&target), "{target:#}");
    let thread = threads(&target, "truth-loop")[0];
    assert!(wanted(thread) > 85.0, "{thread}");
    let series = thread["series"].as_array().unwrap();
    assert_eq!(series.len(), target["samples"].as_array().unwrap().len());
    assert!(series.len() >= 3, "{thread}");
    assert!(
        threads(&target, "truth-pool")
            .iter()
            .all(|thread| wanted(thread) < 5.0)
    );
}

#[test]
fn a_pool_of_four_busy_threads_is_told_as_four() {
    let server = Server::truth(&[]);
    let target = target(&server, &scenario("/pool/20ms", 12, ""), &[]);
    let pool = threads(&target, "truth-pool-");
    assert_eq!(pool.len(), 4, "{target:#}");
    for thread in &pool {
        assert!(wanted(thread) > 80.0, "{thread}");
    }
    let busy = number(&target, "/busy_threads");
    assert!(busy >= 4.0, "{target:#}");
    assert_eq!(target["busy_threads"], wanting_cpu(&target));
    let of_pool: f64 = pool
        .iter()
        .map(|thread| number(thread, "/cpu_percent"))
        .sum();
    let cpu = number(&target, "/cpu_percent");
    assert!(
        cpu >= of_pool - 5.0 && cpu < of_pool + 60.0,
        "{cpu} % with {of_pool} % of the pool"
    );
}

#[test]
fn memory_that_grows_is_told_with_its_rate() {
    let server = Server::truth(&[]);
    // 10 users each send 20 requests per second, and each request leaks 65,536 bytes: 13 MB per second. The server's
    // own initial growth is small beside that.
    let text = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 1, load: { users: 10, duration: "9s", warmup: "1s" }, settle: "2s" };
export default async function leak({ users }: Group) {
  users[0]!.every("50ms", () => users[0]!.get("/leak/65536"));
  await users[0]!.stay();
}
"#;
    let lab = Lab::new().with("leak.ts", text);
    lab.run("leak.ts", &server.url(), &[]);
    let record = lab.record();
    let level = &record["levels"][0];
    let growth = &level["target"]["memory_growth"];
    let leaked_per_s = number(level, "/measured/requests/GET ~1leak~165536/count") * 65_536.0
        / number(level, "/phases/duration_s");
    assert!(leaked_per_s > 1e6, "{leaked_per_s}");
    assert_eq!(growth["steady"], true, "{growth}");
    let told = number(growth, "/bytes_per_s");
    assert!(
        (told / leaked_per_s - 1.0).abs() < 0.15,
        "told {told}, leaked {leaked_per_s}: {growth}"
    );
}

#[test]
fn a_full_listen_queue_is_told_with_its_limit() {
    let server = Server::truth(&["--backlog", "4"]);
    // One user requests the pause. The others open a new connection each time, and must wait until the pause ends.
    let text = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 40, duration: "4s" }, settle: "3s", timeouts: { connect: "1s", total: "2s" } };
export default async function knock({ number, users }: Group) {
  if (number === 0) {
    await users[0]!.get("/pause-accept/2s");
    await users[0]!.stay();
  } else {
    await users[0]!.get("/close");
  }
}
"#;
    let target = target(&server, text, &[]);
    let queue = &target["listen_queue"];
    assert_eq!(
        (&queue["longest"], &queue["limit"]),
        (&5.into(), &4.into()),
        "{queue}"
    );
    assert!(
        number(queue, "/full") >= 5.0,
        "two seconds, looked at ten times in each: {queue}"
    );
    assert!(number(&target, "/listen_overflows") > 0.0, "{target:#}");
}

#[test]
fn a_target_that_ends_is_told_and_so_is_the_one_that_follows() {
    let mut server = Server::truth(&[]);
    let (port, first) = (server.port(), server.pid());
    let text = scenario("/delay/20ms", 2, "").replace("\"4s\"", "\"8s\"");
    let lab = Lab::new().with("ask.ts", &text);
    let program = lab.start_run("ask.ts", &server.url(), &[]);
    wait_for_traffic(port);
    server.kill();
    let next = Server::truth_at(port);
    program.end();
    let target = lab.record()["levels"][0]["target"].clone();
    let ends = target["ends"].as_array().unwrap();
    assert_eq!(ends.len(), 1, "{target:#}");
    assert_eq!(
        (&ends[0]["pid"], &ends[0]["next_pid"]),
        (&first.into(), &next.pid().into())
    );
    assert_ne!(ends[0]["out_of_memory"], true);
    assert_eq!(
        target["memory_growth"],
        Value::Null,
        "two processes have no growth in common"
    );
}

#[test]
fn figures_of_an_endpoint_feed_the_same_fields_and_thresholds() {
    let exporter = Exporter::start();
    let server = Server::truth(&[]);
    let options = r#"watch: { only: ["made_up_*"] }, thresholds: { target: ["cpu < 40%", "memory < 200MB"] }"#;
    let lab = Lab::new().with("ask.ts", &scenario("/delay/20ms", 2, options));
    lab.run(
        "ask.ts",
        &server.url(),
        &["--watch-metrics", &exporter.url()],
    );
    let record = lab.record();
    let target = &record["levels"][0]["target"];
    assert_eq!(target["source"], "prometheus");
    assert_eq!(
        (&target["runtime"], &target["runtime_version"]),
        (&"Go".into(), &"1.22.1".into())
    );
    // The endpoint reports half a core of CPU, and 100 MB.
    let cpu = number(target, "/cpu_percent");
    assert!((cpu - 50.0).abs() < 2.0, "{cpu}");
    assert_eq!(
        (&target["memory_mb_max"], &target["descriptors"]),
        (&100.0.into(), &12.into())
    );
    let held: Vec<_> = record["thresholds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["held"])
        .collect();
    assert_eq!(held, [false, true]);
    let rate = &target["metrics"]["made_up_total{kind=\"a\"}"];
    assert!((number(rate, "/mean") - 1000.0).abs() < 20.0, "{rate}");
    assert_eq!(target["metrics"]["made_up_level"]["mean"], 7.0);
    assert_eq!(
        target["metrics"].as_object().unwrap().len(),
        2,
        "only what was asked for"
    );
}

#[test]
fn an_endpoint_of_the_process_that_was_found_adds_to_what_is_known_of_it() {
    let server = Server::bridge(&[]);
    let exporter = Exporter::of_process(server.pid());
    let text = scenario(
        "/healthz",
        1,
        &format!(r#"watch: {{ metrics: "{}" }}"#, exporter.url()),
    );
    let target = target(&server, &text, &[]);
    assert_eq!(
        (&target["source"], &target["pid"]),
        (&"proc".into(), &server.pid().into())
    );
    assert!(number(&target, "/scrapes/asked") >= 3.0, "{target:#}");
    assert_eq!(target["scrapes"]["failed"], 0);
}

#[test]
fn an_endpoint_that_fails_later_is_counted_and_never_zero() {
    let exporter = Exporter::failing_after(2);
    let server = Server::truth(&[]);
    let target = target(
        &server,
        &scenario("/delay/20ms", 1, ""),
        &["--watch-metrics", &exporter.url()],
    );
    assert!(number(&target, "/scrapes/failed") >= 2.0, "{target:#}");
    let why = target["scrapes"]["first_failure"].as_str().unwrap();
    assert!(why.contains("HTTP status 500"), "{why}");
    let samples = target["samples"].as_array().unwrap();
    assert!(
        samples.iter().all(|sample| sample["cpu_percent"] != 0.0),
        "{target:#}"
    );
}

#[test]
fn an_endpoint_that_cannot_be_asked_is_a_mistake_before_the_run() {
    let server = Server::truth(&[]);
    let lab = Lab::new().with("ask.ts", &scenario("/delay/1ms", 1, ""));
    let run = |url: &str| lab.run("ask.ts", &server.url(), &["--watch-metrics", url]);
    run("http://127.0.0.1:1/metrics").refused(4, &["127.0.0.1:1/metrics", "refused"]);
    run("http://203.0.113.9/metrics").refused(2, &["--target-is-mine"]);
    run("nonsense").refused(2, &["watch.metrics", "no scheme"]);
}

#[test]
fn cores_are_shared_only_where_both_may_run() {
    let cores = std::thread::available_parallelism().unwrap().get();
    let server = Server::truth(&[]);
    let shared = |more: &[&str]| {
        let lab = Lab::new().with("ask.ts", &scenario("/delay/20ms", 1, ""));
        lab.run("ask.ts", &server.url(), more);
        lab.record()["levels"][0]["shares_cores_with_target"].clone()
    };
    assert_eq!(shared(&[]), true, "neither is kept from any core");
    if cores < 2 {
        return; // generator and target share the only core
    }
    server.pin(1);
    assert_eq!(shared(&["--workers", "1", "--cores", "0"]), false);
    assert_eq!(shared(&["--workers", "1", "--cores", "1"]), true);
}
