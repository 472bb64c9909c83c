//! Rate limiters with known rules, and targets that respond with 429 for other reasons: the findings of the run.

use std::collections::{HashMap, VecDeque};
use std::io::{BufReader, Write as _};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use serde_json::Value;

use crate::harness::{Lab, Raw, Server, is_invalid, read_request};

/// The rule that admits or refuses a request. Times are in seconds.
#[derive(Clone, Copy)]
enum Kind {
    /// Limit and length of fixed windows; the first starts with the first request.
    Fixed(u32, f64),
    /// Limit in any span of this length.
    Sliding(usize, f64),
    /// Bucket size, and tokens added per second.
    Bucket(f64, f64),
    /// Share of requests that are refused at random, without a limit. The random sequence is reproducible.
    Chance(f64),
}

#[derive(Clone, Copy, PartialEq)]
enum Headers {
    None,
    /// `RateLimit-Limit` and the other headers of the draft, and `Retry-After`.
    Draft6,
    /// `RateLimit-Policy: "…";q=…` and `RateLimit: "…";r=…`.
    Draft8,
    Legacy,
}

#[derive(Default)]
struct State {
    begun: Option<SystemTime>,
    window: f64,
    used: u32,
    log: VecDeque<f64>,
    tokens: Option<(f64, f64)>,
    random: u64,
}

impl State {
    /// Admits a request, or returns the time to wait.
    fn admit(&mut self, kind: Kind) -> Result<(), f64> {
        let begun = *self.begun.get_or_insert_with(SystemTime::now);
        let now = begun.elapsed().unwrap_or_default().as_secs_f64();
        match kind {
            Kind::Fixed(limit, window) => {
                let number = (now / window).floor();
                if number > self.window {
                    (self.window, self.used) = (number, 0);
                }
                self.used += 1;
                (self.used <= limit)
                    .then_some(())
                    .ok_or((number + 1.0) * window - now)
            }
            Kind::Sliding(limit, window) => {
                while self.log.front().is_some_and(|first| first + window <= now) {
                    self.log.pop_front();
                }
                if self.log.len() < limit {
                    self.log.push_back(now);
                    return Ok(());
                }
                Err(self.log[0] + window - now)
            }
            Kind::Bucket(size, per_s) => {
                let (tokens, at) = self.tokens.unwrap_or((size, now));
                let tokens = (tokens + (now - at) * per_s).min(size);
                let free = tokens >= 1.0;
                self.tokens = Some((if free { tokens - 1.0 } else { tokens }, now));
                free.then_some(()).ok_or(1.0)
            }
            Kind::Chance(share) => {
                self.random = self
                    .random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let drawn = (self.random >> 11) as f64 / (1_u64 << 53) as f64;
                (drawn >= share).then_some(()).ok_or(1.0)
            }
        }
    }
}

fn headers(kind: Kind, headers: Headers, wait: f64) -> String {
    let wait = wait.ceil();
    let (limit, window) = match kind {
        Kind::Fixed(limit, window) => (f64::from(limit), window),
        Kind::Sliding(limit, window) => (limit as f64, window),
        Kind::Bucket(size, per_s) => (size, size / per_s),
        Kind::Chance(_) => return "Retry-After: 1\r\n".to_owned(),
    };
    match headers {
        Headers::None => String::new(),
        Headers::Draft6 => format!(
            "RateLimit-Policy: {limit};w={window}\r\nRateLimit-Limit: {limit}\r\nRateLimit-Remaining: 0\r\n\
             RateLimit-Reset: {wait}\r\nRetry-After: {wait}\r\n"
        ),
        Headers::Draft8 => format!(
            "RateLimit-Policy: \"api\";q={limit};w={window};pk=:YQ==:\r\nRateLimit: \"api\";r=0;t={wait}\r\n"
        ),
        Headers::Legacy => format!(
            "X-RateLimit-Limit: {limit}\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: {wait}\r\n"
        ),
    }
}

