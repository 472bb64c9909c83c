//! `headcount bench` with one URL, compared with the counts of the servers.

use std::io::{BufReader, Write as _};
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::harness::{Ended, Lab, Raw, Server, ask, read_request};

/// A port without a listener.
const NOBODY: &str = "http://127.0.0.1:1/";

fn bench(url: &str, more: &[&str]) -> Ended {
    bench_in(&Lab::new(), url, more)
}

fn bench_in(lab: &Lab, url: &str, more: &[&str]) -> Ended {
    let mut args = vec!["bench", url, "--quiet"];
    args.extend(more);
    lab.headcount(&args)
}

/// Returns the only level of the `--json` output.
fn level(url: &str, more: &[&str]) -> Value {
    let mut args = vec!["--json"];
    args.extend(more);
    bench(url, &args).summary()["levels"][0].take()
}

/// Returns the level and its record.
fn level_and_record(url: &str, more: &[&str]) -> (Value, Value) {
    let lab = Lab::new();
    let mut args = vec!["--json", "--out", "run"];
    args.extend(more);
    let level = bench_in(&lab, url, &args).summary()["levels"][0].take();
    (level, lab.record()["levels"][0].take())
}

fn truth_of(server: &Server) -> Value {
    ask(&format!("{}/truth", server.url()))
}

fn socket_url(server: &Server) -> String {
    format!("{}/echo", server.url().replace("http", "ws"))
}

#[test]
fn a_closed_load_asks_again_as_soon_as_it_is_answered() {
    let truth = Server::truth(&[]);
    let url = format!("{}/delay/20ms", truth.url());
    let (level, record) = level_and_record(&url, &["-c", "10", "-d", "2s"]);
    let requests = &level["requests"];
    let p50 = requests["p50_ms"].as_f64().unwrap();
    assert!((20.0..40.0).contains(&p50), "{level:#}");
    assert_eq!(requests["failed"], 0, "{level:#}");
    let before = record["measured"]["before"]["requests"].as_u64().unwrap();
    let told = [&requests["count"], &requests["unfinished"]].map(|count| count.as_u64().unwrap());
    assert_eq!(
        truth_of(&truth)["routes"]["/delay/20ms"]["requests"],
        before + told[0] + told[1],
        "as the server counts: {level:#}"
    );
}

#[test]
fn a_count_is_sent_exactly() {
    let truth = Server::truth(&[]);
    let url = format!("{}/delay/1ms?counted", truth.url());
    for workers in ["1", "2"] {
        let level = level(&url, &["-n", "1000", "-c", "30", "--workers", workers]);
        assert_eq!(level["requests"]["count"], 1000, "{level:#}");
        assert_eq!(level["requests"]["failed"], 0);
    }
    let route = &truth_of(&truth)["routes"]["/delay/1ms?counted"];
    assert_eq!(route["requests"], 2000, "as the server counts");
}

#[test]
fn a_rate_starts_what_was_planned() {
    let truth = Server::truth(&[]);
    let url = format!("{}/delay/1ms", truth.url());
    let level = level(&url, &["--rate", "500/s", "-d", "2s", "-c", "400"]);
    let iterations = &level["iterations"];
    assert_eq!(iterations["planned"], 1000, "{level:#}");
    assert_eq!(iterations["dropped"], 0, "{level:#}");
    assert_eq!(level["requests"]["count"], 1000, "{level:#}");
    assert_eq!(level["load"]["rate_per_s"], 500.0);
}

#[test]
fn errors_are_counted_and_shown_and_are_no_failure_of_the_command() {
    let truth = Server::truth(&[]);
    let url = format!("{}/error/7", truth.url());
    let more = ["-n", "700", "-c", "10"];
    let counted = level(&url, &more);
    assert_eq!(counted["requests"]["count"], 700, "{counted:#}");
    assert_eq!(counted["requests"]["failed"], 100, "{counted:#}");
    let ended = bench(&url, &more);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    ended.says(&["HTTP 500", "100"]);
}

#[test]
fn an_expected_status_is_no_failure() {
    let truth = Server::truth(&[]);
    let url = format!("{}/error/7", truth.url());
    let level = level(&url, &["-n", "70", "-c", "5", "--expect", "500"]);
    assert_eq!(level["requests"]["count"], 70, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
}

/// Responds with 200 to everything, and sends the test each request.
fn listener(connection: &'static str) -> (Raw, Receiver<(String, Vec<u8>)>) {
    let (tell, told) = channel();
    let server = Raw::start(move |stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while let Some(asked) = read_request(&mut reader) {
            let _ = tell.send(asked); // the test may have dropped the receiver
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n{connection}\r\nok");
            if writer.write_all(head.as_bytes()).is_err() || !connection.is_empty() {
                return;
            }
        }
    });
    (server, told)
}

