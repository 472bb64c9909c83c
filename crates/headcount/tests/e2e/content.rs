//! Requests that the script fails by their content, the times of those that succeeded, and tags of requests. The server
//! of the tests counts its own responses.

use std::collections::BTreeMap;
use std::io::{BufReader, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Lab, Raw, read_request};

/// The server sends each result after this time, and each error at once.
const DELAY: Duration = Duration::from_millis(20);

/// The number of responses with a result and with an error, by path and query.
type Sent = Arc<Mutex<BTreeMap<String, [u64; 2]>>>;

/// Responds with status 200 to everything, but two of three responses are errors by their content.
fn server() -> (Raw, Sent) {
    let sent = Sent::default();
    let ours = Arc::clone(&sent);
    let raw = Raw::start(move |stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut writer = stream;
        while let Some((head, _)) = read_request(&mut reader) {
            let path = head.split(' ').nth(1).unwrap().to_owned();
            let is_error = {
                let mut sent = ours.lock().unwrap_or_else(PoisonError::into_inner);
                let all: u64 = sent.values().flatten().sum();
                let is_error = all % 3 != 2;
                sent.entry(path).or_default()[usize::from(is_error)] += 1;
                is_error
            };
            let body = if is_error {
                r#"{"error":"sold out"}"#
            } else {
                thread::sleep(DELAY);
                r#"{"result":1}"#
            };
            let length = body.len();
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}");
            if writer.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    (raw, sent)
}

/// The server's number of responses with a result and with an error to requests whose path contains `part`.
fn sent(sent: &Sent, part: &str) -> [u64; 2] {
    let sent = sent.lock().unwrap();
    let fitting = sent.iter().filter(|(path, _)| path.contains(part));
    fitting.fold([0, 0], |all, (_, one)| [all[0] + one[0], all[1] + one[1]])
}

#[test]
fn a_request_that_the_script_fails_counts_as_failed_with_its_reason() {
    let (server, seen) = server();
    let lab = Lab::new().with(
        "buy.ts",
        r#"import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 3, once: true }, thresholds: { requests: "failed < 10%" } };
export default async function buy({ users: [user] }: Group) {
  for (let n = 0; n < 20; n++) {
    const response = await user!.get("/buy");
    if (response.json.error) {
      response.fail(response.json.error);
      response.fail("a second time");
    }
  }
}
"#,
    );
    let ended = lab.run("buy.ts", &server.url(), &["--json"]);
    let summary = ended.summary();
    let level = &summary["levels"][0];
    assert_eq!(sent(&seen, "/buy"), [20, 40]);
    let requests = &level["requests"]["by_name"]["GET /buy"];
    assert_eq!(
        (&requests["count"], &requests["failed"]),
        (&json!(60), &json!(40)),
        "{level:#}"
    );
    assert_eq!(level["iterations"]["succeeded"], 3, "`fail` does not throw");
    let failure = lab.failure("target", "content", "GET /buy");
    assert_eq!(failure["count"], 40, "{failure:#}");
    assert_eq!(failure["first"]["detail"], "sold out");
    assert!(failure["first"]["user"].is_string(), "{failure:#}");
    let first = &level["first_failures"][0];
    assert_eq!(
        (&first["kind"], &first["status"]),
        (&json!("content"), &json!(200))
    );
    assert_eq!(first["succeeded"], 3, "{first:#}");
    assert_eq!(summary["thresholds"][0]["observed"], json!(40.0 / 60.0));
}

#[test]
fn a_trace_shows_which_response_the_script_fails() {
    let (server, _) = server();
    let lab = Lab::new().with(
        "buy.ts",
        r#"export default async function buy({ users: [user] }) {
  (await user.get("/buy")).fail(" sold\n out ");
}
"#,
    );
    let ended = lab.headcount(&["run", "buy.ts", "--trace", "--target", &server.url()]);
    ended.says(&["← 200 GET /buy", "✗ GET /buy: sold out"]);
}

#[test]
fn the_times_of_requests_that_succeeded_stand_apart_from_those_of_all() {
    let (server, seen) = server();
    let lab = Lab::new().with(
        "buy.ts",
        r#"import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 2, once: true } };
export default async function buy({ users: [user] }: Group) {
  for (let n = 0; n < 45; n++) {
    const response = await user!.get("/buy");
    if (response.json.error) response.fail("sold out");
  }
}
"#,
    );
    let ended = lab.run("buy.ts", &server.url(), &[]);
    assert_eq!(sent(&seen, ""), [30, 60]);
    ended.says(&["By name at 2 users", "└ succeeded"]);
    let report = std::fs::read_to_string(lab.path("run/report.md")).unwrap();
    assert!(report.contains(": succeeded |"), "{report}");
    let summary = lab
        .headcount(&["report", "run", "--format", "json"])
        .summary();
    let requests = &summary["levels"][0]["requests"];
    let succeeded = &requests["succeeded"];
    assert_eq!(succeeded["count"], 30, "{requests:#}");
    // Every success took at least the server's delay, but most requests failed at once.
    assert!(succeeded["p50_ms"].as_f64() >= Some(20.0), "{requests:#}");
    assert_eq!(succeeded["p95_ms"], Value::Null, "too few samples");
    let of_failures =
        &lab.record()["levels"][0]["measured"]["requests"]["GET /buy"]["failed_response"];
    assert_eq!(of_failures["count"], 60, "{of_failures:#}");
}

