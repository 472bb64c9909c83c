//! Deliveries on a fleet equal the counts of the truth server, in rooms of a group and in audiences of all agents.

use serde_json::Value;

use crate::harness::{Lab, Server, ask, has_the_faults};

/// Eight rooms of five, on four agents.
const TALK: &str = r#"
import { env, type Group, type Options } from "headcount";
export const options: Options = { group: 5, load: { users: 40, duration: "4s" }, settle: "2s", deadline: "2s" };
export default async function talk({ number, everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket(`/room/${number}?${env("FAULTS", "")}`);
    socket.receives(said, { at: "/text" });
    await here("listening");
    let left = 50;
    const ticker = user.every("40ms", () => {
      socket.send({ text: said.stamp(user) });
      if (--left === 0) ticker.stop();
    }, { first: "500ms" });
    await user.stay();
  });
}
"#;

/// Two halls whose listeners are spread over all agents.
const HALLS: &str = r#"
import { audience, env, type Group, type Options } from "headcount";
export const options: Options = { groups: 2, load: { users: 2, duration: "5s" }, settle: "3s", deadline: "2s" };
const halls = ["/room/east", "/room/west"].map((path) => {
  const url = path + "?" + env("FAULTS", "");
  const listeners = audience(100, { receives: { said: { at: "/text" } }, connect: () => ({ websocket: url }) });
  return { url, listeners };
});
export default async function speak({ number, users: [speaker], channel }: Group) {
  const { url, listeners } = halls[number]!;
  const said = channel("said", { to: listeners });
  const socket = await speaker!.websocket(url);
  let left = 20;
  const ticker = speaker!.every("100ms", () => {
    socket.send({ text: said.stamp(speaker!) });
    if (--left === 0) ticker.stop();
  }, { first: "500ms" });
  await speaker!.stay();
}
"#;

fn found_exactly(text: &str, faults: &str, expected: u64) {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("talk.ts", text);
    let faults = format!("FAULTS={faults}");
    let fleet = ["--fleet", "local:4", "--workers", "1", "--env", &faults];
    let level = lab.level("talk.ts", &truth.url(), &fleet);
    let done = ask(&format!("{}/truth", truth.url()))["websocket"]["sum"].clone();
    let found: &Value = &level["deliveries"];
    assert_eq!(found["expected"], expected, "{found:#} {done:#}");
    assert_eq!(done["deliveries"], expected, "{done:#}");
    has_the_faults(found, &done);
    let faults = ["dropped", "duplicated", "swapped", "strayed"];
    let all: u64 = faults
        .iter()
        .map(|fault| done[fault].as_u64().unwrap())
        .sum();
    assert!(all > 100, "the faults were hardly injected: {done:#}");
}

#[test]
fn every_fault_in_the_rooms_of_four_agents_is_counted_exactly() {
    found_exactly(TALK, "drop=97&duplicate=89&swap=53&stray=101", 40 * 50 * 4);
}

#[test]
fn every_fault_in_audiences_across_four_agents_is_counted_exactly() {
    found_exactly(HALLS, "drop=47&duplicate=41&swap=43", 2 * 100 * 20);
}
