//! Targets that send small pieces without pause. The run must end in time and in bounded memory, and report what
//! happened.

use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::faulty::Cell;
use crate::harness::{Ended, Lab, Program, Server, issue};
use crate::interrupt::{connections, until};

/// Memory limit while one connection is flooded. The program needs 35 MB.
const MEMORY: u64 = 100 << 20;
/// Time limit after the second Ctrl-C. The program needs less than a second; the rest is for a busy machine.
const SOON: Duration = Duration::from_secs(5);

const LISTEN: &str = r#"
export const options = { load: { users: 2, duration: "1s" }, settle: "100ms", timeouts: { total: "1s" } };
export default async function go({ users: [user] }) {
  OPEN
  await user.stay();
}
"#;

const WEBSOCKET: &str =
    r#"const socket = await user.websocket("/ws"); socket.on("message", () => {});"#;
const SOCKET_IO: &str = r#"const socket = await user.socketio("/"); socket.on("tick", () => {});"#;

fn bench<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec![
        "bench",
        url,
        "-c",
        "2",
        "--timeout",
        "500ms",
        "--out",
        "run",
    ];
    args.extend(more);
    args
}

/// Waits until the program ends by itself, and checks its memory.
fn bounded(program: Program) -> Ended {
    let mut peak = 0;
    while let Some(bytes) = program.peak_memory() {
        peak = peak.max(bytes);
        thread::sleep(Duration::from_millis(20));
    }
    assert!(peak < MEMORY, "it took {} MB", peak >> 20);
    program.end()
}

#[test]
fn a_response_in_the_smallest_pieces_times_out() {
    let server = Server::faulty();
    for (fault, more) in [
        ("flood", &["-d", "1s"][..]),
        ("flood", &["-d", "1s", "--http2"]),
        ("noise", &["-d", "1s", "--http2"]),
    ] {
        let cell = Cell::open(&server, &json!({ "fault": fault }));
        let lab = Lab::new();
        let ended = bounded(lab.start(&bench(&cell.url(), more)));
        assert!(matches!(ended.code, Some(98 | 99)), "{more:?}: {ended:#?}");
        let failures = lab.failures();
        let told = |key| {
            failures
                .iter()
                .map(|one| one[key].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(told("side"), ["target"], "{more:?}: {failures:#?}");
        assert_eq!(told("kind"), ["timed_out"], "{more:?}: {failures:#?}");
    }
}

#[test]
fn interim_responses_without_end_are_the_targets() {
    let server = Server::faulty();
    let cell = Cell::open(&server, &json!({ "fault": "noise" }));
    let lab = Lab::new();
    let ended = bounded(lab.start(&bench(&cell.url(), &["-n", "4"])));
    ended.refused(99, &["more than 100 interim responses (1xx)"]);
    lab.failure("target", "protocol", "GET /");
}

#[test]
fn a_socket_that_is_flooded_leaves_the_run_its_end_and_is_told_of() {
    let server = Server::faulty();
    for (open, fault) in [
        (WEBSOCKET, "flood"),
        (WEBSOCKET, "noise"),
        (SOCKET_IO, "flood"),
        (SOCKET_IO, "noise"),
    ] {
        let cell = Cell::open(&server, &json!({ "fault": fault }));
        let lab = Lab::new().with("go.ts", &LISTEN.replace("OPEN", open));
        let ended = bounded(lab.start_run("go.ts", &cell.url(), &[]));
        let context = format!("{fault} on {open}");
        assert!(matches!(ended.code, Some(0 | 98)), "{context}: {ended:#?}");
        let level = &lab.record()["levels"][0];
        assert_eq!(
            level["measured"]["iterations"]["failed"], 0,
            "{context}: {level:#}"
        );
        let issue = issue(level, "small_messages");
        assert_eq!(issue["connection"], cell.url(), "{context}");
        let spent = issue["spent_percent"].as_f64().unwrap();
        assert!((20.0..=100.0).contains(&spent), "{context}: {spent} %");
    }
}

#[test]
fn ctrl_c_ends_the_run_on_a_flooded_connection() {
    let server = Server::faulty();
    for (open, fault) in [
        (WEBSOCKET, "flood"),
        (SOCKET_IO, "flood"),
        (WEBSOCKET, "noise"),
    ] {
        let cell = Cell::open(&server, &json!({ "fault": fault }));
        let text = LISTEN
            .replace("OPEN", open)
            .replace("duration: \"1s\"", "duration: \"10m\"");
        let lab = Lab::new().with("go.ts", &text);
        let program = lab.start_run("go.ts", &cell.url(), &[]);
        until("load", || connections(cell.port()) >= 2);
        thread::sleep(Duration::from_millis(500)); // some flood; the amount does not matter
        program.interrupt();
        thread::sleep(Duration::from_millis(200)); // the kernel merges two signals that arrive together
        let began = SystemTime::now();
        program.interrupt();
        let ended = program.end();
        let took = began.elapsed().unwrap();
        assert!(took < SOON, "it took {took:?}");
        ended.refused(130, &["saved"]);
        assert_eq!(lab.record()["interrupted"], true);
    }
}