#[test]
fn method_headers_and_body_arrive() {
    let (server, told) = listener("");
    let url = format!("{}/items?x=1", server.url());
    let header = "Content-Type: application/json";
    let body = r#"{"name":"tea"}"#;
    let level = level(&url, &["-n", "3", "-c", "1", "-b", body, "-H", header]);
    assert_eq!(level["requests"]["count"], 3, "{level:#}");
    let asked: Vec<_> = told.try_iter().collect();
    assert_eq!(asked.len(), 3);
    for (head, sent) in asked {
        assert!(head.starts_with("POST /items?x=1 HTTP/1.1\r\n"), "{head}");
        assert!(
            head.to_lowercase()
                .contains("\ncontent-type: application/json\r"),
            "{head}"
        );
        assert_eq!(String::from_utf8(sent).unwrap(), body);
    }
}

#[test]
fn a_body_may_come_from_a_file() {
    let (server, told) = listener("");
    let lab = Lab::new().with("order.txt", "two teas");
    let ended = bench_in(
        &lab,
        &server.url(),
        &["-n", "1", "-X", "PUT", "-b", "@order.txt"],
    );
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    let (head, sent) = told.recv().unwrap();
    assert!(head.starts_with("PUT / HTTP/1.1\r\n"), "{head}");
    assert_eq!(sent, b"two teas");
    bench_in(&lab, NOBODY, &["-b", "@nothing.txt"])
        .refused(2, &["cannot read the body nothing.txt"]);
}

