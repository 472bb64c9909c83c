//! Operations still in flight at the end of the measured time. headcount waits for them until their own time limit. An
//! operation that has not ended by then is a success in no threshold. The servers here count requests themselves.

use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::harness::{Ended, Lab, Raw, Server, is_invalid, read_request};

const SCENARIO: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  load: { LOAD },
  settle: "500ms",
  timeouts: { total: "TOTAL" },
  thresholds: { requests: ["p95 < 1m", "failed == 0"] },
};
export default async function ask({ users: [user] }: Group) {
  await user!.get("/");
}
"#;

/// A server that responds to a given number of requests and then freezes. It counts the requests that it receives.
struct Frozen {
    raw: Raw,
    asked: Arc<AtomicU64>,
}

impl Frozen {
    fn after(answers: u64) -> Self {
        let asked = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&asked);
        let raw = Raw::start(move |stream| serve(stream, &count, answers));
        Self { raw, asked }
    }

    fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }
}

fn serve(stream: TcpStream, asked: &AtomicU64, answers: u64) {
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    while read_request(&mut reader).is_some() {
        if asked.fetch_add(1, Ordering::SeqCst) < answers {
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
            if writer.write_all(answer).is_err() {
                return;
            }
        }
    }
}

fn lab(load: &str, total: &str) -> Lab {
    let text = SCENARIO.replace("LOAD", load).replace("TOTAL", total);
    Lab::new().with("ask.ts", &text)
}

fn run(lab: &Lab, frozen: &Frozen) -> (Ended, Value) {
    let ended = lab.run("ask.ts", &frozen.raw.url(), &[]);
    let level = lab.record()["levels"][0].clone();
    (ended, level)
}

#[test]
fn a_server_that_freezes_fails_an_open_load() {
    let frozen = Frozen::after(50);
    let lab = lab("rate: \"100/s\", duration: \"1s\", users: 200", "3s");
    let (ended, level) = run(&lab, &frozen);
    ended.broke_a_threshold(&level);
    let requests = &level["measured"]["requests"]["GET /"];
    assert_eq!(requests["count"], 100, "each was waited for: {requests:#}");
    assert_eq!(requests["unfinished"], 0);
    assert_eq!(requests["timed_out"], 100 - 50);
    assert_eq!(frozen.asked(), 100, "nothing was begun while it waited");
    assert_eq!(level["measured"]["iterations"]["failed"], 50);
    assert_eq!(level["measured"]["iterations"]["timed_out"], 50);
}

#[test]
fn a_once_load_at_its_limit_waits_no_longer_than_the_grace_period() {
    let frozen = Frozen::after(5);
    let lab = lab("users: 10, once: true, limit: \"1s\"", "25s");
    let (_, level) = run(&lab, &frozen);
    let requests = &level["measured"]["requests"]["GET /"];
    assert_eq!(requests["count"], 5, "{requests:#}");
    assert_eq!(requests["unfinished"], 5, "no time limit ended them");
    let phase = |name: &str| level["phases"][name].as_f64().unwrap();
    // Both steps after the limit have `settle`, 500 ms. The rest is for a busy machine.
    assert!(phase("settle_s") + phase("drain_s") < 10.0, "{level:#}");
}

#[test]
fn iterations_that_waited_in_vain_are_longer_than_every_limit() {
    let frozen = Frozen::after(50);
    let text = SCENARIO
        .replace("LOAD", "rate: \"100/s\", duration: \"1s\", users: 200")
        .replace("TOTAL", "2s")
        .replace(
            r#"requests: ["p95 < 1m", "failed == 0"]"#,
            r#"iterations: ["p90 < 10s", "max < 10s", "mean < 10s"]"#,
        );
    let lab = Lab::new().with("ask.ts", &text);
    let (ended, level) = run(&lab, &frozen);
    ended.broke_a_threshold(&level);
    for threshold in lab.record()["thresholds"].as_array().unwrap() {
        let held = if is_invalid(&level) {
            Value::Null
        } else {
            Value::from(false)
        };
        assert_eq!(threshold["held"], held, "{threshold:#}");
    }
}

#[test]
fn a_server_that_freezes_fails_a_closed_load() {
    let frozen = Frozen::after(50);
    let lab = lab("users: 10, duration: \"1s\"", "3s");
    let (ended, level) = run(&lab, &frozen);
    ended.broke_a_threshold(&level);
    let requests = &level["measured"]["requests"]["GET /"];
    assert_eq!(requests["count"], 50 + 10, "{requests:#}");
    assert_eq!(requests["timed_out"], 10);
}

