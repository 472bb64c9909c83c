//! Passive audiences: receivers without a script, on two workers. The truth server counts exactly what it did, and headcount
//! must find the same numbers.

mod events;

use serde_json::{Value, json};

use crate::harness::{Lab, Program, Server, ask, has_the_faults, issue, npx_tsc};

/// Two rooms, each with one speaker and half of the listeners. The speakers are on different workers, and so are the
/// listeners of each room. All listeners have joined before the first message, and the last message is sent long before
/// the end.
const HALLS: &str = r#"
import { audience, env, type Group, type Options } from "headcount";
export const options: Options = { groups: 2, load: { users: 2, duration: "5s" }, settle: "3s", deadline: "2s" };
const half = Number(env("LISTENERS")) / 2;
const halls = ["/room/east", "/room/west"].map((path) => {
  const url = path + "?" + env("FAULTS", "");
  const listeners = audience(half, { receives: { said: { at: "/text" } }, connect: () => ({ websocket: url }) });
  return { url, listeners };
});
export default async function speak({ number, users: [speaker], channel }: Group) {
  const { url, listeners } = halls[number]!;
  const said = channel("said", { to: listeners });
  const socket = await speaker!.websocket(url);
  let left = Number(env("MESSAGES"));
  const ticker = speaker!.every("100ms", () => {
    socket.send({ text: said.stamp(speaker!) });
    if (--left === 0) ticker.stop();
  }, { first: "200ms" });
  await speaker!.stay();
}
"#;

/// Returns headcount's level, and the truth server's counts of both rooms together.
fn spoken(listeners: u64, messages: u64, faults: &str) -> (Value, Value, Lab) {
    let truth = Server::truth(&["--max-connections", "11000"]);
    let lab = Lab::new().with("halls.ts", HALLS);
    let (all, each) = (
        format!("LISTENERS={listeners}"),
        format!("MESSAGES={messages}"),
    );
    let faults = format!("FAULTS={faults}");
    let env = ["--env", &all, "--env", &each, "--env", &faults];
    let level = lab.level(
        "halls.ts",
        &truth.url(),
        &[&["--workers", "2"], &env[..]].concat(),
    );
    let done = ask(&format!("{}/truth", truth.url()))["websocket"]["sum"].clone();
    assert_eq!(done["joined"], listeners + 2, "{done:#}");
    assert_eq!(done["deliveries"], listeners * messages, "{done:#}");
    (level, done, lab)
}

/// Each of the server's faults appears with its count, and nothing else does.
fn found_exactly(listeners: u64, messages: u64, faults: &str, fault: &str) {
    let (level, done, _) = spoken(listeners, messages, faults);
    let found = &level["deliveries"];
    let all = listeners * messages;
    assert_eq!(found["expected"], all, "{found:#}");
    assert_eq!(found["messages"], 2 * messages, "{found:#}");
    has_the_faults(found, &done);
    let received = found["delivered"].as_u64().unwrap() + found["late"].as_u64().unwrap();
    assert_eq!(
        received,
        all - done["dropped"].as_u64().unwrap(),
        "{found:#}"
    );
    assert!(
        fault.is_empty() || done[fault].as_u64() > Some(20),
        "{done:#}"
    );
}

#[test]
fn all_deliveries_to_a_thousand_listeners_on_two_workers_arrive() {
    found_exactly(1000, 20, "", "");
}

#[test]
fn each_dropped_delivery_to_a_listener_is_lost() {
    found_exactly(1000, 20, "drop=97", "dropped");
}

#[test]
fn each_duplicate_that_a_listener_gets_is_counted() {
    found_exactly(1000, 20, "duplicate=97", "duplicated");
}

#[test]
fn each_delivery_that_a_listener_gets_after_a_later_one_is_counted() {
    found_exactly(1000, 20, "swap=97", "swapped");
}

#[test]
fn each_message_that_reaches_the_other_audience_is_misdelivered() {
    found_exactly(1000, 20, "stray=97", "strayed");
}

#[test]
#[ignore = "takes 20,000 descriptors and half a minute"]
fn ten_thousand_listeners_are_counted_exactly() {
    found_exactly(10_000, 20, "drop=97", "dropped");
}

