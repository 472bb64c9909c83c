//! Passive audiences on the official Socket.IO server, on two workers. The server counts exactly what it did.

use serde_json::{Value, json};

use crate::harness::{Lab, Server, ask, has_the_faults, issue, socketio_server_with};

/// Two halls, each with one speaker and half of the 200 listeners. The speakers are on different workers, and so are the
/// listeners of each hall. All listeners have joined before the first message.
const HALLS: &str = r#"
import { audience, type Group, type Options } from "headcount";
export const options: Options = { groups: 2, load: { users: 2, duration: "5s" }, settle: "3s", deadline: "2s" };
const socketio = { namespace: "/halls" };
const halls = ["east", "west"].map((hall) => ({
  hall,
  listeners: audience(100, {
    name: "listeners",
    receives: { said: { event: "said", at: "/text" } },
    connect: CONNECT,
  }),
}));
export default async function speak({ number, users: [speaker], channel }: Group) {
  const { hall, listeners } = halls[number]!;
  const said = channel("said", { to: listeners });
  const socket = await speaker!.socketio(socketio);
  let left = 20;
  const ticker = speaker!.every("100ms", () => {
    socket.emit("say", { hall, text: said.stamp(speaker!) });
    if (--left === 0) ticker.stop();
    if (left === KICK) socket.emit("kick", { hall });
  }, { first: "200ms" });
  await speaker!.stay();
}
"#;

const JOIN: &str = "() => ({ socketio, send: [[\"join\", { hall }]], ready: \"joined\" })";
/// Number of deliveries of both halls together.
const EXPECTED: u64 = 2 * 100 * 20;

fn server(faults: &[(&str, &str)]) -> Server {
    socketio_server_with("socketio-hall", "socket.io-4.8", faults)
}

fn halls(connect: &str, kick: &str) -> Lab {
    let text = HALLS.replace("CONNECT", connect).replace("KICK", kick);
    Lab::new().with("halls.ts", &text)
}

/// Returns headcount's level, and the server's counts.
fn spoken(lab: &Lab, server: &Server) -> (Value, Value) {
    let level = lab.level("halls.ts", &server.url(), &["--workers", "2"]);
    (level, ask(&format!("{}/counts", server.url())))
}

/// Each of the server's faults appears with its count, and nothing else does.
fn found_exactly(faults: &[(&str, &str)], fault: &str) {
    let server = server(faults);
    let (level, done) = spoken(&halls(JOIN, "-1"), &server);
    let found = &level["deliveries"];
    assert_eq!(done["joined"], 200, "{done:#}");
    assert_eq!(done["deliveries"], EXPECTED, "{done:#}");
    assert_eq!(found["expected"], EXPECTED, "{found:#}");
    has_the_faults(found, &done);
    let received = found["delivered"].as_u64().unwrap() + found["late"].as_u64().unwrap();
    let dropped = done["dropped"].as_u64().unwrap();
    assert_eq!(received, EXPECTED - dropped, "{found:#}");
    assert!(
        fault.is_empty() || done[fault].as_u64() > Some(20),
        "{done:#}"
    );
}

#[test]
fn all_events_reach_the_members_of_an_audience() {
    found_exactly(&[], "");
}

#[test]
fn each_event_that_socket_io_drops_is_lost_to_its_member() {
    found_exactly(&[("DROP", "97")], "dropped");
}

#[test]
fn each_event_that_socket_io_sends_twice_is_a_duplicate() {
    found_exactly(&[("DUPLICATE", "97")], "duplicated");
}

#[test]
fn each_event_that_socket_io_sends_after_a_later_one_is_reordered() {
    found_exactly(&[("SWAP", "97")], "swapped");
}

#[test]
fn each_event_that_reaches_the_other_hall_is_misdelivered() {
    found_exactly(&[("STRAY", "97")], "strayed");
}

#[test]
fn all_faults_of_socket_io_are_told_apart() {
    let faults = [
        ("DROP", "97"),
        ("DUPLICATE", "89"),
        ("SWAP", "83"),
        ("STRAY", "79"),
    ];
    found_exactly(&faults, "swapped");
}

#[test]
fn members_that_a_namespace_refuses_are_failures() {
    let server = server(&[]);
    let connect = r#"(index) => ({
      socketio: { ...socketio, auth: { denied: index % 5 === 2 } },
      send: [["join", { hall }]],
      ready: { "/hall": hall },
    })"#;
    let lab = halls(connect, "-1");
    let (level, done) = spoken(&lab, &server);
    assert_eq!(done["joined"], 160, "{done:#}");
    let found = &level["deliveries"];
    assert_eq!(found["expected"], EXPECTED * 4 / 5, "{found:#}");
    assert_eq!(found["lost"], 0, "{found:#}");
    let incomplete = issue(&level, "audience_incomplete");
    assert_eq!(
        (&incomplete["members"], &incomplete["listening"]),
        (&json!(200), &json!(160)),
        "{incomplete:#}"
    );
    let denied = lab.failure("target", "denied", "listeners");
    assert_eq!(denied["count"], 40, "{denied:#}");
}

#[test]
fn each_member_that_the_server_disconnects_is_a_failure() {
    let server = server(&[]);
    let lab = halls(JOIN, "10");
    let (level, done) = spoken(&lab, &server);
    assert_eq!(done["kicked"], 200, "{done:#}");
    let failures = lab.failures();
    let of_members = failures.iter().filter(|one| one["what"] == "listeners");
    let counts = of_members.map(|one| one["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 200, "{failures:#?}");
    let found = &level["deliveries"];
    assert_eq!(found["delivered"], 2 * 100 * 10, "{found:#}");
}

#[test]
fn members_that_wait_for_an_event_that_never_comes_are_failures() {
    let server = server(&[]);
    let connect = r#"(index) => ({
      socketio,
      send: [["join", { hall }]],
      ready: index % 5 === 2 ? "seated" : "joined",
      timeout: "1s",
    })"#;
    let lab = halls(connect, "-1");
    let (level, _) = spoken(&lab, &server);
    assert_eq!(issue(&level, "audience_incomplete")["listening"], 160);
    let late = lab.failure("target", "timed_out", "listeners");
    assert_eq!(late["count"], 40, "{late:#}");
    let detail = late["first"]["detail"].as_str().unwrap();
    assert_eq!(detail, "no message matched `ready` within 1 s");
}
