//! Convergence: whether all members of a group have the same state at the end.

use serde_json::Value;

use crate::harness::{Lab, Server, socketio_server};

const HOLDS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  group: 3,
  load: { groups: 6, once: true },
  thresholds: { "converged(document)": ["diverged == 0", "converged >= 4", "unknown == 0"] },
};
export default async function holds({ number, users }: Group) {
  for (const user of users) {
    user.state("document", "not yet the last word");
    if (number === 1 && user.index === 2) user.state("document", "another");
    else user.state("document", "the same");
    if (user.index > 0) user.state("caret", "3"); // the first never records a caret
  }
}
"#;

#[test]
fn groups_whose_members_hold_different_documents_are_counted() {
    let server = socketio_server("socketio-room", "socket.io-4.8");
    let lab = Lab::new().with("holds.ts", HOLDS);
    let level = lab.level("holds.ts", &server.url(), &[]);
    let thresholds = &lab.record()["thresholds"];
    let held = |at: usize| thresholds[at]["held"].as_bool();
    assert_eq!(
        [held(0), held(1), held(2)],
        [Some(false), Some(true), Some(true)],
        "{thresholds:#}"
    );
    let document = &level["converged"]["by_name"]["document"];
    let counts = |of: &Value| ["converged", "diverged", "unknown"].map(|name| of[name].as_u64());
    assert_eq!(counts(document), [Some(5), Some(1), Some(0)], "{level:#}");
    let caret = &level["converged"]["by_name"]["caret"];
    assert_eq!(counts(caret), [Some(0), Some(0), Some(6)], "{level:#}");
    let first = lab.failure("target", "diverged", "converged(document)");
    assert_eq!(first["count"], 1);
    let report = std::fs::read_to_string(lab.path("run/report.md")).unwrap();
    assert!(report.contains("## Converged"), "{report}");
}

const LATE: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  group: 2,
  load: { groups: 2, ramp: "0s", warmup: "0s", duration: "1s" },
};
export default async function late({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/" + id);
    socket.receives(said, { keep: true });
    await here("in the room");
    let mine = "nothing";
    if (user.index === 0) {
      // The script is busy when the measured time ends; 300 ticks without a message precede those that send one.
      user.every("1h", () => { const until = Date.now() + 120; while (Date.now() < until); }, { first: "930ms" });
      for (let i = 0; i < 300; i++) user.every("1h", () => {}, { first: "940ms" });
      for (let i = 0; i < 12; i++) {
        user.every("1h", () => { socket.send((mine = said.stamp(user))); }, { first: `${950 + 3 * i}ms` });
      }
    }
    await user.stay();
    user.state("text", user.index === 0 ? mine : socket.last(said) ?? "nothing");
  });
}
"#;

#[test]
fn nobody_is_told_to_finish_before_the_last_tick_of_the_hold_and_its_message() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("late.ts", LATE);
    let level = lab.level("late.ts", &truth.url(), &[]);
    assert_eq!(
        level["converged"]["by_name"]["text"]["converged"], 2,
        "{level:#}"
    );
    assert_eq!(level["deliveries"]["lost"], 0, "{level:#}");
}

const CROSS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 2, load: { groups: 6, once: true } };
export default async function cross({ id, number, users, channel }: Group) {
  const edits = channel("code-change", { to: "others" });
  const sockets = [];
  for (const user of users) {
    const socket = await user.socketio();
    socket.receives(edits, { event: "code-change", at: "/code", keep: true });
    socket.emit("join", { roomId: id, username: user.name });
    await socket.next("joined");
    sockets.push(socket);
  }
  const [a, b] = sockets;
  const heard = b.next("code-change");
  a.emit("code-change", { roomId: id, code: edits.stamp(users[0], "a") });
  if (number % 2 === 0) await heard; // otherwise b writes before it receives a's edit
  const answered = a.next("code-change");
  const mine = edits.stamp(users[1], "b");
  b.emit("code-change", { roomId: id, code: mine });
  await heard;
  await answered;
  users[0].state("document", a.last(edits)!);
  users[1].state("document", number % 2 === 0 ? mine : b.last(edits)!);
}
"#;

#[test]
fn two_edits_that_cross_in_a_plain_relay_leave_two_texts() {
    let relay = socketio_server("socketio-relay", "socket.io-4.8");
    let lab = Lab::new().with("cross.ts", CROSS);
    let level = lab.level("cross.ts", &relay.url(), &[]);
    let document = &level["converged"]["by_name"]["document"];
    let counts = ["converged", "diverged", "unknown"].map(|name| document[name].as_u64());
    assert_eq!(counts, [Some(3), Some(3), Some(0)], "{level:#}");
    assert_eq!(level["deliveries"]["delivered"], 12, "{level:#}");
}
