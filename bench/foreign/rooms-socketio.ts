// Rooms of five on a Socket.IO relay, with the events of the field report's editor: each user sends an edit every two
// seconds and a caret every half second, and all others in the room receive them.
import type { Group, Options } from "headcount";

export const options: Options = {
  group: 5,
  load: { groups: 1 },
  thresholds: { deliveries: ["p95 < 100ms", "lost == 0"], iterations: ["failed == 0"] },
};

export default async function edit({ id, everyone, channel }: Group) {
  const edits = channel("edit", { to: "others" });
  const carets = channel("caret", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.socketio();
    socket.receives(edits, { event: "code-change", at: "/code" });
    socket.receives(carets, { event: "cursor-change", at: "/cursor/tag" });
    await socket.emit("join", { roomId: id, username: user.name });
    await here("joined");
    const first = `${user.random(500)}ms`;
    user.every("2s", () => socket.emit("code-change", { roomId: id, code: edits.stamp(user, "let x = 1; ") }), { first });
    user.every("500ms", () => socket.emit("cursor-change", { roomId: id, cursor: { tag: carets.stamp(user) } }), { first });
    await user.stay();
  });
}
