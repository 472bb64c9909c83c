//! A server that reads a request on a kept-alive connection and then closes it may have processed the request. Only
//! idempotent requests are therefore repeated. The server counts the requests that arrive.

use std::io::{BufReader, Write as _};
use std::net::Shutdown;
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use crate::harness::{Ended, Lab, Raw, read_request};

/// Idempotent methods (RFC 9110 §9.2.2), and some that are not.
const IDEMPOTENT: [&str; 5] = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"];
const OTHERS: [&str; 3] = ["POST", "PATCH", "PROPFIND"];

/// Responds to the first request of a connection, and closes the connection after reading the second. Sends the test
/// the method of each request.
fn closing() -> (Raw, Receiver<String>) {
    let (tell, told) = channel();
    let server = Raw::start(move |stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        let mut arrived = || {
            let (head, _) = read_request(&mut reader)?;
            let method = head.split(' ').next().unwrap_or_default().to_owned();
            tell.send(method).ok()
        };
        if arrived().is_none() {
            return;
        }
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        if writer.write_all(answer).is_ok() && arrived().is_some() {
            let _ = writer.shutdown(Shutdown::Both); // the peer may have closed the connection
        }
    });
    (server, told)
}

/// Sends ten requests one after another. Returns the number that arrived, and the figures of the level.
fn ten(method: &str, more: &[&str]) -> (usize, Value, Ended) {
    let (server, told) = closing();
    let url = server.url();
    let mut args = vec!["bench", &url, "-X", method, "-n", "10", "-c", "1"];
    args.extend(["--quiet", "--json", "--out", "run"]);
    args.extend(more);
    let lab = Lab::new();
    let ended = lab.headcount(&args);
    let requests = ended.summary()["levels"][0]["requests"].take();
    let arrived = told.try_iter().filter(|arrived| arrived == method).count();
    (arrived, requests, ended)
}

#[test]
fn what_may_not_be_done_twice_is_sent_once() {
    for method in OTHERS {
        let (arrived, requests, _) = ten(method, &[]);
        assert_eq!(arrived, 10, "{method}: {requests:#}");
        assert_eq!(requests["count"], 10, "{method}: {requests:#}");
        assert_eq!(requests["failed"], 5, "{method}: {requests:#}");
        assert_eq!(requests["repeated"], 0, "{method}: {requests:#}");
    }
}

#[test]
fn what_may_be_done_twice_is_repeated_and_counted() {
    for method in IDEMPOTENT {
        let (arrived, requests, _) = ten(method, &[]);
        assert_eq!(requests["count"], 10, "{method}: {requests:#}");
        assert_eq!(requests["failed"], 0, "{method}: {requests:#}");
        // The first request succeeds. Each of the others meets a closing connection, and is repeated on a new one.
        assert_eq!(requests["repeated"], 9, "{method}: {requests:#}");
        assert_eq!(arrived, 19, "{method}: {requests:#}");
    }
}

#[test]
fn nothing_is_repeated_where_that_is_turned_off() {
    let (arrived, requests, _) = ten("GET", &["--no-repeat"]);
    assert_eq!(arrived, 10, "{requests:#}");
    assert_eq!(requests["failed"], 5, "{requests:#}");
    assert_eq!(requests["repeated"], 0, "{requests:#}");
}

const TWO: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 1, once: true }OPTIONS };
export default async function two({ users: [user] }: Group) {
  await user!.METHOD("/x");
  await user!.METHOD("/x");
}
"#;

/// Runs a scenario of two requests. The second one meets the closing connection.
fn two(method: &str, options: &str, more: &[&str]) -> (Lab, usize, Value) {
    let (server, told) = closing();
    let text = TWO.replace("METHOD", method).replace("OPTIONS", options);
    let lab = Lab::new().with("two.ts", &text);
    let level = lab.level("two.ts", &server.url(), more);
    (lab, told.try_iter().count(), level)
}

#[test]
fn a_scenarios_post_that_was_not_answered_is_the_targets_failure() {
    let (lab, arrived, level) = two("post", "", &[]);
    assert_eq!(arrived, 2, "{level:#}");
    assert_eq!(level["requests"]["failed"], 1, "{level:#}");
    let failure = of_a_close(&lab, "POST /x");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(detail.contains("POST is not repeated"), "{detail}");
}

#[test]
fn a_scenario_turns_repeats_off_by_its_options_or_on_the_command_line() {
    let (_, arrived, level) = two("get", "", &[]);
    assert_eq!((arrived, &level["requests"]["repeated"]), (3, &1.into()));
    for (options, more) in [(", repeat: false", &[][..]), ("", &["--no-repeat"])] {
        let (lab, arrived, level) = two("get", options, more);
        assert_eq!(arrived, 2, "{level:#}");
        assert_eq!(level["requests"]["failed"], 1, "{level:#}");
        let failure = of_a_close(&lab, "GET /x");
        let detail = failure["first"]["detail"].as_str().unwrap();
        assert!(detail.contains("repeats are turned off"), "{detail}");
    }
}

/// Returns the failure caused by the server's close. It is a reset if the kernel has already rejected the request.
fn of_a_close(lab: &Lab, what: &str) -> Value {
    let failures = lab.failures();
    let is_it =
        |one: &&Value| one["what"] == what && (one["kind"] == "closed" || one["kind"] == "reset");
    let found = failures.iter().find(is_it);
    found.unwrap_or_else(|| panic!("{failures:#?}")).clone()
}
