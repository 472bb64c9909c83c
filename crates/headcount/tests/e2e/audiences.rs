//! Audiences: a busy generator may notice sendings, receipts and leavings in another order than that in which they
//! happened. The order in which they happened decides who should have received a message, and a misdelivery is found
//! all the same.

use serde_json::{Value, json};

use crate::harness::{Lab, Server, ask, text_at};

/// Two rooms of five users who edit one text each, with the events of the editor.
const EDITS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 5, load: { users: 10, ramp: "0s", warmup: "0s", duration: "2s" }, settle: "6s" };
export default async function edit({ id, everyone, channel }: Group) {
  const edits = channel("edit", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.socketio();
    socket.receives(edits, { event: "code-change", at: "/code", except: { "/document": true }, keep: true });
    socket.emit("join", { roomId: id, username: user.name });
    await socket.next("joined");
    await here("joined");
    user.every("400ms", () => socket.emit("code-change", { roomId: id, code: edits.stamp(user, "let x = 1; // ") }));
    await user.stay();
  });
}
"#;

/// Runs `EDITS` against an editor with these faults. Returns headcount's deliveries, the editor's own counts, and its
/// `editor_settled` metric.
fn edited(order: &str) -> (Value, Value, String) {
    let lab = Lab::new().with("edits.ts", EDITS);
    let editor = Server::editor(&["--store", "sqlite::memory:", "--faults", order]);
    let level = lab.level("edits.ts", &editor.url(), &["--workers", "1"]);
    let done = ask(&format!("{}/faults", editor.url()))["counts"].clone();
    let metrics = text_at(&format!("{}/metrics", editor.url()));
    let settled = metrics
        .lines()
        .find(|line| line.starts_with("editor_settled"));
    let reasons = lab.record()["levels"][0]["measured"]["deliveries"]["edit"]["lost"].clone();
    let mut found = level["deliveries"].clone();
    found["reasons"] = reasons;
    (found, done, settled.unwrap_or_default().to_owned())
}

/// While the level waits for a lost delivery, all members keep listening. When the room is quiet, the editor sends the
/// document to the author of the last edit. The document is that edit.
#[test]
fn a_document_that_comes_back_to_its_last_writer_is_no_stray_and_no_duplicate() {
    let (found, done, settled) = edited("drop=20");
    assert!(
        settled.ends_with(" 2") || settled.ends_with(" 1"),
        "hardly anybody was told the document: {settled}"
    );
    for nothing in ["misdelivered", "duplicated", "reordered"] {
        assert_eq!(found[nothing], 0, "{nothing}: {found:#}");
    }
    assert!(done["dropped"].as_u64() > Some(2), "{done:#}");
    assert_eq!(found["lost"], done["dropped"], "{found:#}");
    // All members stayed for the whole settle time.
    assert_eq!(found["reasons"], json!({ "never_seen": done["dropped"] }));
}

#[test]
fn an_edit_that_really_goes_to_another_room_is_a_stray_and_one_that_comes_twice_a_duplicate() {
    let (found, done, _) = edited("stray=23,duplicate=19");
    for (ours, theirs) in [("misdelivered", "strayed"), ("duplicated", "duplicated")] {
        assert_eq!(found[ours], done[theirs], "{found:#} {done:#}");
        assert!(done[theirs].as_u64() > Some(2), "{done:#}");
    }
    assert_eq!(found["lost"], 0, "{found:#}");
}