#[test]
fn a_server_that_closes_each_connection_is_asked_over_new_ones() {
    let (server, told) = listener("Connection: close\r\n");
    let (level, record) = level_and_record(&server.url(), &["-n", "40", "-c", "4"]);
    assert_eq!(level["requests"]["count"], 40, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    assert_eq!(record["measured"]["connections"][server.url()]["count"], 40);
    assert_eq!(told.try_iter().count(), 40);
}

#[test]
fn many_connections_open_and_the_listen_queue_holds_them() {
    let truth = Server::truth(&[]);
    let url = format!("{}/delay/1s", truth.url());
    let (level, record) = level_and_record(&url, &["-c", "2000", "-n", "2000"]);
    assert_eq!(level["requests"]["count"], 2000, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    let connections = &record["measured"]["connections"][truth.url()];
    assert_eq!(connections["count"], 2000, "{connections:#}");
    assert_eq!(connections["failed"], 0);
    assert_eq!(record["target"]["listen_queue"]["full"], 0, "{record:#}");
}

#[test]
fn each_message_of_a_websocket_waits_for_its_reply() {
    let truth = Server::truth(&[]);
    let more = ["-n", "1000", "-c", "5", "-m", "hello"];
    let level = level(&socket_url(&truth), &more);
    assert_eq!(level["round_trips"]["count"], 1000, "{level:#}");
    assert_eq!(level["round_trips"]["failed"], 0);
    let sum = &truth_of(&truth)["websocket"]["sum"];
    assert_eq!(sum["messages"], 1000, "as the server counts: {sum:#}");
    assert_eq!(sum["joined"], 5);
}

#[test]
fn the_websockets_share_a_rate() {
    let truth = Server::truth(&[]);
    let more = ["--rate", "200/s", "-c", "10", "-d", "2s"];
    let level = level(&socket_url(&truth), &more);
    let count = level["round_trips"]["count"].as_u64().unwrap();
    assert!((390..=410).contains(&count), "{level:#}");
    assert_eq!(level["round_trips"]["failed"], 0, "{level:#}");
    bench(&socket_url(&truth), &["--rate", "1/s for 1s, 2/s for 1s"])
        .refused(2, &["a WebSocket needs one steady rate"]);
}

#[test]
fn a_target_that_is_down() {
    bench(NOBODY, &[]).refused(4, &["cannot reach the target", "refused", "hint:"]);
    bench("ws://127.0.0.1:1/", &[]).refused(4, &["cannot reach the target", "refused"]);
}

#[test]
fn what_makes_no_sense_is_refused_with_what_would() {
    let refused = |args: &[&str], said: &[&str]| bench(args[0], &args[1..]).refused(2, said);
    refused(
        &["localhost"],
        &["`localhost` is not a URL", "http://127.0.0.1:8080/"],
    );
    for secret in ["eve:pa55@127.0.0.1:1/", "http://eve:pa/55@127.0.0.1:1/"] {
        let ended = bench(secret, &[]);
        ended.refused(2, &["***@127.0.0.1:1/"]);
        assert!(!ended.stderr.contains("eve"), "{ended:#?}");
    }
    refused(
        &["ftp://127.0.0.1/"],
        &["ftp://127.0.0.1/", "ws:// or wss://"],
    );
    refused(&["ws://127.0.0.1:1/", "--body", "x"], &["--message"]);
    refused(&["ws://127.0.0.1:1/", "-X", "PUT"], &["--message"]);
    refused(&[NOBODY, "-H", "novalue"], &["\"Name: value\""]);
    refused(&[NOBODY, "--rate", "fast"], &["rate", "100/s"]);
    refused(&[NOBODY, "-d", "soon"], &["soon"]);
    refused(&[NOBODY, "-n", "0"], &["--count"]);
    refused(&[NOBODY, "-n", "5", "--rate", "5/s"], &["--rate"]);
    refused(&[NOBODY, "-c", "0"], &["--connections"]);
}

#[test]
fn a_target_beyond_private_networks_is_refused() {
    for url in ["http://192.0.2.1/", "ws://192.0.2.1/"] {
        bench(url, &[]).refused(2, &["192.0.2.1", "--target-is-mine"]);
    }
}

#[test]
fn the_summary_is_that_of_every_run() {
    let truth = Server::truth(&[]);
    let url = format!("{}/delay/1ms", truth.url());
    let summary = bench(&url, &["-n", "100", "--json"]).summary();
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let of_a_run = [
        "kind",
        "version",
        "tool",
        "started_at",
        "ended_at",
        "script",
        "target",
        "target_version",
        "verdict",
        "interrupted",
        "seed",
        "notes",
        "findings",
        "script_faults",
        "thresholds",
        "levels",
    ];
    assert_eq!(keys(&summary), of_a_run);
    let level = &summary["levels"][0];
    assert_eq!(
        keys(level),
        [
            "load",
            "validity",
            "issues",
            "iterations",
            "requests",
            "round_trips",
            "streams",
            "deliveries",
            "checks",
            "metrics",
            "failures",
            "converged",
            "steps",
            "first_failures",
            "target",
            "generator"
        ]
    );
    let name = "GET /delay/1ms";
    assert_eq!(
        level["requests"]["by_name"][name]["count"], 100,
        "{level:#}"
    );
    assert!(
        level["round_trips"]["p50_ms"].is_null(),
        "not measured is null"
    );
}

#[test]
fn ctrl_c_tells_what_was_measured() {
    let truth = Server::truth(&[]);
    let url = format!("{}/delay/5ms", truth.url());
    let lab = Lab::new();
    let more = ["bench", &url, "--quiet", "-d", "50s", "-c", "4", "--json"];
    let running = lab.start(&more);
    let asked = || truth_of(&truth)["routes"]["/delay/5ms"]["requests"].as_u64();
    // More requests than the one second of warm-up can contain.
    while asked() < Some(1000) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    running.interrupt();
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert!(
        summary["levels"][0]["requests"]["count"].as_u64() > Some(0),
        "{summary:#}"
    );
}

/// The body is the place where servers state the reason, so `bench` shows its beginning as `run` does.
#[test]
fn the_first_failure_shows_the_beginning_of_its_body() {
    let hint = "x".repeat(300);
    let body = format!("{{\"error\":\"locked\x1b[31m\",\"hint\":\"{hint}\"}}");
    let response = format!(
        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let server = Raw::start(move |stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        while read_request(&mut reader).is_some() {
            // The user waits for the target and not for the generator, also on a busy machine.
            sleep(Duration::from_millis(20));
            if stream.write_all(response.as_bytes()).is_err() {
                break;
            }
        }
    });
    let ended = bench(&server.url(), &["-n", "10", "-c", "1"]);
    assert_eq!(ended.code, Some(99), "{ended:#?}");
    ended.says(&[
        r#"first: HTTP 500 Internal Server Error: {"error":"locked [31m","hint":"xxx"#,
        "xxx… (",
    ]);
    assert!(!ended.stdout.contains('\u{1b}'), "{ended:#?}");
    assert!(ended.stdout.lines().count() < 12, "a few lines: {ended:#?}");
}
