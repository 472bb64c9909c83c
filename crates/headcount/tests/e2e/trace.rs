//! `run --trace`: one iteration, with every request and message.

use crate::harness::{Lab, Server};

const TALK: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  groups: 5,
  load: { users: [10, 50], ramp: "1s", warmup: "1s", duration: "1m" },
  thresholds: { "delivery(said)": "p95 < 1ns" },
};
export default async function talk({ everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    await user.get("/bridge/nowhere", { expect: [404] });
    const socket = await user.websocket("/bridge/ws", { query: { user: user.name, room: "Tower" } });
    socket.receives(said, { at: "/text", only: { "/type": "said" } });
    await here("listening");
    user.every("500ms", () => socket.send({ type: "say", text: said.stamp(user, "x".repeat(400)) }));
    await user.stay();
  });
}
"#;

#[test]
fn a_trace_is_one_iteration_with_all_that_is_sent_and_received() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with("talk.ts", TALK);
    let args = ["run", "talk.ts", "--trace", "--duration", "2s", "--target"];
    let ended = lab.headcount(&[&args[..], &[&bridge.url()]].concat());
    assert_eq!(ended.code, Some(0), "however late it was: {ended:#?}");
    let lines = |what: &str| {
        let all = ended.stderr.lines().filter(|line| line.contains(what));
        all.count()
    };
    assert_eq!(lines("→ GET http://"), 2, "{ended:#?}");
    assert_eq!(lines("← 404 GET /bridge/nowhere: {"), 2, "{ended:#?}");
    assert_eq!(lines("→ socket ws://127.0.0.1:"), 2, "{ended:#?}");
    assert_eq!(lines("← socket opened"), 2, "{ended:#?}");
    // Two users, whose messages reach both of them, also while headcount tracks them without the script.
    let sent = lines(r#"→ message: {"type":"say","text":"xxx"#);
    assert!((6..=8).contains(&sent), "{ended:#?}");
    assert_eq!(
        lines(r#"← message: {"type":"said""#),
        2 * sent,
        "{ended:#?}"
    );
    assert!(lines("bytes)") >= 3 * sent, "{ended:#?}");
    assert!(!ended.stdout.contains("p95 < 1ns"), "{ended:#?}");
    assert!(
        ended.stdout.lines().count() <= 10,
        "a few lines: {ended:#?}"
    );
    assert!(!ended.stdout.contains("Levels ("), "{ended:#?}");
    let files = std::fs::read_dir(lab.path("")).unwrap().count();
    assert_eq!(files, 1, "only the scenario");
}

#[test]
fn a_trace_refuses_the_options_that_a_run_refuses() {
    let scenario = "export const options = { load: { users: 2, once: true, duration: '1s' } };
export default async function nothing() {}\n";
    let lab = Lab::new().with("once.ts", scenario);
    let ended = lab.headcount(&[
        "run",
        "once.ts",
        "--trace",
        "--target",
        "http://127.0.0.1:9",
    ]);
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    assert!(ended.stderr.contains("load.duration"), "{ended:#?}");
}

#[test]
fn a_trace_shows_events_of_socketio_and_a_failing_request() {
    let editor = Server::editor(&["--store", "sqlite::memory:"]);
    let lab = Lab::new().with(
        "edit.ts",
        r#"
import type { Group } from "headcount";
export default async function edit({ users: [user] }: Group) {
  const socket = await user!.socketio();
  socket.emit("join", { roomId: "r", username: "Ann" });
  await socket.next("joined");
  await socket.close();
  await user!.websocket("ws://ann:secret@127.0.0.1:1/").catch(() => {});
  await user!.get("http://ann:secret@127.0.0.1:1/");
}
"#,
    );
    let ended = lab.headcount(&["run", "edit.ts", "--trace", "--target", &editor.url()]);
    assert_eq!(ended.code, Some(99), "{ended:#?}");
    for line in [
        r#"→ message: ["join",{"roomId":"r","username":"Ann"}]"#,
        r#"← message: 42["joined""#,
        "← GET / failed: ",
        "→ socket ws://***@127.0.0.1:1/",
        "  socket ended: ",
        "→ GET http://***@127.0.0.1:1/",
    ] {
        assert!(ended.stderr.contains(line), "{line}: {ended:#?}");
    }
    assert!(!ended.stderr.contains("secret"), "{ended:#?}");
}