/// `a` and `b` are in one room of a server that only forwards messages. It does so while the script spins.
fn in_a_room(query: &str, story: &str) -> Value {
    let text = format!(
        r#"
import type {{ Group, Options }} from "headcount";
export const options: Options = {{ group: 2, load: {{ groups: 1, once: true }}, settle: "1s" }};
const spin = () => {{ const end = Date.now() + 300; while (Date.now() < end); }};
export default async function story({{ id, users, channel }}: Group) {{
  const [a, b] = [users[0]!, users[1]!];
  const said = channel("said", {{ to: "others" }});
  const room = "/room/" + id + "{query}";
  const from = await a.websocket(room);
  const to = await b.websocket(room);
  const say = () => from.send(said.stamp(a, "hello "));
  {story}
}}
"#
    );
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("story.ts", &text);
    let level = lab.level("story.ts", &truth.url(), &[]);
    assert_eq!(level["iterations"]["failed"], 0, "{:#?}", lab.failures());
    let sum = ask(&format!("{}/truth", truth.url()))["websocket"]["sum"].clone();
    let mut found = level["deliveries"].clone();
    found["sent"] = sum["sent"].clone();
    found
}

/// The expected, delivered, lost, duplicated and misdelivered deliveries, and the server's count of sent frames.
fn counts(found: &Value) -> [u64; 6] {
    let names = [
        "expected",
        "delivered",
        "lost",
        "duplicated",
        "misdelivered",
        "sent",
    ];
    names.map(|name| found[name].as_u64().unwrap())
}

#[test]
fn what_the_kernel_had_before_a_member_stopped_listening_is_delivered() {
    for end in ["stop();", "await to.close();"] {
        let story =
            format!("const stop = to.receives(said); say(); spin(); {end} await b.think('200ms');");
        // If TCP segments arrive out of order anywhere on this machine, receive times start at the read, which is too
        // late here. Concurrent tests may cause that.
        let mut tries = (0..5).map(|_| counts(&in_a_room("", &story)));
        let delivered = tries.any(|found| found == [1, 1, 0, 0, 0, 1]);
        assert!(delivered, "{end}");
    }
}

#[test]
fn what_comes_after_a_member_stopped_listening_is_no_receipt() {
    let story = "const stop = to.receives(said); stop(); say(); await b.think('200ms');";
    let found = in_a_room("", story);
    assert_eq!(counts(&found), [0, 0, 0, 0, 0, 1], "{found:#}");
}

#[test]
fn what_was_said_before_a_member_listened_is_no_stray() {
    let story = "say(); spin(); to.receives(said); await b.think('200ms');";
    let found = in_a_room("", story);
    assert_eq!(counts(&found), [0, 0, 0, 0, 0, 1], "{found:#}");
}

#[test]
fn who_closes_one_of_two_sockets_still_listens_on_the_other() {
    let story = "to.receives(said); const other = await b.websocket(room); other.receives(said); await to.close(); say();";
    let found = in_a_room("", story);
    assert_eq!(counts(&found), [1, 1, 0, 0, 0, 1], "{found:#}");
}

#[test]
fn what_comes_back_to_its_sender_is_a_stray() {
    let story = "to.receives(said); from.receives(said); say(); await b.think('200ms');";
    let found = in_a_room("?echo=1", story);
    assert_eq!(found["misdelivered"], 1, "{found:#}");
}

/// A script that processes the ticks of the measured time until long after its end. The late ticks send a message.
const LATE: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  group: 2,
  load: { groups: 1, ramp: "0s", warmup: "0s", duration: "1s" },
  settle: "1s",
};
export default async function late({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/" + id);
    const stop = socket.receives(said);
    await here("in the room");
    if (user.index === 0) {
      const begin = Date.now();
      for (let i = 0; i < 64; i++) {
        const until = begin + 1000 + 30 * i;
        user.every("1h", () => { while (Date.now() < until); }, { first: "850ms" });
      }
      for (let i = 0; i < 2; i++) user.every("1h", () => socket.send(said.stamp(user)), { first: "860ms" });
    }
    await user.stay();
    stop();
  });
}
"#;

#[test]
fn what_late_ticks_send_has_its_settling_time_too() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("late.ts", LATE);
    let level = lab.level("late.ts", &truth.url(), &[]);
    let deliveries = &level["deliveries"];
    assert_eq!(deliveries["expected"], 2, "{level:#}");
    assert_eq!(deliveries["delivered"], 2, "{level:#}");
}
