//! Several JSON documents in one frame, from third-party servers.

use serde_json::Value;

use crate::harness::{Lab, ask, documents_room, official_signalr_client};

/// 20 users in rooms of 5. Each sends exactly 40 messages and awaits the reply to each.
const TALK: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 5, load: { users: 20, once: true, limit: "60s" }, settle: "5s" };
export default async function talk({ id, everyone, channel, check }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("PATH", { documents: "DOCUMENTS" });
    socket.receives(said, { at: "/text", only: { "/type": "said" } });
    const joined = await socket.request({ type: "join", room: id, id: 1000 }, { name: "join", only: { "/type": "joined" } });
    check("the answer to join", joined.id === 1000);
    await here("joined");
    for (let number = 0; number < 40; number++) {
      const heard = await socket.request({ type: "say", text: said.stamp(user), id: number }, { name: "say", by: "/id" });
      check("the answer", heard.type === "heard" && heard.id === number);
    }
    await here("said");
  });
}
"#;

const SIGNALR: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 5, load: { users: 20, once: true, limit: "60s" }, settle: "5s" };
export default async function talk({ id, everyone, channel, check }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("PATH", { documents: "DOCUMENTS" });
    const invoke = async (number: number, target: string, argument: unknown) => {
      const call = { type: 1, target, arguments: [argument], invocationId: `${number}` };
      const text = await socket.request(JSON.stringify(call) + "\x1e", { name: target, by: "/invocationId" });
      check("the completion", JSON.parse(text).type === 3);
    };
    socket.receives(said, { at: "/arguments/0/text", only: { "/target": "said" } });
    await socket.request('{"protocol":"json","version":1}\x1e', { name: "handshake" });
    await invoke(1000, "Join", id);
    await here("joined");
    for (let number = 0; number < 40; number++) await invoke(number, "Say", { text: said.stamp(user) });
    await here("said");
  });
}
"#;

const DELIVERIES: u64 = 20 * 40 * 5;

fn all_arrived(scenario: &str, path: &str, documents: &str) -> Value {
    let room = documents_room();
    let scenario = scenario
        .replace("PATH", path)
        .replace("DOCUMENTS", documents);
    let lab = Lab::new().with("talk.ts", &scenario);
    let level = lab.level("talk.ts", &room.url(), &[]);
    let counts = ask(&format!("{}/counts", room.url()));
    let deliveries = &level["deliveries"];
    assert_eq!(deliveries["expected"], DELIVERIES, "{path}: {level:#}");
    assert_eq!(
        deliveries["delivered"], counts["said"],
        "{path}: {level:#} {counts}"
    );
    for nothing in ["late", "lost", "duplicated", "reordered", "misdelivered"] {
        assert_eq!(deliveries[nothing], 0, "{path}: {nothing}");
    }
    assert_eq!(level["checks"]["passed"], 20 * 41, "{path}: {level:#}");
    assert_eq!(level["checks"]["failed"], 0, "{path}");
    assert!(counts["several"].as_u64() > Some(100), "{path}: {counts}");
    counts
}

#[test]
fn every_document_of_a_frame_counts_as_the_server_says() {
    for path in ["newline", "0x1e", "sockjs"] {
        all_arrived(TALK, &format!("/{path}"), "auto");
    }
    all_arrived(TALK, "/array", "array");
}

#[test]
fn documents_that_go_on_in_the_next_frame_count_as_the_server_says() {
    for ending in ["newline", "0x1e"] {
        let counts = all_arrived(TALK, &format!("/{ending}?split"), ending);
        assert!(counts["cut"].as_u64() > Some(100), "{counts}");
    }
}

#[test]
fn every_record_of_signalr_counts_as_the_server_says() {
    let room = documents_room();
    let heard = official_signalr_client(&room);
    assert_eq!(
        heard,
        serde_json::json!([150, 150, 150]),
        "the room is no SignalR"
    );
    all_arrived(SIGNALR, "/signalr", "auto");
    all_arrived(SIGNALR, "/signalr?split", "0x1e");
}

/// Run by hand, because its server takes minutes to build: `cd e2e/centrifuge && go build -o /tmp/centrifuge .`, start
/// it, and run `CENTRIFUGE=127.0.0.1:PORT cargo test -p headcount --test e2e centrifugo -- --ignored`.
#[test]
#[ignore = "needs e2e/centrifuge, built by hand and running at CENTRIFUGE"]
fn every_publication_of_centrifugo_under_load_counts_as_the_server_says() {
    let address = std::env::var("CENTRIFUGE").unwrap();
    let lab = Lab::new().with(
        "talk.ts",
        include_str!("../../../../e2e/centrifuge/talk.ts"),
    );
    let level = lab.level("talk.ts", &format!("http://{address}"), &[]);
    let counts = ask(&format!("http://{address}/counts"));
    let deliveries = &level["deliveries"];
    assert_eq!(deliveries["delivered"], deliveries["expected"], "{level:#}");
    assert_eq!(
        deliveries["delivered"], counts["written"],
        "{counts} {level:#}"
    );
    assert_eq!(
        deliveries["messages"], counts["published"],
        "{counts} {level:#}"
    );
}
