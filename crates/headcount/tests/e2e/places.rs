//! The place in a message where a channel looks for its stamps.

use crate::harness::{Lab, Server};

/// Each of three users sends 20 binary messages with a 16-byte header before the stamp. Every other message belongs to
/// a second channel, whose header is one byte longer.
const BINARY: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 3, load: { groups: 1, duration: "2s" }, settle: "1s" };
export default async function talk({ everyone, channel }: Group) {
  const there = channel("there", { to: "everyone" });
  const elsewhere = channel("elsewhere", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/binary?echo=1");
    socket.receives(there, { at: 16 });
    socket.receives(elsewhere, { at: 17 });
    await here("listening");
    let left = 20;
    const ticker = user.every("20ms", () => {
      const odd = left % 2;
      const stamp = new TextEncoder().encode((odd ? elsewhere : there).stamp(user));
      const message = new Uint8Array(16 + odd + stamp.length + 5).fill(255);
      message.set(stamp, 16 + odd);
      socket.send(message);
      if (--left === 0) ticker.stop();
    }, { first: "200ms" });
    await user.stay();
  });
}
"#;

#[test]
fn a_stamp_in_binary_is_found_at_the_byte_where_it_begins() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("binary.ts", BINARY);
    let level = lab.level("binary.ts", &truth.url(), &[]);
    let saved = &lab.record()["levels"][0]["measured"]["deliveries"];
    for channel in ["there", "elsewhere"] {
        assert_eq!(saved[channel]["expected"], 3 * 10 * 3, "{level:#}");
        assert_eq!(saved[channel]["delivered"], 3 * 10 * 3, "{level:#}");
        assert_eq!(
            saved[channel]["misdelivered"],
            serde_json::json!({}),
            "{saved:#}"
        );
    }
}

/// The message contains the stamp, but at another byte than the given one.
#[test]
fn at_another_byte_nothing_is_found() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("binary.ts", &BINARY.replace("{ at: 16 }", "{ at: 15 }"));
    let level = lab.level("binary.ts", &truth.url(), &[]);
    let saved = &lab.record()["levels"][0]["measured"]["deliveries"];
    assert_eq!(saved["there"]["delivered"], 0, "{level:#}");
    assert_eq!(saved["elsewhere"]["delivered"], 3 * 10 * 3, "{level:#}");
}