fn limiter(kind: Kind, by_address: bool, told: Headers) -> Raw {
    let states: Arc<Mutex<HashMap<Option<IpAddr>, State>>> = Arc::default();
    Raw::start(move |stream| {
        let address = stream.peer_addr().unwrap().ip();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut writer = stream;
        while read_request(&mut reader).is_some() {
            let key = by_address.then_some(address);
            let admitted = states.lock().unwrap().entry(key).or_default().admit(kind);
            let answer = match admitted {
                Ok(()) => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned(),
                Err(wait) => format!(
                    "HTTP/1.1 429 Too Many Requests\r\n{}Content-Length: 0\r\n\r\n",
                    headers(kind, told, wait)
                ),
            };
            if writer.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    })
}

/// Eight users who send a request about every 20 ms, the first two twice as often.
const ASKING: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 8 } };
export default async function ask({ users: [user], think }: Group) {
  await user!.get("/api");
  const often = user!.number < 2 ? 1 : 2;
  await think(`${5 * often}ms`, `${15 * often}ms`);
}
"#;

struct Told {
    lab: Lab,
    screen: String,
    findings: Vec<Value>,
}

fn run(target: &str, hold: &str, more: &[&str]) -> Told {
    let lab = Lab::new().with("ask.ts", ASKING);
    let ended = lab.run(
        "ask.ts",
        target,
        &[&["--duration", hold][..], more].concat(),
    );
    let record = lab.record();
    let findings = record
        .get("findings")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    Told {
        lab,
        screen: ended.stdout,
        findings,
    }
}

impl Told {
    fn one(&self) -> &Value {
        assert_eq!(
            self.findings.len(),
            1,
            "{:#?}\n{}",
            self.findings,
            self.screen
        );
        &self.findings[0]
    }

    fn is_near(&self, figure: &str, truth: f64, share: f64) {
        let value = &self.one()["figures"][figure];
        let value = value
            .as_f64()
            .unwrap_or_else(|| panic!("no {figure}: {}", self.screen));
        assert!(
            (value - truth).abs() <= truth * share,
            "{figure}: {value}, not {truth}\n{}",
            self.screen
        );
    }
}

#[test]
fn a_rate_limiter_is_worked_out_from_its_headers() {
    for told in [Headers::Draft6, Headers::Draft8] {
        let server = limiter(Kind::Fixed(100, 900.0), false, told);
        let found = run(&server.url(), "2s", &[]);
        let finding = found.one();
        let what = "a rate limiter lets through 100 requests in 15 min, ";
        assert!(found.screen.contains(what), "{}", found.screen);
        assert_eq!(finding["confidence"], "certain", "{finding:#}");
        assert_eq!(finding["limits"], serde_json::json!([0]), "{finding:#}");
    }
    let server = limiter(Kind::Fixed(100, 900.0), false, Headers::Legacy);
    let found = run(&server.url(), "2s", &[]);
    found.is_near("limit", 100.0, 0.0);
    found.is_near("window_s", 900.0, 0.005); // its reset, from the first request
}

#[test]
fn a_rate_limiter_is_worked_out_from_the_counts_alone() {
    let server = limiter(Kind::Fixed(50, 2.0), false, Headers::None);
    let found = run(&server.url(), "9s", &[]);
    found.is_near("limit", 50.0, 0.05);
    found.is_near("window_s", 2.0, 0.05);
    assert_eq!(found.one()["confidence"], "high");
}

#[test]
fn a_window_longer_than_the_run_is_told_as_at_least_so_long() {
    let server = limiter(Kind::Fixed(100, 60.0), false, Headers::None);
    let found = run(&server.url(), "4s", &[]);
    found.is_near("limit", 100.0, 0.05);
    let least = found.one()["figures"]["window_at_least_s"]
        .as_f64()
        .unwrap();
    assert!((3.5..6.0).contains(&least), "{least}");
    assert!(
        found.screen.contains("in a window of at least"),
        "{}",
        found.screen
    );
}

#[test]
fn a_sliding_window_is_not_taken_for_a_fixed_one() {
    let server = limiter(Kind::Sliding(100, 2.0), false, Headers::None);
    let found = run(&server.url(), "9s", &[]);
    found.is_near("limit", 100.0, 0.12);
    found.is_near("window_s", 2.0, 0.12);
    assert_ne!(found.one()["figures"]["kind"], "fixed_window");
}

