//! `headcount bench`: refused arguments, connections that never opened, and requests that were not sent.

use std::io::{BufReader, Write as _};
use std::sync::mpsc::{Receiver, channel};

use crate::harness::{Ended, Lab, Raw, Server, read_request};
use crate::wire_errors::falling_silent;

/// A port without a listener.
const NOBODY: &str = "http://127.0.0.1:1/";
const NO_SOCKET: &str = "ws://127.0.0.1:1/";

fn bench(url: &str, more: &[&str]) -> Ended {
    let mut args = vec!["bench", url, "--quiet"];
    args.extend(more);
    Lab::new().headcount(&args)
}

/// Responds to every upgrade with this status, and notifies the test of each.
fn refusing(status: &'static str) -> (Raw, Receiver<()>) {
    let (tell, told) = channel();
    let server = Raw::start(move |stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while read_request(&mut reader).is_some() {
            let _ = tell.send(()); // the test may have dropped the receiver
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nno");
            if writer.write_all(head.as_bytes()).is_err() {
                return;
            }
        }
    });
    (server, told)
}

/// Asserts that the run failed because no connection opened. Without CPU for the test, it may be inconclusive, but it
/// never passes.
fn has_failed(ended: &Ended) {
    if ended.code == Some(99) {
        return ended.says(&["Failed", "no connection opened"]);
    }
    assert_eq!(ended.code, Some(98), "{ended:#?}");
    ended.says(&["Inconclusive", "no CPU"]);
}

fn socket_url(server: &Raw) -> String {
    format!("ws://127.0.0.1:{}/", server.port())
}

#[test]
fn a_refused_upgrade_uses_up_the_count_and_nothing_passes() {
    for status in ["404 Not Found", "200 OK"] {
        let (server, told) = refusing(status);
        let lab = Lab::new();
        let url = socket_url(&server);
        let ended = lab.headcount(&[
            "bench", &url, "--quiet", "-c", "2", "-n", "5", "--out", "run",
        ]);
        has_failed(&ended);
        assert_eq!(told.try_iter().count(), 5, "as the server counts");
        let record = lab.record();
        let connections = &record["levels"][0]["measured"]["connections"]["/"];
        assert_eq!(connections["count"], 5, "{connections:#}");
        assert_eq!(connections["failed"], 5);
    }
}

#[test]
fn an_interrupted_run_of_failures_has_not_passed() {
    let (server, told) = refusing("404 Not Found");
    let lab = Lab::new();
    let url = socket_url(&server);
    let running = lab.start(&["bench", &url, "--quiet", "-c", "2", "-n", "100000"]);
    told.iter().take(6).for_each(drop);
    running.interrupt();
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    ended.says(&[
        "Interrupted",
        "until then",
        "of 100,000 operations were not sent",
    ]);
    assert!(!ended.stdout.contains("passed"), "{ended:#?}");
}

#[test]
fn a_server_that_never_answers_the_upgrade_fails_a_run_that_is_shorter_than_the_timeout() {
    let silent = falling_silent(b"");
    let lab = Lab::new();
    let url = socket_url(&silent);
    // Above the default limit for opening, 5 s, which a stated limit replaces.
    let short = ["-c", "2", "-d", "1s", "--timeout", "6s", "--out", "run"];
    let ended = lab.headcount(&[&["bench", &url, "--quiet"][..], &short].concat());
    has_failed(&ended);
    let failure = lab.failure("target", "timed_out", "websocket /");
    let said = failure["first"]["detail"].to_string();
    assert!(said.contains("did not open within 6 s"), "{said}");
}

#[test]
fn a_rate_that_no_websocket_opens_for_has_failed() {
    let (server, _told) = refusing("404 Not Found");
    let ended = bench(
        &socket_url(&server),
        &["-c", "2", "--rate", "20/s", "-d", "1s"],
    );
    has_failed(&ended);
}

#[test]
fn what_cannot_be_sent_is_refused_before_anything_starts() {
    for more in [&[][..], &["--http2"], &["-b", "x"]] {
        let mut args = vec!["-X", "G T", "-n", "1"];
        args.extend(more);
        bench(NOBODY, &args).refused(2, &["cannot be sent", "\"G T\" is not a token"]);
    }
    bench(NOBODY, &["-H", "A B: c"]).refused(2, &["--header A B", "not the name of a header"]);
    bench(NOBODY, &["-H", "A: b\nC: d"]).refused(2, &["--header A", "control character"]);
    bench(NOBODY, &["--http2", "-H", "Host: a b"]).refused(2, &["cannot be sent", NOBODY]);
    bench(NO_SOCKET, &["-H", "Sec-WebSocket-Key: x"])
        .refused(2, &["cannot be sent", "set by the handshake itself"]);
}