#[test]
fn ctrl_c_shortens_the_waiting_and_what_is_in_flight_holds_no_threshold() {
    let frozen = Frozen::after(50);
    let lab = lab("rate: \"100/s\", duration: \"30s\", users: 5000", "10m");
    let program = lab.start_run("ask.ts", &frozen.raw.url(), &[]);
    let began = SystemTime::now();
    while frozen.asked() < 120 {
        let waited = began.elapsed().unwrap();
        assert!(waited < Duration::from_secs(30), "no load came");
        thread::sleep(Duration::from_millis(10));
    }
    program.interrupt();
    let ended = program.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    let record = lab.record();
    let requests = &record["levels"][0]["measured"]["requests"]["GET /"];
    let asked = frozen.asked();
    assert_eq!(requests["count"], 50, "{requests:#}");
    assert_eq!(requests["unfinished"], asked - 50);
    assert_eq!(requests["open"]["count"], asked - 50, "each with its age");
    for threshold in record["thresholds"].as_array().unwrap() {
        assert_eq!(threshold["held"], Value::Null, "{threshold:#}");
    }
}

#[test]
fn a_server_that_freezes_aborts_the_run_before_any_request_has_run_out_of_time() {
    let frozen = Frozen::after(50);
    let text = SCENARIO
        .replace("LOAD", "rate: \"100/s\", duration: \"30s\", users: 5000")
        .replace("TOTAL", "60s")
        .replace("p95 < 1m", "p95 < 300ms or abort");
    let lab = Lab::new().with("ask.ts", &text);
    let began = SystemTime::now();
    let (ended, level) = run(&lab, &frozen);
    ended.says(&["aborted in level 1: requests: p95 < 300ms or abort can no longer hold"]);
    assert!(
        began.elapsed().unwrap() < Duration::from_secs(25),
        "{ended:#?}"
    );
    let requests = &level["measured"]["requests"]["GET /"];
    assert_eq!(requests["count"], 50, "{requests:#}");
    assert_eq!(requests["timed_out"], 0, "{requests:#}");
}

#[test]
fn who_was_waiting_before_the_measured_time_and_through_all_of_it_is_counted() {
    // The server never responds to the requests of the warm-up, so no request starts in the measured time.
    let frozen = Frozen::after(0);
    let lab = Lab::new();
    let more = [
        "-c",
        "5",
        "-d",
        "1s",
        "--timeout",
        "4s",
        "--json",
        "--quiet",
    ];
    let ended = lab.headcount(&[&["bench", &*frozen.raw.url()][..], &more].concat());
    let level = &ended.summary()["levels"][0];
    ended.broke_a_threshold(level);
    let requests = &level["requests"];
    assert_eq!(requests["timed_out"], 5, "{requests:#}");
    assert_eq!(frozen.asked(), 5);
}

#[test]
fn a_request_that_waits_for_a_stream_of_http_2_runs_out_of_time_too() {
    // The server sends nothing. More requests wait than streams may be opened before the server's settings arrive.
    let silent = Raw::start(|stream| drop(std::io::copy(&mut &stream, &mut std::io::sink())));
    let lab = Lab::new();
    let args = [
        "--http2",
        "-c",
        "1",
        "--streams",
        "300",
        "-d",
        "1s",
        "--timeout",
        "3s",
        "--json",
        "--quiet",
    ];
    let ended = lab.headcount(&[&["bench", &*silent.url()][..], &args].concat());
    let level = &ended.summary()["levels"][0];
    ended.broke_a_threshold(level);
    let requests = &level["requests"];
    assert_eq!(requests["timed_out"], 300, "{requests:#}");
    assert_eq!(requests["unfinished"], 0);
}

/// The server sends each message only back to its sender, so the delivery to the other member is lost. The users keep
/// thinking for longer than the grace period.
const LOST: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 2, load: { groups: 1, duration: "1s" }, settle: "4s" };
export default async function talk({ everyone, channel, think }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/echo");
    socket.receives(said, { at: 0 });
    await here("listening");
    if (user.index === 0) socket.send(said.stamp(user));
    await think("1m");
  });
}
"#;

/// The same with users who stay until the level ends.
#[test]
fn settle_is_one_grace_period_for_who_stays_too() {
    let truth = Server::truth(&[]);
    let stays = LOST.replace("await think(\"1m\");", "await user.stay();");
    let lab = Lab::new().with("talk.ts", &stays);
    lab.run("talk.ts", &truth.url(), &[]);
    let level = lab.record()["levels"][0].clone();
    assert_eq!(level["measured"]["iterations"]["succeeded"], 1, "{level:#}");
    let phases = &level["phases"];
    let waited = phases["settle_s"].as_f64().unwrap() + phases["drain_s"].as_f64().unwrap();
    assert!((4.0..7.5).contains(&waited), "{phases:#}");
}

#[test]
fn settle_is_one_grace_period_for_deliveries_and_iterations() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("talk.ts", LOST);
    lab.run("talk.ts", &truth.url(), &[]);
    let level = lab.record()["levels"][0].clone();
    assert_eq!(
        level["measured"]["iterations"]["unfinished"], 1,
        "{level:#}"
    );
    let phases = &level["phases"];
    let waited = phases["settle_s"].as_f64().unwrap() + phases["drain_s"].as_f64().unwrap();
    assert!(
        (4.0..7.5).contains(&waited),
        "4 s, and not twice as long: {phases:#}"
    );
}