#[test]
fn a_message_that_all_listeners_got_has_a_latency_to_the_first_and_to_the_last() {
    let (_, _, lab) = spoken(100, 20, "drop=100");
    let deliveries = &lab.record()["levels"][0]["measured"]["deliveries"]["said"];
    // Every second message of a room lost one of its 50 deliveries.
    assert_eq!(deliveries["whole_audience"], 20, "{deliveries:#}");
    assert_eq!(deliveries["lost"], json!({ "never_seen": 20 }));
    assert_eq!(deliveries["messages"], 40);
}

#[test]
fn listeners_that_cannot_connect_are_reported_and_not_expected_to_receive() {
    let truth = Server::truth(&[]);
    let scenario = HALLS.replace(
        "connect: () => ({ websocket: url })",
        r#"connect: (index) => ({ websocket: index % 5 === 0 ? "/error/1" : url }), name: "listeners""#,
    );
    let lab = Lab::new().with("halls.ts", &scenario);
    let env = ["--env", "LISTENERS=100", "--env", "MESSAGES=10"];
    let level = lab.level(
        "halls.ts",
        &truth.url(),
        &[&["--workers", "2"], &env[..]].concat(),
    );
    let found = &level["deliveries"];
    assert_eq!(
        (&found["expected"], &found["lost"]),
        (&json!(800), &json!(0)),
        "{found:#}"
    );
    let incomplete = issue(&level, "audience_incomplete");
    assert_eq!(
        (&incomplete["members"], &incomplete["listening"]),
        (&json!(100), &json!(80)),
        "{incomplete:#}"
    );
    let failures = lab.failures();
    let of_listeners = failures
        .iter()
        .filter(|failure| failure["what"] == "listeners");
    let counts = of_listeners.map(|failure| failure["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 20, "{failures:#?}");
}

/// Stamps at another place than where the audience looks are a mistake in the scenario, not losses of the target.
#[test]
fn stamps_at_another_place_are_explained() {
    let truth = Server::truth(&[]);
    let scenario = HALLS.replace(r#"at: "/text""#, r#"at: "/body""#);
    let lab = Lab::new().with("halls.ts", &scenario);
    let env = ["--env", "LISTENERS=10", "--env", "MESSAGES=10"];
    lab.run("halls.ts", &truth.url(), &env);
    let deliveries = &lab.record()["levels"][0]["measured"]["deliveries"]["said"];
    assert_eq!(deliveries["lost"], json!({ "misplaced": 100 }));
    assert_eq!(deliveries["misplaced"]["stamps"], 100, "{deliveries:#}");
    let first = &deliveries["misplaced"]["first"];
    assert!(first.to_string().contains("/text"), "{first:#}");
}

/// Members of all protocols, as the types accept and refuse them.
const MEMBERS: &str = r#"
import { audience, type AudienceMember } from "headcount";

const members: AudienceMember[] = [
  { websocket: "/hall", send: [{ join: 1 }], ready: { "/type": "joined" }, timeout: "3s" },
  { events: "/news", query: { a: 1 }, ready: "welcome" },
  { events: "/news", ready: { "/a": 1 } },
  { nats: {}, subject: "rooms.*", timeout: "3s" },
  { nats: { url: "nats://127.0.0.1:4222", token: "t", connection: "own" }, subject: "a" },
  { redis: { database: 2 }, channels: ["a", "b"], pattern: true },
  { socketio: { namespace: "/halls", auth: { token: 1 } }, send: [["join", { hall: 1 }]], ready: "joined" },
  { socketio: { url: "http://127.0.0.1:81" } },
  // @ts-expect-error: the subject is missing
  { nats: {} },
  // @ts-expect-error: members of a queue group share the messages
  { nats: {}, subject: "a", queue: "q" },
  // @ts-expect-error: members do not publish
  { nats: { echo: false }, subject: "a" },
  // @ts-expect-error: the channels are missing
  { redis: {} },
  // @ts-expect-error: a node passes on the messages of all nodes
  { redis: { cluster: true }, channels: "a" },
  // @ts-expect-error: members do not poll
  { socketio: { transports: ["polling"] } },
  // @ts-expect-error: a message of a WebSocket has no name
  { websocket: "/", ready: "joined" },
];

audience(members.length, { receives: { said: {} }, connect: (index) => members[index]! });
"#;

#[test]
fn the_types_describe_the_members_of_each_protocol() {
    let lab = Lab::new();
    assert_eq!(lab.headcount(&["init", "."]).code, Some(0));
    let lab = lab.with("members.ts", MEMBERS);
    let ended = Program::start(npx_tsc(&lab.path("."))).end();
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
}