#[test]
fn what_a_time_limit_left_unsent_is_told() {
    let truth = Server::truth(&[]);
    let url = format!("{}/delay/100ms", truth.url());
    let ended = bench(&url, &["-n", "100", "-c", "1", "-d", "1s"]);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    ended.says(&[
        "questionable",
        "of 100 operations were not sent",
        "time limit 1 s",
    ]);
}

#[test]
fn a_few_requests_are_not_judged_by_noise() {
    let truth = Server::truth(&[]);
    let url = format!("{}/delay/1ms", truth.url());
    for _ in 0..5 {
        let ended = bench(&url, &["-n", "1", "-c", "1"]);
        // A stall of 100 ms or more, or a late start, is not the noise that a short measurement must ignore.
        let long = !ended.stdout.contains("is judged from 100 ms on")
            || ended.stdout.contains("late at most");
        assert!(ended.code == Some(0) || long, "{ended:#?}");
    }
}

#[test]
fn options_of_the_other_protocol_and_statuses_that_never_fail_are_refused() {
    bench(NOBODY, &["-m", "hello"]).refused(2, &["--message needs a WebSocket", "--body"]);
    bench(NO_SOCKET, &["--expect", "404"]).refused(2, &["--expect needs HTTP responses"]);
    for status in ["99", "200", "1000"] {
        bench(NOBODY, &["--expect", status]).refused(2, &["--expect", "400..=999"]);
    }
}

#[test]
fn values_of_one_header_go_out_as_a_list() {
    let (tell, told) = channel();
    let server = Raw::start(move |stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while let Some((head, _)) = read_request(&mut reader) {
            let _ = tell.send(head); // the test may have dropped the receiver
            let _ = writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let given = ["X-A: b", "x-a: c", "Cookie: d=1", "Cookie: e=2"];
    let mut args = vec!["-n", "1", "-c", "1"];
    args.extend(given.iter().flat_map(|header| ["-H", header]));
    let ended = bench(&server.url(), &args);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    let head = told.recv().unwrap();
    assert!(head.contains("\r\nX-A: b, c\r\n"), "{head}");
    assert!(head.contains("\r\nCookie: d=1; e=2\r\n"), "{head}");
    bench(NOBODY, &["-H", "Host: a", "-H", "host: b"]).refused(2, &["--header host", "only once"]);
}

#[test]
fn errors_speak_of_the_options_of_bench() {
    let refused = |url: &str, more: &[&str], says: &[&str]| {
        let ended = bench(url, more);
        ended.refused(2, says);
        for word in ["load.", "timeouts."] {
            assert!(!ended.stderr.contains(word), "{ended:#?}");
        }
    };
    refused(NOBODY, &["--rate", "fast"], &["--rate: ", "100/s"]);
    refused(NOBODY, &["-d", "soon"], &["--duration: ", "soon"]);
    refused(
        NOBODY,
        &["-d", "-5s"],
        &["--duration: ", "expected a duration"],
    );
    refused(
        NOBODY,
        &["-n", "1", "-d", "soon"],
        &["--duration: ", "soon"],
    );
    refused(NOBODY, &["--timeout", "soon"], &["--timeout: ", "soon"]);
    refused(NOBODY, &["--timeout", "-5s"], &["--timeout: "]);
    let down = bench(NO_SOCKET, &[]);
    down.refused(4, &["cannot reach the target ws://127.0.0.1:1/"]);
    assert!(!down.stderr.contains("--target"), "{down:#?}");
}

#[test]
fn help_tells_every_exit_code_and_nothing_in_backslashes() {
    let help = Lab::new().headcount(&["bench", "--help"]).stdout;
    let words: Vec<&str> = help.split_whitespace().collect();
    let help = words.join(" ");
    assert!(help.contains("99 nothing succeeded"), "{help}");
    assert!(help.contains(r#"for example "1000/s""#), "{help}");
    assert!(help.contains("default 1h"), "{help}");
}