#[test]
fn a_token_bucket_is_told_by_its_burst_and_its_rate() {
    let server = limiter(Kind::Bucket(150.0, 40.0), false, Headers::None);
    let found = run(&server.url(), "14s", &[]);
    assert_eq!(found.one()["figures"]["kind"], "token_bucket");
    found.is_near("rate_per_s", 40.0, 0.05);
}

#[test]
fn a_limit_by_address_and_one_for_all_are_told_apart() {
    let four = ["--source", "127.0.0.0/29,127.0.0.7"];
    for (by_address, key) in [(true, "address"), (false, "all")] {
        let server = limiter(Kind::Fixed(60, 900.0), by_address, Headers::Draft6);
        let found = run(&server.url(), "4s", &four);
        assert_eq!(
            found.one()["figures"]["per"],
            serde_json::json!([key]),
            "{}",
            found.screen
        );
    }
    // With one source address the two cannot be distinguished, and the report says so.
    let server = limiter(Kind::Fixed(60, 900.0), true, Headers::Draft6);
    let found = run(&server.url(), "2s", &[]);
    for words in [
        "all users came from one address",
        "--source 127.0.0.0/24",
        "RATE_LIMIT_BYPASS_IPS",
    ] {
        assert!(found.screen.contains(words), "{words}: {}", found.screen);
    }
}

#[test]
fn the_limiter_of_the_truth_server_is_told_by_bench_too() {
    let server = Server::truth(&[]);
    let url = format!("{}/limit/100/1s", server.url());
    let load = ["bench", &url, "-c", "4", "--rate", "300/s", "-d", "6s"];
    let asked = || {
        let lab = Lab::new();
        let ended = lab.headcount(&[&load[..], &["--out", "run"]].concat());
        (lab.record(), ended)
    };
    // If the machine could not make the load, the run is repeated.
    let is_valid = |(record, _): &(Value, _)| !is_invalid(&record["levels"][0]);
    let (record, ended) = (0..2).map(|_| asked()).find(is_valid).unwrap_or_else(asked);
    let figures = &record["findings"][0]["figures"];
    let near =
        |name: &str, truth: f64| (figures[name].as_f64().unwrap() - truth).abs() <= truth * 0.05;
    assert!(
        near("limit", 100.0) && near("window_s", 1.0),
        "{figures:#}\n{ended:#?}"
    );
}

#[test]
fn refusals_by_chance_are_no_limiter_and_healthy_targets_show_none() {
    for share in [0.05, 0.5] {
        let server = limiter(Kind::Chance(share), false, Headers::None);
        let found = run(&server.url(), "9s", &[]);
        assert!(found.findings.is_empty(), "{}", found.screen);
        // The report shows the measured failures all the same.
        assert!(
            found
                .screen
                .contains("most failures at 8 users were refusals"),
            "{}",
            found.screen
        );
    }
    let server = limiter(Kind::Fixed(1_000_000, 1.0), false, Headers::None);
    let found = run(&server.url(), "2s", &[]);
    assert!(
        found.findings.is_empty() && !found.screen.contains("the rate limiter was the limit"),
        "{}",
        found.screen
    );
    assert!(found.lab.record()["levels"][0].get("limited").is_none());
}

#[test]
fn a_level_that_is_mostly_refused_shows_the_limiter_and_not_the_capacity() {
    let server = limiter(Kind::Fixed(100, 900.0), false, Headers::Draft6);
    let found = run(&server.url(), "2s", &[]);
    assert!(
        found.screen.contains("not the target's capacity"),
        "{}",
        found.screen
    );
    let report = std::fs::read_to_string(found.lab.path("run/report.md")).unwrap();
    assert!(report.contains("## Findings"), "{report}");
    assert!(report.contains("100 requests in 15 min"), "{report}");
    let again = found.lab.headcount(&["report", "run"]).stdout;
    let told = found.screen.split("saved").next().unwrap();
    assert!(
        again.contains("Findings") && again.starts_with(&told[..200]),
        "{again}"
    );
}
