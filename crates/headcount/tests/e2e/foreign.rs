//! Targets whose libraries share no code with headcount: npm `ws` and Python's `websockets`.

use serde_json::{Value, json};

use crate::harness::{Lab, room_servers};

/// 20 users in rooms of 5. Each sends exactly 30 messages in the middle of the measured time.
const TALK: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 5, load: { users: 20, duration: "2500ms" }, settle: "5s" };
export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/");
    socket.receives(said, { at: "/text", only: { "/type": "said" } });
    socket.send({ type: "join", room: id, name: user.name });
    await socket.next({ only: { "/type": "joined" } });
    await here("joined");
    let left = 30;
    const ticker = user.every("20ms", () => {
      socket.send({ type: "say", text: said.stamp(user, "héllo ") });
      if (--left === 0) ticker.stop();
    });
    await user.stay();
  });
}
"#;

const ECHO: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 4, once: true } };
export default async function echo({ users: [user], check }: Group) {
  const socket = await user!.websocket("/");
  for (const size of [0, 1, 125, 126, 65535, 65536, 100000]) {
    const sent = new Uint8Array(size).map((_, at) => (at * 7) % 256);
    const back = new Uint8Array(await socket.request(sent, { name: "echo" }));
    check("the same bytes", back.length === size && back.every((byte, at) => byte === sent[at]));
  }
  await socket.close(1000, "bye");
}
"#;

#[test]
fn every_delivery_of_a_foreign_server_is_accounted_for() {
    for (name, server) in room_servers() {
        let lab = Lab::new().with("talk.ts", TALK);
        let level = lab.level("talk.ts", &server.url(), &["--workers", "2"]);
        let deliveries = &level["deliveries"];
        assert_eq!(deliveries["expected"], 20 * 30 * 5, "{name}: {level:#}");
        assert_eq!(deliveries["delivered"], 20 * 30 * 5, "{name}: {level:#}");
        for nothing in ["late", "lost", "duplicated", "reordered", "misdelivered"] {
            assert_eq!(deliveries[nothing], 0, "{name}: {nothing}");
        }
        assert!(
            deliveries["p99_ms"].as_f64() > Some(0.0),
            "{name}: {level:#}"
        );
        counts_add_up(&level);
        let saved = &lab.record()["levels"][0];
        let said = &saved["measured"]["deliveries"]["said"];
        assert_eq!(said["messages"], 20 * 30, "{name}");
        assert_eq!(said["whole_audience"], 20 * 30, "{name}");
        assert_eq!(saved["measured"]["connections"]["/"]["count"], 20, "{name}");
        assert_eq!(saved["target"]["pid"], server.pid(), "{name}");
        assert!(level["target"]["cpu_percent"].is_f64(), "{name}: {level:#}");
        assert!(level["target"]["memory_mb"].as_f64() > Some(5.0), "{name}");
    }
}

#[test]
fn bytes_come_back_from_foreign_servers_as_they_went() {
    for (name, server) in room_servers() {
        let level = Lab::new()
            .with("echo.ts", ECHO)
            .level("echo.ts", &server.url(), &[]);
        assert_eq!(level["checks"]["passed"], 4 * 7, "{name}: {level:#}");
        assert_eq!(level["checks"]["failed"], 0, "{name}");
        assert_eq!(
            level["round_trips"]["by_name"]["echo"]["count"],
            4 * 7,
            "{name}"
        );
        assert_eq!(level["iterations"]["succeeded"], 4, "{name}");
    }
}

fn counts_add_up(level: &Value) {
    let count = |name: &str| level["iterations"][name].as_u64().unwrap();
    assert_eq!(count("planned"), count("started") + count("dropped"));
    assert_eq!(
        count("started"),
        count("succeeded") + count("failed") + count("unfinished")
    );
    assert_eq!(level["iterations"]["failed"], json!(0));
}
