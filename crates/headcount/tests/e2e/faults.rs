//! A bridge with injected faults, which it counts exactly. headcount must find the same numbers.

use serde_json::Value;

use crate::harness::{Lab, Server, ask};

/// Four rooms of five. Each user sends 60 messages. All have joined before the first message, and the last one is sent
/// long before the end. So all of the bridge's actions are within the measured time.
const TALK: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 5, load: { users: 20, duration: "3500ms" }, settle: "1s" };
const rooms = ["Tower", "Chapel", "Library", "Garden"];
export default async function talk({ number, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/bridge/ws", { query: { user: user.name, room: rooms[number]! } });
    socket.receives(said, { at: "/text", only: { "/type": "said" } });
    await socket.next({ only: { "/type": "welcome" } });
    await here("listening");
    let left = 60;
    const ticker = user.every("25ms", () => {
      socket.send({ type: "say", text: said.stamp(user) });
      if (--left === 0) ticker.stop();
    }, { first: "500ms" });
    await user.stay();
  });
}
"#;

const EXPECTED: u64 = 20 * 60 * 5;

/// Returns headcount's deliveries and the bridge's own counts.
fn run(order: &str) -> (Value, Value) {
    let bridge = Server::bridge(&["--faults", order]);
    let level = Lab::new()
        .with("talk.ts", TALK)
        .level("talk.ts", &bridge.url(), &[]);
    let done = ask(&format!("{}/faults", bridge.url()))["counts"].clone();
    assert_eq!(
        level["deliveries"]["expected"], EXPECTED,
        "{order}: {level:#}"
    );
    assert_eq!(done["deliveries"], EXPECTED, "{order}: {done}");
    (level["deliveries"].clone(), done)
}

fn found_exactly(order: &str, least: u64) {
    let (found, done) = run(order);
    let mut all = 0;
    for (ours, theirs) in [
        ("lost", "dropped"),
        ("duplicated", "duplicated"),
        ("reordered", "reordered"),
        ("misdelivered", "strayed"),
    ] {
        assert_eq!(
            found[ours], done[theirs],
            "{order}: {ours}: {found:#} {done:#}"
        );
        all += done[theirs].as_u64().unwrap();
    }
    assert_eq!(
        found["delivered"],
        EXPECTED - done["dropped"].as_u64().unwrap(),
        "{order}"
    );
    assert!(
        all >= least,
        "{order}: the order was hardly carried out: {done:#}"
    );
}

#[test]
fn each_dropped_delivery_is_lost() {
    found_exactly("drop=100", 60);
}

#[test]
fn each_duplicate_is_counted() {
    found_exactly("duplicate=200", 30);
}

#[test]
fn each_swap_is_one_reordered_delivery() {
    found_exactly("swap=50", 60);
}

#[test]
fn each_message_in_a_wrong_room_is_a_stray() {
    found_exactly("stray=500", 12);
}

#[test]
fn all_together_are_told_apart() {
    found_exactly("drop=97,duplicate=89,swap=53,stray=101", 200);
}

#[test]
fn a_healthy_bridge_has_none_of_them() {
    found_exactly("delay=1ms", 0);
}

#[test]
fn a_delay_is_in_every_latency() {
    let (found, done) = run("delay=20ms");
    assert_eq!(found["delivered"], EXPECTED);
    assert!(found["p50_ms"].as_f64() >= Some(20.0), "{found:#}");
    assert!(done["delayed"].as_u64() >= Some(EXPECTED), "{done:#}");
}

/// A message is sent every few milliseconds, so at least one waits for the whole length of a stall.
#[test]
fn a_stall_is_in_the_longest_latency() {
    let (found, done) = run("stall=500ms/1s");
    assert_eq!(found["delivered"], EXPECTED);
    assert!(found["max_ms"].as_f64() >= Some(450.0), "{found:#}");
    assert!(done["stalled"].as_u64() >= Some(1), "{done:#}");
}