#[test]
fn responses_outside_the_measured_time_and_of_earlier_iterations_change_no_figure() {
    let (server, _) = server();
    let lab = Lab::new().with(
        "keep.ts",
        r#"import type { Group, Options, Response } from "headcount";
export const options: Options = { load: { users: [1, 1], warmup: "1s", duration: "1s" } };
let kept: Response | undefined;
export default async function keep({ users: [user], level, think }: Group) {
  kept?.fail("of an earlier iteration or level");
  kept = await user!.get("/level/:n", { params: { n: level.index } });
  if (level.index === 0) (await user!.get("/all")).fail("all");
  await think("20ms");
}
"#,
    );
    lab.run("keep.ts", &server.url(), &["--workers", "1"]);
    let record = lab.record();
    let measured = |level: usize| &record["levels"][level]["measured"];
    for level in 0..2 {
        let kept = &measured(level)["requests"]["GET /level/:n"];
        assert!(kept["count"].as_u64() > Some(0), "{kept:#}");
        assert_eq!(kept["failed"], 0, "{kept:#}");
    }
    let all = &measured(0)["requests"]["GET /all"];
    assert_eq!(all["failed"], all["count"], "{all:#}");
    let failures = measured(0)["failures"].as_array().unwrap();
    assert_eq!((failures.len(), &failures[0]["count"]), (1, &all["count"]));
    let before = &measured(0)["before"];
    assert!(before["failed_requests"].as_u64() > Some(0), "{before:#}");
    assert!(
        before["failed_requests"].as_u64() < before["requests"].as_u64(),
        "{before:#}"
    );
    assert_eq!(measured(1)["before"]["failed_requests"], 0);
    assert_eq!(measured(1)["failures"], json!([]));
}

const REGIONS: &str = r#"import type { Group, Options } from "headcount";
const count = "count >= 1";
export const options: Options = {
  load: { users: 3, once: true },
  thresholds: {
    "request(GET /items)": count,
    "request({region=eu})": count,
    "request(GET /items{size=big})": count,
    "request(GET /items{size=big, region=us})": count,
    "request(GET /items{region=asia})": count,
    "request({region=mars})": count,
    requests: count,
  },
};
export default async function visit({ users: [user], number }: Group) {
  const region = ["eu", "us", "asia"][number];
  user!.tag("region", region);
  for (let n = 0; n < 10; n++) {
    const size = n % 2 ? "big" : "small";
    await user!.get("/items", { query: { region, size }, tags: { size } });
    await user!.get("/other", { query: { region: "eu" }, tags: { region: "eu" } });
  }
  user!.tag("region", undefined);
  await user!.get("/items", { query: { region: "none" } });
}
"#;

#[test]
fn tags_divide_the_requests_of_a_name_and_thresholds_select_by_them() {
    let (server, seen) = server();
    let lab = Lab::new().with("regions.ts", REGIONS);
    let ended = lab.run("regions.ts", &server.url(), &["--json"]);
    let summary = ended.summary();
    let truth = |part: &str| sent(&seen, part).iter().sum::<u64>();
    let by_name = summary["levels"][0]["requests"]["by_name"]
        .as_object()
        .unwrap();
    let rows = by_name
        .iter()
        .map(|(name, one)| (name.as_str(), one["count"].as_u64()));
    let rows: BTreeMap<_, _> = rows.collect();
    let mut expected =
        BTreeMap::from([("GET /items", Some(3)), ("GET /other{region=eu}", Some(30))]);
    for name in [
        "GET /items{region=asia,size=big}",
        "GET /items{region=asia,size=small}",
        "GET /items{region=eu,size=big}",
        "GET /items{region=eu,size=small}",
        "GET /items{region=us,size=big}",
        "GET /items{region=us,size=small}",
    ] {
        expected.insert(name, Some(5));
    }
    assert_eq!(rows, expected);
    let observed = summary["thresholds"].as_array().unwrap().iter();
    let observed: Vec<_> = observed.map(|one| one["observed"].as_f64()).collect();
    let counts = [
        truth("/items"),
        truth("region=eu"),
        truth("size=big"),
        truth("region=us&size=big"),
        truth("region=asia"),
    ];
    assert_eq!(counts, [33, 40, 15, 5, 10]);
    let mut counts: Vec<_> = counts.map(|count| Some(count as f64)).into();
    counts.extend([None, Some(63.0)]);
    assert_eq!(observed, counts);
    let notes = summary["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 1, "{notes:#?}");
    assert_eq!(notes[0]["subject"], "request({region=mars})");
}

#[test]
fn users_take_over_the_tags_of_the_pool() {
    let (server, _) = server();
    let lab = Lab::new().with(
        "pool.ts",
        r#"import type { Group, Options, Setup } from "headcount";
export const options: Options = { load: { users: 2, once: true } };
export async function setup({ pool }: Setup) {
  await pool(2, (user, index) => user.tag("plan", index === 0 ? "free" : "paid"));
}
export default async function visit({ users: [user] }: Group) {
  await user!.get("/");
}
"#,
    );
    let level = lab.level("pool.ts", &server.url(), &[]);
    let by_name = level["requests"]["by_name"].as_object().unwrap();
    let rows: Vec<_> = by_name
        .iter()
        .map(|(name, one)| (name.as_str(), one["count"].as_u64()))
        .collect();
    assert_eq!(
        rows,
        [("GET /{plan=free}", Some(1)), ("GET /{plan=paid}", Some(1))]
    );
}
